// VK_KHR_swapchain.
#include "icd/debug/capture.h"
#include "icd/debug/history.h"
#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/enumerate.h"
#include "icd/sync/objects.h"
#include "icd/wsi/surface.h"
#include "icd/wsi/swapchain.h"

namespace etzel::icd {

VKAPI_ATTR VkResult VKAPI_CALL CreateSwapchain(VkDevice device, const VkSwapchainCreateInfoKHR* info,
                                               const VkAllocationCallbacks* callbacks, VkSwapchainKHR* swapchain) {
  if (info->oldSwapchain) cast<Swapchain>(info->oldSwapchain)->retire();
  return createObject<Swapchain>(device, callbacks, swapchain, "a swapchain",
                                 [&](Swapchain& s) { return s.start(cast<Device>(device), *info); });
}

ETZEL_DESTROY(Swapchain)

VKAPI_ATTR VkResult VKAPI_CALL GetSwapchainImages(VkDevice, VkSwapchainKHR swapchain, uint32_t* count,
                                                  VkImage* images) {
  const auto& slots = cast<Swapchain>(swapchain)->slots;
  return enumerate(std::span<const Swapchain::Slot>(slots), count, images,
                   [](const Swapchain::Slot& slot, VkImage& image) { image = slot.image; });
}

VKAPI_ATTR VkResult VKAPI_CALL AcquireNextImage2(VkDevice, const VkAcquireNextImageInfoKHR* info, uint32_t* index) {
  const VkResult r = cast<Swapchain>(info->swapchain)->acquire(info->timeout, index);
  if (r < 0 || r == VK_NOT_READY || r == VK_TIMEOUT) return r;
  // The image is free already: nobody reads it any more, so the signals need not wait for anything.
  if (info->semaphore) cast<Semaphore>(info->semaphore)->signal();
  if (info->fence) cast<Fence>(info->fence)->signal();
  return r;
}

VKAPI_ATTR VkResult VKAPI_CALL QueuePresent(VkQueue queue, const VkPresentInfoKHR* info) {
  VkResult worst = VK_SUCCESS;
  for (uint32_t i = 0; i < info->swapchainCount; ++i) {
    Swapchain& s = *cast<Swapchain>(info->pSwapchains[i]);
    const uint32_t index = info->pImageIndices[i];
    // An empty submission waits for the application's semaphores (once) and for all earlier work of this queue.
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    const std::vector<VkPipelineStageFlags> stages(info->waitSemaphoreCount, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    if (i == 0) {
      submit.waitSemaphoreCount = info->waitSemaphoreCount;
      submit.pWaitSemaphores = info->pWaitSemaphores;
      submit.pWaitDstStageMask = stages.data();
    }
    VkResult r = QueueSubmit(queue, 1, &submit, s.slots[index].rendered);
    if (r == VK_SUCCESS) r = s.present(index);
    if (info->pResults) info->pResults[i] = r;
    if (r != VK_SUCCESS && (worst >= 0)) worst = r;
  }
  if (capturing()) {
    QueueWaitIdle(queue);
    captureFrameDone();
  }
  if (historyPossible()) {
    if (wantedHistory()) QueueWaitIdle(queue);
    History::get().frameDone();
  }
  return worst;
}

VKAPI_ATTR VkResult VKAPI_CALL GetDeviceGroupPresentCapabilities(VkDevice,
                                                                 VkDeviceGroupPresentCapabilitiesKHR* capabilities) {
  for (uint32_t& mask : capabilities->presentMask) mask = 0;
  capabilities->presentMask[0] = 1;
  capabilities->modes = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetDeviceGroupSurfacePresentModes(VkDevice, VkSurfaceKHR,
                                                                 VkDeviceGroupPresentModeFlagsKHR* modes) {
  *modes = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR;
  return VK_SUCCESS;
}

}  // namespace etzel::icd
