// One draw with a pipeline of its own.
#include "cts-subset/support/draw.h"

#include <algorithm>

#include "testing/vk/float_state.h"

#include "cts-subset/support/result.h"

namespace etzel::cts {

std::string coverAll(const std::string& z) {
  return "#version 450\nvoid main() { vec2 p = vec2(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : "
         "-1.0); "
         "gl_Position = vec4(p, " +
         z + ", 1.0); }\n";
}

std::string writes(const std::string& expression, const std::string& type) {
  return "#version 450\nlayout(location = 0) out " + type + " color;\nvoid main() { color = " + expression + "; }\n";
}

/// \param next  the chain of every stage
static std::vector<VkPipelineShaderStageCreateInfo> stagesOf(Gpu& gpu, const DrawState& s, const void* next) {
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  auto stage = [&](VkShaderStageFlagBits bit, const std::string& glsl) {
    if (glsl.empty()) return;
    VkPipelineShaderStageCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, next};
    info.stage = bit;
    info.module = gpu.shader(bit, glsl);
    info.pName = "main";
    stages.push_back(info);
  };
  stage(VK_SHADER_STAGE_VERTEX_BIT, s.vert);
  stage(VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, s.tesc);
  stage(VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, s.tese);
  stage(VK_SHADER_STAGE_GEOMETRY_BIT, s.geom);
  stage(VK_SHADER_STAGE_FRAGMENT_BIT, s.frag);
  return stages;
}

VkPipeline makePipeline(Gpu& gpu, const DrawState& s, VkPipelineLayout layout, VkExtent2D extent,
                        const Subpass* subpass) {
  const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr, s.subgroupSize};
  const auto stages = stagesOf(gpu, s, s.subgroupSize ? &required : nullptr);

  VkVertexInputBindingDescription binding{0, s.stride, s.rate};
  std::vector<VkVertexInputAttributeDescription> attributes;
  for (uint32_t i = 0; i < s.attributes.size(); ++i)
    attributes.push_back({i, 0, s.attributes[i].format, s.attributes[i].offset});
  VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  input.pNext = s.vertexInputNext;
  input.vertexBindingDescriptionCount = attributes.empty() ? 0 : 1;
  input.pVertexBindingDescriptions = &binding;
  input.vertexAttributeDescriptionCount = uint32_t(attributes.size());
  input.pVertexAttributeDescriptions = attributes.data();
  VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  assembly.topology = s.topology;
  assembly.primitiveRestartEnable = s.restart;
  VkPipelineTessellationStateCreateInfo tessellation{VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO};
  tessellation.pNext = s.tessellationNext;
  tessellation.patchControlPoints = s.patchPoints;
  const VkViewport wholeViewport{0, 0, float(extent.width), float(extent.height), 0, 1};
  const VkRect2D wholeScissor{{0, 0}, extent};
  VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  viewport.viewportCount = s.viewports.empty() ? 1 : uint32_t(s.viewports.size());
  viewport.pViewports = s.viewports.empty() ? &wholeViewport : s.viewports.data();
  viewport.scissorCount = s.scissors.empty() ? 1 : uint32_t(s.scissors.size());
  viewport.pScissors = s.scissors.empty() ? &wholeScissor : s.scissors.data();
  std::vector<VkPipelineColorBlendAttachmentState> blends(subpass ? subpass->colors : s.colors.size(), s.attachment);
  for (size_t i = 0; i < std::min(blends.size(), s.writeMasks.size()); ++i) blends[i].colorWriteMask = s.writeMasks[i];
  VkPipelineColorBlendStateCreateInfo blend = s.blend;
  blend.attachmentCount = uint32_t(blends.size());
  blend.pAttachments = blends.data();

  VkPipelineRenderingCreateInfo formats{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, s.pipelineNext};
  std::vector<VkFormat> colorFormats;
  const auto declared = [&](const Image& image, VkImageAspectFlags aspect) {
    return image.aspect & aspect & ~s.undeclared ? image.desc.format : VK_FORMAT_UNDEFINED;
  };
  for (auto& c : s.colors) colorFormats.push_back(declared(c, VK_IMAGE_ASPECT_COLOR_BIT));
  formats.viewMask = s.viewMask;
  formats.colorAttachmentCount = uint32_t(colorFormats.size());
  formats.pColorAttachmentFormats = colorFormats.data();
  if (s.depth) formats.depthAttachmentFormat = declared(*s.depth, VK_IMAGE_ASPECT_DEPTH_BIT);
  if (s.depth) formats.stencilAttachmentFormat = declared(*s.depth, VK_IMAGE_ASPECT_STENCIL_BIT);
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                    subpass ? s.pipelineNext : &formats};
  info.flags = s.pipelineFlags;
  info.stageCount = uint32_t(stages.size());
  info.pStages = stages.data();
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pTessellationState = s.patchPoints ? &tessellation : nullptr;
  info.pViewportState = &viewport;
  info.pRasterizationState = &s.raster;
  info.pMultisampleState = &s.multisample;
  info.pDepthStencilState = &s.depthStencil;
  info.pColorBlendState = &blend;
  info.pDynamicState = s.dynamic;
  info.layout = layout;
  if (subpass) info.renderPass = subpass->pass, info.subpass = subpass->index;
  VkPipeline pipeline;
  CTS_VK(vktest::inApplicationState(
      [&] { return vkCreateGraphicsPipelines(gpu.device, gpu.cache, 1, &info, nullptr, &pipeline); }));
  gpu.later([&gpu, pipeline] { vkDestroyPipeline(gpu.device, pipeline, nullptr); });
  return pipeline;
}

