// The one memory type: host memory, which is the device's too.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

namespace etzel::icd {

inline constexpr uint32_t kMemoryTypeCount = 1;
inline constexpr uint32_t kMemoryTypeBits = (1u << kMemoryTypeCount) - 1;
inline constexpr VkMemoryPropertyFlags kMemoryTypeFlags =
    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
    VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

/// Bytes of live VkDeviceMemory in this process.
uint64_t deviceMemoryInUse();

}  // namespace etzel::icd
