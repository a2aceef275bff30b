// Which pixels of a tile a primitive may touch.
#pragma once

#include "raster/bin.h"
#include "runtime/simd/target.h"

namespace etzel::raster::ETZEL_TARGET {

/// The part of a primitive's bounding box inside the tile.
struct TileRect {
  int32_t x0, y0, x1, y1;
  bool empty() const { return x0 >= x1 || y0 >= y1; }
  int32_t pixels() const { return (x1 - x0) * (y1 - y0); }
};
ETZEL_INLINE TileRect clipToTile(const TileJob& job, const BinnedPrimitive& p) {
  constexpr int32_t size = kTileSize;
  return {p.minX > job.x ? p.minX : job.x, p.minY > job.y ? p.minY : job.y,
          p.maxX < job.x + size ? p.maxX : job.x + size, p.maxY < job.y + size ? p.maxY : job.y + size};
}

}  // namespace etzel::raster::ETZEL_TARGET
