// What this machine is: memory, processor, identity. Read once; any thread.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <string>

#include "icd/physical_device/memory_types.h"
#include "runtime/base/types.h"

namespace etzel::icd {

struct Host {
  std::array<uint64_t, kHeapCount> heapBytes{};  ///< a half and a quarter of the memory that this process may use
  std::string deviceName;                        ///< "Etzel (AMD EPYC 9B14)"
  std::string driverInfo;                        ///< version and build id
  std::array<uint8_t, VK_UUID_SIZE> deviceUuid{}, driverUuid{};
  std::array<uint8_t, VK_UUID_SIZE> buildUuid{};  ///< of what compiled programs and layouts depend on (build_id.h)
  VkConformanceVersion conformance{};             ///< ETZEL_CONFORMANCE_VERSION, else 0.0.0.0
  std::array<uint8_t, VK_LUID_SIZE> deviceLuid{};
  VkPhysicalDeviceType deviceType = VK_PHYSICAL_DEVICE_TYPE_CPU;  ///< ETZEL_DEVICE_TYPE
};

const Host& host();

/// Bytes of memory that are free for new allocations now: the machine's, or what a container has left of its limit.
uint64_t availableHostBytes();

}  // namespace etzel::icd
