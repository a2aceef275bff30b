// The tile code of one instruction set: the primitives of a tile in order, their blocks, their groups. The including
// file has set the target and opens the variant's namespace around this.

#include "raster/simd.inl.h"
#include "raster/tile/block/pixel_group.inl.h"
#include "raster/tile/cover/coverage.inl.h"
#include "raster/tile/block/sample_set.inl.h"
#include "raster/tile/cover/discard_rectangles.inl.h"
#include "raster/tile/test/sample_tests.inl.h"
#include "raster/tile/write/blend.inl.h"
#include "raster/tile/write/byte_color.inl.h"
#include "raster/tile/write/color_write.inl.h"
#include "raster/tile/write/fragment_write.inl.h"
#include "raster/tile/write/coverage_reduction.inl.h"
#include "raster/tile/shade/shade.inl.h"
#include "raster/tile/test/depth_texels.inl.h"
#include "raster/tile/test/depth_planes.inl.h"
#include "raster/tile/test/depth_block.inl.h"
#include "raster/tile/shade/shade_alike.inl.h"
#include "raster/tile/shade/shade_mixed.inl.h"
#include "raster/tile/shade/shade_shared.inl.h"
#include "raster/tile/write/expand_tiles.inl.h"

/// Shades what `block` covers of the block at (x, y), absolute pixels.
template <bool single>
inline void shadeGroups(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  if (d.alikeOnce) {
    if ((d.tests && !p.tested) || d.countSamples) testGroups<single>(w, p, x, y, block);
    if (!single) return shadeCovered(w, p, x, y, block);
    if (block.alike) shadeAlike<single>(w, p, x, y, block.alike);
    return;
  }
  if (d.replacesShared && shadeSharedBlock(w, p, x, y, block)) return;
  for (uint32_t groups = block.groups(); groups && !w.cancelled; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    const Group g = groupOf(p, x, y, group);
    LaneMask alike = static_cast<LaneMask>(block.alike >> group * 8 & 255);
    if (single) {
      shadeGroup<Mode::Single>(w, p, g, &alike);
      continue;
    }
    LaneMask lanes[kMaxSamples];
    block.load(group, d.samples, lanes);
    shadeGroup<Mode::Multi>(w, p, g, lanes);
    for (uint32_t s = 0; d.countsTraffic && s < d.samples; ++s) w.written[s] |= uint64_t{lanes[s]} << group * 8;
  }
}

/// "Sample Mask Test" for masks that leave samples out.
inline void maskSamples(const TileDraw& d, BlockCoverage& block) {
  if (d.samples == 1) {
    block.alike = 0;
    return;
  }
  uint64_t masks[kMaxSamples] = {};
  block.masks(d.samples, masks);
  for (uint32_t s = 0; s < d.samples; ++s)
    if (!(d.sampleMask >> s & 1)) masks[s] = 0;
  block.split(masks, d.samples);
}

/// All pixels of the block at (x, y) are about to get a new colour: nothing of the old tiles is needed.
inline void forgetTiles(const PrimitiveContext& p, int32_t x, int32_t y) {
  const uint32_t layer = p.primitive->layer;
  for (uint32_t i = 0; i < p.draw->colorCount; ++i) {
    const Surface& s = p.draw->color[i].surface;
    s.meta[layer * s.metaPitch + mem::kTileStateOffset + tileAt(s, x, y)] =
        std::byte{msaa::makeState(msaa::TileKind::One)};
  }
}

/// Tests and shades what is left of the block at (x, y) after the sample mask.
ETZEL_INLINE void shadeTests(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  if (d.tests) {
    p.tested = testBlock(w, p, x, y, block);
    if (p.tested && (!block.groups() || (!d.kernel && !d.countSamples))) return;
  }
  if (d.expandsColors) expandTiles(p, x, y);
  if (d.replacesAll && block.alike == ~uint64_t{0} && (!d.tests || p.tested)) forgetTiles(p, x, y);
  if (p.draw->samples == 1)
    shadeGroups<true>(w, p, x, y, block);
  else
    shadeGroups<false>(w, p, x, y, block);
}

