// Blocks with pixels that are covered in some samples only, for a few targets of any kind: shaded, placed and stored as
// in shade_edges.h.
#pragma once

#include "raster/lanes.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/block/pixel_group.h"
#include "raster/tile/block/sample_set.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/shade/plain_kernel.h"
#include "raster/tile/shade/primitive_context.h"
#include "raster/tile/shade/run_kernel.h"
#include "raster/tile/shade/system_values.h"
#include "raster/tile/shade/worker_state.h"
#include "raster/tile/write/byte_block.h"
#include "raster/tile/write/byte_color.h"
#include "raster/tile/write/color_write.h"
#include "raster/tile/write/fragment_places.h"
#include "raster/tile/write/tile_fragments.h"

namespace etzel::raster::ETZEL_TARGET {

/// What kernels leave of a block's colours: of each group and target.
struct BlockColors {
  alignas(32) LaneWords word[8][kMaxBlockTargets][4];
};

/// Stores the colours of `pixels` of a block in one plane of a target that keeps fragments: those from `colors` on,
/// `words` from one group's to the next one's.
template <uint32_t samples>
ETZEL_INLINE void storePlane(const PrimitiveContext& p, const ColorTarget& t, int32_t x, int32_t y, uint32_t plane,
                             uint64_t pixels, const LaneWords* colors, size_t words) {
  const Surface& s = t.surface;
  const auto texelsAt = [&](int32_t left, int32_t top) {
    return s.at(static_cast<uint32_t>(left), static_cast<uint32_t>(top), p.primitive->layer, plane);
  };
  if (!pixels) return;
  if (isWholeBlock(*p.draw, x, y)) {
    if (t.bytes == ByteWrite::Store) return writeByteBlock(t, colors, words, pixels, texelsAt(x, y));
    if (t.storeBlock) return t.storeBlock({colors, words, pixels, texelsAt(x, y), s.rowPitch});
  }
  for (uint32_t groups = someBytes(pixels); groups; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    const LaneMask lanes = static_cast<LaneMask>(pixels >> group * 8 & 255);
    const PixelGroup g = groupOf(p, x, y, group);
    if (t.bytes == ByteWrite::Store && g.whole) {
      mergeRows(texelsAt(g.x, g.y), s.rowPitch, lanes, packSource(t, colors + group * words));
      continue;
    }
    LaneMask byPlane[samples];
    byPlane[plane] = lanes;
    writeTarget(t, g, byPlane, plane, plane + 1, colors + group * words, nullptr);
  }
}

/// Finds places for a target's fragments of the block whose pixels are `alive` and whose samples `covered`, and stores
/// their colours plane by plane: those from `colors` on, `words` from one group's to the next one's.
template <uint32_t samples>
ETZEL_INLINE void storeFragments(const PrimitiveContext& p, uint32_t target, int32_t x, int32_t y,
                                 const SampleSet<samples>& covered, uint64_t alive, const LaneWords* colors,
                                 size_t words) {
  const ColorTarget& t = p.draw->color[target];
  const Surface& s = t.surface;
  const uint32_t layer = p.primitive->layer;
  const msaa::FragmentSurface fragments = s.fragments(layer);
  const uint32_t tile = tileAt(fragments, x, y);
  TileFragments f = tileFragments(fragments, tile);
  uint64_t planes[samples];
  const uint32_t count = t.reads ? isolateFragments<samples>(f, s, groupOf(p, x, y, 0), covered, planes)
                                 : allocateFragments<samples>(f, covered, alive, planes);
  for (uint32_t k = 0; k < count; ++k) storePlane<samples>(p, t, x, y, k, planes[k], colors, words);
  if (f.store()) s.fragments(layer).expand(tile);
}

/// Shades a block with up to kMaxBlockTargets targets, all of which keep fragments.
template <uint32_t samples>
__attribute__((noinline)) void shadeFragments(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y,
                                              const BlockCoverage& block) {
  using Set = SampleSet<samples>;
  const TileDraw& d = *p.draw;
  Set covered = coveredBy<samples>(block);
  const uint64_t pixels = covered.any();
  w.fragmentInvocations += static_cast<uint32_t>(__builtin_popcountll(pixels));
  const bool isPlain = d.colorsOnly && !(p.sys & abi::kPixelSysValues);
  const auto keep = [&](BlockColors & colors, uint32_t group, const LaneWords* first) __attribute__((always_inline)) {
    for (uint32_t i = 0; i < d.colorCount; ++i)
      __builtin_memcpy(colors.word[group][i], colorOf(d, i, first), sizeof colors.word[0][0]);
  };

  BlockColors colors;
  uint64_t alive = 0;
  if (isPlain) {
    const F32x8 left = splat<F32x8>(static_cast<float>(x) + 0.5f) + laneXs();
    const F32x8 top = splat<F32x8>(static_cast<float>(y) + 0.5f) + laneYs();
    const bool ran =
        PlainKernel(w, d).shade(left, top, pixels, [&](uint32_t group, LaneMask lanes, const LaneWords* color) {
          keep(colors, group, color);
          alive |= uint64_t{lanes} << group * 8;
        });
    if (!ran) return;
  }
  for (uint32_t groups = isPlain ? 0 : someBytes(pixels); groups; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    LaneMask lanes[kMaxSamples];
    block.load(group, samples, lanes);
    fillGroup<Mode::Multi>(w, p, groupOf(p, x, y, group), lanes, lanes, 0);
    alive |= uint64_t{runKernel(w, d, static_cast<LaneMask>(pixels >> group * 8 & 255))} << group * 8;
    if (w.cancelled) return;
    keep(colors, group, &w.out[abi::kFragOutColor + 4 * d.color[0].location]);
  }
  if (!alive) return;
  covered = covered & Set::splat(alive);

  for (uint32_t i = 0; i < d.colorCount; ++i)
    storeFragments<samples>(p, i, x, y, covered, alive, colors.word[0][i], 4 * kMaxBlockTargets);
}

}  // namespace etzel::raster::ETZEL_TARGET
