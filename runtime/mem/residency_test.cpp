#include "runtime/mem/residency.h"

#include <gtest/gtest.h>

#include <random>

namespace etzel::mem {
namespace {

const std::byte* const kBase = reinterpret_cast<const std::byte*>(uintptr_t{0x10000});

TEST(Residency, NothingIsResidentAtFirst) {
  const auto pages = Residency::create(kBase, 3 * 4096 + 1, 12);
  for (uint32_t page = 0; page < 4; ++page) EXPECT_FALSE(pages->resident(kBase + page * 4096));
  EXPECT_FALSE(pages->complete());
}

TEST(Residency, WhatLiesElsewhereIsResident) {
  const auto pages = Residency::create(kBase, 4 * 4096, 12);
  EXPECT_TRUE(pages->resident(kBase - 1));
  EXPECT_TRUE(pages->resident(kBase + 4 * 4096));
}

TEST(Residency, CompleteCountsEachPageOnce) {
  const auto pages = Residency::create(kBase, 130 * 4096, 12);
  pages->set(0, 100, true);
  pages->set(50, 80, true);  // some of them again
  EXPECT_TRUE(pages->complete());
  pages->set(64, 1, false);
  pages->set(64, 1, false);
  EXPECT_FALSE(pages->complete());
  pages->set(64, 1, true);
  EXPECT_TRUE(pages->complete());
}

TEST(Residency, RandomRangesMatchAModel) {
  std::mt19937 random(7);
  constexpr uint64_t kPages = 300;
  const auto pages = Residency::create(kBase, kPages << 16, 16);
  std::vector<bool> model(kPages);
  for (int round = 0; round < 500; ++round) {
    const uint64_t first = random() % kPages, count = random() % (kPages - first) + 1;
    const bool resident = random() & 1;
    pages->set(first, count, resident);
    std::fill(model.begin() + static_cast<long>(first), model.begin() + static_cast<long>(first + count), resident);
    for (uint64_t p = 0; p < kPages; ++p) ASSERT_EQ(pages->resident(kBase + (p << 16) + random() % 65536), model[p]);
    ASSERT_EQ(pages->complete(), std::find(model.begin(), model.end(), false) == model.end());
  }
}

}  // namespace
}  // namespace etzel::mem
