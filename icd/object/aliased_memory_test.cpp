#include "icd/object/aliased_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>

namespace etzel::icd {
namespace {

class AliasedMemory : public testing::Test {
 protected:
  AliasedMemory() {
    void* p = mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memory = static_cast<std::byte*>(p);
    range = mapNothing(nullptr, 4 * page);
  }
  ~AliasedMemory() override { munmap(memory, 4 * page), munmap(range, 4 * page); }
  const uint64_t page = hostPageBytes();
  std::byte* memory = nullptr;
  std::byte* range = nullptr;
};

TEST_F(AliasedMemory, BothMappingsShowTheSameBytes) {
  ASSERT_TRUE(systemAliasesMemory());
  ASSERT_TRUE(mapAgain(memory + page, 2 * page, range));
  memory[page + 5] = std::byte{7};
  range[page] = std::byte{9};
  EXPECT_EQ(range[5], std::byte{7});
  EXPECT_EQ(memory[2 * page], std::byte{9});
}

TEST_F(AliasedMemory, OnePageCanBeSeenAtSeveralPlaces) {
  ASSERT_TRUE(mapAgain(memory, page, range) && mapAgain(memory, page, range + 2 * page));
  range[1] = std::byte{3};
  EXPECT_EQ(range[2 * page + 1], std::byte{3});
}

TEST_F(AliasedMemory, WhatIsMappedToNothingReadsAsZeros) {
  ASSERT_TRUE(mapAgain(memory, page, range));
  std::fill(range, range + page, std::byte{1});
  ASSERT_EQ(mapNothing(range, page), range);
  EXPECT_TRUE(std::all_of(range, range + page, [](std::byte b) { return b == std::byte{0}; }));
  EXPECT_EQ(memory[0], std::byte{1}) << "the memory keeps what it had";
}

TEST_F(AliasedMemory, PagesOutliveTheMappingThatTheyCameFrom) {
  ASSERT_TRUE(mapAgain(memory + 3 * page, page, range));
  range[0] = std::byte{5};
  munmap(memory, 4 * page);
  EXPECT_EQ(range[0], std::byte{5});
}

}  // namespace
}  // namespace etzel::icd