void draw(Gpu& gpu, const DrawState& s) {
  const Image& target = s.colors.empty() ? *s.depth : s.colors[0];
  const VkExtent2D extent{target.desc.width, target.desc.height};
  for (const Binding& b : s.bindings)
    if (b.type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT) throw Failure("input attachments need a render pass");
  const Gpu::Set set = gpu.set(s.bindings, uint32_t(s.push.size()));
  const VkPipeline pipeline = makePipeline(gpu, s, set.pipeline, extent);

  std::vector<VkRenderingAttachmentInfo> colors;
  for (size_t i = 0; i < s.colors.size(); ++i) {
    VkRenderingAttachmentInfo a{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    a.imageView = s.colors[i].view;
    a.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    a.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
    a.storeOp = s.storeOp;
    if (s.clearColors) a.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, a.clearValue = *s.clearColors;
    if (i < s.resolves.size()) {
      a.resolveMode = s.resolveMode;
      a.resolveImageView = s.resolves[i].view;
      a.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    }
    colors.push_back(a);
  }
  VkRenderingAttachmentInfo depth{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  depth.imageView = s.depth ? s.depth->view : VK_NULL_HANDLE;
  depth.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  depth.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  depth.storeOp = s.storeOp;
  if (s.clearDepth) depth.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, depth.clearValue = *s.clearDepth;
  VkRenderingAttachmentInfo stencil = depth;
  if (s.depthResolve) {
    depth.resolveMode = s.depthResolveMode, stencil.resolveMode = s.stencilResolveMode;
    depth.resolveImageLayout = stencil.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    if (depth.resolveMode) depth.resolveImageView = s.depthResolve->view;
    if (stencil.resolveMode) stencil.resolveImageView = s.depthResolve->view;
  }
  VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO, s.renderingNext};
  rendering.flags = s.flags;
  rendering.renderArea = {{0, 0}, extent};
  rendering.layerCount = s.layers;
  rendering.viewMask = s.viewMask;
  rendering.colorAttachmentCount = uint32_t(colors.size());
  rendering.pColorAttachments = colors.data();
  if (s.depth && s.depth->aspect & VK_IMAGE_ASPECT_DEPTH_BIT) rendering.pDepthAttachment = &depth;
  if (s.depth && s.depth->aspect & VK_IMAGE_ASPECT_STENCIL_BIT) rendering.pStencilAttachment = &stencil;
  gpu.submit([&](VkCommandBuffer cmd) {
    if (s.before) s.before(cmd);
    vkCmdBeginRendering(cmd, &rendering);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    if (set.set)
      vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, set.pipeline, 0, 1, &set.set, 0, nullptr);
    if (!s.push.empty())
      vkCmdPushConstants(cmd, set.pipeline, VK_SHADER_STAGE_ALL, 0, uint32_t(s.push.size()), s.push.data());
    VkDeviceSize zero = 0;
    if (s.vertices.handle) vkCmdBindVertexBuffers(cmd, 0, 1, &s.vertices.handle, &zero);
    if (s.commands)
      s.commands(cmd);
    else
      vkCmdDraw(cmd, s.vertexCount, s.instanceCount, s.firstVertex, s.firstInstance);
    vkCmdEndRendering(cmd);
    if (s.after) s.after(cmd);
  });
}

void expectPicture(const std::vector<uint8_t>& rendered, const std::vector<uint8_t>& expected, uint32_t width,
                   uint32_t height, int tolerance) {
  size_t wrong = 0, first = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    if (std::abs(int(rendered[i]) - int(expected[i])) > tolerance) {
      if (!wrong++) first = i;
    }
  if (!wrong) return;
  ADD_FAILURE() << wrong << " bytes differ; first at pixel (" << first / 4 % width << "," << first / 4 / width
                << ") channel " << first % 4 << ": " << int(rendered[first]) << " instead of " << int(expected[first]);
  showPictures(rendered, expected, width, height);
}

}  // namespace etzel::cts
