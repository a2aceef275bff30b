#include "raster/tile/block/block_rows.h"

#include <gtest/gtest.h>

#include <random>

#include "runtime/msaa/fragment_surface.h"

namespace etzel::raster::ETZEL_TARGET {
namespace {

TEST(BlockRows, HaveThePixelsOfGroups) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100; ++i) {
    const uint64_t groups = random();
    const uint64_t rows = rowsOfGroups(groups);
    EXPECT_EQ(groupsOfRows(rows), groups);
    for (uint32_t y = 0; y < 8; ++y)
      for (uint32_t x = 0; x < 8; ++x)
        EXPECT_EQ(lanesOfRow(rows, y) >> x & 1, groups >> msaa::pixelIndex(x, y) & 1) << x << ", " << y;
  }
}

}  // namespace
}  // namespace etzel::raster::ETZEL_TARGET
