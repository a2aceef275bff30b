// Surfaces and swapchains of X windows, through shared memory and through the socket.
#include "tests/out_of_memory/scenario.h"
#include "tests/out_of_memory/window.h"

namespace oom {
namespace {

constexpr VkExtent2D kSmall{64, 48}, kLarge{112, 96};
constexpr uint64_t kPatienceNs = 20'000'000'000;

template <WindowApi kApi>
class Windows : public Scenario {
 public:
  Windows() : Scenario(Level::Device, true) {}
  VkResult prepare(Gpu& gpu) override {
    gpu.later([this] { window_.close(); });
    OOM_TRY(window_.open(kApi, kSmall, gpu.place));
    const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    OOM_TRY(gpu.make(gpu.vk.CreateFence, gpu.vk.DestroyFence, fence, &fence_));
    const VkSemaphoreCreateInfo semaphore{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    OOM_TRY(gpu.make(gpu.vk.CreateSemaphore, gpu.vk.DestroySemaphore, semaphore, &acquired_));
    return gpu.make(gpu.vk.CreateSemaphore, gpu.vk.DestroySemaphore, semaphore, &drawn_);
  }
  VkResult act(Gpu& gpu) override {
    if (!window_.presentable(gpu)) return VK_ERROR_UNKNOWN;
    VkSurfaceKHR surface;
    OOM_TRY(window_.makeSurface(gpu, &surface));
    gpu.later([&gpu, surface] { gpu.vk.DestroySurfaceKHR(gpu.instance, surface, gpu.callbacks); });
    OOM_TRY(gpu.makePool(&pool_));
    VkSwapchainKHR first, second;
    OOM_TRY(makeSwapchain(gpu, surface, VK_NULL_HANDLE, &first));
    OOM_TRY(present(gpu, first, 0x204060, 1));
    OOM_TRY(present(gpu, first, 0x6080A0, 2));
    // The picture is stretched from here on, and the frame on its way to the window larger than it was.
    OOM_TRY(window_.resize(kLarge));
    OOM_TRY(present(gpu, first, 0x80A0C0, 3));
    OOM_TRY(makeSwapchain(gpu, surface, first, &second));
    OOM_TRY(present(gpu, second, 0xA0C0E0, 1));
    return gpu.vk.DeviceWaitIdle(gpu.device);
  }

 private:
  VkResult makeSwapchain(Gpu& gpu, VkSurfaceKHR surface, VkSwapchainKHR old, VkSwapchainKHR* out) {
    VkSurfaceCapabilitiesKHR can;
    OOM_TRY(gpu.vk.GetPhysicalDeviceSurfaceCapabilitiesKHR(gpu.physical, surface, &can));
    uint32_t count = 0;
    OOM_TRY(gpu.vk.GetPhysicalDeviceSurfaceFormatsKHR(gpu.physical, surface, &count, nullptr));
    OOM_TRY(gpu.vk.GetPhysicalDeviceSurfacePresentModesKHR(gpu.physical, surface, &count, nullptr));
    VkSwapchainPresentScalingCreateInfoEXT scaling{VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_SCALING_CREATE_INFO_EXT};
    scaling.scalingBehavior = VK_PRESENT_SCALING_STRETCH_BIT_EXT;
    VkSwapchainCreateInfoKHR info{VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR, &scaling};
    info.surface = surface;
    info.minImageCount = can.minImageCount;
    info.imageFormat = VK_FORMAT_B8G8R8A8_UNORM;
    info.imageExtent = can.currentExtent;
    info.imageArrayLayers = 1;
    info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    info.presentMode = VK_PRESENT_MODE_IMMEDIATE_KHR;
    info.oldSwapchain = old;
    OOM_TRY(gpu.make(gpu.vk.CreateSwapchainKHR, gpu.vk.DestroySwapchainKHR, info, out));
    // Whatever ends this early, the queue must be done with the swapchain before it goes.
    gpu.later([&gpu] { gpu.vk.DeviceWaitIdle(gpu.device); });
    return VK_SUCCESS;
  }

  VkResult record(Gpu& gpu, VkImage image, uint32_t colour, VkCommandBuffer* out) {
    OOM_TRY(gpu.makeCommands(pool_, VK_COMMAND_BUFFER_LEVEL_PRIMARY, out));
    OOM_TRY(gpu.begin(*out));
    VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    barrier.image = image;
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    constexpr VkPipelineStageFlags kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    gpu.vk.CmdPipelineBarrier(*out, kAll, kAll, 0, 0, nullptr, 0, nullptr, 1, &barrier);
    VkClearColorValue clear{};
    for (int i = 0; i < 3; ++i) clear.float32[i] = float(colour >> (16 - 8 * i) & 0xFF) / 255.f;
    gpu.vk.CmdClearColorImage(*out, image, barrier.newLayout, &clear, 1, &barrier.subresourceRange);
    barrier.oldLayout = barrier.newLayout, barrier.newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
    gpu.vk.CmdPipelineBarrier(*out, kAll, kAll, 0, 0, nullptr, 0, nullptr, 1, &barrier);
    return gpu.vk.EndCommandBuffer(*out);
  }

  /// One picture, until the window shows it.
  VkResult present(Gpu& gpu, VkSwapchainKHR swapchain, uint32_t colour, uint64_t id) {
    uint32_t count = 0, index = 0;
    OOM_TRY(gpu.vk.GetSwapchainImagesKHR(gpu.device, swapchain, &count, nullptr));
    std::vector<VkImage> images(count);
    OOM_TRY(gpu.vk.GetSwapchainImagesKHR(gpu.device, swapchain, &count, images.data()));
    OOM_TRY(gpu.vk.AcquireNextImageKHR(gpu.device, swapchain, UINT64_MAX, acquired_, fence_, &index));
    OOM_TRY(gpu.vk.WaitForFences(gpu.device, 1, &fence_, VK_TRUE, UINT64_MAX));
    OOM_TRY(gpu.vk.ResetFences(gpu.device, 1, &fence_));
    VkCommandBuffer commands;
    OOM_TRY(record(gpu, images[index], colour, &commands));
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.waitSemaphoreCount = submit.commandBufferCount = submit.signalSemaphoreCount = 1;
    submit.pWaitSemaphores = &acquired_;
    submit.pWaitDstStageMask = &stage;
    submit.pCommandBuffers = &commands;
    submit.pSignalSemaphores = &drawn_;
    OOM_TRY(gpu.vk.QueueSubmit(gpu.queue, 1, &submit, VK_NULL_HANDLE));
    const VkPresentIdKHR number{VK_STRUCTURE_TYPE_PRESENT_ID_KHR, nullptr, 1, &id};
    VkPresentInfoKHR info{VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, &number};
    info.waitSemaphoreCount = info.swapchainCount = 1;
    info.pWaitSemaphores = &drawn_;
    info.pSwapchains = &swapchain;
    info.pImageIndices = &index;
    OOM_TRY(gpu.vk.QueuePresentKHR(gpu.queue, &info));
    OOM_TRY(gpu.vk.WaitForPresentKHR(gpu.device, swapchain, id, kPatienceNs));
    return window_.shows(colour);
  }

  Window window_;
  VkFence fence_ = VK_NULL_HANDLE;
  VkSemaphore acquired_ = VK_NULL_HANDLE, drawn_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
};

template <WindowApi kApi>
Entry entry(const char* name, bool segments) {
  Entry e{name, makeScenario<Windows<kApi>>};
  e.missing = [] { return windowServer() ? nullptr : "no X server"; };
  e.segments = segments;
  return e;
}

}  // namespace

std::vector<Entry> windowScenarios() {
  return {entry<WindowApi::Xcb>("xcb window, shared memory", true), entry<WindowApi::Xcb>("xcb window, socket", false),
          entry<WindowApi::Xlib>("xlib window, shared memory", true),
          entry<WindowApi::Xlib>("xlib window, socket", false)};
}

}  // namespace oom
