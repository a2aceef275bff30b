// Primitives of a tile that a later one covers entirely, with new colours whatever was there: they need not be drawn.
#pragma once

#include "raster/bin.h"
#include "raster/tile/cover/tile_edges.h"
#include "raster/tile/cover/tile_rect.h"
#include "raster/tile/draw/tile_draw.h"

namespace etzel::raster::ETZEL_TARGET {

inline constexpr uint32_t kHideWindow = 16;  ///< primitives of a tile that are looked at, its first ones

/// Whether a primitive of a draw covers all of a rectangle. Samples are asked for, not corners: triangles that cover
/// the target have an edge through its corner.
ETZEL_INLINE bool coversAll(const BinnedPrimitive& p, const TileRect& r) {
  constexpr int64_t kSize = kSubPixels, kSampleUnit = kSubPixels / kUnit;
  const SampleBounds& s = p.draw->tile->coverBounds;
  const int64_t left = r.x0 * kSize + s.minX * kSampleUnit, top = r.y0 * kSize + s.minY * kSampleUnit;
  const int64_t right = (r.x1 - 1) * kSize + s.maxX * kSampleUnit, bottom = (r.y1 - 1) * kSize + s.maxY * kSampleUnit;
  for (uint32_t i = 0; i < p.edgeCount; ++i) {
    const Edge& e = p.edge[i];
    if (leastOver(e.a, e.b, left, top, right, bottom) + e.c < 0) return false;
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
