// The lists of vkEnumerate{Instance,Device}ExtensionProperties.
#pragma once

#include <vulkan/vulkan_core.h>

namespace etzel::icd {

struct Instance;

/// The instance's extensions, or those of the devices of an instance.
VkResult listInstanceExtensions(uint32_t* pCount, VkExtensionProperties* pProperties);
VkResult listDeviceExtensions(const Instance& instance, uint32_t* pCount, VkExtensionProperties* pProperties);

}  // namespace etzel::icd
