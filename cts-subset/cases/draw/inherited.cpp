// Viewports and scissors that secondary command buffers inherit from the primary one
// (VK_NV_inherited_viewport_scissor).
#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

constexpr uint32_t kSize = 16;
constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;

struct Area {
  uint32_t x, y, width, height;
};

/// A secondary command buffer that draws a triangle over its whole viewport, and says nothing of viewports.
VkCommandBuffer secondary(Gpu& gpu, VkPipeline pipeline) {
  const VkCommandBuffer cmd = gpu.makeCommands(gpu.pool(), VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  const VkViewport depths{0, 0, 0, 0, 0, 1};
  // VkCommandBufferInheritanceViewportScissorInfoNV
  const VkCommandBufferInheritanceViewportScissorInfoNV inherited{
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_VIEWPORT_SCISSOR_INFO_NV, nullptr, VK_TRUE, 1, &depths};
  VkCommandBufferInheritanceRenderingInfo rendering{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
                                                    &inherited};
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachmentFormats = &kFormat;
  rendering.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  const VkCommandBufferInheritanceInfo from{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, &rendering};
  VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  begin.flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT;
  begin.pInheritanceInfo = &from;
  CTS_VK(vkBeginCommandBuffer(cmd, &begin));
  vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdDraw(cmd, 3, 1, 0, 0);
  CTS_VK(vkEndCommandBuffer(cmd));
  return cmd;
}

void inherited(Gpu& gpu, Area viewport, Area scissor) {
  gpu.requireExtension(VK_NV_INHERITED_VIEWPORT_SCISSOR_EXTENSION_NAME);
  const Image image =
      gpu.image({.format = kFormat, .width = kSize, .height = kSize, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  const VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
  dynamic.dynamicStateCount = 2, dynamic.pDynamicStates = states;
  DrawState s;
  s.vert = coverAll();
  s.frag = writes("vec4(1)");
  s.colors = {image};
  s.dynamic = &dynamic;
  const VkPipeline pipeline = makePipeline(gpu, s, gpu.makePipelineLayout(VK_NULL_HANDLE, 0), VkExtent2D{kSize, kSize});
  const VkCommandBuffer second = secondary(gpu, pipeline);
  const VkViewport v{float(viewport.x), float(viewport.y), float(viewport.width), float(viewport.height), 0, 1};
  const VkRect2D r{{int32_t(scissor.x), int32_t(scissor.y)}, {scissor.width, scissor.height}};
  VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  color.imageView = image.view;
  color.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.flags = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT;
  info.renderArea.extent = {kSize, kSize};
  info.layerCount = 1;
  info.colorAttachmentCount = 1, info.pColorAttachments = &color;
  gpu.submit([&](VkCommandBuffer cmd) {
    vkCmdSetViewport(cmd, 0, 1, &v);
    vkCmdSetScissor(cmd, 0, 1, &r);
    vkCmdBeginRendering(cmd, &info);
    vkCmdExecuteCommands(cmd, 1, &second);
    vkCmdEndRendering(cmd);
  });
  const auto inside = [](Area a, uint32_t x, uint32_t y) {
    return x >= a.x && x < a.x + a.width && y >= a.y && y < a.y + a.height;
  };
  std::vector<uint8_t> expected;
  for (uint32_t i = 0; i < kSize * kSize; ++i) {
    const bool drawn = inside(viewport, i % kSize, i / kSize) && inside(scissor, i % kSize, i / kSize);
    expected.insert(expected.end(), 4, drawn ? 255 : 0);
  }
  expectPicture(gpu.download(image, 4), expected, kSize, kSize);
}

}  // namespace

void registerInherited() {
  constexpr Area whole = {0, 0, kSize, kSize}, corner = {3, 5, 8, 4};
  add("draw.inherited.viewport", [=](Gpu& gpu) { inherited(gpu, corner, whole); });
  add("draw.inherited.scissor", [=](Gpu& gpu) { inherited(gpu, whole, corner); });
}

}  // namespace etzel::cts
