// Which pixels triangles cover, against a reference in exact integers: "Polygon Rasterization".
//
// Vertices are placed on the sub-pixel grid that the device promises (subPixelPrecisionBits, at least 4), where the
// viewport transform is exact, so the reference needs no tolerance.
#include <algorithm>
#include <array>
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

constexpr uint32_t size = 64;
constexpr int grid = 16;  // 4 sub-pixel bits, the least that any device has

struct Point {
  int x, y;  ///< in 1/16 pixel
};
using Triangle = std::array<Point, 3>;

/// std::hypot without its care for overflow, and without the newer glibc that it needs.
double length(double x, double y) { return std::sqrt(x * x + y * y); }

std::string gridShader() {
  return "#version 450\nlayout(location=0) in ivec2 at; layout(location=1) in vec4 color; layout(location=0) out flat "
         "vec4 c;\n"
         "void main() { gl_Position = vec4(vec2(at) / 512.0 - 1.0, 0.0, 1.0); c = color; }\n";
}
const char* const passColor =
    "#version 450\nlayout(location=0) in flat vec4 c; layout(location=0) out vec4 color;\nvoid main() { color = c; }\n";

/// Pixels whose centre lies inside, or on a top or left edge.
bool covers(const Triangle& t, int px, int py) {
  int64_t area = int64_t(t[1].x - t[0].x) * (t[2].y - t[0].y) - int64_t(t[1].y - t[0].y) * (t[2].x - t[0].x);
  if (area == 0) return false;
  Triangle v = t;
  if (area < 0) std::swap(v[1], v[2]);
  int cx = px * grid + grid / 2, cy = py * grid + grid / 2;
  for (int i = 0; i < 3; ++i) {
    Point a = v[i], b = v[(i + 1) % 3];
    int64_t e = int64_t(b.x - a.x) * (cy - a.y) - int64_t(b.y - a.y) * (cx - a.x);
    bool top = a.y == b.y && b.x > a.x, left = b.y < a.y;
    if (e < 0 || (e == 0 && !top && !left)) return false;
  }
  return true;
}

struct Vertex {
  int32_t x, y;
  float color[4];
};

