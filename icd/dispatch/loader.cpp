// The loader's interface, version 5: the only symbols that the library exports. See the loader's documentation, "Loader
// and Driver Interface". Compiled into the shared library itself, because symbols of archives stay hidden.
#include <algorithm>

#include "icd/dispatch/dispatch.h"
#include "icd/entry_points.h"

#define ETZEL_EXPORT extern "C" __attribute__((visibility("default")))

ETZEL_EXPORT VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* pVersion) {
  constexpr uint32_t oldest = 2, newest = 5;
  if (*pVersion < oldest) return VK_ERROR_INCOMPATIBLE_DRIVER;
  *pVersion = std::min(*pVersion, newest);
  return VK_SUCCESS;
}

ETZEL_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance,
                                                                                const char* pName) {
  return etzel::icd::GetInstanceProcAddr(instance, pName);
}

ETZEL_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance, const char* pName) {
  return pName ? etzel::icd::findPhysicalDeviceEntryPoint(pName) : nullptr;
}
