// Devices and their queues ("Devices and Queues").
#include <time.h>

#include <algorithm>
#include <cstring>

#include "compiler/exec/tiers/tiers.h"
#include "icd/debug/debugger.h"
#include "icd/device/extension_list.h"
#include "icd/dispatch/dispatch.h"
#include "icd/entry_points.h"
#include "icd/memory/heap_views.h"
#include "icd/memory/texel_views.h"
#include "icd/object/device.h"
#include "icd/object/enumerate.h"
#include "icd/object/error.h"
#include "icd/physical_device/features.h"
#include "icd/physical_device/host.h"
#include "icd/physical_device/version.h"
#include "icd/pipeline/disk_cache.h"
#include "icd/queue/queue.h"
#include "runtime/base/debug_flags.h"

namespace etzel::icd {

Device::~Device() = default;

bool Device::has(std::string_view extension) const {
  return std::find(enabledExtensions.begin(), enabledExtensions.end(), extension) != enabledExtensions.end();
}

bool Device::ended() const {
  return lost && std::all_of(queues.begin(), queues.end(), [](const auto& q) { return q->idle(); });
}

Queue* Device::queue(uint32_t family, uint32_t index, VkDeviceQueueCreateFlags flags) const {
  // "VkDeviceQueueInfo2": queues count from 0 among those of a family that were created with the same flags.
  for (const auto& q : queues)
    if (q->family == family && q->index == index && q->flags == flags) return q.get();
  return nullptr;
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char* pLayerName,
                                                                  uint32_t* pPropertyCount,
                                                                  VkExtensionProperties* pProperties) {
  if (pLayerName) return ETZEL_FAIL(VK_ERROR_LAYER_NOT_PRESENT, "there is no layer %s", pLayerName);
  return listDeviceExtensions(*cast<PhysicalDevice>(device)->instance, pPropertyCount, pProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceLayerProperties(VkPhysicalDevice, uint32_t* pPropertyCount,
                                                              VkLayerProperties*) {
  *pPropertyCount = 0;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physicalHandle, const VkDeviceCreateInfo* pCreateInfo,
                                            const VkAllocationCallbacks* pAllocator, VkDevice* pDevice) {
  auto* physical = cast<PhysicalDevice>(physicalHandle);
  for (uint32_t i = 0; i < pCreateInfo->enabledExtensionCount; ++i)
    if (!findExtension(pCreateInfo->ppEnabledExtensionNames[i], false))
      return ETZEL_FAIL(VK_ERROR_EXTENSION_NOT_PRESENT, "there is no device extension %s",
                        pCreateInfo->ppEnabledExtensionNames[i]);
  if (const char* name = findUnsupportedFeature(*pCreateInfo))
    return ETZEL_FAIL(VK_ERROR_FEATURE_NOT_PRESENT, "%s asks for a feature that is not supported", name);
  for (uint32_t i = 0; i < pCreateInfo->queueCreateInfoCount; ++i) {
    const VkDeviceQueueCreateInfo& q = pCreateInfo->pQueueCreateInfos[i];
    if (q.queueFamilyIndex >= kQueueFamilyCount || q.queueCount > kQueuesOfFamily[q.queueFamilyIndex])
      return ETZEL_FAIL(VK_ERROR_INITIALIZATION_FAILED, "queue family %u does not have %u queues", q.queueFamilyIndex,
                        q.queueCount);
  }

  if (debugging()) startDebugger();
  const VkAllocationCallbacks* callbacks = pAllocator ? pAllocator : physical->instance->allocator();
  auto device = make<Device>(callbacks, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
  if (!device) return ETZEL_FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "no memory for a device");
  if (callbacks) device->callbacks = *callbacks, device->hasCallbacks = true;
  device->physicalDevice = physical;
  device->apiVersion = std::min(physical->instance->apiVersion, kApiVersion);
  device->enabledExtensions.assign(pCreateInfo->ppEnabledExtensionNames,
                                   pCreateInfo->ppEnabledExtensionNames + pCreateInfo->enabledExtensionCount);
  if (pCreateInfo->pEnabledFeatures) device->features = *pCreateInfo->pEnabledFeatures;
  if (auto* f = findNext<VkPhysicalDeviceFeatures2>(pCreateInfo->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2))
    device->features = f->features;
  if (auto* f = findNext<VkPhysicalDeviceRobustness2FeaturesEXT>(
          pCreateInfo->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT)) {
    device->nullDescriptor = f->nullDescriptor;
    device->robustBufferAccess2 = f->robustBufferAccess2;
  }
  if (auto* f = findNext<VkPhysicalDeviceDepthClampZeroOneFeaturesKHR>(
          pCreateInfo->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLAMP_ZERO_ONE_FEATURES_KHR))
    device->clampsDepthToUnit = f->depthClampZeroOne && !device->has("VK_EXT_depth_range_unrestricted");
  if (auto* f = findNext<VkPhysicalDeviceAddressBindingReportFeaturesEXT>(
          pCreateInfo->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ADDRESS_BINDING_REPORT_FEATURES_EXT))
    device->reportsAddressBinding = f->reportAddressBinding;
  if (device->has(VK_EXT_DEVICE_MEMORY_REPORT_EXTENSION_NAME)) device->memoryReports = MemoryReports(*pCreateInfo);
  device->pool = std::make_unique<task::Pool>(debug(DebugFlag::OneThread) ? 1 : 0);
  for (uint32_t i = 0; i < pCreateInfo->queueCreateInfoCount; ++i) {
    const VkDeviceQueueCreateInfo& q = pCreateInfo->pQueueCreateInfos[i];
    for (uint32_t j = 0; j < q.queueCount; ++j)
      device->queues.push_back(std::make_unique<Queue>(device.get(), q.queueFamilyIndex, j, q.flags));
  }
  device->texelViews = std::make_shared<TexelViews>();
  device->heapViews = std::make_shared<HeapViews>();
  tiers::Tiers::process().retain();
  *pDevice = reinterpret_cast<VkDevice>(device.release());
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyDevice(VkDevice handle, const VkAllocationCallbacks* pAllocator) {
  if (!handle) return;
  Device* device = cast<Device>(handle);
  const VkAllocationCallbacks own = device->callbacks;
  const bool hasOwn = device->hasCallbacks;
  for (const auto& queue : device->queues) queue->stop();
  device->queues.clear();  // before the pool goes
  tiers::Tiers::process().release();
  if (DiskCache* disk = DiskCache::process()) disk->flush();
  destroy(pAllocator ? pAllocator : hasOwn ? &own : nullptr, device);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice handle, const char* pName) {
  const Device* device = cast<Device>(handle);
  return findDeviceEntryPoint(pName, device->apiVersion, device->physicalDevice->instance->enabledExtensions,
                              device->enabledExtensions);
}

VKAPI_ATTR void VKAPI_CALL GetDeviceQueue(VkDevice device, uint32_t family, uint32_t index, VkQueue* pQueue) {
  *pQueue = reinterpret_cast<VkQueue>(cast<Device>(device)->queue(family, index));
}

VKAPI_ATTR void VKAPI_CALL GetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2* pQueueInfo, VkQueue* pQueue) {
  *pQueue = reinterpret_cast<VkQueue>(
      cast<Device>(device)->queue(pQueueInfo->queueFamilyIndex, pQueueInfo->queueIndex, pQueueInfo->flags));
}

VKAPI_ATTR void VKAPI_CALL GetDeviceGroupPeerMemoryFeatures(VkDevice, uint32_t, uint32_t, uint32_t,
                                                            VkPeerMemoryFeatureFlags* pPeerMemoryFeatures) {
  *pPeerMemoryFeatures = VK_PEER_MEMORY_FEATURE_COPY_SRC_BIT | VK_PEER_MEMORY_FEATURE_COPY_DST_BIT |
                         VK_PEER_MEMORY_FEATURE_GENERIC_SRC_BIT | VK_PEER_MEMORY_FEATURE_GENERIC_DST_BIT;
}

VKAPI_ATTR VkResult VKAPI_CALL GetCalibratedTimestamps(VkDevice, uint32_t timestampCount,
                                                       const VkCalibratedTimestampInfoEXT* pTimestampInfos,
                                                       uint64_t* pTimestamps, uint64_t* pMaxDeviation) {
  const auto now = [](clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return uint64_t(t.tv_sec) * 1'000'000'000u + uint64_t(t.tv_nsec);
  };
  // Device timestamps are CLOCK_MONOTONIC, and so are the clocks of swapchains and of stages of their presents: one
  // reading serves all of them; the raw clock's differs by how long this takes.
  const uint64_t begin = now(CLOCK_MONOTONIC);
  for (uint32_t i = 0; i < timestampCount; ++i)
    pTimestamps[i] =
        pTimestampInfos[i].timeDomain == VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_EXT ? now(CLOCK_MONOTONIC_RAW) : begin;
  *pMaxDeviation = now(CLOCK_MONOTONIC) - begin + 1;
  return VK_SUCCESS;
}

}  // namespace etzel::icd
