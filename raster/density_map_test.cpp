// Which fragments a density allows, and what a texel of a density map stands for.
#include "raster/density_map.h"

#include <gtest/gtest.h>

namespace etzel::raster {
namespace {

TEST(DensityMap, FragmentsAreNoLargerThanTheDensityBeforeItWasRounded) {
  for (uint32_t density = 1; density < 256; ++density) {
    const double least = (density - 0.5) / 255;  // what is rounded to this
    EXPECT_LE(double(1u << logDensityArea(uint8_t(density))) * least, 1.0) << density;
  }
}

TEST(DensityMap, FragmentsAreTheLargestThatADensityAllows) {
  for (uint32_t density = 1; density < 256; ++density)
    EXPECT_GT(double(2u << logDensityArea(uint8_t(density))) * (density - 0.5) / 255, 0.999) << density;
}

TEST(DensityMap, DensitiesAsTheyAreStored) {
  EXPECT_EQ(logDensityArea(255), 0u);
  EXPECT_EQ(logDensityArea(129), 0u);
  EXPECT_EQ(logDensityArea(128), 1u);  // one half, rounded up
  EXPECT_EQ(logDensityArea(127), 1u);  // and down
  EXPECT_EQ(logDensityArea(64), 2u);   // a quarter
  EXPECT_EQ(logDensityArea(0), logDensityArea(1));
}

TEST(DensityMap, TexelsStandForTheNextPowerOfTwoOfTheWholeRatio) {
  EXPECT_EQ(logDensityTexel(1024, 64), 4u);
  EXPECT_EQ(logDensityTexel(33 * 16, 32), 4u);  // 16.5, whose fraction does not count
  EXPECT_EQ(logDensityTexel(17 * 32, 32), 5u);
  EXPECT_EQ(logDensityTexel(16384, 1), 14u);
}

TEST(DensityMap, TexelsStandForBlocksAtLeast) {
  EXPECT_EQ(logDensityTexel(64, 64), kMinLogDensityTexel);
  EXPECT_EQ(logDensityTexel(1, 64), kMinLogDensityTexel);
  EXPECT_EQ(logDensityTexel(64, 0), kMinLogDensityTexel);
}

}  // namespace
}  // namespace etzel::raster
