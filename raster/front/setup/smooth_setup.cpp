// Smooth lines: rows of all pixels that a line's rectangle has a part of, all of whose samples are covered.
#include <algorithm>

#include "raster/front/setup/primitive_setup.h"

namespace etzel::raster {

const SmoothRectangle* SetupStage::smoothRectangle(const int32_t (*corner)[2]) {
  SmoothRectangle* r = sink_.make<SmoothRectangle>();
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 2; ++k) r->corner[i][k] = corner[i][k];
  return r;
}

void SetupStage::smoothLine(const SmoothRectangle& r, const ScreenVertex& a, const ScreenVertex& b,
                            const PrimitiveAttributes& common, bool front, float depthOffset) {
  const PixelRect& limit = state_.viewport[common.viewportIndex].scissor;
  const auto [low, high] = std::minmax_element(std::begin(r.corner), std::end(r.corner),
                                               [](const auto& p, const auto& q) { return p[1] < q[1]; });
  int32_t y = std::max((*low)[1] >> 8, limit.minY);
  const int32_t bottom = std::min(((*high)[1] + kSubPixels - 1) >> 8, limit.maxY);
  while (y < bottom) {
    // The rows of a tile at a time: others need not look at them.
    const int32_t end = std::min((y / int32_t(kTileSize) + 1) * int32_t(kTileSize), bottom);
    PixelRect rect = {limit.maxX, y, limit.minX, end};
    spans_.clear();
    for (; y < end; ++y) {
      Span s;
      s.y = y;
      if (!smoothRow(r, y, &s.x0, &s.x1)) continue;
      s.x0 = std::max(s.x0, limit.minX), s.x1 = std::min(s.x1, limit.maxX);
      if (s.x0 >= s.x1) continue;
      rect.minX = std::min(rect.minX, s.x0), rect.maxX = std::max(rect.maxX, s.x1);
      spans_.push_back(s);
    }
    if (spans_.empty()) continue;
    BinnedPrimitive* p = start(common, rect, front);
    Span* spans = sink_.make<Span>(spans_.size());
    std::copy(spans_.begin(), spans_.end(), spans);
    p->kind = PrimitiveKind::Spans;
    p->spans = spans, p->spanCount = uint32_t(spans_.size());
    lineAttributes(p, a, b, depthOffset);
    p->smooth = &r;
    finish(p);
  }
}

}  // namespace etzel::raster
