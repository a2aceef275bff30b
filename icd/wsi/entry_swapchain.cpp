// VK_KHR_swapchain.
#include "icd/debug/capture.h"
#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/enumerate.h"
#include "icd/sync/objects.h"
#include "icd/wsi/surface.h"
#include "icd/wsi/swapchain.h"

namespace etzel::icd {

VKAPI_ATTR VkResult VKAPI_CALL CreateSwapchain(VkDevice device, const VkSwapchainCreateInfoKHR* info,
                                               const VkAllocationCallbacks* callbacks, VkSwapchainKHR* swapchain) {
  Device* d = cast<Device>(device);
  if (info->oldSwapchain) cast<Swapchain>(info->oldSwapchain)->retire();
  auto* s = create<Swapchain>(pick(d, callbacks), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
  if (!s) return VK_ERROR_OUT_OF_HOST_MEMORY;
  if (const VkResult r = s->start(d, *info); r != VK_SUCCESS) {
    destroy(pick(d, callbacks), s);
    return r;
  }
  *swapchain = handleOf(s);
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroySwapchain(VkDevice device, VkSwapchainKHR swapchain,
                                            const VkAllocationCallbacks* callbacks) {
  if (swapchain) destroy(pick(cast<Device>(device), callbacks), cast<Swapchain>(swapchain));
}

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

VKAPI_ATTR VkResult VKAPI_CALL AcquireNextImage(VkDevice device, VkSwapchainKHR swapchain, uint64_t timeout,
                                                VkSemaphore semaphore, VkFence fence, uint32_t* index) {
  VkAcquireNextImageInfoKHR info{VK_STRUCTURE_TYPE_ACQUIRE_NEXT_IMAGE_INFO_KHR};
  info.swapchain = swapchain;
  info.timeout = timeout;
  info.semaphore = semaphore;
  info.fence = fence;
  info.deviceMask = 1;
  return AcquireNextImage2(device, &info, index);
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
