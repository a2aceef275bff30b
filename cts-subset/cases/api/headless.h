// Headless surfaces and their swapchains, for cases that present.
#pragma once

#include <algorithm>
#include <vector>

#include "cts-subset/support/gpu.h"

namespace etzel::cts {

inline constexpr uint64_t kPatience = 50'000'000'000;  // ns

// Not all headers have it.
inline constexpr auto kLatestReady = VkPresentModeKHR(1000361000);

/// A headless surface, and what it offers.
struct Surface {
  explicit Surface(Gpu& device) : gpu(device) {
    gpu.require(gpu.instanceExtensions.count(VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME), "VK_EXT_headless_surface");
    gpu.requireExtension(VK_KHR_SWAPCHAIN_EXTENSION_NAME);
    const auto create = proc<PFN_vkCreateHeadlessSurfaceEXT>("vkCreateHeadlessSurfaceEXT");
    const VkHeadlessSurfaceCreateInfoEXT info{VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    CTS_VK(create(gpu.instance, &info, nullptr, &handle));
    gpu.later([this_ = handle, &g = gpu] { vkDestroySurfaceKHR(g.instance, this_, nullptr); });
    VkBool32 supported = VK_FALSE;
    CTS_VK(vkGetPhysicalDeviceSurfaceSupportKHR(gpu.physical, gpu.family, handle, &supported));
    gpu.require(supported, "presentation");
    CTS_VK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(gpu.physical, handle, &capabilities));
    uint32_t count = 0;
    CTS_VK(vkGetPhysicalDeviceSurfacePresentModesKHR(gpu.physical, handle, &count, nullptr));
    modes.resize(count);
    CTS_VK(vkGetPhysicalDeviceSurfacePresentModesKHR(gpu.physical, handle, &count, modes.data()));
  }
  template <class F>
  F proc(const char* name) const {
    return reinterpret_cast<F>(vkGetInstanceProcAddr(gpu.instance, name));
  }
  bool offers(VkPresentModeKHR mode) const { return std::count(modes.begin(), modes.end(), mode); }
  void requireMode(VkPresentModeKHR mode) const {
    if (mode == kLatestReady) gpu.requireExtension("VK_KHR_present_mode_fifo_latest_ready");
    gpu.require(offers(mode), "present mode");
  }
  /// At most `room` of the modes that a swapchain may change to from `mode`.
  std::vector<VkPresentModeKHR> compatibleModes(VkPresentModeKHR mode, void* further = nullptr,
                                                size_t room = 64) const {
    const auto query =
        proc<PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR>("vkGetPhysicalDeviceSurfaceCapabilities2KHR");
    const VkSurfacePresentModeEXT wanted{VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_EXT, nullptr, mode};
    const VkPhysicalDeviceSurfaceInfo2KHR info{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR, &wanted, handle};
    std::vector<VkPresentModeKHR> found(room);
    VkSurfacePresentModeCompatibilityEXT list{VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_EXT, further,
                                              uint32_t(found.size()), found.data()};
    VkSurfaceCapabilities2KHR out{VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR, &list, {}};
    CTS_VK(query(gpu.physical, &info, &out));
    found.resize(list.presentModeCount);
    return found;
  }

