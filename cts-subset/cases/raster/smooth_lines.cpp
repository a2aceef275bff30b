// Smooth lines (VK_EXT_line_rasterization): the part of each pixel that lies in the line's rectangle is multiplied into
// alpha. It "approximates the area of the intersection", and which pixels have a fragment is the driver's choice, so
// parts may be a little off, and pixels without a fragment are those of no part.
#include "cts-subset/cases/raster/smooth_lines.h"

#include <algorithm>
#include <cmath>

#include "cts-subset/cases/raster/shot.h"

namespace etzel::cts {
namespace {

using namespace raster_cases;

constexpr int kNear = 40;  // of 255

struct Line {
  const char* name;
  float x0, y0, x1, y1, width = 1;

  /// The part of a pixel that is in the rectangle: of points spread over it, those that are.
  int part(int x, int y) const {
    constexpr int kPoints = 32;
    const float dx = x1 - x0, dy = y1 - y0, length = std::sqrt(dx * dx + dy * dy);
    int inside = 0;
    for (int i = 0; i < kPoints * kPoints; ++i) {
      const float px = float(x) + (float(i % kPoints) + 0.5f) / kPoints - x0,
                  py = float(y) + (float(i / kPoints) + 0.5f) / kPoints - y0;
      const float along = (px * dx + py * dy) / length, across = (px * dy - py * dx) / length;
      inside += along >= 0 && along < length && std::fabs(across) < width / 2;
    }
    return int(std::lround(255.0 * inside / (kPoints * kPoints)));
  }
};
constexpr Line kLines[] = {{"between_rows", 4.25f, 8, 20.5f, 8},       {"in_a_row", 20, 8.5f, 3.5f, 8.5f},
                           {"between_columns", 9, 3, 9, 28.25f},       {"diagonal", 4, 4, 26, 26},
                           {"shallow", 28.5f, 9.25f, 2.5f, 3.5f},      {"steep", 3.5f, 2.5f, 8.5f, 22.5f},
                           {"wide.shallow", 3, 12.25f, 27.5f, 17, 5},  {"wide.steep", 20, 29, 12.5f, 3.25f, 3.5f},
                           {"wide.short", 15.5f, 15, 16.75f, 16.5f, 6}};

void requireSmooth(Gpu& gpu, bool stippled = false) {
  gpu.requireExtension(VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME);
  VkPhysicalDeviceLineRasterizationFeaturesEXT lines{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT};
  VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &lines};
  vkGetPhysicalDeviceFeatures2(gpu.physical, &all);
  gpu.require(stippled ? lines.stippledSmoothLines : lines.smoothLines,
              stippled ? "stippledSmoothLines" : "smoothLines");
}

/// A shot of a smooth line that writes white.
struct SmoothShot : Shot {
  VkPipelineRasterizationLineStateCreateInfoEXT mode{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT,
      nullptr,
      VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT,
      VK_FALSE,
      1,
      0xFFFF};

