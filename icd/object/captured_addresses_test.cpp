#include "icd/object/captured_addresses.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "icd/object/aliased_memory.h"

namespace etzel::icd {
namespace {

constexpr int kPrivate = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

uint64_t addressOf(const std::byte* p) { return reinterpret_cast<uintptr_t>(p); }

TEST(CapturedAddresses, WhatIsFreedCanBeThereAgain) {
  const uint64_t bytes = 3 * hostPageBytes();
  std::byte* first = mapForReplay(0, bytes, kPrivate, -1);
  ASSERT_NE(first, nullptr);
  first[bytes - 1] = std::byte{7};
  munmap(first, bytes);
  std::byte* again = mapForReplay(addressOf(first), bytes, kPrivate, -1);
  ASSERT_EQ(again, first);
  EXPECT_EQ(again[bytes - 1], std::byte{0});
  munmap(again, bytes);
}

TEST(CapturedAddresses, NothingThatIsThereIsReplaced) {
  const uint64_t page = hostPageBytes();
  std::byte* there = mapForReplay(0, 2 * page, kPrivate, -1);
  ASSERT_NE(there, nullptr);
  there[page] = std::byte{5};
  EXPECT_EQ(mapForReplay(addressOf(there) + page, page, kPrivate, -1), nullptr);
  EXPECT_EQ(there[page], std::byte{5});
  munmap(there, 2 * page);
}

TEST(CapturedAddresses, PiecesLieApartFromWhatTheSystemPlaces) {
  const uint64_t page = hostPageBytes();
  std::byte* const a = mapForReplay(0, page, kPrivate, -1);
  std::byte* const b = mapForReplay(0, page, kPrivate, -1);
  ASSERT_TRUE(a && b);
  EXPECT_GE(addressOf(b) - addressOf(a), uint64_t{2} << 20);
  int local = 0;
  EXPECT_GT(addressOf(reinterpret_cast<std::byte*>(&local)) - addressOf(a), uint64_t{1} << 40);
  munmap(a, page), munmap(b, page);
}

}  // namespace
}  // namespace etzel::icd
