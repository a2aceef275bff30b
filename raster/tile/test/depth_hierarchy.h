// Bounds of stored depth for every 8x8 block of the tile that a worker runs.
#pragma once

#include "raster/tile/test/depth_range.h"

namespace etzel::raster {

/// What a tile worker knows of the blocks of its tile while it runs; attachment memory has none of it, so nobody else
/// needs to keep it true.
struct DepthHierarchy {
  DepthRange range[64];  ///< bounds of what is stored
  uint16_t written[64];  ///< pixels written since they were exact
  uint64_t known = 0;    ///< blocks that have bounds

  static uint32_t blockOf(int32_t x, int32_t y) {
    return (static_cast<uint32_t>(y) >> 3 & 7) * 8 + (static_cast<uint32_t>(x) >> 3 & 7);
  }
  void set(uint32_t block, const DepthRange& r) {
    range[block] = r, written[block] = 0;
    known |= uint64_t{1} << block;
  }
  void forget(uint32_t block) { known &= ~(uint64_t{1} << block); }
  bool knows(uint32_t block) const { return known >> block & 1; }
};

}  // namespace etzel::raster
