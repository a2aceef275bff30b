// Blocks with pixels that are covered in some samples only, edges of compressed multisampled pictures, in the shortest
// way: for plain kernels and one target of bytes. All groups are shaded first, then places found for the fragments of
// all pixels together, then colours stored plane by plane.
#pragma once

#include "raster/lanes.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/block/sample_set.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/shade/plain_kernel.h"
#include "raster/tile/shade/primitive_context.h"
#include "raster/tile/shade/worker_state.h"
#include "raster/tile/write/byte_color.h"
#include "raster/tile/write/fragment_places.h"
#include "raster/tile/write/tile_fragments.h"

namespace etzel::raster::ETZEL_TARGET {

/// What kernels leave of a group's colours until they are written: packed where nothing is read.
template <ByteWrite bytes>
struct GroupColors {
  alignas(32) LaneWords word[4];
  ETZEL_INLINE void keep(const ColorTarget&, const LaneWords* source) { __builtin_memcpy(word, source, sizeof word); }
  ETZEL_INLINE void write(const ColorTarget& t, std::byte* texels, LaneMask lanes) const {
    blendBytes4(t, texels, lanes, word);
  }
};
template <>
struct GroupColors<ByteWrite::Store> {
  RowTexels texel;
  ETZEL_INLINE void keep(const ColorTarget& t, const LaneWords* source) { texel = packSource(t, source); }
  ETZEL_INLINE void write(const ColorTarget& t, std::byte* texels, LaneMask lanes) const {
    mergeRows(texels, t.surface.rowPitch, lanes, texel);
  }
};

/// Shades a block in tile `tile`, which is neither clear nor expanded.
template <uint32_t samples, ByteWrite bytes>
__attribute__((noinline)) void shadeEdges(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y,
                                          const BlockCoverage& block, uint32_t tile) {
  using Set = SampleSet<samples>;
  const TileDraw& d = *p.draw;
  const ColorTarget& t = d.color[0];
  const Surface& s = t.surface;
  Set covered = coveredBy<samples>(block);
  uint64_t pixels = covered.any();
  w.fragmentInvocations += static_cast<uint32_t>(__builtin_popcountll(pixels));

  const uint32_t layer = p.primitive->layer;
  const msaa::FragmentSurface fragments = s.fragments(layer);
  TileFragments f = tileFragments(fragments, tile);
  uint64_t planes[samples];
  const auto allocate = [&]() __attribute__((always_inline)) {
    return bytes == ByteWrite::Blend ? isolateFragments<samples>(f, s, groupOf(p, x, y, 0), covered, planes)
                                     : allocateFragments<samples>(f, covered, pixels, planes);
  };
  std::byte* const texels = s.at(static_cast<uint32_t>(x), static_cast<uint32_t>(y), layer, 0);
  const auto texelsOf = [&](uint32_t plane, uint32_t group) __attribute__((always_inline)) {
    return texels + plane * s.samplePitch + (group & 6) * s.rowPitch + (group & 1) * 16;
  };
  const auto lanesOf = [&](uint32_t plane, uint32_t group) __attribute__((always_inline)) {
    return static_cast<LaneMask>(planes[plane] >> group * 8 & 255);
  };
  GroupColors<bytes> colors[8];
  const F32x8 left = splat<F32x8>(static_cast<float>(x) + 0.5f) + laneXs(),
              top = splat<F32x8>(static_cast<float>(y) + 0.5f) + laneYs();
  PlainKernel kernel(w, d);
  uint32_t first = 0, count;
  if (!d.placesFirst) {
    uint64_t alive = 0;
    if (!kernel.shade(
            left, top,
            pixels, [&](uint32_t group, LaneMask lanes, const LaneWords* color) __attribute__((always_inline)) {
              colors[group].keep(t, color);
              alive |= uint64_t{lanes} << group * 8;
            }))
      return;
    covered = covered & Set::splat(alive), pixels = alive;
    if (!pixels) return;
    count = allocate();
  } else {
    // Colours of the first plane are written at once.
    count = allocate();
    if (!kernel.shade(
            left, top, pixels, [&](uint32_t group, LaneMask, const LaneWords* color) __attribute__((always_inline)) {
              colors[group].keep(t, color);
              colors[group].write(t, texelsOf(0, group), lanesOf(0, group));
            }))
      return;
    first = 1;
  }
  for (; first < count; first += 8) {
    // The groups of eight planes in one loop, whose end is hard enough to predict.
    uint64_t writes = 0;
    for (uint32_t k = first; k < count && k < first + 8; ++k)
      writes |= uint64_t{someBytes(planes[k])} << (k - first) * 8;
    for (; writes; writes &= writes - 1) {
      const uint32_t bit = static_cast<uint32_t>(__builtin_ctzll(writes)), k = first + bit / 8, group = bit % 8;
      colors[group].write(t, texelsOf(k, group), lanesOf(k, group));
    }
  }
  if (f.store()) s.fragments(layer).expand(tile);
}

template <uint32_t samples>
ETZEL_INLINE void shadeEdges(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y,
                             const BlockCoverage& block, uint32_t tile) {
  if (p.draw->color[0].bytes == ByteWrite::Blend) return shadeEdges<samples, ByteWrite::Blend>(w, p, x, y, block, tile);
  shadeEdges<samples, ByteWrite::Store>(w, p, x, y, block, tile);
}

}  // namespace etzel::raster::ETZEL_TARGET
