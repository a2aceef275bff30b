// Primitives of a tile that a later one covers entirely, with new colours whatever was there: they need not be drawn.
#pragma once

#include "raster/bin.h"
#include "raster/tile/cover/tile_edges.h"
#include "raster/tile/cover/tile_rect.h"
#include "raster/tile/draw/tile_draw.h"

namespace etzel::raster::ETZEL_TARGET {

inline constexpr uint32_t kHideWindow = 16;  ///< primitives of a tile that are looked at, its first ones

/// Whether a primitive covers all of a rectangle.
ETZEL_INLINE bool coversAll(const BinnedPrimitive& p, const TileRect& r) {
  constexpr int64_t kSize = kSubPixels;
  for (uint32_t i = 0; i < p.edgeCount; ++i) {
    const Edge& e = p.edge[i];
    if (leastOver(e.a, e.b, r.x0 * kSize, r.y0 * kSize, r.x1 * kSize, r.y1 * kSize) + e.c < 0) return false;
  }
  return true;
}

/// Whether a primitive that comes before one with such targets, which covers `seen`, leaves nothing that could be seen.
ETZEL_INLINE bool isHiddenBy(const BinnedPrimitive& p, const TileRect& r, const TileRect& seen, uint32_t targets) {
  if (r.x0 < seen.x0 || r.y0 < seen.y0 || r.x1 > seen.x1 || r.y1 > seen.y1) return false;
  if (p.kind == PrimitiveKind::Clear) return p.clear->color < kMaxColorAttachments && targets >> p.clear->color & 1;
  const TileDraw& d = *p.draw->tile;
  return d.hideable && !p.draw->state.statistics && !(d.targets & ~targets);
}

/// A bit for each of a tile's first primitives that nobody can see, whether in the end or on the way.
__attribute__((noinline)) inline uint32_t hiddenPrimitives(const TileJob& job) {
  const uint32_t count = job.count < kHideWindow ? job.count : kHideWindow;
  uint32_t hidden = 0;
  for (uint32_t above = count - 1; above; --above) {
    const BinnedPrimitive& cover = *job.primitives[above];
    if (hidden >> above & 1 || cover.kind != PrimitiveKind::Polygon) continue;
    const TileDraw& d = *cover.draw->tile;
    if (!d.hides || d.targets & ~job.attachments->alone) continue;
    const TileRect seen = clipToTile(job, cover);
    if (seen.empty() || !coversAll(cover, seen)) continue;
    for (uint32_t i = above; i-- > 0;) {
      const BinnedPrimitive& p = *job.primitives[i];
      if (p.kind != PrimitiveKind::Clear && p.draw->tile->readsTile) break;  // it looks at what lies below
      hidden |= uint32_t{isHiddenBy(p, clipToTile(job, p), seen, d.targets)} << i;
    }
  }
  return hidden;
}

}  // namespace etzel::raster::ETZEL_TARGET
