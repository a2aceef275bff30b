// Drawing and presenting.
#include <cstdint>
#include <optional>
#include <vector>

#include "cover.frag.h"
#include "cover.vert.h"
#include "testing/vk/commands.h"
#include "tests/soak/window.h"
#include "tests/soak/world.h"

namespace etzel::soak {
namespace {

constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkImageSubresourceRange kColor{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};

struct Target {
  VkImage image;
  VkImageView view;
};
Target makeTarget(Scope& scope, VkExtent2D size, VkSampleCountFlagBits samples) {
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = kFormat;
  info.extent = {size.width, size.height, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = samples;
  info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  vktest::Device::Bound bound;
  Target t;
  t.image = scope.make(info, 0, &bound);
  VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  view.image = t.image;
  view.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view.format = kFormat;
  view.subresourceRange = kColor;
  t.view = scope.make(view);
  return t;
}

VkPipeline makePipeline(Scope& scope, VkPipelineLayout layout, VkSampleCountFlagBits samples) {
  const VkPipelineShaderStageCreateInfo stages[2] = {
      {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, VK_SHADER_STAGE_VERTEX_BIT,
       scope.makeModule(cover_vert), "main", nullptr},
      {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, VK_SHADER_STAGE_FRAGMENT_BIT,
       scope.makeModule(cover_frag), "main", nullptr}};
  const VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  VkPipelineViewportStateCreateInfo view{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  view.viewportCount = view.scissorCount = 1;
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo multisample{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  multisample.rasterizationSamples = samples;
  VkPipelineColorBlendAttachmentState attachment{};
  attachment.colorWriteMask = 15;
  VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  blend.attachmentCount = 1;
  blend.pAttachments = &attachment;
  const VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  const VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, nullptr, 0, 2,
                                                 states};
  VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachmentFormats = &kFormat;
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
  info.stageCount = 2;
  info.pStages = stages;
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &view;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &multisample;
  info.pColorBlendState = &blend;
  info.pDynamicState = &dynamic;
  info.layout = layout;
  return scope.make(info);
}

void toGeneral(VkCommandBuffer commands, VkImage image) {
  const VkImageMemoryBarrier barrier =
      vktest::discard(image, kColor, VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr,
                       0, nullptr, 1, &barrier);
}

VkSurfaceKHR makeHeadlessSurface(VkInstance instance) {
  const auto create =
      reinterpret_cast<PFN_vkCreateHeadlessSurfaceEXT>(vkGetInstanceProcAddr(instance, "vkCreateHeadlessSurfaceEXT"));
  const VkHeadlessSurfaceCreateInfoEXT info{VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
  VkSurfaceKHR surface;
  VKTEST_CHECK(create(instance, &info, nullptr, &surface));
  return surface;
}

/// A window that has another size than its swapchain shows what it is given all the same.
void checkShown(VkResult result) {
  if (result != VK_SUBOPTIMAL_KHR) vktest::check(result, "a swapchain's image");
}

}  // namespace

void draw(World& world, Random& random) {
  Scope scope(world);
  const VkExtent2D size{1 + pick(random, 200), 1 + pick(random, 200)};
  const auto samples = VkSampleCountFlagBits(1u << pick(random, 4));
  const bool multisampled = samples != VK_SAMPLE_COUNT_1_BIT;
  const Target single = makeTarget(scope, size, VK_SAMPLE_COUNT_1_BIT);
  const Target drawn = multisampled ? makeTarget(scope, size, samples) : single;
  const Scope::Words back = scope.words(size.width * size.height);
  const VkPipelineLayout layout = scope.makePipelineLayout(VK_NULL_HANDLE, 16);
  const VkPipeline pipeline = makePipeline(scope, layout, samples);
  const uint32_t bytes = random() | 0xFF000000;
  const float color[4] = {float(bytes & 255) / 255, float(bytes >> 8 & 255) / 255, float(bytes >> 16 & 255) / 255, 1};
  const VkCommandBuffer commands = scope.begin();
  toGeneral(commands, single.image);
  if (multisampled) toGeneral(commands, drawn.image);
  VkRenderingAttachmentInfo attachment{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  attachment.imageView = drawn.view;
  attachment.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  attachment.resolveMode = multisampled ? VK_RESOLVE_MODE_AVERAGE_BIT : VK_RESOLVE_MODE_NONE;
  attachment.resolveImageView = multisampled ? single.view : VK_NULL_HANDLE;
  attachment.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.renderArea.extent = size;
  info.layerCount = info.colorAttachmentCount = 1;
  info.pColorAttachments = &attachment;
  vkCmdBeginRendering(commands, &info);
  const VkViewport viewport{0, 0, float(size.width), float(size.height), 0, 1};
  vkCmdSetViewport(commands, 0, 1, &viewport);
  vkCmdSetScissor(commands, 0, 1, &info.renderArea);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_ALL, 0, sizeof color, color);
  vkCmdDraw(commands, 3, 1, 0, 0);
  vkCmdEndRendering(commands);
  vktest::fullBarrier(commands);
  const VkBufferImageCopy copy = vktest::wholeLevel({size.width, size.height, 1}, VK_IMAGE_ASPECT_COLOR_BIT, 0, 0);
  vkCmdCopyImageToBuffer(commands, single.image, VK_IMAGE_LAYOUT_GENERAL, back.buffer, 1, &copy);
  vktest::fullBarrier(commands);
  VKTEST_CHECK(vkEndCommandBuffer(commands));
  world.run(pick(random, World::kQueues), commands);
  for (uint32_t i = 0; i < back.count; ++i) expect(back.word[i] == bytes, "a pixel has another colour");
}

void present(World& world, Random& random) {
  std::optional<Window> window;  // goes after its surface
  if (Window::possible() && pick(random, 4) == 0) window.emplace(64, 64);
  Scope scope(world);
  const VkSurfaceKHR surface = window ? window->makeSurface(world.instance) : makeHeadlessSurface(world.instance);
  scope.later([&world, surface] { vkDestroySurfaceKHR(world.instance, surface, nullptr); });
  VkSwapchainCreateInfoKHR info{VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR};
  info.surface = surface;
  info.minImageCount = 2 + pick(random, 2);
  info.imageFormat = VK_FORMAT_B8G8R8A8_UNORM;
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
  info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
  info.presentMode = VK_PRESENT_MODE_FIFO_KHR;
  const VkSemaphoreCreateInfo plain{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  const VkSemaphore acquired = scope.make(plain), drawn = scope.make(plain);
  const VkFence done = scope.make(VkFenceCreateInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO});
  const uint32_t queue = pick(random, World::kQueues);
  for (uint32_t resizes = 1 + pick(random, 3); resizes; --resizes) {
    info.imageExtent = {1 + pick(random, 256), 1 + pick(random, 256)};
    if (window) window->resize(info.imageExtent.width, info.imageExtent.height);
    VkSwapchainKHR swapchain;
    {
      std::shared_lock lock(loadersDevices);
      VKTEST_CHECK(vkCreateSwapchainKHR(world.device, &info, nullptr, &swapchain));
    }
    if (info.oldSwapchain) vkDestroySwapchainKHR(world.device, info.oldSwapchain, nullptr);
    info.oldSwapchain = swapchain;
    uint32_t count = 0;
    VKTEST_CHECK(vkGetSwapchainImagesKHR(world.device, swapchain, &count, nullptr));
    std::vector<VkImage> images(count);
    VKTEST_CHECK(vkGetSwapchainImagesKHR(world.device, swapchain, &count, images.data()));
    for (uint32_t frames = 1 + pick(random, 6); frames; --frames) {
      uint32_t index = 0;
      checkShown(vkAcquireNextImageKHR(world.device, swapchain, UINT64_MAX, acquired, VK_NULL_HANDLE, &index));
      const VkCommandBuffer commands = scope.begin();
      toGeneral(commands, images[index]);
      const VkClearColorValue color{{0.5f, 0.25f, 0.125f, 1}};
      vkCmdClearColorImage(commands, images[index], VK_IMAGE_LAYOUT_GENERAL, &color, 1, &kColor);
      VKTEST_CHECK(vkEndCommandBuffer(commands));
      const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
      const VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 1, &acquired, &stage, 1, &commands, 1, &drawn};
      VKTEST_CHECK(world.submit(queue, submit, done));
      const VkPresentInfoKHR shown{
          VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, nullptr, 1, &drawn, 1, &swapchain, &index, nullptr};
      if (window && pick(random, 3) == 0) window->resize(1 + pick(random, 256), 1 + pick(random, 256));
      checkShown(world.present(queue, shown));
      VKTEST_CHECK(vkWaitForFences(world.device, 1, &done, VK_TRUE, UINT64_MAX));
      VKTEST_CHECK(vkResetFences(world.device, 1, &done));
    }
  }
  vkDestroySwapchainKHR(world.device, info.oldSwapchain, nullptr);
}

}  // namespace etzel::soak
