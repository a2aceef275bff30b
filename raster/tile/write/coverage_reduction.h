// "Coverage Reduction", with its modulation, and "Fragment Coverage to Color": from the coverage of rasterization
// samples to fewer colour samples.
#pragma once

#include "raster/lanes.h"
#include "raster/sample_locations.h"
#include "raster/tile/block/pixel_group.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/write/color_write.h"
#include "raster/tile/write/fragment_write.h"

namespace etzel::raster::ETZEL_TARGET {

/// Colour of samples [first, end) of `target` where there is one for each colour sample.
ETZEL_INLINE void writeStored(const ColorTarget& t, const PixelGroup& g, const LaneMask* coverage, uint32_t first,
                              uint32_t end, bool perSample, const LaneWords* source, const LaneWords* second) {
  if (t.surface.meta)
    writeFragments(t, g, coverage, first, end, perSample, source, second);
  else
    writeTarget(t, g, coverage, first, end, source, second);
}

/// The mask of samples [first, end) as the first component of an integer colour: its low bits where the format has
/// fewer ("without any clamping").
inline U32x8 coverageColor(const CoverageToColor& c, const LaneMask* coverage, uint32_t first, uint32_t end) {
  U32x8 mask = {};
  for (uint32_t s = first; s < end; ++s) mask |= fromLaneMask<U32x8>(coverage[s]) & (1u << s);
  const uint32_t unused = 32 - c.bits;
  return c.isSigned ? bitCast<U32x8>(bitCast<I32x8>(mask << unused) >> unused) : mask << unused >> unused;
}

/// Merge: sample s of rasterization belongs to colour sample s modulo their number, so that a colour sample's own
/// place is among its samples; each count of covered ones has its modulation factor.
inline void writeMerged(const TileDraw& d, const ColorTarget& t, const PixelGroup& g, const LaneMask* coverage,
                        uint32_t first, uint32_t end, const LaneWords* source, const LaneWords* second) {
  const uint32_t stored = t.surface.samples, ratio = d.samples / stored;
  LaneMask merged[kMaxSamples] = {};
  I32x8 covered[kMaxSamples] = {};
  for (uint32_t s = first; s < end; ++s) {
    merged[s % stored] |= coverage[s];
    covered[s % stored] -= fromLaneMask(coverage[s]);
  }
  const VkCoverageModulationModeNV mode = d.coverage.modulation;
  if (mode == VK_COVERAGE_MODULATION_MODE_NONE_NV || t.integer)
    return writeStored(t, g, merged, 0, stored, d.perSample, source, second);
  for (uint32_t n = 1; n <= ratio; ++n) {
    LaneMask lanes[kMaxSamples] = {}, any = 0;
    for (uint32_t s = 0; s < stored; ++s)
      any |= lanes[s] = laneMask(covered[s] == splat<I32x8>(static_cast<int32_t>(n)));
    if (!any) continue;
    const F32x8 factor = splat<F32x8>(d.coverage.modulationTable ? d.coverage.table[n - 1]
                                                                 : static_cast<float>(n) / static_cast<float>(ratio));
    alignas(32) LaneWords modulated[4];
    for (uint32_t c = 0; c < 4; ++c) {
      const bool wanted =
          mode == VK_COVERAGE_MODULATION_MODE_RGBA_NV || (mode == VK_COVERAGE_MODULATION_MODE_ALPHA_NV) == (c == 3);
      const F32x8 color = wordsF(source[c]);
      setWords(modulated[c], wanted ? color * factor : color);
    }
    writeStored(t, g, lanes, 0, stored, d.perSample, modulated, second);
  }
}

/// Colour of samples [first, end) of rasterization for draws with TileDraw::reducesCoverage.
__attribute__((noinline)) inline void writeReduced(const TileDraw& d, const ColorTarget& t, const PixelGroup& g,
                                                   const LaneMask* coverage, uint32_t first, uint32_t end,
                                                   const LaneWords* source, const LaneWords* second) {
  alignas(32) LaneWords own[4];
  if (t.coverageColor.bits) {
    __builtin_memcpy(own, source, sizeof own);
    setWords(own[0], coverageColor(t.coverageColor, coverage, first, end));
    source = own;
  }
  if (d.coverage.reduction == CoverageReduction::Merge && t.surface.samples <= d.samples)
    return writeMerged(d, t, g, coverage, first, end, source, second);
  end = end < t.surface.samples ? end : t.surface.samples;  // samples without a colour are discarded
  LaneMask kept[kMaxSamples] = {};
  for (uint32_t s = first; s < end; ++s) kept[s] = coverage[s];
  if (first < end) writeStored(t, g, kept, first, end, d.perSample, source, second);
}

}  // namespace etzel::raster::ETZEL_TARGET
