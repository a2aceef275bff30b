// "Sample Mask Test" of 8x8 pixel blocks.
#pragma once

#include "raster/tile/block/block_coverage.h"
#include "raster/tile/draw/tile_draw.h"

namespace etzel::raster::ETZEL_TARGET {

/// "Sample Mask Test" for masks that leave samples out.
inline void maskSamples(const TileDraw& d, BlockCoverage& block) {
  if (d.samples == 1) {
    block.alike = 0;
    return;
  }
  uint64_t masks[kMaxSamples] = {};
  block.masks(d.samples, masks);
  for (uint32_t s = 0; s < d.samples; ++s)
    if (!(d.sampleMask >> s & 1)) masks[s] = 0;
  block.split(masks, d.samples);
}

}  // namespace etzel::raster::ETZEL_TARGET
