// The tile code of one instruction set: the primitives of a tile in order, their blocks, their groups. The including
// file has set the target and opens the variant's namespace around this.

#include "raster/tile/simd.inl.h"
#include "raster/tile/coverage.inl.h"
#include "raster/rop/depth_stencil.inl.h"
#include "raster/rop/blend.inl.h"
#include "raster/rop/color_write.inl.h"
#include "raster/rop/fragment_write.inl.h"
#include "raster/tile/shade.inl.h"

/// Shades a block's groups. `coverage` per sample as blockCoverage gives it.
template <Mode mode>
inline void shadeGroups(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, const uint64_t* coverage) {
  const TileDraw& d = *p.draw;
  uint64_t any = 0, perSample[kMaxSamples];
  const uint32_t samples = samplesOf<mode>(d);
  for (uint32_t s = 0; s < samples; ++s) {
    perSample[s] = d.sampleMask >> s & 1 ? coverage[s] : 0;  // "Sample Mask Test"
    any |= perSample[s];
  }
  const F8 left = splat(static_cast<float>(x)) + laneXs(), top = splat(static_cast<float>(y)) + laneYs();
  while (any && !w.cancelled) {
    uint32_t group = static_cast<uint32_t>(__builtin_ctzll(any)) / 8;
    any &= ~(uint64_t{255} << group * 8);
    LaneMask lanes[kMaxSamples];
    for (uint32_t s = 0; s < samples; ++s) lanes[s] = static_cast<LaneMask>(perSample[s] >> group * 8 & 255);
    Group g;
    g.x = x + static_cast<int32_t>(group & 1) * 4;
    g.y = y + static_cast<int32_t>(group >> 1) * 2;
    g.px = left + splat(group & 1 ? 4.0f : 0.0f);
    g.py = top + splat(static_cast<float>(group & 6));
    g.layer = p.primitive->layer;
    g.whole = static_cast<uint32_t>(g.x) + 4 <= d.safeWidth && static_cast<uint32_t>(g.y) + 2 <= d.safeHeight;
    shadeGroup<mode>(w, p, g, lanes);
  }
}
/// `alike`: coverage is the same for all samples.
inline void shadeBlock(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, const uint64_t* coverage,
                       bool alike) {
  if (p.draw->samples == 1)
    shadeGroups<Mode::Single>(w, p, x, y, coverage);
  else if (alike && p.draw->interiorOnce)
    shadeGroups<Mode::Interior>(w, p, x, y, coverage);
  else
    shadeGroups<Mode::Multi>(w, p, x, y, coverage);
}

/// All pixels of the block at (x, y) are about to get a new colour: nothing of the old tiles is needed.
inline void forgetTiles(const PrimitiveContext& p, int32_t x, int32_t y) {
  for (uint32_t i = 0; i < p.draw->colorCount; ++i) {
    const msaa::FragmentSurface s = p.draw->color[i].surface.fragments(p.primitive->layer);
    uint8_t& state = s.state(s.tileOf(static_cast<uint32_t>(x), static_cast<uint32_t>(y)));
    if (state) state = msaa::makeState(msaa::TileKind::One);
  }
}

/// The part of a primitive's bounding box inside the tile.
struct TileRect {
  int32_t x0, y0, x1, y1;
  bool empty() const { return x0 >= x1 || y0 >= y1; }
};
ETZEL_INLINE TileRect clipToTile(const TileJob& job, const BinnedPrimitive& p) {
  constexpr int32_t size = kTileSize;
  return {p.minX > job.x ? p.minX : job.x, p.minY > job.y ? p.minY : job.y,
          p.maxX < job.x + size ? p.maxX : job.x + size, p.maxY < job.y + size ? p.maxY : job.y + size};
}

inline void runPolygon(WorkerState& w, const TileJob& job, const BinnedPrimitive& primitive) {
  TileRect r = clipToTile(job, primitive);
  if (r.empty()) return;
  TileEdge edges[4];
  int32_t count = tileEdges(primitive, job.x, job.y, r.x0, r.y0, r.x1, r.y1, edges);
  if (count < 0) return;
  PrimitiveContext p = beginPrimitive(w, primitive);
  const SamplePositions& samples = p.draw->positions;
  for (int32_t y = job.y + ((r.y0 - job.y) & ~(kBlock - 1)); y < r.y1; y += kBlock) {
    for (int32_t x = job.x + ((r.x0 - job.x) & ~(kBlock - 1)); x < r.x1; x += kBlock) {
      uint64_t rect = rectBits(x, y, r.x0, r.y0, r.x1, r.y1);
      uint64_t coverage[kMaxSamples];
      int32_t kind = blockCoverage(edges, count, x - job.x, y - job.y, samples, rect, coverage);
      if (kind == 0) continue;
      if (kind == 2)
        for (uint32_t s = 0; s < samples.count; ++s) coverage[s] = rect;
      if (kind == 2 && rect == ~uint64_t{0} && p.draw->replacesAll) forgetTiles(p, x, y);
      shadeBlock(w, p, x, y, coverage, kind == 2);
      if (w.cancelled) return;
    }
  }
}

/// Gathers the spans of the tile to blocks first, so that a quad is shaded once.
inline void runSpans(WorkerState& w, const TileJob& job, const BinnedPrimitive& primitive) {
  TileRect r = clipToTile(job, primitive);
  if (r.empty()) return;
  uint64_t block[64] = {};
  bool some = false;
  for (uint32_t i = 0; i < primitive.spanCount; ++i) {
    const Span& span = primitive.spans[i];
    if (span.y < r.y0 || span.y >= r.y1) continue;
    int32_t x0 = span.x0 > r.x0 ? span.x0 : r.x0, x1 = span.x1 < r.x1 ? span.x1 : r.x1;
    if (x0 >= x1) continue;
    some = true;
    int32_t by = (span.y - job.y) & ~(kBlock - 1);
    for (int32_t bx = (x0 - job.x) & ~(kBlock - 1); bx < x1 - job.x; bx += kBlock)
      block[by + bx / kBlock] |= rectBits(job.x + bx, job.y + by, x0, span.y, x1, span.y + 1);
  }
  if (!some) return;
  PrimitiveContext p = beginPrimitive(w, primitive);
  for (int32_t i = 0; i < 64 && !w.cancelled; ++i) {
    if (!block[i]) continue;
    uint64_t coverage[kMaxSamples];
    for (uint32_t s = 0; s < p.draw->samples; ++s) coverage[s] = block[i];
    shadeBlock(w, p, job.x + i % 8 * kBlock, job.y + i / 8 * kBlock, coverage, true);
  }
}

bool runTile(WorkerState& w, const TileJob& job) {
  w.cancelled = false;
  for (uint32_t i = 0; i < job.count && !w.cancelled; ++i) {
    const BinnedPrimitive& primitive = *job.primitives[i];
    if (primitive.kind == PrimitiveKind::Clear) {
      runClear(job, primitive);
      continue;
    }
    if (primitive.draw != w.record) switchDraw(w, primitive.draw);
    if (primitive.kind == PrimitiveKind::Polygon)
      runPolygon(w, job, primitive);
    else
      runSpans(w, job, primitive);
  }
  return !w.cancelled;
}