#include "raster/tile/count_block.inl.h"

inline void shadeBlock(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  if (d.discardsRectangles) discardPixels(p.primitive->draw->state, x, y, block);
  if (d.masksSamples) maskSamples(d, block);
  if (__builtin_expect(d.countsTraffic, false)) return countBlock(w, p, x, y, block);
  shadeTests(w, p, x, y, block);
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
  const TileRect r = clipToTile(job, primitive);
  if (r.empty()) return;
  const SamplePositions& samples = w.draw->positions;
  TileEdge edges[4];
  uint32_t count = 0;
  const TileCover cover = tileEdges(primitive, *w.draw, job.x, job.y, r.x0, r.y0, r.x1, r.y1, edges, &count);
  if (cover == TileCover::None) return;
  if (w.draw->tests && isHidden(w, *w.draw, primitive, r.x0, r.y0, r.x1, r.y1)) return;
  PrimitiveContext p = beginPrimitive(w, primitive);
  BlockCoverage block;
  BlockRow row;
  const uint32_t columns = (2u << ((r.x1 - 1 - job.x) / kBlock)) - (1u << ((r.x0 - job.x) / kBlock));
  for (int32_t y = job.y + ((r.y0 - job.y) & ~(kBlock - 1)); y < r.y1; y += kBlock) {
    blockRow(edges, count, y - job.y, row);
    for (uint32_t blocks = columns & ~row.outside; blocks && !w.cancelled; blocks &= blocks - 1) {
      const uint32_t column = static_cast<uint32_t>(__builtin_ctz(blocks));
      const int32_t x = job.x + static_cast<int32_t>(column) * kBlock;
      const bool inside = x >= r.x0 && x + kBlock <= r.x1 && y >= r.y0 && y + kBlock <= r.y1;
      const uint64_t rect = inside ? ~uint64_t{0} : rectBits(x, y, r.x0, r.y0, r.x1, r.y1);
      const TileEdge* crossing[4];
      uint32_t corner[4], n = 0;
      for (uint32_t i = 0; i < count; ++i) {  // which edges cross is hard to predict: no branches
        crossing[n] = &edges[i], corner[n] = row.corner[i][column];
        n += row.crossed[i] >> column & 1;
      }
      if (cover == TileCover::Wide) {
        coverWide(primitive, samples, x, y, rect, block);
      } else if (n == 0) {
        block.alike = rect, block.mixed = 0;
      } else if (samples.count == 1) {
        coverSingle(crossing, corner, n, samples, rect, block);
      } else {
        coverSamples(crossing, corner, n, samples.count, rect, block);
      }
      shadeBlock(w, p, x, y, block);
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
    BlockCoverage covered;
    covered.alike = block[i];
    shadeBlock(w, p, job.x + i % 8 * kBlock, job.y + i / 8 * kBlock, covered);
  }
}

/// Another worker has made it, for other tiles as well: it is seldom in this core's caches.
ETZEL_INLINE void prefetchPrimitive(const BinnedPrimitive& p) {
  const char* const bytes = reinterpret_cast<const char*>(&p);
  for (uint32_t i = 0; i < sizeof p; i += 64) __builtin_prefetch(bytes + i);
}

bool runTile(WorkerState& w, const TileJob& job) {
  w.cancelled = false;
  w.depth.known = 0;
  for (uint32_t i = 0; i < job.count && !w.cancelled; ++i) {
    const BinnedPrimitive& primitive = *job.primitives[i];
    if (i + 1 < job.count) prefetchPrimitive(*job.primitives[i + 1]);
    if (primitive.kind == PrimitiveKind::Clear) {
      runClear(w, job, primitive);
      continue;
    }
    if (primitive.draw != w.record) {
      switchDraw(w, primitive.draw);
      if (w.draw->tests) w.depthTiles = w.draw->depthStencil.depth.depth(job.layer);
    }
    if (primitive.kind == PrimitiveKind::Polygon)
      runPolygon(w, job, primitive);
    else
      runSpans(w, job, primitive);
  }
  return !w.cancelled;
}
