// A scene for tests of captures whose bytes can be counted by hand: 256x192, 8 samples, RGBA8 and D32, cleared, one
// triangle left of a vertical line at x = EDGE pixels, resolved at the end of the pass.
// usage: etzel-inspect-scene EDGE
#include <cstdio>
#include <cstdlib>

#include "device.h"
#include "edge.vert.h"
#include "red.frag.h"

namespace {

using example::Device;
using example::Image;

constexpr VkExtent2D kSize{256, 192};
constexpr VkSampleCountFlagBits kSamples = VK_SAMPLE_COUNT_8_BIT;
constexpr VkFormat kColor = VK_FORMAT_R8G8B8A8_UNORM, kDepth = VK_FORMAT_D32_SFLOAT;

VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits bit, VkShaderModule module) {
  VkPipelineShaderStageCreateInfo s{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
  s.stage = bit;
  s.module = module;
  s.pName = "main";
  return s;
}

VkPipeline makePipeline(const Device& device, VkPipelineLayout layout) {
  const VkShaderModule vertex = device.makeShader(edge_vert, sizeof edge_vert);
  const VkShaderModule fragment = device.makeShader(red_frag, sizeof red_frag);
  const VkPipelineShaderStageCreateInfo stages[2] = {stage(VK_SHADER_STAGE_VERTEX_BIT, vertex),
                                                     stage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment)};
  VkPipelineVertexInputStateCreateInfo vi{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  VkPipelineInputAssemblyStateCreateInfo ia{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  ia.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  const VkViewport viewport{0, 0, float(kSize.width), float(kSize.height), 0, 1};
  const VkRect2D scissor{{}, kSize};
  VkPipelineViewportStateCreateInfo vp{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  vp.viewportCount = vp.scissorCount = 1;
  vp.pViewports = &viewport;
  vp.pScissors = &scissor;
  VkPipelineRasterizationStateCreateInfo rs{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  rs.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo ms{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  ms.rasterizationSamples = kSamples;
  VkPipelineDepthStencilStateCreateInfo ds{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  ds.depthTestEnable = ds.depthWriteEnable = VK_TRUE;
  ds.depthCompareOp = VK_COMPARE_OP_LESS;
  VkPipelineColorBlendAttachmentState blend{};
  blend.colorWriteMask = 0xF;
  VkPipelineColorBlendStateCreateInfo cb{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  cb.attachmentCount = 1;
  cb.pAttachments = &blend;
  VkPipelineRenderingCreateInfo ri{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
  ri.colorAttachmentCount = 1;
  ri.pColorAttachmentFormats = &kColor;
  ri.depthAttachmentFormat = kDepth;
  VkGraphicsPipelineCreateInfo gi{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &ri};
  gi.stageCount = 2;
  gi.pStages = stages;
  gi.pVertexInputState = &vi;
  gi.pInputAssemblyState = &ia;
  gi.pViewportState = &vp;
  gi.pRasterizationState = &rs;
  gi.pMultisampleState = &ms;
  gi.pDepthStencilState = &ds;
  gi.pColorBlendState = &cb;
  gi.layout = layout;
  VkPipeline pipeline;
  CHECK(vkCreateGraphicsPipelines(device.handle(), VK_NULL_HANDLE, 1, &gi, nullptr, &pipeline));
  vkDestroyShaderModule(device.handle(), vertex, nullptr);
  vkDestroyShaderModule(device.handle(), fragment, nullptr);
  return pipeline;
}

void begin(VkCommandBuffer c, const Image& image, VkImageAspectFlags aspect, VkImageLayout layout) {
  VkImageMemoryBarrier2 b{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
  b.srcStageMask = b.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  b.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
  b.newLayout = layout;
  b.srcQueueFamilyIndex = b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  b.image = image.image;
  b.subresourceRange = {aspect, 0, 1, 0, 1};
  VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  info.imageMemoryBarrierCount = 1;
  info.pImageMemoryBarriers = &b;
  vkCmdPipelineBarrier2(c, &info);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: etzel-inspect-scene EDGE\n");
    return 2;
  }
  const float right = float(std::atof(argv[1])) / (kSize.width / 2) - 1;
  const Device device;
  if (!device) return 1;
  const VkDevice d = device.handle();
  constexpr VkImageUsageFlags kUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  const Image color = device.makeImage(kColor, kSize, kSamples, kUsage, VK_IMAGE_ASPECT_COLOR_BIT);
  const Image resolved = device.makeImage(kColor, kSize, VK_SAMPLE_COUNT_1_BIT, kUsage, VK_IMAGE_ASPECT_COLOR_BIT);
  const Image depth = device.makeImage(kDepth, kSize, kSamples, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
                                       VK_IMAGE_ASPECT_DEPTH_BIT);
  const VkPushConstantRange range{VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof right};
  VkPipelineLayoutCreateInfo pl{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  pl.pushConstantRangeCount = 1;
  pl.pPushConstantRanges = &range;
  VkPipelineLayout layout;
  CHECK(vkCreatePipelineLayout(d, &pl, nullptr, &layout));
  const VkPipeline pipeline = makePipeline(device, layout);

  VkCommandBuffer c = device.begin();
  begin(c, color, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  begin(c, resolved, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  begin(c, depth, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
  VkRenderingAttachmentInfo ca{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  ca.imageView = color.view;
  ca.imageLayout = ca.resolveImageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  ca.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
  ca.resolveImageView = resolved.view;
  ca.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  ca.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  ca.clearValue.color = {{0, 0, 1, 1}};
  VkRenderingAttachmentInfo da = ca;
  da.imageView = depth.view;
  da.imageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
  da.resolveMode = VK_RESOLVE_MODE_NONE;
  da.resolveImageView = VK_NULL_HANDLE;
  da.clearValue.depthStencil = {1, 0};
  VkRenderingInfo ri{VK_STRUCTURE_TYPE_RENDERING_INFO};
  ri.renderArea = {{}, kSize};
  ri.layerCount = ri.colorAttachmentCount = 1;
  ri.pColorAttachments = &ca;
  ri.pDepthAttachment = &da;
  vkCmdBeginRendering(c, &ri);
  vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdPushConstants(c, layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof right, &right);
  vkCmdDraw(c, 3, 1, 0, 0);
  vkCmdEndRendering(c);
  device.submit(c);

  vkDestroyPipeline(d, pipeline, nullptr);
  vkDestroyPipelineLayout(d, layout, nullptr);
  for (const Image& i : {color, resolved, depth}) device.destroy(i);
}
