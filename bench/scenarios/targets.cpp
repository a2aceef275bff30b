// Targets as programs have them: several, of integers, blended with second sources, loaded, stored and cleared, one
// varied at a time. Four full-screen layers.
#include "draws.h"

#include "fragment_eight.frag.h"
#include "fragment_int.frag.h"
#include "fragment_second.frag.h"
#include "fragment_two.frag.h"
#include "fragment_uint.frag.h"
#include "full.vert.h"
#include "gradient.frag.h"

namespace vkbench {
namespace {

constexpr uint32_t kLayers = 4;

struct Drawing {
  Spirv fragment = gradient_frag;
  VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  uint32_t colors = 1;
  VkPipelineColorBlendAttachmentState blend{.colorWriteMask = 0xf};
  const VkLogicOp* logic = nullptr;
  bool again = false;  ///< each layer is a pass over the one before
};

Outcome draw(Gpu& gpu, const Drawing& d, uint32_t samples) {
  gpu.requireFormat(d.format, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT);
  if (d.blend.dstColorBlendFactor >= VK_BLEND_FACTOR_SRC1_COLOR) gpu.require(gpu.features.dualSrcBlend, "dualSrcBlend");
  if (d.logic) gpu.require(gpu.features.logicOp, "logicOp");
  const bool words = d.fragment.data() == fragment_uint_frag || d.fragment.data() == fragment_int_frag;
  const Target target = gpu.makeTarget({.width = kWidth,
                                        .height = kHeight,
                                        .format = d.format,
                                        .samples = samples,
                                        .colors = d.colors,
                                        .resolve = samples > 1 && !words,
                                        .keepSamples = samples > 1 && (words || d.again),
                                        .goesOn = d.again});
  const VkPipeline pipeline =
      gpu.makePipeline({.stages = {{VK_SHADER_STAGE_VERTEX_BIT, full_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, d.fragment}},
                        .target = &target,
                        .blending = &d.blend,
                        .logic = d.logic},
                       gpu.layout);
  const FullPush constants{.color = {0.9f, 0.6f, 0.3f, 0.4f}};
  return commandOutcome(gpu, kPixels * kLayers / 1e9, [&](VkCommandBuffer c) {
    for (uint32_t pass = 0; pass < (d.again ? kLayers : 1); ++pass) {
      if (pass == 0)
        gpu.begin(c, target);
      else
        gpu.goOn(c, target);
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      push(gpu, c, constants);
      vkCmdDraw(c, 3, d.again ? 1 : kLayers, 0, 0);
      vkCmdEndRenderPass(c);
      gpu.barrier(c);
    }
  });
}

VkPipelineColorBlendAttachmentState blended(VkBlendFactor source, VkBlendFactor destination) {
  return {VK_TRUE, source, destination, VK_BLEND_OP_ADD, source, destination, VK_BLEND_OP_ADD, 0xf};
}

}  // namespace

std::vector<Scenario> targetScenarios() {
  std::vector<Scenario> all;
  const auto add = [&](const std::string& name, const Drawing& d) {
    all.push_back({"target." + name, "Gpix/s", true, Bound::None, 0, 0.01, [d](Gpu& g) { return draw(g, d, 1); }});
    all.push_back(
        {"target." + name + "_4x", "Gpix/s", true, Bound::None, 0, 0.01, [d](Gpu& g) { return draw(g, d, 4); }});
  };
  const auto over = blended(VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA);
  const auto second = blended(VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_SRC1_COLOR);
  const auto secondAlpha = blended(VK_BLEND_FACTOR_SRC1_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA);
  const std::pair<const char*, VkFormat> formats[] = {{"rgba8", VK_FORMAT_R8G8B8A8_UNORM},
                                                      {"rgba8_srgb", VK_FORMAT_R8G8B8A8_SRGB},
                                                      {"bgra8", VK_FORMAT_B8G8R8A8_UNORM},
                                                      {"rgba16f", VK_FORMAT_R16G16B16A16_SFLOAT}};
  for (const auto& [name, format] : formats) {
    const std::string n = name;
    add("second_" + n, {.fragment = fragment_second_frag, .format = format, .blend = second});
    add("second_alpha_" + n, {.fragment = fragment_second_frag, .format = format, .blend = secondAlpha});
    add("two_" + n, {.fragment = fragment_two_frag, .format = format, .colors = 2});
    add("two_blend_" + n, {.fragment = fragment_two_frag, .format = format, .colors = 2, .blend = over});
    add("again_" + n, {.format = format, .blend = over, .again = true});
  }
  add("eight_rgba8", {.fragment = fragment_eight_frag, .colors = 8});
  add("eight_blend_rgba8", {.fragment = fragment_eight_frag, .colors = 8, .blend = over});
  const std::pair<const char*, VkFormat> words[] = {{"r8ui", VK_FORMAT_R8_UINT},
                                                    {"rgba8ui", VK_FORMAT_R8G8B8A8_UINT},
                                                    {"r16ui", VK_FORMAT_R16_UINT},
                                                    {"rgba16ui", VK_FORMAT_R16G16B16A16_UINT},
                                                    {"r32ui", VK_FORMAT_R32_UINT},
                                                    {"rg32ui", VK_FORMAT_R32G32_UINT},
                                                    {"rgba32ui", VK_FORMAT_R32G32B32A32_UINT},
                                                    {"rgb10a2ui", VK_FORMAT_A2B10G10R10_UINT_PACK32}};
  for (const auto& [name, format] : words) add(name, {.fragment = fragment_uint_frag, .format = format});
  add("rgba8i", {.fragment = fragment_int_frag, .format = VK_FORMAT_R8G8B8A8_SINT});
  add("r32i", {.fragment = fragment_int_frag, .format = VK_FORMAT_R32_SINT});
  static constexpr VkLogicOp kAnd = VK_LOGIC_OP_AND;
  add("and_rgba8ui", {.fragment = fragment_uint_frag, .format = VK_FORMAT_R8G8B8A8_UINT, .logic = &kAnd});
  add("and_r8", {.format = VK_FORMAT_R8_UNORM, .logic = &kAnd});
  add("and_bgra8", {.format = VK_FORMAT_B8G8R8A8_UNORM, .logic = &kAnd});
  return all;
}

}  // namespace vkbench
