// Texels of single-sampled attachments, fetched before tiles draw there. Those lie in the image's memory, so that a
// worker's first store to each line would wait for it; samples in tile memory never leave its cache.
#pragma once

#include "raster/tile/block/block_coverage.h"
#include "raster/tile/cover/tile_rect.h"
#include "raster/tile/draw/tile_draw.h"

namespace etzel::raster::ETZEL_TARGET {

inline constexpr uint32_t kLineBytes = 64;

/// Rows [y0, y1) of the texels [x0, x1); in absolute pixels.
ETZEL_INLINE void fetchTexels(const Surface& s, uint32_t layer, int32_t x0, int32_t y0, int32_t x1, int32_t y1) {
  const std::byte* first = s.at(static_cast<uint32_t>(x0), static_cast<uint32_t>(y0), layer, 0);
  const uint32_t bytes = static_cast<uint32_t>(x1 - x0) * s.texelBytes;
  const uint32_t lines = (reinterpret_cast<uintptr_t>(first) % kLineBytes + bytes + kLineBytes - 1) / kLineBytes;
  for (int32_t y = y0; y < y1; ++y, first += s.rowPitch)
    for (uint32_t i = 0; i < lines; ++i) __builtin_prefetch(first + i * kLineBytes, 1);
}

/// What a draw is going to touch in a rectangle. Of depth with tile states little is read: it lies in tile memory, or
/// most of it in planes.
ETZEL_INLINE void fetchTexels(const TileDraw& d, uint32_t layer, int32_t x0, int32_t y0, int32_t x1, int32_t y1) {
  for (uint32_t i = 0; i < d.colorCount; ++i) fetchTexels(d.color[i].surface, layer, x0, y0, x1, y1);
  const DepthStencilState& ds = d.depthStencil;
  if (ds.depthTest && ds.depth && !ds.depth.depthTiles) fetchTexels(ds.depth, layer, x0, y0, x1, y1);
}

/// Attachments of no more bytes a layer stay in a worker's caches from one pass to the next.
inline constexpr uint64_t kCachedBytes = 64 * 1024;

/// Whether that is worth the instructions: most of what a small primitive touches has been fetched by those before.
ETZEL_INLINE bool fetchesAhead(const TileDraw& d, const TileRect& r) {
  if (d.samples != 1 || r.pixels() < 8 * kBlock * kBlock) return false;
  const Surface& s = d.colorCount ? d.color[0].surface : d.depthStencil.depth;
  return uint64_t{s.rowPitch} * s.height > kCachedBytes;
}

/// What comes two blocks after the one at (x, y), in rows of `r`: a worker takes as long for a block as a line of
/// memory takes to come.
__attribute__((noinline)) inline void fetchNext(const TileDraw& d, uint32_t layer, const TileRect& r, int32_t x,
                                                int32_t y) {
  __asm__ volatile("");  // else compilers leave out the call of what, to them, does nothing: inline what it calls
  x += 2 * kBlock;
  if (x >= r.x1) x = (r.x0 & ~(kBlock - 1)) + ((x - r.x1) & kBlock), y += kBlock;
  if (y < r.y1) fetchTexels(d, layer, x, y, x + kBlock, y + kBlock);
}

/// From so many primitives of a tile on, those of a block touch most of its lines.
inline constexpr uint32_t kManyPrimitives = 64;

/// All of a tile, if the first primitive there is as small as that. Larger ones find something to do while lines come.
__attribute__((noinline)) inline void fetchTile(const TileDraw& d, const TileJob& job, const BinnedPrimitive& first) {
  __asm__ volatile("");  // as above
  if (d.samples == 1 && first.maxX - first.minX <= kBlock && first.maxY - first.minY <= kBlock)
    fetchTexels(d, job.layer, job.x, job.y, job.x + kTileSize, job.y + kTileSize);
}

}  // namespace etzel::raster::ETZEL_TARGET
