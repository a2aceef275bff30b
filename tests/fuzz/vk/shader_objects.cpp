#include "tests/fuzz/vk/shader_objects.h"

#include "tests/fuzz/core/raw.h"

namespace etzel::fuzz {
namespace {

// Not all headers have the extension's commands yet.
using CreateShaders = VkResult(VKAPI_PTR*)(VkDevice, uint32_t, const VkShaderCreateInfoEXT*,
                                           const VkAllocationCallbacks*, VkShaderEXT*);
using DestroyShader = void(VKAPI_PTR*)(VkDevice, VkShaderEXT, const VkAllocationCallbacks*);
using GetShaderBinaryData = VkResult(VKAPI_PTR*)(VkDevice, VkShaderEXT, size_t*, void*);
using CmdBindShaders = void(VKAPI_PTR*)(VkCommandBuffer, uint32_t, const VkShaderStageFlagBits*, const VkShaderEXT*);

constexpr VkShaderStageFlagBits kPatchStages[] = {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
                                                  VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT};

}  // namespace

template <class F>
F ShaderObjects::function(const char* name) const {
  const auto f = reinterpret_cast<F>(vkGetDeviceProcAddr(rig_.device, name));
  if (!f) throw vktest::Failure(name);
  return f;
}

VkShaderEXT ShaderObjects::make(const Interface& interface, const Rig::Bindings& bindings, VkShaderCodeTypeEXT type,
                                std::span<const uint8_t> code) const {
  const VkPushConstantRange push{VK_SHADER_STAGE_ALL, 0, Rig::kPushBytes};
  VkShaderCreateInfoEXT info{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
  info.stage = interface.stage;
  info.codeType = type;
  info.codeSize = code.size();
  info.pCode = code.data();
  info.pName = interface.entryPoint.c_str();
  info.setLayoutCount = uint32_t(bindings.setLayouts.size());
  info.pSetLayouts = bindings.setLayouts.data();
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &push;
  VkShaderEXT shader = VK_NULL_HANDLE;
  const auto create = function<CreateShaders>("vkCreateShadersEXT");
  return create(rig_.device, 1, &info, nullptr, &shader) == VK_SUCCESS ? shader : VK_NULL_HANDLE;
}

void ShaderObjects::destroy(VkShaderEXT shader) const {
  function<DestroyShader>("vkDestroyShaderEXT")(rig_.device, shader, nullptr);
}

Bytes ShaderObjects::binaryOf(VkShaderEXT shader) const {
  const auto get = function<GetShaderBinaryData>("vkGetShaderBinaryDataEXT");
  size_t size = 0;
  get(rig_.device, shader, &size, nullptr);
  Bytes data(size);
  get(rig_.device, shader, &size, data.data());
  return data;
}

void ShaderObjects::bind(VkCommandBuffer commands, VkShaderStageFlagBits stage, VkShaderEXT shader) const {
  function<CmdBindShaders>("vkCmdBindShadersEXT")(commands, 1, &stage, &shader);
}

Outcome ShaderObjects::run(VkShaderEXT shader, const Interface& interface, const Rig::Bindings& bindings,
                           uint32_t options) const {
  if (interface.stage == VK_SHADER_STAGE_COMPUTE_BIT)
    return rig_.dispatch(VK_NULL_HANDLE, bindings, options,
                         [&](VkCommandBuffer commands) { bind(commands, VK_SHADER_STAGE_COMPUTE_BIT, shader); });
  VkShaderEXT stages[Rig::kStages]{};
  bool whole = true;
  for (uint32_t i = 0; i < Rig::kStages; ++i) {
    Interface other;
    other.stage = VkShaderStageFlagBits(1u << i), other.entryPoint = "main";
    if (!(Rig::companionsOf(interface.stage) & other.stage)) continue;
    stages[i] = make(other, bindings, VK_SHADER_CODE_TYPE_SPIRV_EXT, bytesOf(Rig::companionCode(other.stage)));
    whole &= stages[i] != VK_NULL_HANDLE;
  }
  Outcome outcome;
  if (whole)
    outcome = rig_.draw(bindings, options, [&](VkCommandBuffer commands) {
      for (uint32_t i = 0; i < Rig::kStages; ++i) {
        const auto stage = VkShaderStageFlagBits(1u << i);
        bind(commands, stage, stage == interface.stage ? shader : stages[i]);
      }
      setState(commands, interface, options);
    });
  for (const VkShaderEXT other : stages)
    if (other) destroy(other);
  return outcome;
}

void ShaderObjects::setState(VkCommandBuffer commands, const Interface& interface, uint32_t options) const {
  bool patches = false;
  for (const VkShaderStageFlagBits stage : kPatchStages)
    patches |= interface.stage == stage || (Rig::companionsOf(interface.stage) & stage);
  VkVertexInputBindingDescription2EXT vertices{VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT};
  vertices.stride = Rig::kVertexStride;
  vertices.divisor = 1;
  VkVertexInputAttributeDescription2EXT attributes[Rig::kAttributes];
  for (uint32_t i = 0; i < Rig::kAttributes; ++i)
    attributes[i] = {VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
                     nullptr,
                     i,
                     0,
                     VK_FORMAT_R32G32B32A32_SFLOAT,
                     (i & 3) * 16};
  function<PFN_vkCmdSetVertexInputEXT>("vkCmdSetVertexInputEXT")(commands, 1, &vertices, Rig::kAttributes, attributes);
  vkCmdSetPrimitiveTopology(commands, patches ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : interface.topology);
  vkCmdSetPrimitiveRestartEnable(commands, VK_FALSE);
  function<PFN_vkCmdSetPatchControlPointsEXT>("vkCmdSetPatchControlPointsEXT")(commands, Rig::kPatchPoints);
  function<PFN_vkCmdSetTessellationDomainOriginEXT>("vkCmdSetTessellationDomainOriginEXT")(
      commands, VK_TESSELLATION_DOMAIN_ORIGIN_UPPER_LEFT);
  const VkViewport viewport{0, 0, Rig::kTargetSize, Rig::kTargetSize, 0, 1};
  const VkRect2D scissor{{0, 0}, {Rig::kTargetSize, Rig::kTargetSize}};
  vkCmdSetViewportWithCount(commands, 1, &viewport);
  vkCmdSetScissorWithCount(commands, 1, &scissor);
  vkCmdSetRasterizerDiscardEnable(commands, VK_FALSE);
  function<PFN_vkCmdSetPolygonModeEXT>("vkCmdSetPolygonModeEXT")(commands, VK_POLYGON_MODE_FILL);
  function<PFN_vkCmdSetDepthClampEnableEXT>("vkCmdSetDepthClampEnableEXT")(commands, VK_FALSE);
  vkCmdSetLineWidth(commands, 1);
  vkCmdSetCullMode(commands, VK_CULL_MODE_NONE);
  vkCmdSetFrontFace(commands, VK_FRONT_FACE_COUNTER_CLOCKWISE);
  vkCmdSetDepthBiasEnable(commands, VK_FALSE);
  setPixelState(commands, options);
}

void ShaderObjects::setPixelState(VkCommandBuffer commands, uint32_t options) const {
  const VkSampleCountFlagBits samples = options & 1 ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT;
  const VkSampleMask all = ~VkSampleMask{0};
  function<PFN_vkCmdSetRasterizationSamplesEXT>("vkCmdSetRasterizationSamplesEXT")(commands, samples);
  function<PFN_vkCmdSetSampleMaskEXT>("vkCmdSetSampleMaskEXT")(commands, samples, &all);
  function<PFN_vkCmdSetAlphaToCoverageEnableEXT>("vkCmdSetAlphaToCoverageEnableEXT")(commands, VK_FALSE);
  function<PFN_vkCmdSetAlphaToOneEnableEXT>("vkCmdSetAlphaToOneEnableEXT")(commands, VK_FALSE);
  vkCmdSetDepthTestEnable(commands, VK_TRUE);
  vkCmdSetDepthWriteEnable(commands, VK_TRUE);
  vkCmdSetDepthCompareOp(commands, VK_COMPARE_OP_LESS_OR_EQUAL);
  vkCmdSetDepthBoundsTestEnable(commands, VK_FALSE);
  vkCmdSetStencilTestEnable(commands, VK_FALSE);
  function<PFN_vkCmdSetLogicOpEnableEXT>("vkCmdSetLogicOpEnableEXT")(commands, VK_FALSE);
  const VkBool32 blends = options >> 3 & 1;
  const VkColorBlendEquationEXT equation{VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE,  VK_BLEND_OP_ADD,
                                         VK_BLEND_FACTOR_ZERO,      VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD};
  const VkColorComponentFlags mask = 15;
  for (uint32_t i = 0; i < 2; ++i) {
    function<PFN_vkCmdSetColorBlendEnableEXT>("vkCmdSetColorBlendEnableEXT")(commands, i, 1, &blends);
    function<PFN_vkCmdSetColorBlendEquationEXT>("vkCmdSetColorBlendEquationEXT")(commands, i, 1, &equation);
    function<PFN_vkCmdSetColorWriteMaskEXT>("vkCmdSetColorWriteMaskEXT")(commands, i, 1, &mask);
  }
}

}  // namespace etzel::fuzz
