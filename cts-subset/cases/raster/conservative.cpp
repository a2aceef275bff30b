// VK_EXT_conservative_rasterization: which pixels a primitive touches, and which lie inside of it, against the geometry
// itself; each is shaded once, with all its samples, and knows whether it is covered entirely.
#include <algorithm>
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/samples.h"

namespace etzel::cts {
namespace {

constexpr uint32_t kSize = 32;
constexpr auto kOver = VK_CONSERVATIVE_RASTERIZATION_MODE_OVERESTIMATE_EXT;
constexpr auto kUnder = VK_CONSERVATIVE_RASTERIZATION_MODE_UNDERESTIMATE_EXT;
constexpr auto kOff = VK_CONSERVATIVE_RASTERIZATION_MODE_DISABLED_EXT;
using Mode = VkConservativeRasterizationModeEXT;
constexpr VkPipelineRasterizationConservativeStateCreateInfoEXT kOverestimate{
    VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_CONSERVATIVE_STATE_CREATE_INFO_EXT, nullptr, 0, kOver, 0};

/// Exact numbers: all coordinates are multiples of 1/32 pixel.
struct Point {
  double x, y;
};
/// Convex, in either order.
using Outline = std::vector<Point>;

double turn(Point a, Point b, Point c) { return (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y); }

/// Whether the outline has the point inside, or on its edge.
bool holds(const Outline& o, Point p, bool edgeToo) {
  int sides[2] = {};
  for (size_t i = 0; i < o.size(); ++i) {
    const double t = turn(o[i], o[(i + 1) % o.size()], p);
    if (t == 0 && !edgeToo) return false;
    if (t != 0) ++sides[t > 0];
  }
  return !sides[0] || !sides[1];
}

/// Whether two segments have a point in common.
bool meet(Point a, Point b, Point c, Point d) {
  const auto sign = [](double v) { return (v > 0) - (v < 0); };
  const auto between = [](Point a, Point b, Point p) {
    return p.x >= std::min(a.x, b.x) && p.x <= std::max(a.x, b.x) && p.y >= std::min(a.y, b.y) &&
           p.y <= std::max(a.y, b.y);
  };
  const int c1 = sign(turn(a, b, c)), d1 = sign(turn(a, b, d)), a1 = sign(turn(c, d, a)), b1 = sign(turn(c, d, b));
  if (c1 != d1 && a1 != b1 && c1 * d1 <= 0 && a1 * b1 <= 0) return true;
  return (!c1 && between(a, b, c)) || (!d1 && between(a, b, d)) || (!a1 && between(c, d, a)) ||
         (!b1 && between(c, d, b));
}

Outline square(double x, double y, double extra) {
  return {
      {x - extra, y - extra}, {x + 1 + extra, y - extra}, {x + 1 + extra, y + 1 + extra}, {x - extra, y + 1 + extra}};
}

/// Whether the outline, grown by `extra` in x and y, reaches the pixel: as if the pixel had grown instead.
bool touches(const Outline& o, uint32_t x, uint32_t y, double extra) {
  const Outline pixel = square(x, y, extra);
  for (Point p : o)
    if (holds(pixel, p, true)) return true;
  if (holds(o, pixel[0], true)) return true;
  for (size_t i = 0; i < o.size(); ++i)
    for (size_t k = 0; k < 4; ++k)
      if (meet(o[i], o[(i + 1) % o.size()], pixel[k], pixel[(k + 1) % 4])) return true;
  return false;
}

bool inside(const Outline& o, uint32_t x, uint32_t y) {
  const Outline pixel = square(x, y, 0);
  return std::all_of(pixel.begin(), pixel.end(), [&](Point p) { return holds(o, p, false); });
}

struct Shape {
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  std::vector<Point> vertices;
  Outline outline;     ///< what the vertices make
  float size = 1;      ///< of points and lines
  std::string more;    ///< statements of the vertex shader
  std::string before;  ///< declarations
};

VkPhysicalDeviceConservativeRasterizationPropertiesEXT requireMode(Gpu& gpu, Mode mode, const Shape& shape,
                                                                   float extra) {
  gpu.requireExtension(VK_EXT_CONSERVATIVE_RASTERIZATION_EXTENSION_NAME);
  VkPhysicalDeviceConservativeRasterizationPropertiesEXT limits{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONSERVATIVE_RASTERIZATION_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 p{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits};
  vkGetPhysicalDeviceProperties2(gpu.physical, &p);
  gpu.require(mode != kUnder || limits.primitiveUnderestimation, "primitiveUnderestimation");
  gpu.require(shape.topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST || limits.conservativePointAndLineRasterization,
              "conservativePointAndLineRasterization");
  gpu.require(extra <= limits.maxExtraPrimitiveOverestimationSize, "maxExtraPrimitiveOverestimationSize");
  gpu.require(limits.primitiveOverestimationSize == 0, "primitiveOverestimationSize of 0");
  return limits;
}

/// Adds (1, 1 if fully covered, gl_SampleMaskIn, 0) to what is there. `knows`: the shader may ask whether it is.
std::string counts(bool knows) {
  return text(
      "#version 450\n%slayout(location=0) out vec4 color;\nvoid main() { color = vec4(1, %s ? 1 : 0, "
      "float(gl_SampleMaskIn[0]), 0); }\n",
      knows ? "#extension GL_NV_conservative_raster_underestimation : require\n" : "",
      knows ? "gl_FragFullyCoveredNV" : "false");
}

std::string vertexShader(const Shape& shape) {
  std::string list;
  for (Point p : shape.vertices) list += text("%svec2(%.9g, %.9g)", list.empty() ? "" : ", ", p.x, p.y);
  return text(
      "#version 450\n%s\nconst vec2 p[%zu] = vec2[](%s);\nvoid main() { gl_Position = vec4(p[gl_VertexIndex] / %u.0 - "
      "1.0, 0, 1); gl_PointSize = %g; %s }\n",
      shape.before.c_str(), shape.vertices.size(), list.c_str(), kSize / 2, double(shape.size), shape.more.c_str());
}

void blendAdd(DrawState& s) {
  s.attachment.blendEnable = VK_TRUE;
  s.attachment.srcColorBlendFactor = s.attachment.dstColorBlendFactor = VK_BLEND_FACTOR_ONE;
  s.attachment.srcAlphaBlendFactor = s.attachment.dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
}

Image target(Gpu& gpu, uint32_t n) {
  gpu.require(gpu.formatFeatures(VK_FORMAT_R32G32B32A32_SFLOAT) & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT,
              "blending floats");
  return floatTarget(gpu, n, kSize, kSize);
}

DrawState stateOf(Gpu& gpu, const Shape& shape, const Image& image, bool knows) {
  DrawState s;
  s.topology = shape.topology;
  s.vertexCount = uint32_t(shape.vertices.size());
  s.vert = vertexShader(shape);
  s.frag = counts(knows);
  s.colors = {image};
  s.multisample.rasterizationSamples = image.desc.samples;
  blendAdd(s);
  if (shape.topology == VK_PRIMITIVE_TOPOLOGY_LINE_LIST) {
    gpu.require(shape.size == 1 || gpu.features.features.wideLines, "wideLines");
    s.raster.lineWidth = shape.size;
  }
  return s;
}

void expectCovered(Gpu& gpu, const Image& image, const Shape& shape, Mode mode, double extra, bool knows) {
  const std::vector<float> got = samplesOf(gpu, image);
  const uint32_t n = image.desc.samples;
  for (uint32_t k = 0; k < n; ++k)
    for (uint32_t y = 0; y < kSize; ++y)
      for (uint32_t x = 0; x < kSize; ++x) {
        const float* v = &got[((k * kSize + y) * kSize + x) * 4];
        const bool full = inside(shape.outline, x, y),
                   covered = mode == kOver ? touches(shape.outline, x, y, extra) : full;
        ASSERT_EQ(v[0], covered ? 1 : 0) << "pixel " << x << "," << y << " sample " << k << " is drawn so often";
        if (!covered) continue;
        ASSERT_EQ(v[1], full && knows ? 1 : 0) << "pixel " << x << "," << y << " fully covered";
        ASSERT_EQ(v[2], float((1u << n) - 1)) << "pixel " << x << "," << y << " mask";
      }
}

/// Draws the shape and compares every sample with what the mode makes of its outline.
void run(Gpu& gpu, const Shape& shape, Mode mode, uint32_t n, float extra = 0, bool dynamic = false) {
  const auto limits = requireMode(gpu, mode, shape, extra);
  const bool knows = limits.fullyCoveredFragmentShaderInputVariable;
  const Image image = target(gpu, n);
  DrawState s = stateOf(gpu, shape, image, knows);
  VkPipelineRasterizationConservativeStateCreateInfoEXT state{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_CONSERVATIVE_STATE_CREATE_INFO_EXT, nullptr, 0, mode, extra};
  s.raster.pNext = &state;
  const VkDynamicState both[] = {VK_DYNAMIC_STATE_CONSERVATIVE_RASTERIZATION_MODE_EXT,
                                 VK_DYNAMIC_STATE_EXTRA_PRIMITIVE_OVERESTIMATION_SIZE_EXT};
  const VkPipelineDynamicStateCreateInfo dynamicState{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, nullptr, 0,
                                                      2, both};
  if (dynamic) {
    gpu.requireExtension(VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME);
    VkPhysicalDeviceExtendedDynamicState3FeaturesEXT f{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &f};
    vkGetPhysicalDeviceFeatures2(gpu.physical, &all);
    gpu.require(
        f.extendedDynamicState3ConservativeRasterizationMode && f.extendedDynamicState3ExtraPrimitiveOverestimationSize,
        "extendedDynamicState3ConservativeRasterizationMode");
    state.conservativeRasterizationMode = mode == kOver ? kOff : kOver;
    state.extraPrimitiveOverestimationSize = 0;
    s.dynamic = &dynamicState;
    const auto setMode =
        gpu.proc<PFN_vkCmdSetConservativeRasterizationModeEXT>("vkCmdSetConservativeRasterizationModeEXT");
    const auto setExtra =
        gpu.proc<PFN_vkCmdSetExtraPrimitiveOverestimationSizeEXT>("vkCmdSetExtraPrimitiveOverestimationSizeEXT");
    s.commands = [=, count = s.vertexCount](VkCommandBuffer c) {
      setMode(c, mode);
      setExtra(c, extra);
      vkCmdDraw(c, count, 1, 0, 0);
    };
  }
  draw(gpu, s);
  expectCovered(gpu, image, shape, mode, double(extra), knows);
}

Shape triangle(uint32_t seed) {
  Random random(seed + 1);
  Shape shape;
  const double step = seed % 3 ? 1.0 / 16 : 1;  // of seeds 0, 3, … all corners are pixels' corners
  const auto place = [&] { return 1 + step * random.below(uint32_t(30 / step)); };
  for (int i = 0; i < 3; ++i) {
    const double x = place();
    shape.vertices.push_back({x, place()});
  }
  shape.outline = shape.vertices;
  return shape;
}

/// All three corners of a triangle cut off by clip distances, a quarter of the way to each of the others: six corners.
Shape hexagon() {
  Shape shape;
  shape.vertices = {{2.5, 3.25}, {30.0, 8.5}, {10.25, 29.5}};
  shape.more = "for (int i = 0; i < 3; ++i) gl_ClipDistance[i] = gl_VertexIndex == i ? -1.0 : 3.0;";
  shape.before = "out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[3]; };";
  for (int i = 0; i < 3; ++i) {
    const Point &a = shape.vertices[size_t(i)], &b = shape.vertices[size_t(i + 1) % 3];
    for (double t : {0.25, 0.75}) shape.outline.push_back({a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t});
  }
  return shape;
}

/// A line along (dx, dy) whose length is a whole number.
Shape line(double x, double y, double dx, double dy, float width) {
  Shape shape;
  shape.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
  shape.size = width;
  shape.vertices = {{x, y}, {x + dx, y + dy}};
  const double length = std::sqrt(dx * dx + dy * dy), nx = -dy / length * double(width) / 2,
               ny = dx / length * double(width) / 2;
  shape.outline = {{x + nx, y + ny}, {x + dx + nx, y + dy + ny}, {x + dx - nx, y + dy - ny}, {x - nx, y - ny}};
  return shape;
}

Shape point(double x, double y, float size) {
  Shape shape;
  shape.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  shape.size = size;
  shape.vertices = {{x, y}};
  const double h = double(size) / 2;
  shape.outline = {{x - h, y - h}, {x + h, y - h}, {x + h, y + h}, {x - h, y + h}};
  return shape;
}

const char* nameOf(Mode mode) { return mode == kOver ? "over" : "under"; }

/// Without conservative rasterization nothing is said to be fully covered.
void disabled(Gpu& gpu) {
  const Shape shape = triangle(1);
  const auto limits = requireMode(gpu, kOff, shape, 0);
  gpu.require(limits.fullyCoveredFragmentShaderInputVariable, "fullyCoveredFragmentShaderInputVariable");
  const Image image = target(gpu, 1);
  draw(gpu, stateOf(gpu, shape, image, true));
  const std::vector<float> got = samplesOf(gpu, image);
  for (uint32_t i = 0; i < kSize * kSize; ++i) {
    const Point centre{i % kSize + 0.5, i / kSize + 0.5};
    if (holds(shape.outline, centre, true) == holds(shape.outline, centre, false)) {
      EXPECT_EQ(got[i * 4], holds(shape.outline, centre, true) ? 1 : 0) << i;
    }
    EXPECT_EQ(got[i * 4 + 1], 0) << i;
  }
}

/// Triangles and lines whose corners meet are culled or not, as the properties say.
void degenerate(Gpu& gpu, bool lines) {
  Shape shape = lines ? line(8.5, 8.5, 0, 0, 1) : triangle(0);
  if (!lines) shape.vertices = {{8.5, 8.5}, {8.5 + 1.0 / 2048, 8.5}, {8.5, 8.5 + 1.0 / 2048}};
  if (lines) shape.vertices[1].x += 1.0 / 2048;
  const auto limits = requireMode(gpu, kOver, shape, 0);
  gpu.require(gpu.limits().subPixelPrecisionBits <= 9, "corners that snap to one point");
  const Image image = target(gpu, 1);
  DrawState s = stateOf(gpu, shape, image, false);
  s.raster.pNext = &kOverestimate;
  draw(gpu, s);
  const std::vector<float> got = samplesOf(gpu, image);
  const bool drawn = lines ? limits.degenerateLinesRasterized : limits.degenerateTrianglesRasterized;
  EXPECT_EQ(got[(8 * kSize + 8) * 4], drawn ? 1 : 0);
}

/// What a first draw hides of a pixel's samples is missing in the mask of a conservative one behind it.
void postDepth(Gpu& gpu) {
  constexpr uint32_t n = 4;
  Shape front = triangle(1), cover;
  cover.vertices = {{-2, -2}, {66, -2}, {-2, 66}};
  const auto limits = requireMode(gpu, kOver, cover, 0);
  gpu.require(limits.conservativeRasterizationPostDepthCoverage, "conservativeRasterizationPostDepthCoverage");
  gpu.requireExtension(VK_EXT_POST_DEPTH_COVERAGE_EXTENSION_NAME);
  Image images[2] = {target(gpu, n), target(gpu, n)};
  Image depth = gpu.image({.format = VK_FORMAT_D16_UNORM,
                           .width = kSize,
                           .height = kSize,
                           .samples = VK_SAMPLE_COUNT_4_BIT,
                           .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT});
  gpu.clear(depth, {.depthStencil = {1, 0}});
  cover.more = "gl_Position.z = 0.5;";
  for (int pass = 0; pass < 2; ++pass) {
    DrawState s = stateOf(gpu, pass ? cover : front, images[pass], false);
    if (pass) {
      s.raster.pNext = &kOverestimate;
      s.frag =
          "#version 450\n#extension GL_ARB_post_depth_coverage : require\nlayout(post_depth_coverage) in;\n"
          "layout(location=0) out vec4 color;\nvoid main() { color = vec4(1, 0, float(gl_SampleMaskIn[0]), 0); }\n";
    }
    s.depth = &depth;
    s.depthStencil.depthTestEnable = s.depthStencil.depthWriteEnable = VK_TRUE;
    s.depthStencil.depthCompareOp = VK_COMPARE_OP_LESS;
    draw(gpu, s);
  }
  const std::vector<float> hides = samplesOf(gpu, images[0]), got = samplesOf(gpu, images[1]);
  const auto at = [](const std::vector<float>& v, uint32_t i, uint32_t k) { return &v[(k * kSize * kSize + i) * 4]; };
  for (uint32_t i = 0; i < kSize * kSize; ++i) {
    uint32_t mask = 0;
    for (uint32_t k = 0; k < n; ++k) mask |= uint32_t{*at(hides, i, k) == 0} << k;
    for (uint32_t k = 0; k < n; ++k) {
      ASSERT_EQ(at(got, i, k)[0], float(mask >> k & 1)) << i;
      if (mask >> k & 1) {
        ASSERT_EQ(at(got, i, k)[2], float(mask)) << i;
      }
    }
  }
}

}  // namespace

void registerConservative() {
  for (Mode mode : {kOver, kUnder}) {
    for (uint32_t seed = 0; seed < 12; ++seed)
      add(text("raster.conservative.triangle.%s.seed%u", nameOf(mode), seed),
          [=](Gpu& gpu) { run(gpu, triangle(seed), mode, 1); });
    for (uint32_t n : {2u, 4u, 8u})
      add(text("raster.conservative.samples.%s.x%u", nameOf(mode), n),
          [=](Gpu& gpu) { run(gpu, triangle(n), mode, n); });
    for (uint32_t n : {1u, 4u})
      add(text("raster.conservative.clipped.%s.x%u", nameOf(mode), n), [=](Gpu& gpu) {
        gpu.require(gpu.features.features.shaderClipDistance, "shaderClipDistance");
        run(gpu, hexagon(), mode, n);
      });
    add(text("raster.conservative.dynamic.%s", nameOf(mode)),
        [=](Gpu& gpu) { run(gpu, triangle(5), mode, 1, 0, true); });
    int number = 0;
    for (const Shape& shape : {line(4, 6.5, 20, 0, 1), line(9.25, 3, 0, 24, 3.5), line(5.5, 6.25, 16, 12, 2.5),
                               line(24.5, 4, -12, 16, 5), line(3, 10, 16, 0, 2)})
      add(text("raster.conservative.line%d.%s", number++, nameOf(mode)), [=](Gpu& gpu) { run(gpu, shape, mode, 1); });
    number = 0;
    for (const Shape& shape : {point(8, 8, 1), point(9.5, 7.5, 3), point(12.25, 16.5, 5.5), point(16, 16, 8)})
      add(text("raster.conservative.point%d.%s", number++, nameOf(mode)), [=](Gpu& gpu) {
        gpu.require(shape.size == 1 || gpu.features.features.largePoints, "largePoints");
        run(gpu, shape, mode, 1);
      });
  }
  for (float extra : {0.25f, 0.5f, 0.75f, 1.5f}) {
    const std::string name = text("%d_64", int(extra * 64));
    add("raster.conservative.extra.triangle." + name, [=](Gpu& gpu) { run(gpu, triangle(7), kOver, 1, extra); });
    add("raster.conservative.extra.clipped." + name, [=](Gpu& gpu) {
      gpu.require(gpu.features.features.shaderClipDistance, "shaderClipDistance");
      run(gpu, hexagon(), kOver, 1, extra);
    });
    add("raster.conservative.extra.dynamic." + name, [=](Gpu& gpu) { run(gpu, triangle(4), kOver, 4, extra, true); });
    add("raster.conservative.extra.point." + name, [=](Gpu& gpu) { run(gpu, point(16, 16.5, 1), kOver, 1, extra); });
  }
  add("raster.conservative.disabled", disabled);
  add("raster.conservative.degenerate.triangle", [](Gpu& gpu) { degenerate(gpu, false); });
  add("raster.conservative.degenerate.line", [](Gpu& gpu) { degenerate(gpu, true); });
  add("raster.conservative.post_depth", postDepth);
}

}  // namespace etzel::cts
