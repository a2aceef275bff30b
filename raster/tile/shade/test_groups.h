// Early tests of a block's groups, where the block as a whole was not tested.
#pragma once

#include "raster/tile/block/block_coverage.h"
#include "raster/tile/block/pixel_group.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/shade/primitive_context.h"
#include "raster/tile/shade/worker_state.h"
#include "raster/tile/test/primitive_tests.h"

namespace etzel::raster::ETZEL_TARGET {

/// Early tests group by group where testBlock() did not do them, and the count of what passes. Groups of which all
/// samples pass alike are no longer mixed.
template <bool single>
inline void testGroups(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y, BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  const uint32_t samples = single ? 1 : d.samples;
  for (uint32_t groups = d.tests && !p.tested ? block.groups() : 0; groups; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    const PixelGroup g = groupOf(p, x, y, group);
    LaneMask lanes = static_cast<LaneMask>(block.alike >> group * 8 & 255);
    if (single) {
      testGroup(p, g, &lanes, 0, 1, nullptr, true);
      block.alike = (block.alike & ~(uint64_t{255} << group * 8)) | uint64_t{lanes} << group * 8;
    } else {
      LaneMask each[kMaxSamples];
      block.load(group, samples, each);
      testGroup(p, g, each, 0, samples, nullptr, true);
      block.store(group, samples, each);
    }
  }
  if (!d.countSamples) return;
  w.samplesPassed += static_cast<uint32_t>(__builtin_popcountll(block.alike)) * samples;
  for (uint32_t s = 0; s < samples && block.mixed; ++s)
    w.samplesPassed += static_cast<uint32_t>(__builtin_popcountll(block.each[s]));
}

}  // namespace etzel::raster::ETZEL_TARGET
