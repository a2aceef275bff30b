// The edges of a convex primitive in one tile, exact in integers, and the blocks of 8x8 pixels that they leave outside
// or cross: a row of blocks at a time.
#pragma once

#include "raster/bin.h"
#include "raster/lanes.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/cover/tile_rect.h"
#include "raster/tile/draw/tile_draw.h"

namespace etzel::raster::ETZEL_TARGET {

inline constexpr int32_t kUnit = 16;  ///< sample positions are multiples of 256 / kUnit sub-pixels

/// An edge as the blocks of one tile use it. The unit is 1/16 pixel, on which all samples lie: the value there is an
/// integer plus a fraction that is the same everywhere in the tile, so that the sign is that of the value rounded down.
/// Sums wrap, hence unsigned; the true values fit where they are compared with 0, since the edge crosses the tile.
struct TileEdge {
  uint32_t a, b;                             ///< growth per unit to the right and down
  uint32_t corner;                           ///< value at the tile's corner, rounded down
  uint32_t least, most;                      ///< over the samples of a block, relative to its corner
  alignas(32) uint32_t offset[kMaxSamples];  ///< value at each sample's position; draws with several samples
};
/// Edges beyond this (|a| + |b|) leave 32 bits inside a tile: longer than 8192 pixels.
inline constexpr int64_t kNarrowEdge = int64_t{1} << 21;

ETZEL_INLINE U32x8 times(uint32_t step, U32x8 n) { return splat<U32x8>(step) * n; }

/// Least and greatest of a * x + b * y over [x0, x1] x [y0, y1].
ETZEL_INLINE int64_t leastOver(int64_t a, int64_t b, int64_t x0, int64_t y0, int64_t x1, int64_t y1) {
  return a * (a < 0 ? x1 : x0) + b * (b < 0 ? y1 : y0);
}
ETZEL_INLINE int64_t mostOver(int64_t a, int64_t b, int64_t x0, int64_t y0, int64_t x1, int64_t y1) {
  return a * (a < 0 ? x0 : x1) + b * (b < 0 ? y0 : y1);
}

enum class TileCover : uint8_t { None, Edges, Wide };

/// The edges of a primitive that cross a part of a tile.
struct TileEdges {
  TileCover cover;  ///< None: the part lies outside of one. Wide: one needs more than 32 bits, and no edge is made
  uint32_t count = 0;
  TileEdge edge[4];
};

/// The edges that cross `r`, in the tile at (tx, ty).
inline void tileEdges(const BinnedPrimitive& p, const TileDraw& draw, int32_t tx, int32_t ty, const TileRect& r,
                      TileEdges& edges) {
  constexpr int64_t kSize = kSubPixels;
  const SamplePositions& positions = draw.covers;
  const SampleBounds& samples = draw.coverBounds;
  uint32_t n = 0;
  for (uint32_t i = 0; i < p.edgeCount; ++i) {
    const int64_t a = p.edge[i].a, b = p.edge[i].b;
    const int64_t origin = a * (tx * kSize) + b * (ty * kSize) + p.edge[i].c;
    const int64_t left = (r.x0 - tx) * kSize, top = (r.y0 - ty) * kSize, right = (r.x1 - tx) * kSize,
                  bottom = (r.y1 - ty) * kSize;
    if (origin + mostOver(a, b, left, top, right, bottom) < 0) {
      edges.cover = TileCover::None;
      return;
    }
    if (origin + leastOver(a, b, left, top, right, bottom) >= 0) continue;
    if ((a < 0 ? -a : a) + (b < 0 ? -b : b) >= kNarrowEdge) {
      edges.cover = TileCover::Wide;
      return;
    }
    TileEdge& e = edges.edge[n++];
    e.a = static_cast<uint32_t>(a), e.b = static_cast<uint32_t>(b);
    e.corner = static_cast<uint32_t>(origin >> 4);
    constexpr int32_t kLast = (kBlock - 1) * kUnit;  // the last pixel's corner
    const int64_t r = kLast + samples.maxX, d = kLast + samples.maxY;
    e.least = static_cast<uint32_t>(leastOver(a, b, samples.minX, samples.minY, r, d));
    e.most = static_cast<uint32_t>(mostOver(a, b, samples.minX, samples.minY, r, d));
    if (positions.count == 1) continue;
    for (uint32_t s = 0; s < positions.count; s += kWarpLanes)
      store(e.offset + s, times(e.a, simd::loadBytes(positions.x + s)) + times(e.b, simd::loadBytes(positions.y + s)));
  }
  edges.count = n;
  edges.cover = TileCover::Edges;
}

/// The blocks of a row of a tile, a bit each.
struct BlockRow {
  uint32_t outside;     ///< no sample of them is covered
  uint32_t crossed[4];  ///< by edge i
  LaneWords corner[4];  ///< edge i: value at the corners of the blocks
};
/// \param y pixels from the tile's corner
ETZEL_INLINE void blockRow(const TileEdge* edges, uint32_t count, int32_t y, BlockRow& row) {
  row.outside = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const TileEdge& e = edges[i];
    U32x8 at = splat<U32x8>(e.corner + e.b * static_cast<uint32_t>(y * kUnit)) +
               times(e.a * (kBlock * kUnit), U32x8{0, 1, 2, 3, 4, 5, 6, 7});
    setWords(row.corner[i], at);
    row.outside |= laneMask(at + e.most);
    row.crossed[i] = laneMask(at + e.least);
  }
}

}  // namespace etzel::raster::ETZEL_TARGET
