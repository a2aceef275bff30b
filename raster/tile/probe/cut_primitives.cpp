#include "raster/tile/probe/cut_primitives.h"

#include <algorithm>

namespace etzel::raster {
namespace {

bool holds(const PixelRect& r, int32_t x, int32_t y) { return x >= r.minX && x < r.maxX && y >= r.minY && y < r.maxY; }

bool endsAtViewport(const BinnedPrimitive& p) { return !p.isPoint && !p.isLine; }

void limit(PixelRect& r, const PixelRect& to) {
  r.minX = std::max(r.minX, to.minX), r.minY = std::max(r.minY, to.minY);
  r.maxX = std::min(r.maxX, to.maxX), r.maxY = std::min(r.maxY, to.maxY);
}

bool isSame(const PixelRect& a, const PixelRect& b) {
  return a.minX == b.minX && a.minY == b.minY && a.maxX == b.maxX && a.maxY == b.maxY;
}

/// viewportCut() of one primitive after the other, most of which have what the one before had.
class LastCut {
 public:
  const ViewportCut& of(const BinnedPrimitive& p) {
    if (p.draw != draw_ || p.viewportIndex != viewport_) cut_ = viewportCut(p.draw->state, p.viewportIndex);
    draw_ = p.draw, viewport_ = p.viewportIndex;
    return cut_;
  }

 private:
  const DrawRecord* draw_ = nullptr;
  uint32_t viewport_ = 0;
  ViewportCut cut_;
};

}  // namespace

SampleEnd cutAt(const BinnedPrimitive& p, int32_t x, int32_t y) {
  const ViewportCut cut = viewportCut(p.draw->state, p.viewportIndex);
  if (endsAtViewport(p) && !holds(cut.viewport, x, y)) return SampleEnd::Viewport;
  return holds(cut.scissor, x, y) ? SampleEnd::Kept : SampleEnd::Scissor;
}

TileJob CutPrimitives::cut(const TileJob& job, const PixelRect& part, bool all) {
  copies_.clear(), list_.clear(), whole_.clear();
  const PixelRect tile{job.x, job.y, job.x + int32_t{kTileSize}, job.y + int32_t{kTileSize}};
  LastCut last;
  for (uint32_t i = 0; i < job.count; ++i) {
    const BinnedPrimitive& p = *job.primitives[i];
    PixelRect whole{p.minX, p.minY, p.maxX, p.maxY};
    limit(whole, tile);
    PixelRect box = whole;
    limit(box, part);
    if (isEmpty(box)) continue;
    if (p.kind != PrimitiveKind::Clear) {
      const ViewportCut& cut = last.of(p);
      limit(box, cut.scissor);
      if (endsAtViewport(p)) limit(box, cut.viewport);
      if (isEmpty(box) && !all) continue;
    }
    list_.push_back(&p), whole_.push_back(&p);
    if (isSame(box, whole)) continue;
    BinnedPrimitive& copy = copyOf(static_cast<uint32_t>(list_.size() - 1));
    copy.minX = box.minX, copy.minY = box.minY, copy.maxX = box.maxX, copy.maxY = box.maxY;
  }
  TileJob result = job;
  result.primitives = list_.data(), result.count = static_cast<uint32_t>(list_.size());
  return result;
}

BinnedPrimitive& CutPrimitives::copyOf(uint32_t i) {
  if (list_[i] != whole_[i]) return const_cast<BinnedPrimitive&>(*list_[i]);  // one of copies_
  BinnedPrimitive& copy = copies_.emplace_back(*whole_[i]);
  list_[i] = &copy;
  return copy;
}

}  // namespace etzel::raster
