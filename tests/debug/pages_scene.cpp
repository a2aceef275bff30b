// A program for tests of the pages behind fragment shaders: nine draws onto all of 16x16 pixels with four samples and
// depth and stencil, in one pass. Prints what is left. usage: etzel-pages-scene
#include <cstdio>
#include <cstdlib>

#include "cts-subset/support/draw.h"
#include "tests/scene.h"

namespace {

using namespace etzel::cts;
using namespace etzel::tests;

/// A fragment shader that writes a colour, and a depth, so that tests come behind it; `more`: what else it does.
std::string shade(const std::string& color, const std::string& depth, const std::string& more = {}) {
  return "#version 450\n#extension GL_ARB_shader_stencil_export : enable\nlayout(location = 0) out vec4 color;\n"
         "void main() {\n  color = vec4(" +
         color + ");\n  gl_FragDepth = " + depth + ";\n  " + more + "\n}\n";
}

void run(Gpu& gpu) {
  const auto image = [&](VkSampleCountFlagBits samples, VkFormat format, VkImageUsageFlags usage) {
    return gpu.image({.format = format, .width = kSize, .height = kSize, .samples = samples, .usage = usage});
  };
  const Image depth =
      image(VK_SAMPLE_COUNT_4_BIT, VK_FORMAT_D32_SFLOAT_S8_UINT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
  const Image resolved = image(VK_SAMPLE_COUNT_1_BIT, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  DrawState s;
  s.vert = coverAll();
  s.colors = {image(VK_SAMPLE_COUNT_4_BIT, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT)};
  s.resolves = {resolved};
  s.depth = &depth;
  s.clearColors = VkClearValue{.color = {{0, 0, 0, 1}}};
  s.clearDepth = VkClearValue{.depthStencil = {1, 2}};
  s.multisample.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  s.depthStencil.depthTestEnable = s.depthStencil.depthWriteEnable = VK_TRUE;
  s.depthStencil.depthCompareOp = VK_COMPARE_OP_LESS;
  const VkPipelineLayout layout = gpu.set({}, 0).pipeline;
  std::vector<VkPipeline> pipelines;
  const auto add = [&](DrawState state, const char* color, const char* z, const char* more = "") {
    state.frag = shade(color, z, more);
    pipelines.push_back(makePipeline(gpu, state, layout, {kSize, kSize}));
  };
  add(s, "1, 0, 0, 1", "0.5");
  DrawState blended = s;
  blended.attachment.blendEnable = VK_TRUE;
  blended.attachment.srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
  blended.attachment.dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
  blended.attachment.srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
  blended.attachment.colorBlendOp = blended.attachment.alphaBlendOp = VK_BLEND_OP_ADD;
  add(blended, "0, 1, 0, 0.5", "0.375");
  add(s, "0, 0, 1, 1", "0.75");
  DrawState masked = s;
  masked.depthStencil.stencilTestEnable = VK_TRUE;
  masked.depthStencil.front = {
      VK_STENCIL_OP_INVERT, VK_STENCIL_OP_KEEP, VK_STENCIL_OP_KEEP, VK_COMPARE_OP_EQUAL, 255, 0, 7};
  masked.depthStencil.back = masked.depthStencil.front;
  add(masked, "1, 1, 1, 1", "0.25");
  DrawState half = s;
  half.multisample.alphaToCoverageEnable = VK_TRUE;
  add(half, "1, 1, 0, 0.5", "0.125");
  add(s, "0, 1, 1, 1", "0.0625", "gl_SampleMask[0] = 5;");
  add(s, "vec3(gl_SampleID / 4.0), 1", "0.03125");
  masked.depthStencil.front.passOp = masked.depthStencil.back.passOp = VK_STENCIL_OP_ZERO;
  add(masked, "1", "0.015625", "gl_FragStencilRefARB = 2;");
  add(s, "0, 0, 0, 1", "0.0078125");
  s.commands = [&](VkCommandBuffer cmd) {
    for (const VkPipeline pipeline : pipelines) {
      vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdDraw(cmd, 3, 1, 0, pipeline == pipelines.back() ? 4 : 0);
    }
  };
  s.frag = shade("0", "0");  // of no draw: that of the state's own pipeline
  draw(gpu, s);
  std::printf("resolved %u\n", hashOf(gpu.download(resolved, 4)));
}

}  // namespace

int main() {
  setenv("ETZEL_CTS_SOURCE", "1", 1);
  try {
    Gpu gpu;
    run(gpu);
    return 0;
  } catch (const std::exception& reason) {
    std::fprintf(stderr, "etzel-pages-scene: %s\n", reason.what());
    return 1;
  }
}
