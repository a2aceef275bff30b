// Surfaces and swapchains, without a window.
#include <algorithm>

#include "tests/out_of_memory/scenario.h"

namespace oom {
namespace {

class Present : public Scenario {
 public:
  VkResult prepare(Gpu& gpu) override {
    const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    OOM_TRY(gpu.make(gpu.vk.CreateFence, gpu.vk.DestroyFence, fence, &fence_));
    const VkSemaphoreCreateInfo semaphore{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    return gpu.make(gpu.vk.CreateSemaphore, gpu.vk.DestroySemaphore, semaphore, &acquired_);
  }
  VkResult act(Gpu& gpu) override {
    const VkHeadlessSurfaceCreateInfoEXT surfaceInfo{VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    VkSurfaceKHR surface, otherSurface;
    for (VkSurfaceKHR* made : {&surface, &otherSurface}) {
      OOM_TRY(gpu.vk.CreateHeadlessSurfaceEXT(gpu.instance, &surfaceInfo, gpu.callbacks, made));
      gpu.later([&gpu, s = *made] { gpu.vk.DestroySurfaceKHR(gpu.instance, s, gpu.callbacks); });
    }
    uint32_t count = 0;
    OOM_TRY(gpu.vk.GetPhysicalDeviceSurfaceFormatsKHR(gpu.physical, surface, &count, nullptr));
    VkSwapchainCreateInfoKHR info{VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR};
    info.surface = surface;
    info.minImageCount = 3;
    info.imageFormat = VK_FORMAT_B8G8R8A8_UNORM;
    info.imageExtent = {64, 64};
    info.imageArrayLayers = 1;
    info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    info.presentMode = VK_PRESENT_MODE_FIFO_KHR;
    VkSwapchainKHR swapchain, next;
    OOM_TRY(gpu.make(gpu.vk.CreateSwapchainKHR, gpu.vk.DestroySwapchainKHR, info, &swapchain));
    // Whatever ends this early, the queue must be done with the swapchain before it goes.
    gpu.later([&gpu] { gpu.vk.DeviceWaitIdle(gpu.device); });
    OOM_TRY(gpu.vk.GetSwapchainImagesKHR(gpu.device, swapchain, &count, nullptr));
    for (int frame = 0; frame < 2; ++frame) OOM_TRY(presentOnce(gpu, {swapchain}));
    VkSwapchainKHR other;
    info.surface = otherSurface;
    OOM_TRY(gpu.make(gpu.vk.CreateSwapchainKHR, gpu.vk.DestroySwapchainKHR, info, &other));
    gpu.later([&gpu] { gpu.vk.DeviceWaitIdle(gpu.device); });
    OOM_TRY(presentOnce(gpu, {swapchain, other}));
    info.surface = surface;
    info.oldSwapchain = swapchain;
    OOM_TRY(gpu.make(gpu.vk.CreateSwapchainKHR, gpu.vk.DestroySwapchainKHR, info, &next));
    return gpu.vk.DeviceWaitIdle(gpu.device);
  }

 private:
  /// A picture of each swapchain in one call, which waits for the first one's semaphore.
  VkResult presentOnce(Gpu& gpu, const std::vector<VkSwapchainKHR>& swapchains) {
    std::vector<uint32_t> indices;
    for (VkSwapchainKHR swapchain : swapchains) {
      const VkSemaphore semaphore = indices.empty() ? acquired_ : VK_NULL_HANDLE;
      OOM_TRY(
          gpu.vk.AcquireNextImageKHR(gpu.device, swapchain, UINT64_MAX, semaphore, fence_, &indices.emplace_back()));
      OOM_TRY(gpu.vk.WaitForFences(gpu.device, 1, &fence_, VK_TRUE, UINT64_MAX));
      OOM_TRY(gpu.vk.ResetFences(gpu.device, 1, &fence_));
    }
    std::vector<VkResult> results(swapchains.size(), VK_NOT_READY);
    VkPresentInfoKHR info{VK_STRUCTURE_TYPE_PRESENT_INFO_KHR};
    info.waitSemaphoreCount = 1;
    info.pWaitSemaphores = &acquired_;
    info.swapchainCount = uint32_t(swapchains.size());
    info.pSwapchains = swapchains.data();
    info.pImageIndices = indices.data();
    info.pResults = results.data();
    const VkResult worst = gpu.vk.QueuePresentKHR(gpu.queue, &info);
    // Where the first one fails nothing waited for the semaphore, so no other may be shown.
    const bool told = std::count(results.begin(), results.end(), VK_NOT_READY) == 0;
    const bool waited = results.front() == VK_SUCCESS || results.back() != VK_SUCCESS;
    return told && waited ? worst : VK_ERROR_UNKNOWN;
  }
  VkFence fence_ = VK_NULL_HANDLE;
  VkSemaphore acquired_ = VK_NULL_HANDLE;
};

}  // namespace

std::vector<Entry> presentScenarios() { return {{"present", makeScenario<Present>}}; }

}  // namespace oom
