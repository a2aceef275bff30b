// A scene for tests of captures whose bytes can be counted by hand: 256x192, 8 samples, RGBA8 and D32, cleared, one
// triangle left of a vertical line at x = EDGE pixels, resolved at the end of the pass.
// usage: etzel-inspect-scene EDGE
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cts-subset/support/draw.h"

namespace {

using namespace etzel::cts;

constexpr uint32_t kWidth = 256, kHeight = 192;

// One triangle that covers everything left of a vertical line, in normalized device coordinates.
const char* const kLeftOfLine = R"(#version 450
layout(push_constant) uniform Push { float right; };
void main() {
  vec2 corner = gl_VertexIndex == 0 ? vec2(right, -8) : gl_VertexIndex == 1 ? vec2(right, 8) : vec2(right - 16, 0);
  gl_Position = vec4(corner, 0.5, 1);
})";

void drawScene(Gpu& gpu, float edge) {
  const auto image = [&](VkFormat format, VkSampleCountFlagBits samples, VkImageUsageFlags usage) {
    return gpu.image({.format = format, .width = kWidth, .height = kHeight, .samples = samples, .usage = usage});
  };
  const VkImageUsageFlags target = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  const Image depth = image(VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_8_BIT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
  DrawState s;
  s.vert = kLeftOfLine;
  s.frag = writes("vec4(1, 0, 0, 1)");
  s.colors = {image(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_8_BIT, target)};
  s.resolves = {image(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, target)};
  s.depth = &depth;
  s.clearColors = VkClearValue{.color = {{0, 0, 1, 1}}};
  s.clearDepth = VkClearValue{.depthStencil = {1, 0}};
  s.multisample.rasterizationSamples = VK_SAMPLE_COUNT_8_BIT;
  s.depthStencil.depthTestEnable = s.depthStencil.depthWriteEnable = VK_TRUE;
  s.depthStencil.depthCompareOp = VK_COMPARE_OP_LESS;
  const float right = edge / (kWidth / 2) - 1;
  s.push.resize(sizeof right);
  std::memcpy(s.push.data(), &right, sizeof right);
  draw(gpu, s);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: etzel-inspect-scene EDGE\n");
    return 2;
  }
  try {
    Gpu gpu;
    drawScene(gpu, float(std::atof(argv[1])));
  } catch (const std::exception& reason) {
    std::fprintf(stderr, "etzel-inspect-scene: %s\n", reason.what());
    return 1;
  }
}