  SmoothShot(Gpu& gpu, const Line& line) : Shot(gpu) {
    if (line.width != 1)
      gpu.require(gpu.features.features.wideLines && gpu.limits().lineWidthRange[1] >= line.width, "wideLines");
    s.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    s.vertexCount = 2;
    s.vert = positions({{line.x0, line.y0, 0}, {line.x1, line.y1, 0}});
    s.raster.lineWidth = line.width;
    s.raster.pNext = &mode;
  }
  void expectAlpha(const std::function<int(int x, int y)>& want, int near = kNear) {
    const std::vector<uint8_t> got = gpu.download(target, 4);
    for (int y = 0; y < int(size); ++y)
      for (int x = 0; x < int(size); ++x)
        EXPECT_NEAR(got[(size_t(y) * size + size_t(x)) * 4 + 3], want(x, y), near) << x << "," << y;
  }
};

/// Alpha of a line that is drawn to pixels of one sample or several, which are averaged.
void parts(Gpu& gpu, const Line& line, VkSampleCountFlagBits samples, bool sampleShading) {
  requireSmooth(gpu);
  SmoothShot shot(gpu, line);
  Image many;
  if (samples != VK_SAMPLE_COUNT_1_BIT) {
    if (sampleShading) gpu.require(gpu.features.features.sampleRateShading, "sampleRateShading");
    many = gpu.image({.width = size, .height = size, .samples = samples, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
    gpu.clear(many, {});
    shot.s.colors = {many};
    shot.s.resolves = {shot.target};
    shot.s.multisample.rasterizationSamples = samples;
    shot.s.multisample.sampleShadingEnable = sampleShading;
    shot.s.multisample.minSampleShading = 1;
  }
  draw(gpu, shot.s);
  shot.expectAlpha([&](int x, int y) { return line.part(x, y); });
}

/// Edges of a triangle that is drawn as lines. Its upper edge lies between two rows.
void polygonMode(Gpu& gpu) {
  requireSmooth(gpu);
  gpu.require(gpu.features.features.fillModeNonSolid, "fillModeNonSolid");
  const Line edges[] = {{"", 4, 6, 28, 6}, {"", 28, 6, 16, 27}, {"", 16, 27, 4, 6}};
  SmoothShot shot(gpu, edges[0]);
  shot.s.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  shot.s.vertexCount = 3;
  shot.s.vert = positions({{4, 6, 0}, {28, 6, 0}, {16, 27, 0}});
  shot.s.raster.polygonMode = VK_POLYGON_MODE_LINE;
  draw(gpu, shot.s);
  const std::vector<uint8_t> got = gpu.download(shot.target, 4);
  for (int y = 0; y < int(size); ++y)
    for (int x = 0; x < int(size); ++x) {
      int touching = 0, part = 0;
      for (const Line& e : edges)
        if (const int p = e.part(x, y)) ++touching, part = p;
      // Where two meet the later one replaces the other, even with nearly nothing.
      const auto isNear = [&](const Line& e) { return std::abs(float(x) - e.x0) + std::abs(float(y) - e.y0) < 6; };
      if (touching > 1 || std::any_of(std::begin(edges), std::end(edges), isNear)) continue;
      EXPECT_NEAR(got[(size_t(y) * size + size_t(x)) * 4 + 3], part, kNear) << x << "," << y;
    }
}

/// "adjacent unit-length rectangles": every second eight of them.
void stippled(Gpu& gpu) {
  requireSmooth(gpu, true);
  const Line line{"", 2, 9, 30, 9};
  SmoothShot shot(gpu, line);
  shot.mode.stippledLineEnable = VK_TRUE;
  shot.mode.lineStippleFactor = 2;
  shot.mode.lineStipplePattern = 0x0f0f;
  draw(gpu, shot.s);
  shot.expectAlpha([&](int x, int y) { return (x - 2) / 8 % 2 ? 0 : line.part(x, y); });
}

/// Colours are what the shader gave, and so is alpha of other locations.
void otherOutputs(Gpu& gpu) {
  requireSmooth(gpu);
  const Line line{"", 4, 8, 20, 8};
  SmoothShot shot(gpu, line);
  Image second = gpu.image({.width = size, .height = size, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  gpu.clear(second, {});
  shot.s.colors = {shot.target, second};
  shot.s.frag =
      "#version 450\nlayout(location=0) out vec4 a; layout(location=1) out vec4 b;\n"
      "void main() { a = vec4(1.0, 0.4, 0.0, 0.8); b = vec4(0.0, 1.0, 0.0, 0.8); }\n";
  draw(gpu, shot.s);
  shot.expectAlpha([&](int x, int y) { return line.part(x, y) * 4 / 5; });
  const std::vector<uint8_t> a = gpu.download(shot.target, 4), b = gpu.download(second, 4);
  for (uint32_t i = 0; i < size * size; ++i) {
    if (line.part(int(i % size), int(i / size)) < 100) continue;
    EXPECT_EQ(a[i * 4], 255);
    EXPECT_EQ(a[i * 4 + 1], 102);
    EXPECT_EQ(b[i * 4 + 3], 204);
  }
}

/// Alpha that covers samples is that which the line's part was multiplied into.
void alphaToCoverage(Gpu& gpu) {
  requireSmooth(gpu);
  const Line line{"", 4, 8, 20, 8};
  SmoothShot shot(gpu, line);
  Image many = gpu.image(
      {.width = size, .height = size, .samples = VK_SAMPLE_COUNT_4_BIT, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  gpu.clear(many, {});
  shot.s.colors = {many};
  shot.s.resolves = {shot.target};
  shot.s.multisample.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  shot.s.multisample.alphaToCoverageEnable = VK_TRUE;
  draw(gpu, shot.s);
  const std::vector<uint8_t> got = gpu.download(shot.target, 4);
  for (int y = 7; y < 9; ++y)
    for (int x = 5; x < 19; ++x) {
      const uint8_t red = got[(size_t(y) * size + size_t(x)) * 4];
      EXPECT_TRUE(red >= 60 && red <= 195) << x << "," << y << ": " << int(red);
    }
}

/// A pixel of which a line covers half becomes half of its colour.
void blended(Gpu& gpu) {
  requireSmooth(gpu);
  const Line line{"", 3, 20.5f, 29, 6};
  SmoothShot shot(gpu, line);
  shot.s.attachment.blendEnable = VK_TRUE;
  shot.s.attachment.srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
  shot.s.attachment.dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
  shot.s.attachment.srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
  draw(gpu, shot.s);
  const std::vector<uint8_t> got = gpu.download(shot.target, 4);
  for (int y = 0; y < int(size); ++y)
    for (int x = 0; x < int(size); ++x)
      EXPECT_NEAR(got[(size_t(y) * size + size_t(x)) * 4], line.part(x, y), kNear) << x << "," << y;
}

}  // namespace

void registerSmoothLines() {
  for (const Line& line : kLines) {
    const std::string name = "raster.smooth_lines." + std::string(line.name);
    add(name, [&line](Gpu& gpu) { parts(gpu, line, VK_SAMPLE_COUNT_1_BIT, false); });
    add(name + ".x4", [&line](Gpu& gpu) { parts(gpu, line, VK_SAMPLE_COUNT_4_BIT, false); });
  }
  add("raster.smooth_lines.sample_shading", [](Gpu& gpu) { parts(gpu, kLines[3], VK_SAMPLE_COUNT_4_BIT, true); });
  add("raster.smooth_lines.polygon_mode", polygonMode);
  add("raster.smooth_lines.stippled", stippled);
  add("raster.smooth_lines.other_outputs", otherOutputs);
  add("raster.smooth_lines.alpha_to_coverage", alphaToCoverage);
  add("raster.smooth_lines.blended", blended);
}

}  // namespace etzel::cts
