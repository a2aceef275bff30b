// Limits and properties from properties.txt, queue families and memory ("Physical Device Enumeration", "Limits").
#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/enumerate.h"
#include "icd/physical_device/features.h"
#include "icd/physical_device/host.h"
#include "icd/physical_device/limits.h"
#include "icd/physical_device/memory_types.h"
#include "icd/physical_device/version.h"
#include "raster/conservative.h"
#include "raster/draw.h"
#include "runtime/abi/limits.h"

namespace etzel::icd {
namespace {

template <class T, size_t N>
void assign(T (&out)[N], const std::type_identity_t<T> (&values)[N]) {
  std::copy(std::begin(values), std::end(values), out);
}
template <size_t N>
void assign(char (&out)[N], std::string_view text) {
  std::memset(out, 0, N);
  std::memcpy(out, text.data(), std::min(text.size(), N - 1));
}
template <size_t N>
void assign(uint8_t (&out)[N], const std::array<uint8_t, N>& bytes) {
  std::copy(bytes.begin(), bytes.end(), out);
}

constexpr VkExtent2D square(uint32_t size) { return {size, size}; }

#include "icd/properties.inc"

/// Layouts are all alike to us, so the host may copy from and to any of them.
template <class Properties>
void fillHostCopyLayouts(Properties& p) {
  static const std::vector<VkImageLayout> layouts(std::begin(kCopyLayouts), std::end(kCopyLayouts));
  (void)enumerate(layouts, &p.copySrcLayoutCount, p.pCopySrcLayouts);
  (void)enumerate(layouts, &p.copyDstLayoutCount, p.pCopyDstLayouts);
}

/// "Queue Priority": a hint, which every queue may have. The scheduler of the system decides among processes.
void fillGlobalPriorities(VkQueueFamilyGlobalPriorityPropertiesKHR& p) {
  constexpr VkQueueGlobalPriorityKHR all[] = {VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR, VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR,
                                              VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR, VK_QUEUE_GLOBAL_PRIORITY_REALTIME_KHR};
  p.priorityCount = std::size(all);
  std::copy(std::begin(all), std::end(all), p.priorities);
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice, VkPhysicalDeviceProperties2* properties) {
  VkPhysicalDeviceProperties* p = &properties->properties;
  *p = {};
  p->apiVersion = kApiVersion;
  p->driverVersion = kDriverVersion;
  p->vendorID = 0x10000 + 0x45;  // no PCI vendor: outside the 16-bit range ("VkVendorId"), until Khronos assigns one
  p->deviceID = 1;
  p->deviceType = host().deviceType;
  assign(p->deviceName, std::string_view(host().deviceName));
  assign(p->pipelineCacheUUID, host().buildUuid);
  fillLimits(p->limits, host());
  for (auto* s = static_cast<VkBaseOutStructure*>(properties->pNext); s; s = s->pNext) {
    fillProperties(s, host());
    if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES)
      fillHostCopyLayouts(*reinterpret_cast<VkPhysicalDeviceHostImageCopyProperties*>(s));
    if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_PROPERTIES)
      fillHostCopyLayouts(*reinterpret_cast<VkPhysicalDeviceVulkan14Properties*>(s));
  }
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice, uint32_t* pCount,
                                                                  VkQueueFamilyProperties* pProperties) {
  static constexpr VkQueueFlags flags[kQueueFamilyCount] = {
      VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT,
      VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, VK_QUEUE_TRANSFER_BIT,
      VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT};
  const VkQueueFlags everywhere =
      VK_QUEUE_PROTECTED_BIT | (coreFeatures().sparseBinding ? VK_QUEUE_SPARSE_BINDING_BIT : 0);
  std::vector<VkQueueFamilyProperties> all;
  for (uint32_t i = 0; i < kQueueFamilyCount; ++i)
    all.push_back({flags[i] | everywhere, kQueuesOfFamily[i], 64, {1, 1, 1}});
  (void)enumerate(all, pCount, pProperties);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice device, uint32_t* pCount,
                                                                   VkQueueFamilyProperties2* pProperties) {
  VkQueueFamilyProperties all[kQueueFamilyCount];
  uint32_t count = kQueueFamilyCount;
  GetPhysicalDeviceQueueFamilyProperties(device, &count, all);
  const std::vector<VkQueueFamilyProperties> list(all, all + count);
  (void)enumerate(list, pCount, pProperties, [](const VkQueueFamilyProperties& from, VkQueueFamilyProperties2& to) {
    to.queueFamilyProperties = from;
    for (auto* s = static_cast<VkBaseOutStructure*>(to.pNext); s; s = s->pNext) {
      if (s->sType == VK_STRUCTURE_TYPE_QUEUE_FAMILY_GLOBAL_PRIORITY_PROPERTIES_KHR)
        fillGlobalPriorities(*reinterpret_cast<VkQueueFamilyGlobalPriorityPropertiesKHR*>(s));
      if (s->sType == VK_STRUCTURE_TYPE_QUEUE_FAMILY_OWNERSHIP_TRANSFER_PROPERTIES_KHR)
        reinterpret_cast<VkQueueFamilyOwnershipTransferPropertiesKHR*>(s)->optimalImageTransferToQueueFamilies =
            (1u << kQueueFamilyCount) - 1;
    }
  });
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceMultisampleProperties(VkPhysicalDevice, VkSampleCountFlagBits samples,
                                                                  VkMultisamplePropertiesEXT* p) {
  p->maxSampleLocationGridSize = samples & kSampleCounts ? kSampleLocationGrid : VkExtent2D{0, 0};
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceSupportedFramebufferMixedSamplesCombinations(
    VkPhysicalDevice, uint32_t* pCombinationCount, VkFramebufferMixedSamplesCombinationNV* pCombinations) {
  // Depth and stencil have all samples of rasterization, or are not there.
  std::vector<VkFramebufferMixedSamplesCombinationNV> all;
  for (auto mode : {VK_COVERAGE_REDUCTION_MODE_MERGE_NV, VK_COVERAGE_REDUCTION_MODE_TRUNCATE_NV})
    for (uint32_t samples = 2; samples & kSampleCounts; samples *= 2)
      for (uint32_t color = 1; color < samples; color *= 2)
        for (uint32_t depth : {0u, samples})
          all.push_back({VK_STRUCTURE_TYPE_FRAMEBUFFER_MIXED_SAMPLES_COMBINATION_NV, nullptr, mode,
                         VkSampleCountFlagBits(samples), depth, color});
  return enumerate(all, pCombinationCount, pCombinations, [](const auto& from, auto& to) {
    to.coverageReductionMode = from.coverageReductionMode;
    to.rasterizationSamples = from.rasterizationSamples;
    to.depthStencilSamples = from.depthStencilSamples;
    to.colorSamples = from.colorSamples;
  });
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceFragmentShadingRates(VkPhysicalDevice, uint32_t* pCount,
                                                                     VkPhysicalDeviceFragmentShadingRateKHR* p) {
  std::vector<VkPhysicalDeviceFragmentShadingRateKHR> all;
  const auto add = [&](uint32_t logWidth, uint32_t logHeight) {
    VkSampleCountFlags counts = 0;
    for (uint32_t samples = 1; samples & kSampleCounts; samples *= 2)
      if (raster::isRate(logWidth, logHeight, samples)) counts |= samples;
    if (!logWidth && !logHeight) counts = ~0u;
    if (counts)
      all.push_back({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_KHR,
                     nullptr,
                     counts,
                     {1u << logWidth, 1u << logHeight}});
  };
  for (uint32_t width = raster::kMaxLogFragmentSize + 1; width-- > 0;)
    for (uint32_t height = raster::kMaxLogFragmentSize + 1; height-- > 0;) add(width, height);
  return enumerate(all, pCount, p, [](const auto& from, auto& to) {
    to.sampleCounts = from.sampleCounts, to.fragmentSize = from.fragmentSize;
  });
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice,
                                                              VkPhysicalDeviceMemoryProperties2* properties) {
  VkPhysicalDeviceMemoryProperties* p = &properties->memoryProperties;
  *p = {};
  p->memoryTypeCount = kMemoryTypeCount;
  std::copy(std::begin(kMemoryTypes), std::end(kMemoryTypes), p->memoryTypes);
  p->memoryHeapCount = kHeapCount;
  p->memoryHeaps[kDeviceHeap] = {host().heapBytes[kDeviceHeap], VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  p->memoryHeaps[kHostHeap] = {host().heapBytes[kHostHeap], 0};
  for (auto* s = static_cast<VkBaseOutStructure*>(properties->pNext); s; s = s->pNext) {
    if (s->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT) continue;
    auto* budget = reinterpret_cast<VkPhysicalDeviceMemoryBudgetPropertiesEXT*>(s);
    std::fill(std::begin(budget->heapBudget), std::end(budget->heapBudget), 0);
    std::fill(std::begin(budget->heapUsage), std::end(budget->heapUsage), 0);
    for (uint32_t heap = 0; heap < kHeapCount; ++heap) {
      budget->heapUsage[heap] = deviceMemoryInUse(heap);
      budget->heapBudget[heap] = std::min(host().heapBytes[heap], budget->heapUsage[heap] + availableHostBytes());
    }
  }
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceToolProperties(VkPhysicalDevice, uint32_t* pToolCount,
                                                               VkPhysicalDeviceToolProperties*) {
  *pToolCount = 0;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceCalibrateableTimeDomains(VkPhysicalDevice, uint32_t* pCount,
                                                                         VkTimeDomainEXT* pTimeDomains) {
  // The device's clock is CLOCK_MONOTONIC itself, so calibration is exact. So are those of swapchains
  // (icd/wsi/present_timing.h).
  return enumerate(
      std::vector<VkTimeDomainEXT>{VK_TIME_DOMAIN_DEVICE_EXT, VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT,
                                   VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_EXT, VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT,
                                   VK_TIME_DOMAIN_SWAPCHAIN_LOCAL_EXT},
      pCount, pTimeDomains);
}

}  // namespace etzel::icd
