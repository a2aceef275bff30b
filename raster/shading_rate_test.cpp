// Which fragment sizes there are, what others become, and how three become one.
#include "raster/shading_rate.h"

#include <gtest/gtest.h>

namespace etzel::raster {
namespace {

TEST(ShadingRate, WhatAllDevicesHaveIsThere) {
  for (uint32_t samples : {1u, 2u, 4u}) EXPECT_TRUE(isRate(1, 1, samples) && isRate(1, 0, samples)) << samples;
  for (uint32_t samples : {1u, 2u, 4u, 8u, 16u}) EXPECT_TRUE(isRate(0, 0, samples)) << samples;
}

TEST(ShadingRate, SampleMasksHoldAFragment) {
  for (uint32_t log = 0; log < 5; ++log)
    for (uint32_t rate = 0; rate < kShadingRates; ++rate) {
      const ShadingRate r = clampRate(rate >> 2, rate & 3, 1u << log);
      EXPECT_LE(1u << (log + logWidthOf(r) + logHeightOf(r)), 32u);
      EXPECT_LE(logWidthOf(r), rate >> 2);
      EXPECT_LE(logHeightOf(r), rate & 3);
    }
}

TEST(ShadingRate, ClampingKeepsTheGreatestArea) {
  EXPECT_EQ(clampRate(2, 2, 1), makeRate(2, 2));
  EXPECT_EQ(clampRate(2, 2, 4), makeRate(2, 1));  // 2x4 would do as well
  EXPECT_EQ(clampRate(1, 2, 4), makeRate(1, 2));
  EXPECT_EQ(clampRate(2, 2, 8), makeRate(1, 1));
  EXPECT_EQ(clampRate(2, 2, 16), makeRate(1, 0));
  EXPECT_EQ(clampRate(2, 0, 1), makeRate(1, 0));  // not four times as wide as high
  EXPECT_EQ(clampRate(4, 3, 1), makeRate(2, 2));
}

TEST(ShadingRate, OperationsActOnWidthAndHeightByThemselves) {
  constexpr ShadingRate wide = makeRate(2, 1), high = makeRate(1, 2);
  EXPECT_EQ(combineRates(wide, high, VK_FRAGMENT_SHADING_RATE_COMBINER_OP_KEEP_KHR, 1), wide);
  EXPECT_EQ(combineRates(wide, high, VK_FRAGMENT_SHADING_RATE_COMBINER_OP_REPLACE_KHR, 1), high);
  EXPECT_EQ(combineRates(wide, high, VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MIN_KHR, 1), makeRate(1, 1));
  EXPECT_EQ(combineRates(wide, high, VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MAX_KHR, 1), makeRate(2, 2));
  EXPECT_EQ(combineRates(makeRate(1, 0), makeRate(1, 1), VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MUL_KHR, 1),
            makeRate(2, 1));
  EXPECT_EQ(combineRates(0, 0, VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MUL_KHR, 1), 0);  // strictly
}

}  // namespace
}  // namespace etzel::raster