  Gpu& gpu;
  VkSurfaceKHR handle = VK_NULL_HANDLE;
  VkSurfaceCapabilitiesKHR capabilities{};
  std::vector<VkPresentModeKHR> modes;
};

/// A swapchain of 64x64 pixels.
struct Chain {
  Chain(const Surface& surface, VkPresentModeKHR mode, uint32_t extra = 0, VkSwapchainCreateFlagsKHR flags = 0,
        const void* next = nullptr)
      : gpu(surface.gpu) {
    const VkSurfaceCapabilitiesKHR& can = surface.capabilities;
    gpu.require(can.maxImageCount == 0 || can.minImageCount + extra <= can.maxImageCount, "images");
    uint32_t count = 1;
    VkSurfaceFormatKHR format;
    const VkResult formats = vkGetPhysicalDeviceSurfaceFormatsKHR(gpu.physical, surface.handle, &count, &format);
    gpu.require(formats >= 0 && count == 1, "a format");
    info.pNext = next;
    info.flags = flags;
    info.surface = surface.handle;
    info.minImageCount = can.minImageCount + extra;
    info.imageFormat = format.format;
    info.imageColorSpace = format.colorSpace;
    info.imageExtent = {64, 64};
    info.imageArrayLayers = 1;
    info.imageUsage =
        VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    info.preTransform = can.currentTransform;
    info.compositeAlpha = VkCompositeAlphaFlagBitsKHR(can.supportedCompositeAlpha & -can.supportedCompositeAlpha);
    info.presentMode = mode;
    CTS_VK(vkCreateSwapchainKHR(gpu.device, &info, nullptr, &handle));
    gpu.later([this_ = handle, &g = gpu] { vkDestroySwapchainKHR(g.device, this_, nullptr); });
    CTS_VK(vkGetSwapchainImagesKHR(gpu.device, handle, &count, nullptr));
    EXPECT_GE(count, info.minImageCount);
    images.resize(count);
    CTS_VK(vkGetSwapchainImagesKHR(gpu.device, handle, &count, images.data()));
    fence = makeFence();
  }
  VkFence makeFence() const { return gpu.make(VkFenceCreateInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}); }
  uint32_t acquire() const {
    uint32_t index = ~0u;
    CTS_VK(vkAcquireNextImageKHR(gpu.device, handle, kPatience, VK_NULL_HANDLE, fence, &index));
    CTS_VK(vkWaitForFences(gpu.device, 1, &fence, VK_TRUE, kPatience));
    CTS_VK(vkResetFences(gpu.device, 1, &fence));
    if (index >= images.size()) throw Failure("there is no image of that number");
    return index;
  }
  void present(uint32_t index, const void* next = nullptr) const { CTS_VK(tryPresent(index, next)); }
  VkResult tryPresent(uint32_t index, const void* next) const {
    gpu.submit([&](VkCommandBuffer cmd) { toLayout(cmd, images[index], VK_IMAGE_LAYOUT_PRESENT_SRC_KHR); });
    VkPresentInfoKHR p{VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, next};
    p.swapchainCount = 1;
    p.pSwapchains = &handle;
    p.pImageIndices = &index;
    return vkQueuePresentKHR(gpu.queue, &p);
  }
  static void toLayout(VkCommandBuffer cmd, VkImage image, VkImageLayout layout) {
    const VkImageMemoryBarrier barrier = vktest::discard(image, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}, layout,
                                                         VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0,
                         nullptr, 1, &barrier);
  }
  /// Clears the image through one handle and reads it through another.
  void expectClear(VkImage written, VkImage read) const {
    const Buffer out = gpu.buffer(64 * 64 * 4);
    gpu.submit([&](VkCommandBuffer cmd) {
      toLayout(cmd, written, VK_IMAGE_LAYOUT_GENERAL);
      if (read != written) toLayout(cmd, read, VK_IMAGE_LAYOUT_GENERAL);
      const VkClearColorValue white{{1, 1, 1, 1}};
      const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
      vkCmdClearColorImage(cmd, written, VK_IMAGE_LAYOUT_GENERAL, &white, 1, &all);
      fullBarrier(cmd);
      const VkBufferImageCopy copy = vktest::wholeLevel({64, 64, 1}, VK_IMAGE_ASPECT_COLOR_BIT, 0, 0);
      vkCmdCopyImageToBuffer(cmd, read, VK_IMAGE_LAYOUT_GENERAL, out.handle, 1, &copy);
    });
    for (uint32_t i = 0; i < 64 * 64; ++i) ASSERT_EQ(out.as<uint32_t>()[i], 0xFFFFFFFFu) << "pixel " << i;
  }

  Gpu& gpu;
  VkSwapchainCreateInfoKHR info{VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR};
  VkSwapchainKHR handle = VK_NULL_HANDLE;
  std::vector<VkImage> images;
  VkFence fence = VK_NULL_HANDLE;
};

}  // namespace etzel::cts
