// VK_EXT_present_timing: what a swapchain tells of its presents. What presents ask for: entry_swapchain.cpp.
#include <algorithm>

#include "icd/entry_points.h"
#include "icd/wsi/present_timing.h"
#include "icd/wsi/surface.h"
#include "icd/wsi/swapchain.h"

namespace etzel::icd {

VKAPI_ATTR VkResult VKAPI_CALL SetSwapchainPresentTimingQueueSize(VkDevice, VkSwapchainKHR swapchain, uint32_t size) {
  return cast<Swapchain>(swapchain)->timings.resize(size);
}

VKAPI_ATTR VkResult VKAPI_CALL GetSwapchainTimingProperties(VkDevice, VkSwapchainKHR swapchain,
                                                            VkSwapchainTimingPropertiesEXT* properties,
                                                            uint64_t* counter) {
  const SurfaceView view = viewSurface(cast<Swapchain>(swapchain)->surface);
  fillTimingProperties(view.system == SurfaceView::System::Headless, *properties);
  if (counter) *counter = kTimingCounter;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetSwapchainTimeDomainProperties(VkDevice, VkSwapchainKHR,
                                                                VkSwapchainTimeDomainPropertiesEXT* properties,
                                                                uint64_t* counter) {
  if (counter) *counter = kTimingCounter;
  const auto domains = presentTimeDomains();
  const auto available = static_cast<uint32_t>(domains.size());
  const bool counts = !properties->pTimeDomains && !properties->pTimeDomainIds;
  properties->timeDomainCount = counts ? available : std::min(properties->timeDomainCount, available);
  if (counts) return VK_SUCCESS;
  for (uint32_t i = 0; i < properties->timeDomainCount; ++i) {
    if (properties->pTimeDomains) properties->pTimeDomains[i] = domains[i];
    if (properties->pTimeDomainIds) properties->pTimeDomainIds[i] = uint64_t(domains[i]);
  }
  return properties->timeDomainCount < available ? VK_INCOMPLETE : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPastPresentationTiming(VkDevice, const VkPastPresentationTimingInfoEXT* info,
                                                         VkPastPresentationTimingPropertiesEXT* properties) {
  return cast<Swapchain>(info->swapchain)->timings.fetch(info->flags, *properties);
}

}  // namespace etzel::icd
