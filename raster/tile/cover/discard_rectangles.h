// "Discard Rectangles Test" of 8x8 pixel blocks.
#pragma once

#include "raster/draw.h"
#include "raster/tile/block/block_coverage.h"

namespace etzel::raster::ETZEL_TARGET {

/// Clears the coverage of the block at (x, y) that the draw's discard rectangles take.
inline void discardPixels(const DrawState& state, int32_t x, int32_t y, BlockCoverage& block) {
  uint64_t inside = 0;
  for (uint32_t i = 0; i < state.discardRectangleCount; ++i) {
    const VkRect2D& r = state.discardRectangle[i];
    const auto edge = [](int32_t offset, uint32_t extent) {
      const int64_t end = int64_t{offset} + extent;
      return static_cast<int32_t>(end < INT32_MAX ? end : INT32_MAX);
    };
    const int32_t x1 = edge(r.offset.x, r.extent.width), y1 = edge(r.offset.y, r.extent.height);
    if (r.offset.x < x + kBlock && r.offset.y < y + kBlock && x1 > x && y1 > y)
      inside |= rectBits(x, y, r.offset.x, r.offset.y, x1, y1);
  }
  const uint64_t keep = state.discardRectangleMode == VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT ? inside : ~inside;
  block.alike &= keep;
  for (uint32_t s = 0; s < kMaxSamples && block.mixed; ++s) block.each[s] &= keep;
}

}  // namespace etzel::raster::ETZEL_TARGET
