// Polygons of conservative draws: one primitive each, however many corners clipping gave them. The pieces that other
// polygons are divided into have pixels in common, and between them pixels that lie inside of none.
#include <algorithm>

#include "raster/front/setup/primitive_setup.h"

namespace etzel::raster {

namespace {

struct Corner {
  int32_t x, y;  ///< 1/256 pixel
};

/// Twice the area of a triangle; positive is clockwise (y down).
int64_t turn(const Corner& a, const Corner& b, const Corner& c) {
  return int64_t{b.x - a.x} * (c.y - a.y) - int64_t{c.x - a.x} * (b.y - a.y);
}

/// The convex hull of up to kMaxCorners corners, clockwise: snapping makes corners meet, and polygons a little less
/// than convex. \returns how many it has
uint32_t hullOf(const ScreenVertex* vertex, uint32_t count, Corner* hull) {
  Corner sorted[kMaxCorners];
  for (uint32_t i = 0; i < count; ++i) sorted[i] = {vertex[i].fx, vertex[i].fy};
  std::sort(sorted, sorted + count,
            [](const Corner& a, const Corner& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  // Andrew's monotone chains: the upper one to the right, the lower one back to the left.
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; ++i) {
    while (n >= 2 && turn(hull[n - 2], hull[n - 1], sorted[i]) <= 0) --n;
    hull[n++] = sorted[i];
  }
  const uint32_t upper = n + 1;
  for (uint32_t i = count - 1; i-- > 0;) {
    while (n >= upper && turn(hull[n - 2], hull[n - 1], sorted[i]) <= 0) --n;
    hull[n++] = sorted[i];
  }
  return n - 1;  // the first corner came again
}

int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// Leaves those of [x0, x1) for which the edge's value is at least `least`.
void cutRow(const Edge& e, int64_t least, int32_t y, int32_t& x0, int32_t& x1) {
  const int64_t step = int64_t{e.a} * kSubPixels, rest = e.c + int64_t{e.b} * kSubPixels * y - least;
  if (step == 0) {
    if (rest < 0) x1 = x0;
  } else if (step > 0) {  // x >= -rest / step
    x0 = static_cast<int32_t>(std::clamp<int64_t>(-floorDivide(rest, step), x0, x1));
  } else {  // x <= rest / -step
    x1 = static_cast<int32_t>(std::clamp<int64_t>(floorDivide(rest, -step) + 1, x0, x1));
  }
}

}  // namespace

void SetupStage::coverRow(const Edge* edge, uint32_t count, Span& s) const {
  for (uint32_t i = 0; i < count; ++i) cutRow(edge[i], 0, s.y, s.x0, s.x1);
  s.fullX0 = s.x0, s.fullX1 = s.x1;
  for (uint32_t i = 0; state_.pixels.touched() && i < count; ++i)
    cutRow(edge[i], leastInside(state_.pixels, edge[i]), s.y, s.fullX0, s.fullX1);
}

void SetupStage::conservativePolygon(const ScreenVertex* corner, uint32_t count, uint32_t last,
                                     const PrimitiveAttributes& common) {
  Corner hull[2 * kMaxCorners];
  const uint32_t n = hullOf(corner, count, hull);
  int32_t minX = hull[0].x, minY = hull[0].y, maxX = minX, maxY = minY;
  for (uint32_t i = 1; i < n; ++i) {
    minX = std::min(minX, hull[i].x), minY = std::min(minY, hull[i].y);
    maxX = std::max(maxX, hull[i].x), maxY = std::max(maxY, hull[i].y);
  }
  PixelRect rect;
  if (!bounds(minX, minY, maxX, maxY, state_.viewport[common.viewportIndex].inside, rect)) return;
  const ScreenVertex &a = corner[0], &b = corner[last - 1], &c = corner[last];
  const double area = static_cast<double>(doubleArea(a, b, c));
  Edge edge[kMaxCorners];
  for (uint32_t i = 0; i < n; ++i)
    edge[i] = pixelEdge(state_.pixels, hull[i].x, hull[i].y, hull[(i + 1) % n].x, hull[(i + 1) % n].y);
  if (n <= std::size(BinnedPrimitive{}.edge)) {
    BinnedPrimitive* p = planes(a, b, c, common, area, rect);
    std::copy(edge, edge + n, p->edge);
    p->edgeCount = static_cast<uint8_t>(n);
    return finish(p);
  }
  // The rows of a tile at a time: others need not look at them.
  constexpr int32_t kRows = kTileSize;
  for (int32_t top = rect.minY; top < rect.maxY; top = (top / kRows + 1) * kRows) {
    const int32_t bottom = std::min((top / kRows + 1) * kRows, rect.maxY);
    Span* spans = sink_.make<Span>(kRows);
    uint32_t rows = 0;
    for (int32_t y = top; y < bottom; ++y) {
      Span& s = spans[rows];
      s.y = y, s.x0 = rect.minX, s.x1 = rect.maxX;
      coverRow(edge, n, s);
      rows += s.x0 < s.x1;
    }
    if (!rows) continue;
    BinnedPrimitive* p = planes(a, b, c, common, area, {rect.minX, top, rect.maxX, bottom});
    p->kind = PrimitiveKind::Spans;
    p->spans = spans, p->spanCount = rows;
    finish(p);
  }
}

}  // namespace etzel::raster
