// A covered block on its way through tests and shading to its attachments.
#pragma once

#include "raster/lanes.h"
#include "raster/sample_locations.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/block/pixel_group.h"
#include "raster/tile/block/sample_set.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/shade/primitive_context.h"
#include "raster/tile/shade/shade_alike.h"
#include "raster/tile/shade/shade_coarse.h"
#include "raster/tile/shade/shade_covered.h"
#include "raster/tile/shade/shade_group.h"
#include "raster/tile/shade/shade_shared.h"
#include "raster/tile/shade/shade_whole.h"
#include "raster/tile/shade/test_groups.h"
#include "raster/tile/shade/worker_state.h"
#include "raster/tile/test/depth_block.h"
#include "raster/tile/write/expand_tiles.h"
#include "raster/tile/write/target_block.h"

namespace etzel::raster::ETZEL_TARGET {

/// Shades what `block` covers of the block at (x, y), absolute pixels.
template <bool single>
inline void shadeGroups(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  if (d.alikeOnce) {
    if ((d.tests && !p.tested) || d.countSamples) testGroups<single>(w, p, x, y, block);
    if (!single) return shadeCovered(w, p, x, y, block);
    if (block.alike) shadeAlike<single>(w, p, x, y, block.alike);
    return;
  }
  if (d.replacesShared && shadeSharedBlock(w, p, x, y, block)) return;
  if (d.wholeBlocks && (d.tests && !d.testsLate ? p.tested : isWholeBlock(d, x, y)))
    return shadeWhole<single>(w, p, x, y, block);
  for (uint32_t groups = block.groups(); groups && !w.cancelled; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    const PixelGroup g = groupOf(p, x, y, group);
    LaneMask alike = static_cast<LaneMask>(block.alike >> group * 8 & 255);
    if (single) {
      shadeGroup<Mode::Single>(w, p, g, &alike);
      continue;
    }
    LaneMask lanes[kMaxSamples];
    block.load(group, d.samples, lanes);
    shadeGroup<Mode::Multi>(w, p, g, lanes);
    for (uint32_t s = 0; d.countsTraffic && s < d.samples; ++s) w.written[s] |= uint64_t{lanes[s]} << group * 8;
  }
}

/// Tests the block at (x, y) as a whole, if that can be. \returns whether something is left to be done
ETZEL_INLINE bool beginBlock(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  if (d.tests) {
    p.tested = testBlock(w.depth, w.depthTiles, p, x, y, block);
    if (p.tested && (!block.groups() || (!d.kernel && !d.countSamples))) return false;
  }
  if (d.expandsColors) expandTiles(d, p.primitive->layer, x, y);
  return true;
}

/// Tests and shades what is left of the block at (x, y) after the sample mask.
ETZEL_INLINE void testAndShade(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  if (!beginBlock(w, p, x, y, block)) return;
  if (d.replacesAll && block.alike == ~uint64_t{0} && (!d.tests || p.tested)) forgetTiles(d, p.primitive->layer, x, y);
  if (p.draw->samples == 1)
    shadeGroups<true>(w, p, x, y, block);
  else
    shadeGroups<false>(w, p, x, y, block);
}

/// testAndShade() for draws some of whose fragments are larger than a pixel.
__attribute__((noinline)) inline void shadeAtRate(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y,
                                                  BlockCoverage& block) {
  const ShadingRate rate = p.draw->rates.at(p.primitive->setup.flatRecord, x, y, p.primitive->layer);
  setWords(sysOf(w, abi::SysValue::ShadingRate), splat<U32x8>(uint32_t{rate}));
  if (rate == 0) return testAndShade(w, p, x, y, block);
  if (!beginBlock(w, p, x, y, block)) return;
  if (p.draw->samples == 1)
    shadeCoarse<true>(w, p, x, y, block, rate);
  else
    shadeCoarse<false>(w, p, x, y, block, rate);
}

}  // namespace etzel::raster::ETZEL_TARGET
