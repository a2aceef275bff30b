// Counts what a block moves (block_traffic.h).
#pragma once

#include "raster/tile/block/block_coverage.h"
#include "raster/tile/block_traffic.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/shade/primitive_context.h"
#include "raster/tile/shade/worker_state.h"
#include "raster/tile/test_and_shade.h"

namespace etzel::raster::ETZEL_TARGET {

/// The samples that `block` covers.
inline BlockSamples coveredSamples(const TileDraw& d, const BlockCoverage& block) {
  BlockSamples covered;
  block.masks(d.samples, covered.mask);
  return covered;
}

/// testAndShade() or shadeAtRate(), counted.
__attribute__((noinline)) inline void countBlock(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y,
                                                 BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  if (!block.groups()) return;
  const BlockTraffic traffic(w, d, p.primitive->layer, x, y, coveredSamples(d, block));
  __builtin_memset(w.written, 0, sizeof w.written);
  if (d.rates.vary)
    shadeAtRate(w, p, x, y, block);
  else
    testAndShade(w, p, x, y, block);
  const bool tested = d.tests && p.tested, ended = tested && !d.kernel && !d.countSamples;
  BlockSamples written = coveredSamples(d, block);
  const BlockSamples passed = written;
  const bool whole = block.alike == ~uint64_t{0} && (!d.tests || p.tested);
  const bool shared = whole && d.replacesShared && isWholeBlock(d, x, y);
  // Where the groups were shaded one by one they have told what was written.
  if (!d.alikeOnce && !ended && !shared) __builtin_memcpy(written.mask, w.written, sizeof w.written);
  traffic.finish(w, tested ? passed : written, written, tested, whole && (d.replacesAll || shared));
}

}  // namespace etzel::raster::ETZEL_TARGET
