// Triangles and points become edge equations and planes here; lines in line_setup.cpp.
#include "raster/front/setup/primitive_setup.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/mutant/mutant.h"
#include "runtime/simd/target.h"

namespace etzel::raster {

namespace {

/// The half plane right of a directed edge on a screen with y down: where the inside of a clockwise polygon lies.
Edge edgeOf(int32_t x0, int32_t y0, int32_t x1, int32_t y1) {
  Edge e;
  e.a = y0 - y1;
  e.b = x1 - x0;
  e.c = -(int64_t(e.a) * x0 + int64_t(e.b) * y0);
  // Top-left rule: samples exactly on an edge belong to the primitive to its right, or below it.
  const bool owns = e.a > 0 || (e.a == 0 && e.b > 0);
  if (owns == mutated(Mutant::TopLeftRule)) e.c -= 1;
  return e;
}

/// All of a triangle but its edges. Part of both callers: most triangles come here.
ETZEL_INLINE void fillTriangle(BinnedPrimitive* p, const RasterState& state, const ScreenVertex* const (&corner)[3],
                               const PrimitiveAttributes& common, double area, const PixelRect& rect,
                               float depthOffset) {
  const ScreenVertex &a = *corner[0], &b = *corner[1], &c = *corner[2];
  abi::PrimitiveSetup& s = p->setup;
  constexpr double kPixel = 1.0 / kSubPixels;
  const double x1 = (b.fx - a.fx) * kPixel, y1 = (b.fy - a.fy) * kPixel;
  const double x2 = (c.fx - a.fx) * kPixel, y2 = (c.fy - a.fy) * kPixel;
  const double inverse = 65536.0 / area;
  const double l1dx = y2 * inverse, l1dy = -x2 * inverse, l2dx = -y1 * inverse, l2dy = x1 * inverse;
  s.x0 = float(a.fx * kPixel);
  s.y0 = float(a.fy * kPixel);
  s.l1dx = float(l1dx);
  s.l1dy = float(l1dy);
  s.l2dx = float(l2dx);
  s.l2dy = float(l2dy);
  s.w[0] = a.invW;
  s.w[1] = b.invW;
  s.w[2] = c.invW;
  s.frontFacing = (area > 0) == state.frontIsClockwise ? ~0u : 0u;
  s.record[0] = a.record;
  s.record[1] = b.record;
  s.record[2] = c.record;
  s.flatRecord = common.flatRecord;
  s.vertices = common.vertices;
  const double z1 = double(b.z) - a.z, z2 = double(c.z) - a.z;
  p->z0 = a.z + depthOffset;
  p->dzdx = float(l1dx * z1 + l2dx * z2);
  p->dzdy = float(l1dy * z1 + l2dy * z2);
  p->minDepth = state.viewport[common.viewportIndex].minDepth;
  p->maxDepth = state.viewport[common.viewportIndex].maxDepth;
  p->minX = rect.minX;
  p->minY = rect.minY;
  p->maxX = rect.maxX;
  p->maxY = rect.maxY;
  p->primitiveId = common.primitiveId;
  p->layer = common.layer;
  p->kind = PrimitiveKind::Polygon;
  p->edgeCount = 3;
  p->isPoint = false;
  p->isLine = false;
  p->draw = state.record;
  p->viewportIndex = common.viewportIndex;
  p->viewIndex = common.viewIndex;
  if (state.tellsInstances) p->instance = common.instance;
}

}  // namespace

bool SetupStage::bounds(int64_t minX, int64_t minY, int64_t maxX, int64_t maxY, const PixelRect& limit,
                        PixelRect& rect) const {
  const PixelRounding& r = state_.rounding;
  rect.minX = int32_t(std::max<int64_t>((minX + r.lowX) >> 8, limit.minX));
  rect.minY = int32_t(std::max<int64_t>((minY + r.lowY) >> 8, limit.minY));
  rect.maxX = int32_t(std::min<int64_t>((maxX + r.highX) >> 8, limit.maxX));
  rect.maxY = int32_t(std::min<int64_t>((maxY + r.highY) >> 8, limit.maxY));
  return rect.minX < rect.maxX && rect.minY < rect.maxY;
}

BinnedPrimitive* SetupStage::start(const PrimitiveAttributes& common, const PixelRect& rect, bool front) {
  BinnedPrimitive* p = sink_.make<BinnedPrimitive>();
  p->draw = state_.record;
  p->minX = rect.minX;
  p->minY = rect.minY;
  p->maxX = rect.maxX;
  p->maxY = rect.maxY;
  p->setup.frontFacing = front ? ~0u : 0u;
  p->setup.flatRecord = common.flatRecord;
  p->setup.vertices = common.vertices;
  p->primitiveId = common.primitiveId;
  p->layer = common.layer;
  p->viewportIndex = common.viewportIndex;
  p->viewIndex = common.viewIndex;
  p->instance = common.instance;
  p->minDepth = state_.viewport[common.viewportIndex].minDepth;
  p->maxDepth = state_.viewport[common.viewportIndex].maxDepth;
  return p;
}

bool SetupStage::polygon(BinnedPrimitive* p, const int32_t (*corner)[2], uint32_t count) {
  int64_t area = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const int32_t* a = corner[i];
    const int32_t* b = corner[(i + 1) % count];
    area += int64_t(a[0]) * b[1] - int64_t(b[0]) * a[1];
  }
  if (area == 0) return false;
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const int32_t* from = corner[i];
    const int32_t* to = corner[(i + 1) % count];
    if (area < 0) std::swap(from, to);                   // inside is where E grows, for clockwise edges (y down)
    if (from[0] == to[0] && from[1] == to[1]) continue;  // corners that snapped together
    p->edge[n] = state_.pixels.conservative() ? pixelEdge(state_.pixels, from[0], from[1], to[0], to[1])
                                              : edgeOf(from[0], from[1], to[0], to[1]);
    ++n;
  }
  p->edgeCount = uint8_t(n);
  return true;
}

