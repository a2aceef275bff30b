// States of draws as programs set them: equations of blending, masks, logic operations, tests of depth and stencil, one
// varied at a time. Four full-screen layers, each in front of the one before.
#include <array>

#include "draws.h"
#include "full.vert.h"
#include "gradient.frag.h"

namespace vkbench {
namespace {

constexpr uint32_t kLayers = 4;

struct State {
  VkPipelineColorBlendAttachmentState blend{.colorWriteMask = 0xf};
  const VkLogicOp* logic = nullptr;
  VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  VkFormat depthFormat = VK_FORMAT_UNDEFINED;
  bool behind = false;  ///< each layer lies behind the one before
};

Outcome draw(Gpu& gpu, const State& state, uint32_t samples) {
  if (state.logic) gpu.require(gpu.features.logicOp, "logicOp");
  const bool depth = state.depthFormat != VK_FORMAT_UNDEFINED;
  if (depth) gpu.requireFormat(state.depthFormat, VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT);
  TargetDesc desc{.width = kWidth, .height = kHeight, .samples = samples, .depth = depth, .resolve = samples > 1};
  if (depth) desc.depthFormat = state.depthFormat;
  const Target target = gpu.makeTarget(desc);
  const VkPipeline pipeline = gpu.makePipeline(
      {.stages = {{VK_SHADER_STAGE_VERTEX_BIT, full_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, gradient_frag}},
       .target = &target,
       .blending = &state.blend,
       .logic = state.logic,
       .depthStencil = &state.depth},
      gpu.layout);
  const float step = state.behind ? 0.1f : -0.1f;
  const FullPush constants{.color = {0.9f, 0.6f, 0.3f, 0.4f}, .depthStep = step};
  return drawOutcome(gpu, target, kPixels * kLayers / 1e9, [&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    push(gpu, c, constants);
    vkCmdDraw(c, 3, kLayers, 0, 0);
  });
}

State blended(VkBlendFactor source, VkBlendFactor destination, VkBlendOp op = VK_BLEND_OP_ADD) {
  return {.blend = {VK_TRUE, source, destination, op, source, destination, op, 0xf}};
}

State tested(VkFormat format, VkCompareOp op, bool writes, bool behind = false) {
  State s{.depthFormat = format, .behind = behind};
  s.depth.depthTestEnable = VK_TRUE;
  s.depth.depthWriteEnable = writes;
  s.depth.depthCompareOp = op;
  return s;
}

State stenciled(VkFormat format, VkCompareOp op, VkStencilOp pass, bool depth) {
  State s = depth ? tested(format, VK_COMPARE_OP_LESS, true) : State{.depthFormat = format};
  s.depth.stencilTestEnable = VK_TRUE;
  s.depth.front = s.depth.back = {VK_STENCIL_OP_KEEP, pass, VK_STENCIL_OP_KEEP, op, 0xff, 0xff, 0};
  return s;
}

}  // namespace

std::vector<Scenario> stateScenarios() {
  std::vector<Scenario> all;
  const auto add = [&](const std::string& name, const State& state) {
    all.push_back(
        {"state." + name, "Gpix/s", true, Bound::None, 0, 0.01, [state](Gpu& g) { return draw(g, state, 1); }});
    all.push_back(
        {"state." + name + "_4x", "Gpix/s", true, Bound::None, 0, 0.01, [state](Gpu& g) { return draw(g, state, 4); }});
  };
  add("multiply", blended(VK_BLEND_FACTOR_DST_COLOR, VK_BLEND_FACTOR_ZERO));
  add("screen", blended(VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR));
  add("premultiplied", blended(VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA));
  add("add", blended(VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE));
  add("destination_alpha", blended(VK_BLEND_FACTOR_DST_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA));
  add("constant", blended(VK_BLEND_FACTOR_CONSTANT_COLOR, VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR));
  add("saturate", blended(VK_BLEND_FACTOR_SRC_ALPHA_SATURATE, VK_BLEND_FACTOR_ONE));
  add("subtract", blended(VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_REVERSE_SUBTRACT));
  add("minimum", blended(VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_MIN));
  add("maximum", blended(VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_MAX));
  add("mask_rgb", {.blend = {.colorWriteMask = 0x7}});
  add("mask_red", {.blend = {.colorWriteMask = 0x1}});
  add("mask_none", {.blend = {.colorWriteMask = 0}});
  State rgb = blended(VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA);
  rgb.blend.colorWriteMask = 0x7;
  add("blend_rgb", rgb);
  static constexpr VkLogicOp kXor = VK_LOGIC_OP_XOR, kInvert = VK_LOGIC_OP_INVERT;
  add("xor", {.logic = &kXor});
  add("invert", {.logic = &kInvert});
  const std::pair<const char*, VkFormat> depths[] = {{"d16", VK_FORMAT_D16_UNORM},
                                                     {"d24s8", VK_FORMAT_D24_UNORM_S8_UINT},
                                                     {"d32", VK_FORMAT_D32_SFLOAT},
                                                     {"d32s8", VK_FORMAT_D32_SFLOAT_S8_UINT}};
  for (const auto& [name, format] : depths) {
    add(std::string("less_") + name, tested(format, VK_COMPARE_OP_LESS, true));
    add(std::string("hidden_") + name, tested(format, VK_COMPARE_OP_LESS, true, true));
  }
  add("always", tested(VK_FORMAT_D32_SFLOAT, VK_COMPARE_OP_ALWAYS, true));
  add("read_only", tested(VK_FORMAT_D32_SFLOAT, VK_COMPARE_OP_LESS_OR_EQUAL, false));
  add("unequal", tested(VK_FORMAT_D32_SFLOAT, VK_COMPARE_OP_NOT_EQUAL, true));
  for (const VkFormat format : {VK_FORMAT_D24_UNORM_S8_UINT, VK_FORMAT_D32_SFLOAT_S8_UINT, VK_FORMAT_S8_UINT}) {
    const std::string n = format == VK_FORMAT_S8_UINT              ? "s8"
                          : format == VK_FORMAT_D32_SFLOAT_S8_UINT ? "d32s8"
                                                                   : "d24s8";
    add("stencil_equal_" + n, stenciled(format, VK_COMPARE_OP_EQUAL, VK_STENCIL_OP_KEEP, false));
    add("stencil_count_" + n, stenciled(format, VK_COMPARE_OP_ALWAYS, VK_STENCIL_OP_INCREMENT_AND_CLAMP, false));
    if (format != VK_FORMAT_S8_UINT)
      add("stencil_depth_" + n, stenciled(format, VK_COMPARE_OP_ALWAYS, VK_STENCIL_OP_REPLACE, true));
  }
  return all;
}

}  // namespace vkbench
