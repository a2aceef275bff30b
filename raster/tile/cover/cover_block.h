// Coverage of 8x8 pixel blocks by a convex primitive, exact in integers: all samples that an edge leaves outside, a
// word of pixels for each.
#pragma once

#include "raster/bin.h"
#include "raster/lanes.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/block/pixel_group.h"
#include "raster/tile/cover/tile_edges.h"

namespace etzel::raster::ETZEL_TARGET {

/// Pixels of a block, of which an edge leaves one sample outside.
struct EdgePixels {
  U32x8 first, second;  ///< values at the quads of the first column, of the upper and the lower half
  U32x8 right;          ///< growth per quad to the right

  /// \param corner value at the block's corner
  ETZEL_INLINE EdgePixels(const TileEdge& e, uint32_t corner) {
    const uint32_t a = e.a * kUnit, b = e.b * kUnit;
    first = splat<U32x8>(corner) + times(a, U32x8{0, 1, 0, 1, 0, 1, 0, 1}) + times(b, U32x8{0, 0, 1, 1, 2, 2, 3, 3});
    second = first + splat<U32x8>(4 * b);
    right = splat<U32x8>(2 * a);
  }
  /// \param offset growth from a pixel's corner to the sample
  ETZEL_INLINE uint64_t outside(uint32_t offset) const {
    auto half = [&](U32x8 v) __attribute__((always_inline)) {
      v += splat<U32x8>(offset);
      const U32x8 next = v + right, twice = right + right;
      return signs32(bitCast<I32x8>(v), bitCast<I32x8>(next), bitCast<I32x8>(v + twice), bitCast<I32x8>(next + twice));
    };
    return half(first) | uint64_t{half(second)} << 32;
  }
};

/// Coverage with one place in each pixel that decides: the only sample, or all of them. `corner[i]`: value of edge i at
/// the block's corner.
inline void coverSingle(const TileEdge* const* edges, const uint32_t* corner, uint32_t count,
                        const SamplePositions& samples, uint64_t rect, BlockCoverage& block) {
  uint64_t outside = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const TileEdge& e = *edges[i];
    outside |= EdgePixels(e, corner[i]).outside(e.a * samples.x[0] + e.b * samples.y[0]);
  }
  block.alike = rect & ~outside, block.mixed = 0;
}

/// Coverage with several samples a pixel. Without branches: where an edge crosses the block is hard to predict.
template <uint32_t samples>
inline void coverSamples(const TileEdge* const* edges, const uint32_t* corner, uint32_t count, uint64_t rect,
                         BlockCoverage& block) {
  uint64_t outside[samples] = {};
  for (uint32_t i = 0; i < count; ++i) {
    const EdgePixels pixels(*edges[i], corner[i]);
#pragma GCC unroll 16
    for (uint32_t s = 0; s < samples; ++s) outside[s] |= pixels.outside(edges[i]->offset[s]);
  }
  uint64_t some = outside[0], all = outside[0];
#pragma GCC unroll 16
  for (uint32_t s = 1; s < samples; ++s) some |= outside[s], all &= outside[s];
  const uint64_t differs = block.divide(rect & ~all, rect & ~some) & rect;
  // Vectors of words that come from registers: reloads of narrow stores would wait for them.
#pragma GCC unroll 4
  for (uint32_t s = 0; s < samples / 4 * 4; s += 4) {
    const I64x4 words = {static_cast<int64_t>(outside[s]), static_cast<int64_t>(outside[s + 1]),
                         static_cast<int64_t>(outside[s + 2]), static_cast<int64_t>(outside[s + 3])};
    store(block.each + s, ~words & static_cast<int64_t>(differs));
  }
  for (uint32_t s = samples / 4 * 4; s < samples; ++s) block.each[s] = differs & ~outside[s];
}
inline void coverSamples(const TileEdge* const* edges, const uint32_t* corner, uint32_t count, uint32_t samples,
                         uint64_t rect, BlockCoverage& block) {
  switch (samples) {
    case 2: return coverSamples<2>(edges, corner, count, rect, block);
    case 4: return coverSamples<4>(edges, corner, count, rect, block);
    case 8: return coverSamples<8>(edges, corner, count, rect, block);
    default: return coverSamples<16>(edges, corner, count, rect, block);
  }
}

/// Coverage of the block at (x, y), absolute pixels, with edges of any size.
inline void coverWide(const BinnedPrimitive& p, const SamplePositions& samples, int32_t x, int32_t y, uint64_t rect,
                      BlockCoverage& block) {
  uint64_t covered[kMaxSamples] = {};
  for (uint32_t s = 0; s < samples.count; ++s) {
    for (uint64_t left = rect; left; left &= left - 1) {
      const uint32_t pixel = static_cast<uint32_t>(__builtin_ctzll(left)), g = pixel / 8, lane = pixel % 8;
      const int64_t sx =
          int64_t{x + static_cast<int32_t>((g & 1) * 4 + laneX(lane))} * kSubPixels + samples.x[s] * kUnit;
      const int64_t sy =
          int64_t{y + static_cast<int32_t>((g >> 1) * 2 + laneY(lane))} * kSubPixels + samples.y[s] * kUnit;
      bool inside = true;
      for (uint32_t i = 0; i < p.edgeCount; ++i) inside &= p.edge[i].a * sx + p.edge[i].b * sy + p.edge[i].c >= 0;
      covered[s] |= uint64_t{inside} << pixel;
    }
  }
  block.split(covered, samples.count);
}

}  // namespace etzel::raster::ETZEL_TARGET
