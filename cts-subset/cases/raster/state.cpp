// Culling, polygon modes, scissors, viewports, clip and cull distances, discard.
#include <algorithm>

#include "cts-subset/cases/groups.h"
#include "cts-subset/cases/raster/shot.h"

namespace etzel::cts {
namespace {

using namespace raster_cases;

void addFacing() {
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
}

void addRectangles() {
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

void addTriangleState() {
  addFacing();
  addRectangles();
}

void addDistances() {
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
}

void addDiscard() {
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
    shot.s.frag.clear();  // such a pipeline has no fragment shader state
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
  addTriangleState();
  addDistances();
  addDiscard();
}

}  // namespace etzel::cts
