// VK_EXT_present_timing as cases need it, and VK_KHR_present_id2 and VK_KHR_calibrated_timestamps, which it comes with:
// not all headers have them.
#pragma once

#include <vulkan/vulkan.h>

namespace etzel::cts {

struct PresentId2 {
  VkStructureType sType = VkStructureType(1000479001);
  const void* pNext = nullptr;
  uint32_t count;
  const uint64_t* ids;
};
inline constexpr VkSwapchainCreateFlagsKHR kPresentId2Bit = 1u << 6, kPresentTimingBit = 1u << 9;
inline constexpr auto kTimingQueueFull = VkResult(-1000208000);

inline constexpr uint32_t kQueueOperationsEnd = 1, kRequestDequeued = 2, kFirstPixelVisible = 8, kAllStages = 15;
inline constexpr auto kPresentStageLocal = VkTimeDomainEXT(1000208000), kSwapchainLocal = VkTimeDomainEXT(1000208001);

struct TimingSurfaceCapabilities {
  VkStructureType sType = VkStructureType(1000208008);
  void* pNext = nullptr;
  VkBool32 timing = VK_FALSE, absolute = VK_FALSE, relative = VK_FALSE;
  VkFlags stages = 0;
};
struct TimingProperties {
  VkStructureType sType = VkStructureType(1000208001);
  void* pNext = nullptr;
  uint64_t refreshDuration = 0, refreshInterval = 0;
};
struct TimeDomainProperties {
  VkStructureType sType = VkStructureType(1000208002);
  void* pNext = nullptr;
  uint32_t count = 0;
  VkTimeDomainEXT* domains = nullptr;
  uint64_t* ids = nullptr;
};
inline constexpr VkFlags kRelativeTime = 1, kNearestCycle = 2;
struct TimingInfo {
  VkStructureType sType = VkStructureType(1000208004);
  const void* pNext = nullptr;
  VkFlags flags = 0;
  uint64_t targetTime = 0, timeDomainId = 0;
  VkFlags stages = 0, targetStage = 0;
};
struct TimingsInfo {
  VkStructureType sType = VkStructureType(1000208003);
  const void* pNext = nullptr;
  uint32_t count = 1;
  const TimingInfo* infos = nullptr;
};
inline constexpr VkFlags kPartialResults = 1, kAnyOrder = 2;
struct PastTimingInfo {
  VkStructureType sType = VkStructureType(1000208005);
  const void* pNext = nullptr;
  VkFlags flags = 0;
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;
};
struct StageTime {
  VkFlags stage = 0;
  uint64_t time = 0;
};
struct PastTiming {
  VkStructureType sType = VkStructureType(1000208007);
  void* pNext = nullptr;
  uint64_t presentId = 0, targetTime = 0;
  uint32_t stageCount = 0;
  StageTime* stages = nullptr;
  VkTimeDomainEXT domain = VkTimeDomainEXT(-1);
  uint64_t domainId = 0;
  VkBool32 complete = VK_FALSE;
};
struct PastTimingProperties {
  VkStructureType sType = VkStructureType(1000208006);
  void* pNext = nullptr;
  uint64_t propertiesCounter = 0, domainsCounter = 0;
  uint32_t count = 0;
  PastTiming* timings = nullptr;
};
struct SwapchainTimestampInfo {
  VkStructureType sType = VkStructureType(1000208009);
  const void* pNext = nullptr;
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;
  VkFlags stage = 0;
  uint64_t domainId = 0;
};

using SetTimingQueueSize = VkResult(VKAPI_PTR*)(VkDevice, VkSwapchainKHR, uint32_t);
using GetTimingProperties = VkResult(VKAPI_PTR*)(VkDevice, VkSwapchainKHR, TimingProperties*, uint64_t*);
using GetTimeDomainProperties = VkResult(VKAPI_PTR*)(VkDevice, VkSwapchainKHR, TimeDomainProperties*, uint64_t*);
using GetPastTiming = VkResult(VKAPI_PTR*)(VkDevice, const PastTimingInfo*, PastTimingProperties*);

}  // namespace etzel::cts
