#include "raster/smooth_line.h"

#include <algorithm>
#include <cmath>

#include "raster/bin.h"

namespace etzel::raster {

namespace {

struct Point {
  double x, y;
};

/// A convex shape. Each of four cuts adds a corner at most.
struct Shape {
  Point corner[8];
  uint32_t count = 0;

  void add(Point p) {
    if (count < std::size(corner)) corner[count++] = p;
  }
};

/// The rectangle in pixels, seen from the upper left corner of one.
Shape shapeOf(const SmoothRectangle& r, int32_t x, int32_t y) {
  Shape s;
  for (const auto& c : r.corner) s.add({double(c[0]) / kSubPixels - x, double(c[1]) / kSubPixels - y});
  return s;
}

/// What lies between the lines on which a coordinate is 0 and 1.
Shape cut(const Shape& whole, double Point::*along) {
  const auto half = [along](const Shape& s, double limit, double sign) {
    Shape kept;
    for (uint32_t i = 0; i < s.count; ++i) {
      const Point &a = s.corner[i], &b = s.corner[(i + 1) % s.count];
      const double da = (a.*along - limit) * sign, db = (b.*along - limit) * sign;
      if (da >= 0) kept.add(a);
      if ((da > 0 && db < 0) || (da < 0 && db > 0)) {
        const double t = da / (da - db);
        Point p{a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
        p.*along = limit;
        kept.add(p);
      }
    }
    return kept;
  };
  return half(half(whole, 0, 1), 1, -1);
}

/// Whether a pixel lies on the far side of an edge as a whole; `*isInside`: whether it lies on none's.
bool isApart(const SmoothRectangle& r, int32_t x, int32_t y, bool* isInside) {
  const auto cross = [](int64_t ax, int64_t ay, int64_t bx, int64_t by) { return ax * by - ay * bx; };
  const auto& c = r.corner;
  const int64_t turn = cross(c[1][0] - c[0][0], c[1][1] - c[0][1], c[2][0] - c[1][0], c[2][1] - c[1][1]);
  if (turn == 0) return false;  // corners that snapped together
  const int64_t px = int64_t{x} * kSubPixels + kSubPixels / 2, py = int64_t{y} * kSubPixels + kSubPixels / 2;
  *isInside = true;
  for (uint32_t i = 0; i < 4; ++i) {
    const auto &a = c[i], &b = c[(i + 1) % 4];
    const int64_t dx = b[0] - a[0], dy = b[1] - a[1], reach = (std::abs(dx) + std::abs(dy)) * (kSubPixels / 2);
    if (reach == 0) continue;
    const int64_t side = turn > 0 ? cross(dx, dy, px - a[0], py - a[1]) : -cross(dx, dy, px - a[0], py - a[1]);
    if (side <= -reach) return true;
    *isInside &= side >= reach;
  }
  return false;
}

}  // namespace

float smoothCoverage(const SmoothRectangle& r, int32_t x, int32_t y) {
  bool isInside = false;
  if (isApart(r, x, y, &isInside)) return 0;
  if (isInside) return 1;
  const Shape s = cut(cut(shapeOf(r, x, y), &Point::y), &Point::x);
  double area = 0;
  for (uint32_t i = 0; i < s.count; ++i) {
    const Point &a = s.corner[i], &b = s.corner[(i + 1) % s.count];
    area += a.x * b.y - b.x * a.y;
  }
  return static_cast<float>(std::min(std::fabs(area) / 2, 1.0));
}

bool smoothRow(const SmoothRectangle& r, int32_t y, int32_t* x0, int32_t* x1) {
  const Shape s = cut(shapeOf(r, 0, y), &Point::y);
  if (s.count < 3) return false;  // an edge or a corner lies on the row's border
  const auto [low, high] =
      std::minmax_element(s.corner, s.corner + s.count, [](const Point& a, const Point& b) { return a.x < b.x; });
  *x0 = static_cast<int32_t>(std::floor(low->x)), *x1 = static_cast<int32_t>(std::ceil(high->x));
  // Parts grow from both ends of a row.
  while (*x0 < *x1 && smoothCoverage(r, *x0, y) < kLeastSmoothPart) ++*x0;
  while (*x0 < *x1 && smoothCoverage(r, *x1 - 1, y) < kLeastSmoothPart) --*x1;
  return *x0 < *x1;
}

}  // namespace etzel::raster
