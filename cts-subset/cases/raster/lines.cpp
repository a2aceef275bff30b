// Points and lines: which pixels they cover.
#include <algorithm>
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/cases/raster/shot.h"
#include "cts-subset/cases/raster/smooth_lines.h"

namespace etzel::cts {
namespace {

using namespace raster_cases;

void addPoints() {
  for (float pointSize : {1.0f, 2.0f, 3.0f, 4.5f, 8.0f, 15.0f})
    for (float at : {10.5f, 10.0f, 10.25f})
      add(text("raster.points.size%s.at%s", named(pointSize).c_str(), named(at).c_str()), [=](Gpu& gpu) {
        if (pointSize != 1)
          gpu.require(gpu.features.features.largePoints && pointSize <= gpu.limits().pointSizeRange[1], "largePoints");
        Shot shot(gpu);
        shot.s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
        shot.s.vertexCount = 1;
        shot.s.vert = positions({{at, at + 4, 0}}, text("gl_PointSize = %g;", pointSize));
        // The square of the point's size around its centre; a sample on the left or top edge is in.
        shot.expect([&](int x, int y) {
          float cx = float(x) + 0.5f - at, cy = float(y) + 0.5f - (at + 4), h = pointSize / 2;
          return cx >= -h && cx < h && cy >= -h && cy < h;
        });
      });
  add("raster.points.coord", [](Gpu& gpu) {
    gpu.require(gpu.features.features.largePoints, "largePoints");
    Shot shot(gpu);
    shot.s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    shot.s.vertexCount = 1;
    shot.s.vert = positions({{16, 16, 0}}, "gl_PointSize = 16.0;");
    shot.s.frag = writes("vec4(gl_PointCoord, 0.0, 1.0)");
    draw(gpu, shot.s);
    std::vector<uint8_t> want(size * size * 4);
    for (int y = 8; y < 24; ++y)
      for (int x = 8; x < 24; ++x) {
        uint8_t* p = &want[size_t(y * 32 + x) * 4];
        p[0] = uint8_t(std::lround((x - 7.5) / 16 * 255));
        p[1] = uint8_t(std::lround((y - 7.5) / 16 * 255));
        p[3] = 255;
      }
    expectPicture(gpu.download(shot.target, 4), want, size, size, 1);
  });
}

void addSlopes() {
  // Through pixel centres with slopes whose diamond tests have no ties: the end pixel is left out.
  struct Line {
    const char* name;
    float x0, y0, x1, y1;
  };
  static const Line lines[] = {{"right", 3.5f, 7.5f, 20.5f, 7.5f},          {"left", 20.5f, 7.5f, 3.5f, 7.5f},
                               {"down", 9.5f, 2.5f, 9.5f, 28.5f},           {"up", 9.5f, 28.5f, 9.5f, 2.5f},
                               {"diagonal", 4.5f, 4.5f, 20.5f, 20.5f},      {"antidiagonal", 4.5f, 20.5f, 20.5f, 4.5f},
                               {"back_diagonal", 20.5f, 20.5f, 4.5f, 4.5f}, {"shallow", 2.5f, 3.5f, 22.5f, 8.5f},
                               {"steep", 3.5f, 2.5f, 8.5f, 22.5f}};
  for (auto& l : lines)
    add(text("raster.lines.%s", l.name), [&l](Gpu& gpu) {
      Shot shot(gpu);
      shot.s.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
      shot.s.vertexCount = 2;
      shot.s.vert = positions({{l.x0, l.y0, 0}, {l.x1, l.y1, 0}});
      draw(gpu, shot.s);
      auto got = gpu.download(shot.target, 4);
      // Per column (or row) of the longer axis one pixel, within half a pixel (and a bit) of the line; ends may differ
      // by one.
      bool xMajor = std::fabs(l.x1 - l.x0) >= std::fabs(l.y1 - l.y0);
      float a0 = xMajor ? l.x0 : l.y0, a1 = xMajor ? l.x1 : l.y1, b0 = xMajor ? l.y0 : l.x0, b1 = xMajor ? l.y1 : l.x1;
      for (int m = 0; m < 32; ++m) {
        int n = 0;
        for (int k = 0; k < 32; ++k) {
          if (!got[size_t(xMajor ? k * 32 + m : m * 32 + k) * 4]) continue;
          ++n;
          float t = (float(m) + 0.5f - a0) / (a1 - a0), ideal = b0 + t * (b1 - b0);
          EXPECT_LE(std::fabs(float(k) + 0.5f - ideal), 0.52f) << "major " << m;
        }
        float low = std::min(a0, a1), high = std::max(a0, a1), c = float(m) + 0.5f;
        bool inside = c > low + 0.01f && c < high - 0.01f,
             end = std::fabs(c - low) < 0.6f || std::fabs(c - high) < 0.6f;
        // A strict line is a rectangle, so a slanted one may have two pixels in a column.
        int most = gpu.limits().strictLines && std::fabs(b1 - b0) > 0.01f ? 2 : 1;
        if (inside) {
          EXPECT_TRUE(n >= 1 && n <= most) << n << " at major " << m;
        } else if (!end) {
          EXPECT_EQ(n, 0) << "major " << m;
        }
      }
      // "strictly inside": the first pixel belongs to the line, the last does not, so strips draw each pixel once.
      if (!gpu.limits().strictLines || b0 == b1) {
        size_t total = 0;
        for (uint32_t i = 0; i < size * size; ++i) total += got[i * 4] != 0;
        EXPECT_NEAR(double(total), std::fabs(a1 - a0), 1.0);
      }
    });
}

void addTopologies() {
  for (auto topology : {VK_PRIMITIVE_TOPOLOGY_LINE_LIST, VK_PRIMITIVE_TOPOLOGY_LINE_STRIP})
    add(text("raster.lines.topology_%s", topology == VK_PRIMITIVE_TOPOLOGY_LINE_LIST ? "list" : "strip"),
        [=](Gpu& gpu) {
          Shot shot(gpu);
          shot.s.topology = topology;
          shot.s.vertexCount = 4;
          shot.s.vert = positions({{2.5f, 4.5f, 0}, {20.5f, 4.5f, 0}, {20.5f, 20.5f, 0}, {2.5f, 20.5f, 0}});
          draw(gpu, shot.s);
          auto got = gpu.download(shot.target, 4);
          auto lit = [&](int x, int y) { return got[size_t(y * 32 + x) * 4] != 0; };
          for (int x = 4; x < 19; ++x) EXPECT_TRUE(lit(x, 4) && lit(x, 20)) << x;
          for (int y = 6; y < 19; ++y) EXPECT_EQ(lit(20, y), topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP) << y;
          EXPECT_FALSE(lit(2, 12));
        });
  for (float width : {2.0f, 3.0f, 5.0f, 7.0f})
    for (bool vertical : {false, true})
      add(text("raster.lines.wide%s.%s", named(width).c_str(), vertical ? "vertical" : "horizontal"), [=](Gpu& gpu) {
        gpu.require(gpu.features.features.wideLines && gpu.limits().lineWidthRange[1] >= width, "wideLines");
        Shot shot(gpu);
        shot.s.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
        shot.s.vertexCount = 2;
        shot.s.raster.lineWidth = width;
        float c = int(width) % 2 ? 16.5f : 16.0f;
        if (vertical)
          shot.s.vert = positions({{c, 4, 0}, {c, 28, 0}});
        else
          shot.s.vert = positions({{4, c, 0}, {28, c, 0}});
        draw(gpu, shot.s);
        auto got = gpu.download(shot.target, 4);
        for (int major = 6; major < 26; ++major) {
          int n = 0;
          for (int k = 0; k < 32; ++k) n += got[size_t(vertical ? major * 32 + k : k * 32 + major) * 4] != 0;
          EXPECT_EQ(n, int(width)) << major;
        }
      });
}

void addLines() {
  addSlopes();
  addTopologies();
}

}  // namespace

void registerPointsAndLines() {
  addPoints();
  addLines();
  registerSmoothLines();
}

}  // namespace etzel::cts
