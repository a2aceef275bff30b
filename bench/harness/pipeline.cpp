// Shader modules, descriptor sets, samplers and pipelines.
#include <array>

#include "gpu.h"
#include "testing/vk/commands.h"

namespace vkbench {
namespace {

std::vector<VkVertexInputAttributeDescription> attributesOf(const GraphicsDesc& d) {
  if (!d.vertices) return d.attributes;
  return {{0, 0, VK_FORMAT_R32G32B32_SFLOAT, 0}, {1, 0, VK_FORMAT_R8G8B8A8_UNORM, 12}};
}

VkPipelineColorBlendAttachmentState blendOf(const GraphicsDesc& d) {
  const VkBlendFactor keeps = d.adds ? VK_BLEND_FACTOR_ONE : VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
  return {.blendEnable = d.blend,
          .srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
          .dstColorBlendFactor = keeps,
          .colorBlendOp = VK_BLEND_OP_ADD,
          .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
          .dstAlphaBlendFactor = keeps,
          .alphaBlendOp = VK_BLEND_OP_ADD,
          .colorWriteMask = 0xf};
}

}  // namespace

VkSampler Gpu::makeSampler(VkFilter filter, VkSamplerMipmapMode mips, float anisotropy, bool compare,
                           VkSamplerAddressMode address) {
  VkSamplerCreateInfo ci{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  ci.magFilter = ci.minFilter = filter;
  ci.mipmapMode = mips;
  ci.addressModeU = ci.addressModeV = ci.addressModeW = address;
  ci.maxLod = VK_LOD_CLAMP_NONE;
  ci.anisotropyEnable = anisotropy > 0;
  ci.maxAnisotropy = anisotropy > 0 ? anisotropy : 1;
  ci.compareEnable = compare;
  ci.compareOp = VK_COMPARE_OP_LESS;
  return make(ci);
}

VkDescriptorSetLayout Gpu::makeSetLayout(std::span<const VkDescriptorType> types) {
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (const VkDescriptorType type : types)
    bindings.push_back({uint32_t(bindings.size()), type, 1, VK_SHADER_STAGE_ALL, nullptr});
  return makeSetLayout(std::span<const VkDescriptorSetLayoutBinding>(bindings));
}

VkDescriptorSet Gpu::makeSet(VkDescriptorSetLayout setLayout, uint32_t count, VkDescriptorSet* all) {
  const std::array sizes = {VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 6 * count},
                            VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 4 * count},
                            VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4 * count},
                            VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 4 * count},
                            VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 2 * count},
                            VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 2 * count},
                            VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 2 * count}};
  const std::vector<VkDescriptorSet> sets = makeSets(setLayout, count, sizes);
  if (all) std::copy(sets.begin(), sets.end(), all);
  return sets[0];
}

void Gpu::writeBuffer(VkDescriptorSet set, uint32_t binding, const Buffer& buffer, VkDescriptorType type) {
  const VkDescriptorBufferInfo info{buffer.buffer, 0, VK_WHOLE_SIZE};
  const VkWriteDescriptorSet w = vktest::write(set, binding, type, &info);
  vkUpdateDescriptorSets(device, 1, &w, 0, nullptr);
}

void Gpu::writeTexels(VkDescriptorSet set, uint32_t binding, VkDescriptorType type, VkBufferView texels) {
  const VkWriteDescriptorSet w = vktest::write(set, binding, type, nullptr, nullptr, &texels);
  vkUpdateDescriptorSets(device, 1, &w, 0, nullptr);
}

void Gpu::writeImage(VkDescriptorSet set, uint32_t binding, VkDescriptorType type, const Image& image,
                     VkSampler sampler) {
  const VkDescriptorImageInfo info{sampler, image.view, VK_IMAGE_LAYOUT_GENERAL};
  const VkWriteDescriptorSet w = vktest::write(set, binding, type, nullptr, &info);
  vkUpdateDescriptorSets(device, 1, &w, 0, nullptr);
}

VkPipelineLayout Gpu::makeLayout(VkDescriptorSetLayout set) { return makePipelineLayout(set, 64); }

