// The primitives of a tile in order, their blocks, and the way of a block: covered, tested, shaded, written.
#include "raster/tile/run_tile.h"

#include "raster/bin.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/count_block.h"
#include "raster/tile/cover/cover_block.h"
#include "raster/tile/cover/discard_rectangles.h"
#include "raster/tile/cover/sample_mask.h"
#include "raster/tile/cover/tile_edges.h"
#include "raster/tile/cover/tile_rect.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/fetch_ahead.h"
#include "raster/tile/flat_tile.h"
#include "raster/tile/hidden_primitives.h"
#include "raster/tile/shade/one_color.h"
#include "raster/tile/shade/primitive_context.h"
#include "raster/tile/shade/worker_state.h"
#include "raster/tile/test/depth_block.h"
#include "raster/tile/test_and_shade.h"

namespace etzel::raster::ETZEL_TARGET {
namespace {

/// Takes what a primitive covers of the block at (x, y), absolute pixels, to the attachments.
inline void shadeBlock(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  if (d.discardsRectangles) discardPixels(p.primitive->draw->state, x, y, block);
  if (d.masksSamples) maskSamples(d, block);
  if (__builtin_expect(d.specialBlocks, false))
    return d.countsTraffic ? countBlock(w, p, x, y, block) : shadeAtRate(w, p, x, y, block);
  testAndShade(w, p, x, y, block);
}

inline void runPolygon(WorkerState& w, const TileJob& job, const BinnedPrimitive& primitive) {
  const TileRect r = clipToTile(job, primitive);
  if (r.empty()) return;
  const SamplePositions& samples = w.draw->covers;
  TileEdges edges;
  tileEdges(primitive, *w.draw, job.x, job.y, r, edges);
  if (edges.cover == TileCover::None) return;
  if (w.draw->tests && isHidden(w.depth, *w.draw, primitive, r)) return;
  PrimitiveContext p = beginPrimitive(w, primitive);
  if (w.draw->fillsRects && edges.cover == TileCover::Edges && edges.count == 0 && !(p.sys & abi::kPixelSysValues))
    return w.draw->color[0].bytes == ByteWrite::Store ? fillRect<ByteWrite::Store>(w, p, r)
                                                      : fillRect<ByteWrite::Blend>(w, p, r);
  const bool ahead = fetchesAhead(*w.draw, r);
  BlockCoverage block;
  BlockRow row;
  const uint32_t columns = (2u << ((r.x1 - 1 - job.x) / kBlock)) - (1u << ((r.x0 - job.x) / kBlock));
  for (int32_t y = job.y + ((r.y0 - job.y) & ~(kBlock - 1)); y < r.y1; y += kBlock) {
    blockRow(edges.edge, edges.count, y - job.y, row);
    for (uint32_t blocks = columns & ~row.outside; blocks && !w.cancelled; blocks &= blocks - 1) {
      const uint32_t column = static_cast<uint32_t>(__builtin_ctz(blocks));
      const int32_t x = job.x + static_cast<int32_t>(column) * kBlock;
      if (__builtin_expect(ahead, false)) fetchNext(*w.draw, primitive.layer, r, x, y);
      const bool inside = x >= r.x0 && x + kBlock <= r.x1 && y >= r.y0 && y + kBlock <= r.y1;
      const uint64_t rect = inside ? ~uint64_t{0} : rectBits(x, y, r.x0, r.y0, r.x1, r.y1);
      const TileEdge* crossing[4];
      uint32_t corner[4], n = 0;
      for (uint32_t i = 0; i < edges.count; ++i) {  // which edges cross is hard to predict: no branches
        crossing[n] = &edges.edge[i], corner[n] = row.corner[i][column];
        n += row.crossed[i] >> column & 1;
      }
      if (edges.cover == TileCover::Wide) {
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
  for (uint32_t i = 0; i < offsetof(BinnedPrimitive, edge[3]); i += 64) __builtin_prefetch(bytes + i);
}
/// The attributes of its vertices and what draws have of their own, which lie elsewhere. \pre prefetchPrimitive() came
/// a primitive earlier
ETZEL_INLINE void prefetchAttributes(const BinnedPrimitive& p, const DrawRecord* last) {
  for (const uint32_t* record : p.setup.record) __builtin_prefetch(record + abi::kWordGeneric);
  if (p.draw == last || p.kind == PrimitiveKind::Clear) return;
  __builtin_prefetch(p.draw);
  __builtin_prefetch(&p.draw->state.context.pushConstants);
}

}  // namespace

bool runTile(WorkerState& w, const TileJob& job) {
  w.cancelled = false;
  w.depth.known = 0;
  if (job.flatFrom != TileJob::kNotFlat) {
    runFlat(w, job);
    return !w.cancelled;
  }
  if (job.count > 1) prefetchPrimitive(*job.primitives[1]);
  const uint32_t hidden = job.count > 1 ? hiddenPrimitives(job) : 0;
  bool fetched = job.count < kManyPrimitives;
  for (uint32_t i = 0; i < job.count && !w.cancelled; ++i) {
    if (i < kHideWindow && hidden >> i & 1) continue;
    const BinnedPrimitive& primitive = *job.primitives[i];
    if (i + 2 < job.count) prefetchPrimitive(*job.primitives[i + 2]);
    if (i + 1 < job.count) prefetchAttributes(*job.primitives[i + 1], w.record);
    if (primitive.kind == PrimitiveKind::Clear) {
      runClear(w, job, primitive);
      continue;
    }
    if (primitive.draw != w.record) {
      switchDraw(w, primitive.draw);
      if (w.draw->tests) w.depthTiles = w.draw->depthStencil.depth.depth(job.layer);
    }
    if (!fetched) fetchTile(*w.draw, job, primitive), fetched = true;
    if (primitive.kind == PrimitiveKind::Polygon)
      runPolygon(w, job, primitive);
    else
      runSpans(w, job, primitive);
    primitive.draw->state.context.madeProgress();
  }
  return !w.cancelled;
}

}  // namespace etzel::raster::ETZEL_TARGET
