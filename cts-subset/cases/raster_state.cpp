// Points, lines, polygon modes, culling, depth bias, clamping, scissors, viewports, clip and cull distances.
#include <algorithm>
#include <array>
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

constexpr uint32_t size = 32;

struct Shot {
  Image target;
  DrawState s;
  Gpu& gpu;
  explicit Shot(Gpu& gpu) : gpu(gpu) {
    target = gpu.image({.width = size, .height = size, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
    gpu.clear(target, {});
    s.colors = {target};
    s.frag = writes("vec4(1.0)");
  }
  /// Compares the red channel with what `covered` says of each pixel.
  template <class F>
  void expect(F covered) {
    draw(gpu, s);
    std::vector<uint8_t> want(size * size * 4);
    for (uint32_t i = 0; i < size * size; ++i) memset(&want[i * 4], covered(int(i % size), int(i / size)) ? 255 : 0, 4);
    expectPicture(gpu.download(target, 4), want, size, size);
  }
};

/// A vertex shader that puts pixel coordinates (of a 32x32 target) from an array.
std::string positions(const std::vector<std::array<float, 3>>& p, const std::string& more = "") {
  std::string list;
  for (auto& v : p) list += text("%svec3(%.9g, %.9g, %.9g)", list.empty() ? "" : ", ", v[0], v[1], v[2]);
  return text(
      "#version 450\nconst vec3 p[%zu] = vec3[](%s);\nvoid main() { vec3 v = p[gl_VertexIndex]; gl_Position = "
      "vec4(v.xy / 16.0 - 1.0, v.z, 1.0); gl_PointSize = 1.0; %s }\n",
      p.size(), list.c_str(), more.c_str());
}

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

void addLines() {
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

void addTriangleState() {
  struct Cull {
    const char* name;
    VkCullModeFlags cull;
    VkFrontFace front;
    bool first, second;  // is the counter-clockwise (in framebuffer space), the clockwise one drawn
  };
  // Framebuffer y points down: "Basic Polygon Rasterization" gives a positive area to counter-clockwise polygons there.
  static const Cull culls[] = {{"none", VK_CULL_MODE_NONE, VK_FRONT_FACE_COUNTER_CLOCKWISE, true, true},
                               {"back_ccw", VK_CULL_MODE_BACK_BIT, VK_FRONT_FACE_COUNTER_CLOCKWISE, true, false},
                               {"front_ccw", VK_CULL_MODE_FRONT_BIT, VK_FRONT_FACE_COUNTER_CLOCKWISE, false, true},
                               {"back_cw", VK_CULL_MODE_BACK_BIT, VK_FRONT_FACE_CLOCKWISE, false, true},
                               {"front_cw", VK_CULL_MODE_FRONT_BIT, VK_FRONT_FACE_CLOCKWISE, true, false},
                               {"both", VK_CULL_MODE_FRONT_AND_BACK, VK_FRONT_FACE_CLOCKWISE, false, false}};
  for (auto& c : culls)
    for (bool flip : {false, true})
      add(text("raster.cull.%s.%s", c.name, flip ? "negative_viewport" : "positive_viewport"), [&c, flip](Gpu& gpu) {
        Shot shot(gpu);
        shot.s.raster.cullMode = c.cull;
        shot.s.raster.frontFace = c.front;
        shot.s.vertexCount = 6;
        // Left: down then right, i.e. counter-clockwise as seen; right: the other way.
        shot.s.vert = positions({{2, 2, 0}, {2, 30, 0}, {14, 30, 0}, {18, 2, 0}, {30, 30, 0}, {18, 30, 0}});
        if (flip) shot.s.viewports = {{0, 32, 32, -32, 0, 1}};
        draw(gpu, shot.s);
        auto got = gpu.download(shot.target, 4);
        int y = flip ? 4 : 27;
        EXPECT_EQ(got[size_t(y * 32 + 5) * 4] != 0, flip ? c.second : c.first) << "left";
        EXPECT_EQ(got[size_t(y * 32 + 20) * 4] != 0, flip ? c.first : c.second) << "right";
      });
  for (bool ccw : {false, true})
    add(text("raster.front_facing.%s", ccw ? "ccw" : "cw"), [=](Gpu& gpu) {
      Shot shot(gpu);
      shot.s.raster.frontFace = ccw ? VK_FRONT_FACE_COUNTER_CLOCKWISE : VK_FRONT_FACE_CLOCKWISE;
      shot.s.vertexCount = 6;
      shot.s.vert = positions({{2, 2, 0}, {2, 30, 0}, {14, 30, 0}, {18, 2, 0}, {30, 30, 0}, {18, 30, 0}});
      shot.s.frag = writes("gl_FrontFacing ? vec4(1, 0, 0, 1) : vec4(0, 1, 0, 1)");
      draw(gpu, shot.s);
      auto got = gpu.download(shot.target, 4);
      EXPECT_EQ(got[(27 * 32 + 5) * 4] != 0, ccw);
      EXPECT_EQ(got[(27 * 32 + 20) * 4] != 0, !ccw);
    });
  for (auto mode : {VK_POLYGON_MODE_LINE, VK_POLYGON_MODE_POINT})
    add(text("raster.polygon_mode.%s", mode == VK_POLYGON_MODE_LINE ? "line" : "point"), [=](Gpu& gpu) {
      gpu.require(gpu.features.features.fillModeNonSolid, "fillModeNonSolid");
      Shot shot(gpu);
      shot.s.raster.polygonMode = mode;
      shot.s.vert = positions({{4.5f, 4.5f, 0}, {26.5f, 4.5f, 0}, {4.5f, 26.5f, 0}});
      draw(gpu, shot.s);
      auto got = gpu.download(shot.target, 4);
      EXPECT_EQ(got[(10 * 32 + 10) * 4], 0) << "inside";
      bool line = mode == VK_POLYGON_MODE_LINE;
      EXPECT_EQ(got[(4 * 32 + 12) * 4] != 0, line);
      EXPECT_EQ(got[(12 * 32 + 4) * 4] != 0, line);
      if (!line) {
        EXPECT_TRUE(got[(4 * 32 + 4) * 4] && got[(4 * 32 + 26) * 4] && got[(26 * 32 + 4) * 4]);
      }
    });
  struct Rect {
    int x, y;
    uint32_t w, h;
  };
  static const Rect rects[] = {{0, 0, 32, 32}, {5, 7, 11, 13}, {0, 0, 1, 1},         {31, 31, 1, 1},
                               {8, 0, 8, 32},  {3, 3, 0, 5},   {16, 16, 1000, 1000}, {1, 30, 30, 1}};
  for (auto& r : rects)
    add(text("raster.scissor.%d_%d_%u_%u", r.x, r.y, r.w, r.h), [&r](Gpu& gpu) {
      Shot shot(gpu);
      shot.s.vert = coverAll();
      shot.s.scissors = {{{r.x, r.y}, {r.w, r.h}}};
      shot.expect(
          [&](int x, int y) { return x >= r.x && y >= r.y && x < int64_t(r.x) + r.w && y < int64_t(r.y) + r.h; });
    });
  static const float views[][4] = {{0, 0, 16, 16},   {8, 4, 20, 10},       {-8, -8, 24, 24},
                                   {4, 28, 16, -16}, {0.5f, 0.5f, 10, 10}, {16, 16, 40, 40}};
  for (auto& v : views)
    add(text("raster.viewport.%s_%s_%s_%s", named(v[0]).c_str(), named(v[1]).c_str(), named(v[2]).c_str(),
             named(v[3]).c_str()),
        [&v](Gpu& gpu) {
          Shot shot(gpu);
          shot.s.viewports = {{v[0], v[1], v[2], v[3], 0, 1}};
          shot.s.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
          shot.s.vertexCount = 4;
          shot.s.vert =
              "#version 450\nvoid main() { gl_Position = vec4((gl_VertexIndex & 1) != 0 ? 1.0 : -1.0, (gl_VertexIndex "
              "& 2) "
              "!= 0 ? 1.0 : -1.0, 0.0, 1.0); }\n";
          float x0 = v[0], x1 = v[0] + v[2], y0 = std::min(v[1], v[1] + v[3]), y1 = std::max(v[1], v[1] + v[3]);
          shot.expect([&](int x, int y) {
            float cx = float(x) + 0.5f, cy = float(y) + 0.5f;
            return cx >= x0 && cx < x1 && cy >= y0 && cy < y1;
          });
        });
  for (uint32_t n : {2u, 4u, 16u})
    add(text("raster.viewport_index.%u", n), [=](Gpu& gpu) {
      gpu.require(gpu.features.features.multiViewport && gpu.features12.shaderOutputViewportIndex, "multiViewport");
      Shot shot(gpu);
      shot.s.viewports.clear();
      for (uint32_t i = 0; i < n; ++i)
        shot.s.viewports.push_back({float(i) * 2, float(i), 2, 2, 0, 1}), shot.s.scissors.push_back({{0, 0}, {32, 32}});
      shot.s.vert =
          "#version 450\n#extension GL_ARB_shader_viewport_layer_array : require\nvoid main() { int i = gl_VertexIndex "
          "% 3; gl_Position = vec4(i == 1 ? 3 : -1, i == 2 ? 3 : -1, 0, 1); gl_ViewportIndex = gl_VertexIndex / 3; }\n";
      shot.s.vertexCount = n * 3;
      // The triangle reaches beyond its viewport; clipping to the view volume keeps it in.
      shot.expect([&](int x, int y) {
        uint32_t i = uint32_t(x) / 2;
        return i < n && y >= int(i) && y < int(i) + 2;
      });
    });
}

void addDepth() {
  struct Bias {
    float constant, slope, clamp;
  };
  static const Bias biases[] = {{4, 0, 0},   {-4, 0, 0},    {0, 1, 0},      {0, -2, 0},
                                {100, 1, 0}, {0, 8, 0.01f}, {0, -8, -0.01f}};
  for (VkFormat format : {VK_FORMAT_D32_SFLOAT, VK_FORMAT_D16_UNORM})
    for (auto& b : biases)
      add(text("raster.depth_bias.%s.c%s_s%s_m%s", format == VK_FORMAT_D16_UNORM ? "d16" : "d32",
               named(b.constant).c_str(), named(b.slope).c_str(), named(b.clamp).c_str()),
          [&b, format](Gpu& gpu) {
            if (b.clamp != 0) gpu.require(gpu.features.features.depthBiasClamp, "depthBiasClamp");
            Image depth = gpu.image({.format = format,
                                     .width = size,
                                     .height = size,
                                     .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT});
            VkClearValue one;
            one.depthStencil = {1, 0};
            gpu.clear(depth, one);
            Shot shot(gpu);
            shot.s.depth = &depth;
            shot.s.depthStencil.depthTestEnable = shot.s.depthStencil.depthWriteEnable = VK_TRUE;
            shot.s.depthStencil.depthCompareOp = VK_COMPARE_OP_ALWAYS;
            shot.s.raster.depthBiasEnable = VK_TRUE;
            shot.s.raster.depthBiasConstantFactor = b.constant;
            shot.s.raster.depthBiasSlopeFactor = b.slope;
            shot.s.raster.depthBiasClamp = b.clamp;
            // Depth from 0.25 at x=0 to 0.75 at x=64: slope 1/128 per pixel.
            shot.s.vert =
                "#version 450\nvoid main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 "
                ": -1, gl_VertexIndex == 1 ? 0.75 : 0.25, 1); }\n";
            draw(gpu, shot.s);
            auto bytes = gpu.download(depth, format == VK_FORMAT_D16_UNORM ? 2 : 4);
            for (int x = 0; x < 32; ++x) {
              double z = 0.25 + (x + 0.5) / 128, slope = 1.0 / 128;
              // r: for D16 a constant of at most 2^-15 ("2 x 2^-n"), for floats 2^(e - 23) of the primitive's greatest
              // depth.
              double r = format == VK_FORMAT_D16_UNORM ? 1.0 / 65536 : std::ldexp(1.0, -1 - 23);
              double bias = slope * b.slope + r * b.constant;
              if (b.clamp > 0) bias = std::min(bias, double(b.clamp));
              if (b.clamp < 0) bias = std::max(bias, double(b.clamp));
              double got = format == VK_FORMAT_D16_UNORM ? reinterpret_cast<uint16_t*>(bytes.data())[x] / 65535.0
                                                         : double(reinterpret_cast<float*>(bytes.data())[x]);
              double tolerance = format == VK_FORMAT_D16_UNORM ? (std::fabs(b.constant) + 2) / 65535
                                                               : std::fabs(r * b.constant) * 0.01 + 2e-7;
              ASSERT_NEAR(got, z + bias, tolerance) << "at x " << x;
              if (b.constant && !b.slope) {
                EXPECT_EQ(got > z, b.constant > 0) << "direction";
              }
            }
          });
  for (bool clamp : {false, true})
    for (float z : {-0.5f, 0.0f, 0.5f, 1.0f, 1.5f})
      add(text("raster.depth_clip.%s.z%s", clamp ? "clamp" : "clip", named(z).c_str()), [=](Gpu& gpu) {
        if (clamp) gpu.require(gpu.features.features.depthClamp, "depthClamp");
        Image depth = gpu.image({.format = VK_FORMAT_D32_SFLOAT,
                                 .width = size,
                                 .height = size,
                                 .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT});
        VkClearValue start;
        start.depthStencil = {0.375f, 0};
        gpu.clear(depth, start);
        Shot shot(gpu);
        shot.s.depth = &depth;
        shot.s.depthStencil.depthTestEnable = shot.s.depthStencil.depthWriteEnable = VK_TRUE;
        shot.s.depthStencil.depthCompareOp = VK_COMPARE_OP_ALWAYS;
        shot.s.raster.depthClampEnable = clamp;
        shot.s.vert = coverAll(text("%f", z));
        bool visible = clamp || (z >= 0 && z <= 1);
        shot.expect([&](int, int) { return visible; });
        auto bytes = gpu.download(depth, 4);
        EXPECT_FLOAT_EQ(reinterpret_cast<float*>(bytes.data())[100],
                        visible ? std::min(1.0f, std::max(0.0f, z)) : 0.375f);
      });
  static const float ranges[][2] = {{0, 1}, {1, 0}, {0.25f, 0.75f}, {0.9f, 0.1f}, {0.5f, 0.5f}};
  for (auto& r : ranges)
    add(text("raster.depth_range.%s_%s", named(r[0]).c_str(), named(r[1]).c_str()), [&r](Gpu& gpu) {
      Image depth = gpu.image({.format = VK_FORMAT_D32_SFLOAT,
                               .width = size,
                               .height = size,
                               .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT});
      VkClearValue start;
      start.depthStencil = {0, 0};
      gpu.clear(depth, start);
      Shot shot(gpu);
      shot.s.depth = &depth;
      shot.s.viewports = {{0, 0, 32, 32, r[0], r[1]}};
      shot.s.depthStencil.depthTestEnable = shot.s.depthStencil.depthWriteEnable = VK_TRUE;
      shot.s.depthStencil.depthCompareOp = VK_COMPARE_OP_ALWAYS;
      shot.s.vert = coverAll("0.25");
      shot.expect([](int, int) { return true; });
      auto bytes = gpu.download(depth, 4);
      EXPECT_NEAR(reinterpret_cast<float*>(bytes.data())[77], r[0] + 0.25f * (r[1] - r[0]), 1e-6);
    });
  for (int axis = 0; axis < 2; ++axis)
    for (bool cull : {false, true})
      add(text("raster.%s_distance.axis%d", cull ? "cull" : "clip", axis), [=](Gpu& gpu) {
        gpu.require(cull ? gpu.features.features.shaderCullDistance : gpu.features.features.shaderClipDistance,
                    "clip or cull distances");
        Shot shot(gpu);
        // Distance: 8.25 pixels along the axis. Clipping keeps the far part, culling keeps all (one vertex is inside).
        shot.s.vert = text(
            "#version 450\nout gl_PerVertex { vec4 gl_Position; float gl_%sDistance[1]; };\nvoid main() { vec2 p = "
            "vec2(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0); gl_Position = vec4(p, 0, 1); "
            "gl_%sDistance[0] = (p.%s + 1.0) * 16.0 - 8.25; }\n",
            cull ? "Cull" : "Clip", cull ? "Cull" : "Clip", axis ? "y" : "x");
        shot.expect([&](int x, int y) { return cull || float(axis ? y : x) + 0.5f > 8.25f; });
      });
  add("raster.discard", [](Gpu& gpu) {
    Shot shot(gpu);
    shot.s.vert = coverAll();
    shot.s.frag =
        "#version 450\nlayout(location=0) out vec4 color;\nvoid main() { ivec2 p = ivec2(gl_FragCoord.xy); if ((p.x ^ "
        "p.y) % 3 == 1) discard; color = vec4(1); }\n";
    shot.expect([](int x, int y) { return (x ^ y) % 3 != 1; });
  });
  add("raster.rasterizer_discard", [](Gpu& gpu) {
    Shot shot(gpu);
    shot.s.vert = coverAll();
    shot.s.raster.rasterizerDiscardEnable = VK_TRUE;
    shot.expect([](int, int) { return false; });
  });
  add("raster.frag_coord", [](Gpu& gpu) {
    Shot shot(gpu);
    shot.s.vert = coverAll("0.25");
    shot.s.frag = writes("vec4((gl_FragCoord.xy - 0.5) / 255.0, gl_FragCoord.z, gl_FragCoord.w)");
    draw(gpu, shot.s);
    std::vector<uint8_t> want(size * size * 4);
    for (uint32_t i = 0; i < size * size; ++i)
      want[i * 4] = uint8_t(i % size), want[i * 4 + 1] = uint8_t(i / size), want[i * 4 + 2] = 64, want[i * 4 + 3] = 255;
    expectPicture(gpu.download(shot.target, 4), want, size, size);
  });
}

}  // namespace

void registerRasterState() {
  addPoints();
  addLines();
  addTriangleState();
  addDepth();
}

}  // namespace etzel::cts
