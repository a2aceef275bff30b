#include "raster/tile/probe/cut_primitives.h"

#include <algorithm>

#include "raster/front/setup/raster_state.h"

namespace etzel::raster {
namespace {

bool holds(const PixelRect& r, int32_t x, int32_t y) { return x >= r.minX && x < r.maxX && y >= r.minY && y < r.maxY; }

bool endsAtViewport(const BinnedPrimitive& p) { return !p.isPoint && !p.isLine; }

void limit(BinnedPrimitive& p, const PixelRect& to) {
  p.minX = std::max(p.minX, to.minX), p.minY = std::max(p.minY, to.minY);
  p.maxX = std::min(p.maxX, to.maxX), p.maxY = std::min(p.maxY, to.maxY);
}

}  // namespace

SampleEnd cutAt(const BinnedPrimitive& p, int32_t x, int32_t y) {
  const ViewportCut cut = viewportCut(p.draw->state, p.viewportIndex);
  if (endsAtViewport(p) && !holds(cut.viewport, x, y)) return SampleEnd::Viewport;
  return holds(cut.scissor, x, y) ? SampleEnd::Kept : SampleEnd::Scissor;
}

TileJob CutPrimitives::cut(const TileJob& job) {
  primitives_.clear(), list_.clear();
  primitives_.reserve(job.count);  // the list points into it
  for (uint32_t i = 0; i < job.count; ++i) {
    BinnedPrimitive& p = primitives_.emplace_back(*job.primitives[i]);
    list_.push_back(&p);
    if (p.kind == PrimitiveKind::Clear) continue;
    const ViewportCut cut = viewportCut(p.draw->state, p.viewportIndex);
    limit(p, cut.scissor);
    if (endsAtViewport(p)) limit(p, cut.viewport);
  }
  TileJob result = job;
  result.primitives = list_.data();
  return result;
}

}  // namespace etzel::raster
