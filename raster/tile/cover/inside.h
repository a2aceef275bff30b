// Which pixels of a group lie inside of the primitive of a conservative draw, whatever its mode covers.
#pragma once

#include "raster/bin.h"
#include "raster/conservative.h"
#include "raster/lanes.h"
#include "raster/tile/block/pixel_group.h"

namespace etzel::raster::ETZEL_TARGET {

/// Whether the pixel at (x, y), covered or not, lies inside. \pre rule.conservative()
inline bool isInside(const BinnedPrimitive& p, const PixelRule& rule, int32_t x, int32_t y) {
  if (p.kind == PrimitiveKind::Spans) {
    for (uint32_t i = 0; i < p.spanCount; ++i)
      if (p.spans[i].y == y) return x >= p.spans[i].fullX0 && x < p.spans[i].fullX1;
    return false;
  }
  for (uint32_t i = 0; i < p.edgeCount; ++i) {
    const Edge& e = p.edge[i];
    const int64_t value = int64_t{e.a} * kSubPixels * x + int64_t{e.b} * kSubPixels * y + e.c;
    if (value < (rule.touched() ? leastInside(rule, e) : 0)) return false;
  }
  return true;
}

/// The lanes of the group at (x, y) that do.
inline LaneMask lanesInside(const BinnedPrimitive& p, const PixelRule& rule, int32_t x, int32_t y) {
  LaneMask inside = 0;
  for (uint32_t i = 0; i < kWarpLanes; ++i)
    inside |= static_cast<LaneMask>(
        isInside(p, rule, x + static_cast<int32_t>(laneX(i)), y + static_cast<int32_t>(laneY(i))) << i);
  return inside;
}

}  // namespace etzel::raster::ETZEL_TARGET
