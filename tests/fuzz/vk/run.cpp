// How a module runs: its descriptors, its pipeline, a draw or a dispatch.
#include <algorithm>
#include <iterator>

#include "testing/vk/commands.h"
#include "tests/fuzz/vk/rig.h"

namespace etzel::fuzz {
namespace {

constexpr uint32_t kVertices = 6;

bool isTexelBuffer(const Binding& b) {
  return b.type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER || b.type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
}
bool isImage(const Binding& b) {
  return b.type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE || b.type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER ||
         b.type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
}

}  // namespace

uint32_t Rig::companionsOf(VkShaderStageFlagBits stage) {
  const uint32_t always = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
  const uint32_t patches = VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT | VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
  return (always | (stage & patches ? patches : 0)) & ~uint32_t(stage);
}

Rig::Bindings Rig::bind(const Interface& interface) {
  Bindings bindings;
  uint32_t sets = 0;
  for (const Binding& b : interface.bindings) {
    sets = std::max(sets, b.set + 1);
    if (isTexelBuffer(b)) texels(b.image.format, b.image.storage);
    if (!isImage(b)) continue;
    picture(b.image);
    if (b.image.storage && !std::count(bindings.written.begin(), bindings.written.end(), b.image))
      bindings.written.push_back(b.image);
  }
  base_ = uint32_t(made());
  for (uint32_t set = 0; set < sets; ++set) {
    std::vector<VkDescriptorSetLayoutBinding> list;
    for (const Binding& b : interface.bindings)
      if (b.set == set) list.push_back({b.binding, b.type, b.count, VK_SHADER_STAGE_ALL, nullptr});
    const VkDescriptorSetLayout layout = makeSetLayout(list);
    bindings.setLayouts.push_back(layout);
    bindings.sets.push_back(makeSet(interface, set, layout));
  }
  const VkPushConstantRange push{VK_SHADER_STAGE_ALL, 0, kPushBytes};
  VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = sets;
  info.pSetLayouts = bindings.setLayouts.data();
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &push;
  bindings.layout = make(info);
  return bindings;
}

VkDescriptorSet Rig::makeSet(const Interface& interface, uint32_t set, VkDescriptorSetLayout layout) {
  std::vector<VkDescriptorPoolSize> sizes{{VK_DESCRIPTOR_TYPE_SAMPLER, 1}};
  for (const Binding& b : interface.bindings)
    if (b.set == set) sizes.push_back({b.type, b.count});
  const VkDescriptorSet made = makeSets(layout, 1, sizes)[0];
  uint32_t next = set;  // which piece of the buffers comes next
  for (const Binding& b : interface.bindings) {
    if (b.set != set) continue;
    for (uint32_t i = 0; i < b.count; ++i) {
      const bool writes = b.type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      const VkDescriptorBufferInfo buffer{writes ? outputs_ : inputs_, kBufferBytes * (next++ % (kBuffers - 1)),
                                          kBufferBytes};
      const VkDescriptorImageInfo image{sampler_, isImage(b) ? picture(b.image).view : VK_NULL_HANDLE,
                                        VK_IMAGE_LAYOUT_GENERAL};
      const VkBufferView view = isTexelBuffer(b) ? texels(b.image.format, b.image.storage) : VK_NULL_HANDLE;
      VkWriteDescriptorSet w = vktest::write(made, b.binding, b.type, &buffer, &image, &view);
      w.dstArrayElement = i;
      vkUpdateDescriptorSets(device, 1, &w, 0, nullptr);
    }
  }
  return made;
}

VkPipeline Rig::graphicsPipeline(const Interface& interface, VkShaderModule module, VkPipelineLayout layout,
                                 VkPipelineCache cache, VkPipelineCreateFlags flags, uint32_t options) {
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  const uint32_t companions = companionsOf(interface.stage);
  for (uint32_t i = 0; i < kStages; ++i) {
    const auto bit = VkShaderStageFlagBits(1u << i);
    const bool own = bit == interface.stage;
    if (!own && !(companions & bit)) continue;
    stages.push_back({VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, bit,
                      own ? module : companion_[i], own ? interface.entryPoint.c_str() : "main", nullptr});
  }
  const bool patches =
      companions & VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT || companions & VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
  const VkVertexInputBindingDescription vertices{0, kVertexStride, VK_VERTEX_INPUT_RATE_VERTEX};
  VkVertexInputAttributeDescription attributes[kAttributes];
  for (uint32_t i = 0; i < kAttributes; ++i) attributes[i] = {i, 0, VK_FORMAT_R32G32B32A32_SFLOAT, (i & 3) * 16};
  const VkPipelineVertexInputStateCreateInfo input{
      VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO, nullptr, 0, 1, &vertices, kAttributes, attributes};
  VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  assembly.topology = patches ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : interface.topology;
  VkPipelineTessellationStateCreateInfo tessellation{VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO};
  tessellation.patchControlPoints = kPatchPoints;
  const VkViewport viewport{0, 0, kTargetSize, kTargetSize, 0, 1};
  const VkRect2D scissor{{0, 0}, {kTargetSize, kTargetSize}};
  const VkPipelineViewportStateCreateInfo view{
      VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, nullptr, 0, 1, &viewport, 1, &scissor};
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  samples.rasterizationSamples = options & 1 ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT;
  samples.sampleShadingEnable = options >> 1 & 1;
  samples.minSampleShading = 1;
  VkPipelineColorBlendAttachmentState blend{};
  blend.colorWriteMask = 15;
  blend.blendEnable = options >> 3 & 1;
  blend.srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
  blend.dstColorBlendFactor = VK_BLEND_FACTOR_ONE;
  const VkPipelineColorBlendAttachmentState blends[2] = {blend, blend};
  VkPipelineColorBlendStateCreateInfo colors{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  colors.attachmentCount = 2;
  colors.pAttachments = blends;
  VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  depth.depthTestEnable = depth.depthWriteEnable = VK_TRUE;
  depth.depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
  const VkFormat formats[2] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32G32B32A32_SFLOAT};
  VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
  rendering.colorAttachmentCount = 2;
  rendering.pColorAttachmentFormats = formats;
  rendering.depthAttachmentFormat = VK_FORMAT_D32_SFLOAT;
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering, flags};
  info.stageCount = uint32_t(stages.size());
  info.pStages = stages.data();
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pTessellationState = &tessellation;
  info.pViewportState = &view;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pDepthStencilState = &depth;
  info.pColorBlendState = &colors;
  info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  if (vkCreateGraphicsPipelines(device, cache, 1, &info, nullptr, &pipeline) != VK_SUCCESS) return VK_NULL_HANDLE;
  return pipeline;
}

