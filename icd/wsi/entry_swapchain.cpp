// VK_KHR_swapchain, and what came to it: swapchain_maintenance1, present_id, present_wait and their second forms. What
// VK_EXT_present_timing asks of presents is here, too.
#include <algorithm>
#include <iterator>

#include "icd/debug/capture.h"
#include "icd/debug/history.h"
#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/enumerate.h"
#include "icd/object/error.h"
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
  const VkResult r = enumerate(std::span<const VkImage>(cast<Swapchain>(swapchain)->images), count, images);
  for (uint32_t i = 0; images && i < *count; ++i) showImage(*cast<Image>(images[i]), true);
  return r;
}

VKAPI_ATTR VkResult VKAPI_CALL AcquireNextImage2(VkDevice, const VkAcquireNextImageInfoKHR* info, uint32_t* index) {
  const VkResult r = cast<Swapchain>(info->swapchain)->acquire(info->timeout, index);
  if (r < 0 || r == VK_NOT_READY || r == VK_TIMEOUT) return r;
  // The image is free already: nobody reads it any more, so the signals need not wait for anything.
  if (info->semaphore) cast<Semaphore>(info->semaphore)->signal();
  if (info->fence) cast<Fence>(info->fence)->signal();
  return r;
}

namespace {

/// What a vkQueuePresentKHR says about each of its swapchains.
class Presents {
 public:
  explicit Presents(const VkPresentInfoKHR& info)
      : info_(info),
        fences_(
            findNext<VkSwapchainPresentFenceInfoKHR>(info.pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_KHR)),
        modes_(findNext<VkSwapchainPresentModeInfoKHR>(info.pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODE_INFO_KHR)) {
    if (const auto* s = findNext<VkPresentIdKHR>(info.pNext, VK_STRUCTURE_TYPE_PRESENT_ID_KHR)) ids_ = s->pPresentIds;
    if (const auto* s = findNext<VkPresentId2KHR>(info.pNext, VK_STRUCTURE_TYPE_PRESENT_ID_2_KHR))
      ids_ = s->pPresentIds;
    if (const auto* s = findNext<VkPresentTimingsInfoEXT>(info.pNext, VK_STRUCTURE_TYPE_PRESENT_TIMINGS_INFO_EXT))
      timings_ = s->pTimingInfos;
  }
  Present of(uint32_t i, VkPresentModeKHR& mode) const {
    // "VkSwapchainPresentModeInfoKHR": the mode stays until another one is named.
    if (modes_ && modes_->pPresentModes) mode = modes_->pPresentModes[i];
    Present p{info_.pImageIndices[i], mode};
    if (ids_) p.id = ids_[i];
    if (fences_ && fences_->pFences[i]) p.fence = cast<Fence>(fences_->pFences[i]);
    if (timings_)
      p.target = {.ns = timings_[i].targetTime,
                  .relative = bool(timings_[i].flags & VK_PRESENT_TIMING_INFO_PRESENT_AT_RELATIVE_TIME_BIT_EXT)};
    return p;
  }
  /// Takes a result for the times that the present is to tell. \returns false when none is free.
  bool reserveResult(uint32_t i, PresentTimings& results, Present& present) const {
    if (!timings_ || !timings_[i].presentStageQueries) return true;
    present.timing = results.reserve(present.id, timings_[i]);
    return present.timing != 0;
  }

 private:
  const VkPresentInfoKHR& info_;
  const VkSwapchainPresentFenceInfoKHR* fences_;
  const VkSwapchainPresentModeInfoKHR* modes_;
  const uint64_t* ids_ = nullptr;
  const VkPresentTimingInfoEXT* timings_ = nullptr;
};

/// "vkQueuePresentKHR": what the presents of several swapchains come to. What it does not name are other failures.
VkResult worse(VkResult a, VkResult b) {
  static constexpr VkResult kOrder[] = {VK_ERROR_DEVICE_LOST,
                                        VK_ERROR_OUT_OF_HOST_MEMORY,
                                        VK_ERROR_SURFACE_LOST_KHR,
                                        VK_ERROR_OUT_OF_DATE_KHR,
                                        VK_ERROR_PRESENT_TIMING_QUEUE_FULL_EXT,
                                        VK_SUBOPTIMAL_KHR,
                                        VK_SUCCESS};
  const auto rank = [](VkResult r) {
    const auto at = std::find(std::begin(kOrder), std::end(kOrder), r);
    return at == std::end(kOrder) ? 1 : at - std::begin(kOrder);
  };
  return rank(b) < rank(a) ? b : a;
}

/// Submits the wait for a present's semaphores, and queues it. Where the swapchain refuses it, nothing but the wait
/// happens, and the image stays the application's ("VkPresentTimingInfoEXT").
VkResult presentOne(VkQueue queue, const VkSubmitInfo& wait, Swapchain& s, const Presents& presents, uint32_t i,
                    VkResult& submitted) {
  Present present = presents.of(i, s.mode);
  const bool taken = presents.reserveResult(i, s.timings, present);
  const VkFence rendered = s.slots[present.index].rendered;
  const VkFence other = present.fence ? handleOf(present.fence) : VK_NULL_HANDLE;
  if (submitted == VK_SUCCESS)
    submitted = withoutThrowing([&] { return QueueSubmit(queue, 1, &wait, taken ? rendered : other); });
  if (submitted != VK_SUCCESS) {
    s.timings.drop(present.timing);
    return submitted;
  }
  return taken ? s.present(present) : VK_ERROR_PRESENT_TIMING_QUEUE_FULL_EXT;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL QueuePresent(VkQueue queue, const VkPresentInfoKHR* info) {
  // What stands where something throws.
  if (info->pResults) std::fill_n(info->pResults, info->swapchainCount, VK_ERROR_OUT_OF_HOST_MEMORY);
  const Presents presents(*info);
  const std::vector<VkPipelineStageFlags> stages(info->waitSemaphoreCount, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  VkResult worst = VK_SUCCESS, submitted = VK_SUCCESS;
  for (uint32_t i = 0; i < info->swapchainCount; ++i) {
    // An empty submission waits for the application's semaphores (once) and for all earlier work of this queue.
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    if (i == 0) {
      submit.waitSemaphoreCount = info->waitSemaphoreCount;
      submit.pWaitSemaphores = info->pWaitSemaphores;
      submit.pWaitDstStageMask = stages.data();
    }
    // Without the first submission nothing waits for the semaphores: no other swapchain may show what they guard.
    const VkResult r = presentOne(queue, submit, *cast<Swapchain>(info->pSwapchains[i]), presents, i, submitted);
    if (info->pResults) info->pResults[i] = r;
    worst = worse(worst, r);
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

VKAPI_ATTR VkResult VKAPI_CALL ReleaseSwapchainImages(VkDevice, const VkReleaseSwapchainImagesInfoKHR* info) {
  cast<Swapchain>(info->swapchain)->release(info->pImageIndices, info->imageIndexCount);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL WaitForPresent(VkDevice, VkSwapchainKHR swapchain, uint64_t id, uint64_t timeout) {
  return cast<Swapchain>(swapchain)->waitForPresent(id, timeout);
}

VKAPI_ATTR VkResult VKAPI_CALL WaitForPresent2(VkDevice device, VkSwapchainKHR swapchain,
                                               const VkPresentWait2InfoKHR* info) {
  return WaitForPresent(device, swapchain, info->presentId, info->timeout);
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
