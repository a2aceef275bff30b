// Instances, their one physical device, and the loader's interface ("Initialization").
#include <algorithm>
#include <cstring>

#include "icd/device/extension_list.h"
#include "icd/dispatch/dispatch.h"
#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/enumerate.h"
#include "icd/object/error.h"
#include "icd/physical_device/host.h"
#include "icd/physical_device/version.h"
#include "icd/wsi/window_systems.h"
#include "runtime/base/debug_flags.h"

namespace etzel::icd {

namespace {

bool enables(const Instance& instance, std::string_view extension) {
  const std::vector<std::string>& all = instance.enabledExtensions;
  return std::find(all.begin(), all.end(), extension) != all.end();
}

/// The extensions for which `offered(entry)` holds.
template <class Offered>
VkResult listExtensions(uint32_t* pCount, VkExtensionProperties* pProperties, Offered offered) {
  std::vector<const ExtensionEntry*> all;
  all.reserve(supportedExtensions().size());
  for (const ExtensionEntry& e : supportedExtensions())
    if (offered(e)) all.push_back(&e);
  return enumerate(all, pCount, pProperties, [](const ExtensionEntry* e, VkExtensionProperties& p) {
    std::strncpy(p.extensionName, e->name, sizeof p.extensionName - 1);
    p.extensionName[sizeof p.extensionName - 1] = 0;
    p.specVersion = e->specVersion;
  });
}

}  // namespace

VkResult listInstanceExtensions(uint32_t* pCount, VkExtensionProperties* pProperties) {
  return listExtensions(pCount, pProperties,
                        [](const ExtensionEntry& e) { return e.isInstance && windowSystemOffered(e.name); });
}

VkResult listDeviceExtensions(const Instance& instance, uint32_t* pCount, VkExtensionProperties* pProperties) {
  // Loaders hide instance extensions that they are too old for, VK_KHR_surface_maintenance1 among them (1.3.239). Who
  // has surfaces but not that must not use what depends on it, and Khronos' suite looks whether it is offered.
  const bool lacks =
      enables(instance, VK_KHR_SURFACE_EXTENSION_NAME) && !enables(instance, "VK_KHR_surface_maintenance1");
  return listExtensions(pCount, pProperties, [&](const ExtensionEntry& e) {
    return !e.isInstance && !(lacks && std::strcmp(e.name, "VK_KHR_swapchain_maintenance1") == 0);
  });
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceVersion(uint32_t* pApiVersion) {
  *pApiVersion = kApiVersion;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceExtensionProperties(const char* pLayerName, uint32_t* pPropertyCount,
                                                                    VkExtensionProperties* pProperties) {
  if (pLayerName) return ETZEL_FAIL(VK_ERROR_LAYER_NOT_PRESENT, "there is no layer %s", pLayerName);
  return listInstanceExtensions(pPropertyCount, pProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceLayerProperties(uint32_t* pPropertyCount, VkLayerProperties*) {
  *pPropertyCount = 0;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* pCreateInfo,
                                              const VkAllocationCallbacks* pAllocator, VkInstance* pInstance) {
  debugSettings();  // prints ETZEL_DEBUG=help early
  ChainedListeners chained(*pCreateInfo);
  const ChainedScope scope(chained);
  for (uint32_t i = 0; i < pCreateInfo->enabledExtensionCount; ++i)
    if (const char* name = pCreateInfo->ppEnabledExtensionNames[i];
        !findExtension(name, true) || !windowSystemPresent(name))
      return ETZEL_FAIL(VK_ERROR_EXTENSION_NOT_PRESENT, "there is no instance extension %s", name);
  auto instance = make<Instance>(pAllocator, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
  if (!instance) return ETZEL_FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "no memory for an instance");
  if (pAllocator) instance->callbacks = *pAllocator, instance->hasCallbacks = true;
  if (pCreateInfo->pApplicationInfo && pCreateInfo->pApplicationInfo->apiVersion)
    instance->apiVersion = pCreateInfo->pApplicationInfo->apiVersion;
  instance->enabledExtensions.assign(pCreateInfo->ppEnabledExtensionNames,
                                     pCreateInfo->ppEnabledExtensionNames + pCreateInfo->enabledExtensionCount);
  instance->physicalDevice.instance = instance.get();
  instance->chained = chained;
  *pInstance = reinterpret_cast<VkInstance>(instance.release());
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance handle, const VkAllocationCallbacks* pAllocator) {
  if (!handle) return;
  Instance* instance = cast<Instance>(handle);
  const VkAllocationCallbacks own = instance->callbacks;
  const bool hasOwn = instance->hasCallbacks;
  const ChainedListeners chained = std::move(instance->chained);
  const ChainedScope scope(chained);
  destroy(pAllocator ? pAllocator : hasOwn ? &own : nullptr, instance);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumeratePhysicalDevices(VkInstance handle, uint32_t* pCount,
                                                        VkPhysicalDevice* pPhysicalDevices) {
  const std::vector<VkPhysicalDevice> all{reinterpret_cast<VkPhysicalDevice>(&cast<Instance>(handle)->physicalDevice)};
  return enumerate(all, pCount, pPhysicalDevices);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumeratePhysicalDeviceGroups(VkInstance handle, uint32_t* pCount,
                                                             VkPhysicalDeviceGroupProperties* pGroups) {
  if (!pGroups) {
    *pCount = 1;
    return VK_SUCCESS;
  }
  if (*pCount == 0) return VK_INCOMPLETE;
  *pCount = 1;
  VkPhysicalDeviceGroupProperties& g = pGroups[0];
  g.physicalDeviceCount = 1;
  std::fill(std::begin(g.physicalDevices), std::end(g.physicalDevices), VkPhysicalDevice{});
  g.physicalDevices[0] = reinterpret_cast<VkPhysicalDevice>(&cast<Instance>(handle)->physicalDevice);
  g.subsetAllocation = VK_FALSE;
  return VK_SUCCESS;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance handle, const char* pName) {
  if (!pName) return nullptr;
  if (PFN_vkVoidFunction f = findGlobalEntryPoint(pName)) return f;
  if (!handle) return nullptr;
  const Instance* instance = cast<Instance>(handle);
  return findInstanceEntryPoint(pName, std::min(instance->apiVersion, kApiVersion), instance->enabledExtensions);
}

}  // namespace etzel::icd