void Rig::render(VkCommandBuffer commands, uint32_t options) {
  const bool multisampled = options & 1;
  for (int i = 0; i < 6; ++i) {
    const VkImageAspectFlags aspect = i % 3 == 2 ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
    const VkImageMemoryBarrier barrier = vktest::discard(targets_[i / 3][i % 3].image, {aspect, 0, 1, 0, 1},
                                                         VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_MEMORY_WRITE_BIT);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                         nullptr, 0, nullptr, 1, &barrier);
  }
  VkRenderingAttachmentInfo colors[2], depth{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  depth.imageView = targets_[multisampled][2].view;
  depth.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  depth.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  depth.clearValue.depthStencil.depth = 0.75f;
  for (int i = 0; i < 2; ++i) {
    colors[i] = {VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    colors[i].imageView = targets_[multisampled][i].view;
    colors[i].imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    colors[i].loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    colors[i].clearValue.color = {{0.125f, 0.25f, 0.5f, 1.0f}};
    if (!multisampled) continue;
    colors[i].resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
    colors[i].resolveImageView = targets_[0][i].view;
    colors[i].resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
  }
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.renderArea.extent = {16, 16};
  info.layerCount = 1;
  info.colorAttachmentCount = 2;
  info.pColorAttachments = colors;
  info.pDepthAttachment = &depth;
  vkCmdBeginRendering(commands, &info);
  vkCmdDraw(commands, kVertices, 1 + (options >> 2 & 1), 0, 0);
  vkCmdEndRendering(commands);
  vktest::fullBarrier(commands);
  for (int i = 0; i < 2; ++i) {
    const Picture& p = targets_[0][i];
    VkBufferImageCopy copy = vktest::wholeLevel(p.size, VK_IMAGE_ASPECT_COLOR_BIT, 0, 0);
    copy.bufferOffset = backBytes_;
    const VkDeviceSize begin = backBytes_;
    backBytes_ += 16 * 16 * (i ? 16 : 4);
    if (i) floats_ = {begin / 4, backBytes_ / 4};
    vkCmdCopyImageToBuffer(commands, p.image, VK_IMAGE_LAYOUT_GENERAL, readback_, 1, &copy);
  }
}

Outcome Rig::draw(const Bindings& bindings, uint32_t options, const std::function<void(VkCommandBuffer)>& bindCode) {
  const VkCommandBuffer commands = begin();
  reset(commands, bindings);
  bindCode(commands);
  if (!bindings.sets.empty())
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, bindings.layout, 0,
                            uint32_t(bindings.sets.size()), bindings.sets.data(), 0, nullptr);
  vkCmdPushConstants(commands, bindings.layout, VK_SHADER_STAGE_ALL, 0, kPushBytes, input_);
  const VkDeviceSize start = 0;
  vkCmdBindVertexBuffers(commands, 0, 1, &inputs_, &start);
  render(commands, options);
  readBack(commands, bindings);
  return finish(commands);
}