/// How often each pixel is covered, drawn with additive blending of 1/255 a triangle.
std::vector<uint8_t> count(Gpu& gpu, const std::vector<Triangle>& triangles) {
  std::vector<Vertex> vertices;
  for (auto& t : triangles)
    for (auto& p : t) vertices.push_back({p.x, p.y, {1 / 255.0f, 0, 0, 0}});
  Image target = gpu.image({.width = size, .height = size, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  gpu.clear(target, {});
  DrawState s;
  s.vert = gridShader();
  s.frag = passColor;
  s.attributes = {{VK_FORMAT_R32G32_SINT, 0}, {VK_FORMAT_R32G32B32A32_SFLOAT, 8}};
  s.stride = sizeof(Vertex);
  s.vertices = gpu.buffer(vertices);
  s.vertexCount = uint32_t(vertices.size());
  s.colors = {target};
  s.attachment = {VK_TRUE,
                  VK_BLEND_FACTOR_ONE,
                  VK_BLEND_FACTOR_ONE,
                  VK_BLEND_OP_ADD,
                  VK_BLEND_FACTOR_ONE,
                  VK_BLEND_FACTOR_ONE,
                  VK_BLEND_OP_ADD,
                  15};
  draw(gpu, s);
  return gpu.download(target, 4);
}

void compare(Gpu& gpu, const std::vector<Triangle>& triangles) {
  std::vector<uint8_t> want(size * size * 4);
  for (auto& t : triangles)
    for (uint32_t y = 0; y < size; ++y)
      for (uint32_t x = 0; x < size; ++x)
        want[(y * size + x) * 4] = uint8_t(want[(y * size + x) * 4] + covers(t, int(x), int(y)));
  expectPicture(count(gpu, triangles), want, size, size);
}

/// A mesh of the whole square whose inner vertices are moved: every pixel is covered exactly once.
void mesh(Gpu& gpu, uint32_t cells, uint64_t seed, int snap) {
  Random random(seed);
  std::vector<Point> points((cells + 1) * (cells + 1));
  int step = int(size) * grid / int(cells);
  for (uint32_t y = 0; y <= cells; ++y)
    for (uint32_t x = 0; x <= cells; ++x) {
      Point p{int(x) * step, int(y) * step};
      if (x > 0 && x < cells) p.x += (int(random.below(uint32_t(step * 6 / 10))) - step * 3 / 10) / snap * snap;
      if (y > 0 && y < cells) p.y += (int(random.below(uint32_t(step * 6 / 10))) - step * 3 / 10) / snap * snap;
      points[y * (cells + 1) + x] = p;
    }
  std::vector<Triangle> triangles;
  for (uint32_t y = 0; y < cells; ++y)
    for (uint32_t x = 0; x < cells; ++x) {
      Point a = points[y * (cells + 1) + x], b = points[y * (cells + 1) + x + 1], c = points[(y + 1) * (cells + 1) + x],
            d = points[(y + 1) * (cells + 1) + x + 1];
      if (random.below(2))
        triangles.push_back({a, b, c}), triangles.push_back({c, b, d});
      else
        triangles.push_back({a, b, d}), triangles.push_back({a, d, c});
    }
  auto got = count(gpu, triangles);
  std::vector<uint8_t> want(size * size * 4);
  for (uint32_t i = 0; i < size * size; ++i) want[i * 4] = 1;
  expectPicture(got, want, size, size);
}

void addFillRule() {
  // One triangle's corners on pixel centres, pixel corners and between: the edges hit sample points often.
  for (int snap : {1, 4, 8, 16})
    for (uint64_t seed = 0; seed < 6; ++seed)
      add(text("raster.fill_rule.snap%d.seed%d", snap, int(seed)), [=](Gpu& gpu) {
        Random random(seed * 31 + uint64_t(snap));
        std::vector<Triangle> list(24);
        for (auto& t : list)
          for (auto& p : t)
            p = {int(random.below(size * grid)) / snap * snap + (snap == 16 ? 8 : 0),
                 int(random.below(size * grid)) / snap * snap + (snap == 16 ? 8 : 0)};
        compare(gpu, list);
      });
  for (uint64_t seed = 0; seed < 8; ++seed)
    add(text("raster.small_triangles.seed%d", int(seed)), [=](Gpu& gpu) {
      Random random(seed + 500);
      std::vector<Triangle> list(200);
      int extent = 8 << (seed % 4);
      for (auto& t : list) {
        Point at{int(random.below(size * grid)), int(random.below(size * grid))};
        for (auto& p : t) p = {at.x + int(random.below(uint32_t(extent))), at.y + int(random.below(uint32_t(extent)))};
      }
      compare(gpu, list);
    });
  for (uint64_t seed = 0; seed < 6; ++seed)
    add(text("raster.slivers.seed%d", int(seed)), [=](Gpu& gpu) {
      Random random(seed + 900);
      std::vector<Triangle> list(30);
      for (auto& t : list) {
        Point a{int(random.below(size * grid)), int(random.below(size * grid))},
            b{int(random.below(size * grid)), int(random.below(size * grid))};
        t = {a, b, Point{a.x + int(random.below(20)), a.y + int(random.below(20))}};
      }
      compare(gpu, list);
    });
  // Beyond the viewport: guard band or clipping must not change the coverage inside.
  for (int reach : {2, 8, 30})
    add(text("raster.large_triangles.reach%d", reach), [=](Gpu& gpu) {
      Random random{uint64_t(reach)};
      std::vector<Triangle> list(10);
      int span = int(size) * grid * reach;
      for (auto& t : list)
        for (auto& p : t)
          p = {int(random.below(uint32_t(span))) - span / 2, int(random.below(uint32_t(span))) - span / 2};
      auto got = count(gpu, list);
      // Clipped vertices are rounded anew, so pixels at an edge (within 1/8 pixel) may differ.
      size_t wrong = 0;
      for (uint32_t y = 0; y < size; ++y)
        for (uint32_t x = 0; x < size; ++x) {
          int want = 0, doubt = 0;
          for (auto& t : list) {
            want += covers(t, int(x), int(y));
            int64_t cx = int64_t(x) * grid + grid / 2, cy = int64_t(y) * grid + grid / 2;
            for (int i = 0; i < 3; ++i) {
              Point a = t[size_t(i)], b = t[size_t(i + 1) % 3];
              double e = double(int64_t(b.x - a.x) * (cy - a.y) - int64_t(b.y - a.y) * (cx - a.x));
              doubt += std::fabs(e) / std::max(1.0, length(b.x - a.x, b.y - a.y)) < 2.0;
            }
          }
          int difference = std::abs(int(got[(y * size + x) * 4]) - want);
          wrong += difference > doubt;
        }
      EXPECT_EQ(wrong, 0u) << "pixels with a wrong number of covering triangles";
    });
}

void addSharedEdges() {
  for (uint32_t cells : {1u, 2u, 4u, 8u, 16u})
    for (int snap : {1, 8})
      for (uint64_t seed = 0; seed < 3; ++seed)
        add(text("raster.shared_edges.cells%u.snap%d.seed%d", cells, snap, int(seed)),
            [=](Gpu& gpu) { mesh(gpu, cells, seed * 7 + cells, snap); });
  for (uint32_t blades : {3u, 5u, 8u, 13u, 24u, 48u})
    add(text("raster.fan_once.blades%u", blades), [=](Gpu& gpu) {
      // A fan around a pixel centre: the centre belongs to exactly one blade.
      std::vector<Triangle> list;
      Point centre{32 * grid + 8, 32 * grid + 8};
      std::vector<Point> rim;
      for (uint32_t i = 0; i < blades; ++i) {
        double angle = 6.283185307 * i / blades;
        rim.push_back(
            {centre.x + int(std::lround(380 * std::cos(angle))), centre.y + int(std::lround(380 * std::sin(angle)))});
      }
      for (uint32_t i = 0; i < blades; ++i) list.push_back({centre, rim[i], rim[(i + 1) % blades]});
      auto got = count(gpu, list);
      for (int y = 16; y < 48; ++y)
        for (int x = 16; x < 48; ++x)
          if (length(x - 32, y - 32) < 10) {
            ASSERT_EQ(got[size_t(y * 64 + x) * 4], 1) << "at " << x << ", " << y;
          }
      compare(gpu, list);
    });
  // The rule does not depend on the order of the vertices or on the sign of the area.
  for (int order = 0; order < 6; ++order)
    add(text("raster.vertex_order.permutation%d", order), [=](Gpu& gpu) {
      static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
      std::vector<Triangle> list;
      Random random(4);
      for (int i = 0; i < 16; ++i) {
        Triangle t;
        for (auto& p : t) p = {int(random.below(128)) * 8, int(random.below(128)) * 8};
        list.push_back({t[size_t(orders[order][0])], t[size_t(orders[order][1])], t[size_t(orders[order][2])]});
      }
      compare(gpu, list);
    });
}

void addInterpolation() {
  // Interpolation: a plane through the vertices' attributes, with and without perspective.
  for (const char* mode : {"smooth", "noperspective", "flat"})
    for (float w : {1.0f, 3.0f, 0.25f})
      add(text("raster.interpolation.%s.w%s", mode, named(w).c_str()), [=](Gpu& gpu) {
        Image target = gpu.image({.format = VK_FORMAT_R32G32B32A32_SFLOAT,
                                  .width = 32,
                                  .height = 32,
                                  .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
        gpu.clear(target, {});
        DrawState s;
        s.vert = text(
            "#version 450\nlayout(location=0) out %s vec4 c;\nvoid main() { float w = gl_VertexIndex == 1 ? %f : 1.0;\n"
            "vec2 p = vec2(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0);\n"
            "gl_Position = vec4(p * w, 0.25 * w, w); c = vec4(gl_VertexIndex == 1 ? 8.0 : 2.0, gl_VertexIndex == 2 ? "
            "1.0 : 5.0, gl_VertexIndex, 1.0); }\n",
            mode, w);
        s.frag = text(
            "#version 450\nlayout(location=0) in %s vec4 c; layout(location=0) out vec4 color;\nvoid main() { color = "
            "vec4(c.xyz, gl_FragCoord.w); }\n",
            mode);
        s.colors = {target};
        draw(gpu, s);
        auto bytes = gpu.download(target, 16);
        const float* got = reinterpret_cast<const float*>(bytes.data());
        for (int y = 0; y < 32; ++y)
          for (int x = 0; x < 32; ++x) {
            double b1 = (x + 0.5) / 64, b2 = (y + 0.5) / 64, b0 = 1 - b1 - b2;
            double inverse = b0 + b1 / w + b2, v[3] = {2, 8, 2}, u[3] = {5, 5, 1}, q[3] = {b0, b1, b2};
            if (!strcmp(mode, "smooth")) q[0] = b0 / inverse, q[1] = b1 / w / inverse, q[2] = b2 / inverse;
            if (!strcmp(mode, "flat")) q[0] = 1, q[1] = q[2] = 0;
            double want[4] = {0, 0, q[1] + 2 * q[2], inverse};
            for (int k = 0; k < 3; ++k) want[0] += v[k] * q[k], want[1] += u[k] * q[k];
            for (int k = 0; k < 4; ++k)
              ASSERT_NEAR(got[(y * 32 + x) * 4 + k], want[k], 2e-4 * std::max(1.0, want[k]))
                  << x << "," << y << " component " << k;
          }
      });
}

void addDerivatives() {
  for (const char* what : {"dFdx(v.x)", "dFdy(v.y)", "dFdxFine(v.x)", "dFdyFine(v.y)", "dFdxCoarse(v.x)",
                           "dFdyCoarse(v.y)", "fwidth(v.x + 2.0 * v.y)"})
    add(text("raster.derivatives.%s", std::string(what, strcspn(what, "(")).c_str()), [=](Gpu& gpu) {
      Image target = gpu.image(
          {.format = VK_FORMAT_R32_SFLOAT, .width = 32, .height = 32, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
      gpu.clear(target, {});
      DrawState s;
      s.vert = coverAll();
      s.frag =
          "#version 450\nlayout(location=0) out float color;\nvoid main() { vec2 v = gl_FragCoord.xy * vec2(3.0, "
          "-5.0); color = " +
          std::string(what) + "; }\n";
      s.colors = {target};
      draw(gpu, s);
      auto bytes = gpu.download(target, 4);
      float want = strstr(what, "fwidth") ? 13.0f : strstr(what, "dFdx") ? 3.0f : -5.0f;
      for (int i = 0; i < 1024; ++i) ASSERT_FLOAT_EQ(reinterpret_cast<float*>(bytes.data())[i], want) << i;
    });
}

}  // namespace

void registerRasterTriangle() {
  addFillRule();
  addSharedEdges();
  addInterpolation();
  addDerivatives();
}

}  // namespace etzel::cts
