// Lines ("Line Segments"): rectangles whose sides are at right angles to the line (strictLines), which may be smooth,
// or Bresenham lines by the diamond-exit rule; all may be stippled.
#include <algorithm>
#include <cmath>

#include "raster/front/setup/primitive_setup.h"

namespace etzel::raster {

void SetupStage::line(const ScreenVertex& a, const ScreenVertex& b, const PrimitiveAttributes& common, bool front,
                      float depthOffset, StippleState* stipple) {
  // What conservative draws cover is the line's area, which Bresenham's lines do not have: it is the rectangle's.
  const bool conservative = state_.pixels.conservative();
  if (conservative && a.fx == b.fx && a.fy == b.fy) return;  // degenerateLinesRasterized
  StippleState own;
  StippleState* s = state_.draw->lineStipple ? (stipple ? stipple : &own) : nullptr;
  if (state_.draw->lineMode == VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT && !conservative) {
    bresenhamLine(a, b, common, front, depthOffset, s);
  } else {
    rectangularLine(a, b, common, front, depthOffset, s);
  }
}

bool SetupStage::stippleOn(int64_t step) const {
  const uint32_t factor = std::max(1u, state_.draw->lineStippleFactor);
  return state_.draw->lineStipplePattern >> (step / factor % 16) & 1;
}

void SetupStage::lineAttributes(BinnedPrimitive* p, const ScreenVertex& a, const ScreenVertex& b, float depthOffset) {
  abi::PrimitiveSetup& s = p->setup;
  const double dx = double(b.x) - a.x, dy = double(b.y) - a.y, length2 = dx * dx + dy * dy;
  s.x0 = a.x;
  s.y0 = a.y;
  // t = (p - a) . (b - a) / |b - a|^2
  s.l1dx = length2 > 0 ? float(dx / length2) : 0;
  s.l1dy = length2 > 0 ? float(dy / length2) : 0;
  s.l2dx = s.l2dy = 0;
  s.w[0] = s.w[2] = a.invW;
  s.w[1] = b.invW;
  s.record[0] = s.record[2] = a.record;
  s.record[1] = b.record;
  const double dz = double(b.z) - a.z;
  p->z0 = a.z + depthOffset;
  p->dzdx = length2 > 0 ? float(dx / length2 * dz) : 0;
  p->dzdy = length2 > 0 ? float(dy / length2 * dz) : 0;
  p->isLine = true;
}

void SetupStage::rectangularLine(const ScreenVertex& a, const ScreenVertex& b, const PrimitiveAttributes& common,
                                 bool front, float depthOffset, StippleState* stipple) {
  const double dx = double(b.x) - a.x, dy = double(b.y) - a.y, length = std::sqrt(dx * dx + dy * dy);
  if (!(length > 0)) return;
  const double ux = dx / length, uy = dy / length;
  const double nx = -uy * state_.draw->lineWidth / 2, ny = ux * state_.draw->lineWidth / 2;
  const bool smooth = state_.draw->lineMode == VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT;
  auto piece = [&](double from, double to) {
    const double x0 = a.x + ux * from, y0 = a.y + uy * from, x1 = a.x + ux * to, y1 = a.y + uy * to;
    const double c[4][2] = {{x0 + nx, y0 + ny}, {x1 + nx, y1 + ny}, {x1 - nx, y1 - ny}, {x0 - nx, y0 - ny}};
    int32_t corner[4][2];
    for (int i = 0; i < 4; ++i) {
      for (int k = 0; k < 2; ++k) corner[i][k] = int32_t(std::lrint(c[i][k] * kSubPixels));
    }
    // What conservative draws cover is told by edges.
    const SmoothRectangle* r = smooth ? smoothRectangle(corner) : nullptr;
    if (r && !state_.pixels.conservative()) return smoothLine(*r, a, b, common, front, depthOffset);
    PixelRect rect;
    if (!bounds(std::min({corner[0][0], corner[1][0], corner[2][0], corner[3][0]}),
                std::min({corner[0][1], corner[1][1], corner[2][1], corner[3][1]}),
                std::max({corner[0][0], corner[1][0], corner[2][0], corner[3][0]}),
                std::max({corner[0][1], corner[1][1], corner[2][1], corner[3][1]}),
                state_.viewport[common.viewportIndex].scissor, rect)) {
      return;
    }
    BinnedPrimitive* p = start(common, rect, front);
    if (!polygon(p, corner, 4)) return;
    lineAttributes(p, a, b, depthOffset);
    p->smooth = r;
    finish(p);
  };
  if (!stipple) {
    piece(0, length);
    return;
  }
  // One bit of the pattern is `factor` pixels of length; runs of set bits become one rectangle.
  const double begin = stipple->counter, end = begin + length;
  double runStart = -1;
  for (int64_t step = int64_t(std::floor(begin)); step < end; ++step) {
    const double from = std::max(double(step), begin);
    if (stippleOn(step)) {
      if (runStart < 0) runStart = from;
    } else if (runStart >= 0) {
      piece(runStart - begin, from - begin);
      runStart = -1;
    }
  }
  if (runStart >= 0) piece(runStart - begin, length);
  stipple->counter = end;
}

// "Bresenham Line Segment Rasterization": a pixel belongs to the line when the segment leaves the diamond around its
// centre. Exact in 1/256 pixel.
void SetupStage::bresenhamLine(const ScreenVertex& a, const ScreenVertex& b, const PrimitiveAttributes& common,
                               bool front, float depthOffset, StippleState* stipple) {
  const bool xMajor = std::abs(int64_t(b.fx) - a.fx) >= std::abs(int64_t(b.fy) - a.fy);
  const PixelRect& limit = state_.viewport[common.viewportIndex].scissor;
  const int32_t width = std::max(1, int32_t(std::lrint(state_.draw->lineWidth)));
  // Major and minor coordinates, 1/256 pixel.
  const int64_t m0 = xMajor ? a.fx : a.fy, m1 = xMajor ? b.fx : b.fy;
  // Wide lines: columns of `width` pixels, moved so that they are centred on the line.
  const int64_t shift = int64_t(width - 1) * kSubPixels / 2;
  const int64_t n0 = (xMajor ? a.fy : a.fx), n1 = (xMajor ? b.fy : b.fx);
  const int64_t dm = m1 - m0, dn = n1 - n0;
  if (dm == 0) return;
  auto insideDiamond = [](int64_t major, int64_t minor, int64_t pixelMajor) {
    const int64_t pixelMinor = minor >> 8;
    return std::abs(major - (pixelMajor * 256 + 128)) + std::abs(minor - (pixelMinor * 256 + 128)) < 128;
  };
  const int direction = dm > 0 ? 1 : -1;
  const int64_t p0 = m0 >> 8, p1 = m1 >> 8;
  // The segment owns a column when it passes the centre, or starts beyond the centre inside the diamond.
  int64_t first = p0, last = p1;
  const int64_t startCenter = p0 * 256 + 128, endCenter = p1 * 256 + 128;
  const bool startsPast = direction > 0 ? m0 > startCenter : m0 < startCenter;
  if (startsPast && !insideDiamond(m0, n0, p0)) first += direction;
  const bool endsPast = direction > 0 ? m1 > endCenter : m1 < endCenter;
  if (!endsPast || insideDiamond(m1, n1, p1)) last -= direction;
  const int64_t count = direction * (last - first) + 1;
  if (count <= 0) return;

  spans_.clear();
  int32_t minX = INT32_MAX, minY = INT32_MAX, maxX = INT32_MIN, maxY = INT32_MIN;
  auto flushSpans = [&] {
    if (spans_.empty()) return;
    const PixelRect rect = {minX, minY, maxX, maxY};
    BinnedPrimitive* p = start(common, rect, front);
    p->kind = PrimitiveKind::Spans;
    Span* copy = sink_.make<Span>(spans_.size());
    std::copy(spans_.begin(), spans_.end(), copy);
    p->spans = copy;
    p->spanCount = uint32_t(spans_.size());
    lineAttributes(p, a, b, depthOffset);
    finish(p);
    spans_.clear();
    minX = minY = INT32_MAX;
    maxX = maxY = INT32_MIN;
  };
  const int32_t majorMin = xMajor ? limit.minX : limit.minY, majorMax = xMajor ? limit.maxX : limit.maxY;
  const int64_t stippleBase = stipple ? int64_t(stipple->counter) : 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t major = first + direction * i;
    if (major < majorMin || major >= majorMax) continue;
    if (stipple && !stippleOn(stippleBase + i)) continue;
    // Minor coordinate where the line passes the column's centre, rounded down to a pixel exactly.
    const int64_t numerator = (major * 256 + 128 - m0) * dn + (n0 - shift) * dm;
    const int64_t denominator = dm * 256;
    int64_t minor = numerator / denominator;
    if (minor * denominator != numerator && (numerator < 0) != (denominator < 0)) --minor;
    int32_t x0 = int32_t(xMajor ? major : minor), x1 = x0 + (xMajor ? 1 : width);
    int32_t y0 = int32_t(xMajor ? minor : major), y1 = y0 + (xMajor ? width : 1);
    x0 = std::max(x0, limit.minX);
    x1 = std::min(x1, limit.maxX);
    y0 = std::max(y0, limit.minY);
    y1 = std::min(y1, limit.maxY);
    if (x0 >= x1 || y0 >= y1) continue;
    for (int32_t y = y0; y < y1; ++y) spans_.push_back({y, x0, x1});
    minX = std::min(minX, x0);
    maxX = std::max(maxX, x1);
    minY = std::min(minY, y0);
    maxY = std::max(maxY, y1);
    if (spans_.size() >= 128) flushSpans();  // keeps what every tile of a long line has to look at short
  }
  flushSpans();
  if (stipple) stipple->counter = double(stippleBase + count);
}

}  // namespace etzel::raster
