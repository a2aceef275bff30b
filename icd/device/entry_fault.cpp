// VK_KHR_device_fault and VK_EXT_device_fault ("Device Fault Diagnosis").
#include "icd/entry_points.h"
#include "icd/object/device.h"

namespace etzel::icd {

VKAPI_ATTR VkResult VKAPI_CALL GetDeviceFaultReports(VkDevice device, uint64_t timeout, uint32_t* pFaultCounts,
                                                     VkDeviceFaultInfoKHR* pFaultInfo) {
  return cast<Device>(device)->faults.reports(timeout, pFaultCounts, pFaultInfo);
}

VKAPI_ATTR VkResult VKAPI_CALL GetDeviceFaultDebugInfo(VkDevice device, VkDeviceFaultDebugInfoKHR* pDebugInfo) {
  return cast<Device>(device)->faults.debugInfo(pDebugInfo);
}

VKAPI_ATTR VkResult VKAPI_CALL GetDeviceFaultInfo(VkDevice device, VkDeviceFaultCountsEXT* pFaultCounts,
                                                  VkDeviceFaultInfoEXT* pFaultInfo) {
  return cast<Device>(device)->faults.info(pFaultCounts, pFaultInfo);
}

}  // namespace etzel::icd
