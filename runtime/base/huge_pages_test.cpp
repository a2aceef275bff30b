#include "runtime/base/huge_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace etzel {
namespace {

TEST(HugePages, AreZerosAtTheirMultiplesAndNothingElseStaysMapped) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (const size_t bytes : {page, kHugePageBytes, kHugePageBytes + page, 5 * kHugePageBytes}) {
    auto* const p = static_cast<unsigned char*>(mapForHugePages(bytes));
    ASSERT_NE(p, nullptr);
    if (bytes > kHugePageBytes) wishHugePages(p, bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % kHugePageBytes, 0u);
    for (size_t i = 0; i < bytes; i += page) {
      ASSERT_EQ(p[i], 0);
      p[i] = 1;
    }
    unsigned char resident;
    EXPECT_EQ(mincore(p + bytes - page, page, &resident), 0);
    EXPECT_EQ(munmap(p, bytes), 0);
    EXPECT_NE(mincore(p, page, &resident), 0);
  }
}

TEST(HugePages, WhatHasNoAddressesIsNull) {
  EXPECT_EQ(mapForHugePages(SIZE_MAX & ~(kHugePageBytes - 1)), nullptr);
  EXPECT_EQ(mapForHugePages(SIZE_MAX / 2 & ~(kHugePageBytes - 1)), nullptr);
}

}  // namespace
}  // namespace etzel
