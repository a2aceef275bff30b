// What becomes of the kernel's outputs of one 4x2 group: coverage by alpha, depth, colours of all targets.
#pragma once

#include "raster/lanes.h"
#include "raster/tile/block/pixel_group.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/shade/primitive_context.h"
#include "raster/tile/shade/worker_state.h"
#include "raster/tile/write/color_write.h"
#include "raster/tile/write/coverage_reduction.h"
#include "raster/tile/write/fragment_write.h"

namespace etzel::raster::ETZEL_TARGET {

/// Colour of samples [first, end) to all targets.
template <Mode mode>
ETZEL_INLINE void writeColors(WorkerState& w, const TileDraw& d, const PixelGroup& g, const LaneMask* coverage,
                              uint32_t first, uint32_t end) {
  const LaneWords* second = d.dualSource ? &w.out[abi::kFragOutColorIndex1] : nullptr;
  if (d.alphaToOne) setWords(w.out[abi::kFragOutColorIndex1 + 3], splat<F32x8>(1.0f));
  for (uint32_t i = 0; i < d.colorCount; ++i) {
    const ColorTarget& t = d.color[i];
    LaneWords* source = &w.out[abi::kFragOutColor + 4 * t.location];
    if (d.alphaToOne && !t.integer) setWords(source[3], splat<F32x8>(1.0f));
    if (mode == Mode::Interior) {
      writeInterior(t, g, coverage[0], source, second);
      continue;
    }
    if (d.reducesCoverage)
      writeReduced(d, t, g, coverage, first, end, source, second);
    else if (mode == Mode::Multi && t.surface.meta)
      writeFragments(t, g, coverage, first, end, d.perSample && !d.sharesSamples && d.samplesEach == 1, source, second);
    else
      writeTarget(t, g, coverage, first, end, source, second);
  }
}

/// "Multisample Coverage": the alpha of a smooth line's fragments is multiplied by the part of the pixel that it
/// covers.
inline void smoothAlpha(WorkerState& w, const BinnedPrimitive& p, const PixelGroup& g, LaneMask lanes) {
  if (!p.isLine || !p.smooth) return;
  F32x8 alpha = wordsF(w.out[abi::kFragOutColor + 3]);
  for (uint32_t i = 0; i < kWarpLanes; ++i)
    if (lanes >> i & 1)
      alpha[i] *= smoothCoverage(*p.smooth, g.x + static_cast<int32_t>(laneX(i)), g.y + static_cast<int32_t>(laneY(i)));
  setWords(w.out[abi::kFragOutColor + 3], alpha);
}

/// "Multisample Coverage": how many samples stay, the first ones.
ETZEL_INLINE I32x8 samplesOfAlpha(const TileDraw& d, F32x8 alpha) {
  return roundToInt(clamp(alpha, 0.0f, 1.0f) * splat<F32x8>(static_cast<float>(d.samples)));
}
inline void alphaToCoverage(WorkerState& w, const TileDraw& d, LaneMask* coverage, uint32_t first, uint32_t end) {
  if (!(d.kernel->info.outputLocations & 1)) return;
  const I32x8 ones = samplesOfAlpha(d, wordsF(w.out[abi::kFragOutColor + 3]));
  for (uint32_t s = first; s < end; ++s) coverage[s] &= laneMask(greater(ones, splat<I32x8>(static_cast<int32_t>(s))));
}

/// testGroup's shaderDepth.
ETZEL_INLINE const LaneWords* shaderDepth(const WorkerState& w, const TileDraw& d) {
  if (!d.writesDepth) return nullptr;
  return &w.out[d.writesSampleDepth ? abi::kFragOutSampleDepth : abi::kFragOutDepth];
}

}  // namespace etzel::raster::ETZEL_TARGET