VkShaderModule Gpu::temporaryModule(Spirv code) {
  VkShaderModuleCreateInfo ci{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  ci.codeSize = code.size_bytes();
  ci.pCode = code.data();
  VkShaderModule m;
  VK_CHECK(vkCreateShaderModule(device, &ci, nullptr, &m));
  return m;
}

VkPipeline Gpu::makePipeline(Spirv compute, VkPipelineLayout l, const int32_t* variant) {
  const VkShaderModule module = temporaryModule(compute);
  const VkSpecializationMapEntry entry{0, 0, 4};
  const VkSpecializationInfo specialization{1, &entry, 4, variant};
  const VkPipeline p = vktest::Device::makePipeline(module, l, variant ? &specialization : nullptr);
  vkDestroyShaderModule(device, module, nullptr);
  return p;
}

VkPipeline Gpu::makePipeline(const GraphicsDesc& d, VkPipelineLayout l) {
  const TargetDesc& target = d.target->desc;
  const VkSpecializationMapEntry entry{0, 0, 4};
  const VkSpecializationInfo specialization{1, &entry, 4, d.variant};
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  for (const Stage& s : d.stages) {
    VkPipelineShaderStageCreateInfo si{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    si.stage = s.stage;
    si.module = temporaryModule(s.code);
    si.pName = "main";
    si.pSpecializationInfo = d.variant ? &specialization : nullptr;
    stages.push_back(si);
  }
  const std::vector<VkVertexInputAttributeDescription> attributes = attributesOf(d);
  const VkVertexInputBindingDescription binding{
      0, d.vertices ? uint32_t{sizeof(Vertex)} : d.stride,
      d.instanced ? VK_VERTEX_INPUT_RATE_INSTANCE : VK_VERTEX_INPUT_RATE_VERTEX};
  VkPipelineVertexInputStateCreateInfo vertexInput{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  vertexInput.vertexBindingDescriptionCount = attributes.empty() ? 0 : 1;
  vertexInput.pVertexBindingDescriptions = &binding;
  vertexInput.vertexAttributeDescriptionCount = uint32_t(attributes.size());
  vertexInput.pVertexAttributeDescriptions = attributes.data();
  VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  assembly.topology = d.topology;
  VkPipelineTessellationStateCreateInfo tessellation{VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO};
  tessellation.patchControlPoints = d.patchPoints;
  const VkViewport viewport{0, 0, float(target.width), float(target.height), 0, 1};
  const VkRect2D scissor{{0, 0}, {target.width, target.height}};
  VkPipelineViewportStateCreateInfo viewportState{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  viewportState.viewportCount = viewportState.scissorCount = 1;
  viewportState.pViewports = &viewport;
  viewportState.pScissors = &scissor;
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  raster.cullMode = d.cull;
  raster.polygonMode = d.polygons;
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo multisample{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  multisample.rasterizationSamples = static_cast<VkSampleCountFlagBits>(target.samples);
  multisample.sampleShadingEnable = d.sampleShading;
  multisample.minSampleShading = 1;
  multisample.alphaToCoverageEnable = d.alphaToCoverage;
  multisample.pSampleMask = &d.sampleMask;
  VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  depth.depthTestEnable = d.depthTest;
  depth.depthWriteEnable = d.depthTest && d.depthWrite;
  depth.depthCompareOp = VK_COMPARE_OP_LESS;
  const std::vector<VkPipelineColorBlendAttachmentState> blends(target.colors, d.blending ? *d.blending : blendOf(d));
  VkPipelineColorBlendStateCreateInfo blendState{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  blendState.attachmentCount = target.colors;
  blendState.pAttachments = blends.data();
  blendState.logicOpEnable = d.logic != nullptr;
  if (d.logic) blendState.logicOp = *d.logic;

  const VkPipelineFragmentShadingRateStateCreateInfoKHR rate{
      VK_STRUCTURE_TYPE_PIPELINE_FRAGMENT_SHADING_RATE_STATE_CREATE_INFO_KHR, nullptr, d.fragment, {}};
  VkGraphicsPipelineCreateInfo ci{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
  if (d.fragment.width * d.fragment.height > 1) ci.pNext = &rate;
  VkPipelineCreationFeedback whole{};
  std::vector<VkPipelineCreationFeedback> ofStages(stages.size());
  const VkPipelineCreationFeedbackCreateInfo feedback{VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
                                                      ci.pNext, &whole, uint32_t(stages.size()), ofStages.data()};
  if (d.fromCache && properties.apiVersion >= VK_API_VERSION_1_3) ci.pNext = &feedback;
  ci.stageCount = uint32_t(stages.size());
  ci.pStages = stages.data();
  ci.pVertexInputState = &vertexInput;
  ci.pInputAssemblyState = &assembly;
  ci.pTessellationState = d.patchPoints ? &tessellation : nullptr;
  ci.pViewportState = &viewportState;
  ci.pRasterizationState = &raster;
  ci.pMultisampleState = &multisample;
  ci.pDepthStencilState = d.depthStencil ? d.depthStencil : &depth;
  ci.pColorBlendState = &blendState;
  ci.layout = l;
  ci.renderPass = d.target->pass;
  const VkPipeline p = make(ci, d.cache);
  if (d.fromCache) *d.fromCache = (whole.flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT) != 0;
  for (const auto& s : stages) vkDestroyShaderModule(device, s.module, nullptr);
  return p;
}

}  // namespace vkbench