Outcome Rig::run(std::span<const uint32_t> words, VkPipelineCache cache, VkPipelineCreateFlags flags) {
  const std::optional<Interface> interface = interfaceOf(words);
  if (!interface) return runBare(words);
  const Bindings bindings = bind(*interface);
  const uint32_t options = words[2];
  const VkShaderModule module = makeModule(words);
  VkPipeline pipeline = VK_NULL_HANDLE;
  const bool compute = interface->stage == VK_SHADER_STAGE_COMPUTE_BIT;
  if (compute) {
    pipeline = computePipeline(*interface, module, bindings.layout, cache, flags);
  } else {
    pipeline = graphicsPipeline(*interface, module, bindings.layout, cache, flags, options);
  }
  Outcome outcome;
  if (pipeline && interface->usesAddresses) {
    outcome.verdict = Verdict::Refused;  // it is made, and not run
  } else if (pipeline && compute) {
    outcome = dispatch(pipeline, bindings, options);
  } else if (pipeline) {
    outcome = draw(bindings, options, [pipeline](VkCommandBuffer commands) {
      vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    });
  }
  vkDestroyPipeline(device, pipeline, nullptr);
  endRun();
  if (interface->usesClock) outcome.digest = 0;
  return outcome;
}

Outcome Rig::runBare(std::span<const uint32_t> words) {
  const VkShaderModule module = makeModule(words);
  Interface none;
  none.entryPoint = "main";
  const Bindings bindings = bind(none);
  const VkPipeline pipeline = computePipeline(none, module, bindings.layout, VK_NULL_HANDLE, 0);
  vkDestroyPipeline(device, pipeline, nullptr);
  endRun();
  return {};
}

VkPipeline Rig::computePipeline(const Interface& interface, VkShaderModule module, VkPipelineLayout layout,
                                VkPipelineCache cache, VkPipelineCreateFlags flags) {
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, nullptr, flags};
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                nullptr,
                0,
                VK_SHADER_STAGE_COMPUTE_BIT,
                module,
                interface.entryPoint.c_str(),
                nullptr};
  info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  if (vkCreateComputePipelines(device, cache, 1, &info, nullptr, &pipeline) != VK_SUCCESS) return VK_NULL_HANDLE;
  return pipeline;
}

}  // namespace etzel::fuzz