void SetupStage::finish(BinnedPrimitive* p) { binPrimitive(p, state_.grid, sink_); }

float SetupStage::depthOffset(const ScreenVertex& a, const ScreenVertex& b, const ScreenVertex& c) const {
  const DrawState& d = *state_.draw;
  if (!d.depthBias) return 0;
  const double x1 = double(b.x) - a.x, y1 = double(b.y) - a.y, x2 = double(c.x) - a.x, y2 = double(c.y) - a.y;
  const double det = x1 * y2 - x2 * y1;
  double slope = 0;
  if (det != 0) {
    const double z1 = double(b.z) - a.z, z2 = double(c.z) - a.z;
    slope = std::max(std::fabs((z1 * y2 - z2 * y1) / det), std::fabs((z2 * x1 - z1 * x2) / det));
  }
  double r = state_.depthUnorm;
  if (r == 0) {
    // Floating-point depth: r = 2^(e - 23), e the exponent of the largest depth of the primitive.
    const float largest = std::max({std::fabs(a.z), std::fabs(b.z), std::fabs(c.z)});
    int exponent = -125;
    if (largest > 0) std::frexp(largest, &exponent);
    r = std::ldexp(1.0, std::max(exponent - 1, -126) - 23);
  }
  double offset = slope * d.depthBiasSlope + r * d.depthBiasConstant;
  if (d.depthBiasClamp > 0) offset = std::min<double>(offset, d.depthBiasClamp);
  if (d.depthBiasClamp < 0) offset = std::max<double>(offset, d.depthBiasClamp);
  return float(offset);
}

void SetupStage::triangle(const ScreenVertex& a, const ScreenVertex& b, const ScreenVertex& c,
                          const PrimitiveAttributes& common) {
  const int64_t area = doubleArea(a, b, c);
  if (area == 0) return;
  PixelRect rect;
  if (!bounds(std::min({a.fx, b.fx, c.fx}), std::min({a.fy, b.fy, c.fy}), std::max({a.fx, b.fx, c.fx}),
              std::max({a.fy, b.fy, c.fy}), state_.viewport[common.viewportIndex].inside, rect)) {
    return;
  }
  triangle(a, b, c, common, double(area), rect);
}

void SetupStage::triangle(const ScreenVertex& a, const ScreenVertex& b, const ScreenVertex& c,
                          const PrimitiveAttributes& common, double area, const PixelRect& rect) {
  BinnedPrimitive* p = sink_.triangle();
  fillTriangle(p, state_, {&a, &b, &c}, common, area, rect, depthOffset(a, b, c));
  // Edges in the order that keeps the inside where E grows.
  const ScreenVertex &second = area > 0 ? b : c, &third = area > 0 ? c : b;
  p->edge[0] = edgeOf(a.fx, a.fy, second.fx, second.fy);
  p->edge[1] = edgeOf(second.fx, second.fy, third.fx, third.fy);
  p->edge[2] = edgeOf(third.fx, third.fy, a.fx, a.fy);
  finish(p);
}

BinnedPrimitive* SetupStage::planes(const ScreenVertex& a, const ScreenVertex& b, const ScreenVertex& c,
                                    const PrimitiveAttributes& common, double area, const PixelRect& rect) {
  BinnedPrimitive* p = sink_.triangle();
  fillTriangle(p, state_, {&a, &b, &c}, common, area, rect, depthOffset(a, b, c));
  return p;
}

void SetupStage::point(const ScreenVertex& a, const PrimitiveAttributes& common, bool front, float depthOffset) {
  float size;
  std::memcpy(&size, a.record + abi::kWordPointSize, 4);
  size = size >= kMinPointSize ? std::min(size, kMaxPointSize) : kMinPointSize;  // NaN too
  const double half = size * 0.5;
  const int32_t x0 = int32_t(std::lrint((a.x - half) * kSubPixels)),
                x1 = int32_t(std::lrint((a.x + half) * kSubPixels));
  const int32_t y0 = int32_t(std::lrint((a.y - half) * kSubPixels)),
                y1 = int32_t(std::lrint((a.y + half) * kSubPixels));
  PixelRect rect;
  // Points are clipped by their centre alone; the square may reach out of the viewport.
  if (!bounds(x0, y0, x1, y1, state_.viewport[common.viewportIndex].scissor, rect)) return;
  BinnedPrimitive* p = start(common, rect, front);
  const int32_t corner[4][2] = {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}};
  if (!polygon(p, corner, 4)) return;
  abi::PrimitiveSetup& s = p->setup;
  s.x0 = a.x;
  s.y0 = a.y;
  s.l1dx = s.l1dy = s.l2dx = s.l2dy = 0;
  for (int i = 0; i < 3; ++i) {
    s.w[i] = a.invW;
    s.record[i] = a.record;
  }
  p->z0 = a.z + depthOffset;
  p->isPoint = true;
  p->pointX = a.x;
  p->pointY = a.y;
  p->pointInvSize = 1.0f / size;
  finish(p);
}

}  // namespace etzel::raster
