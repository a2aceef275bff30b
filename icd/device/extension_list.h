// The lists of vkEnumerate{Instance,Device}ExtensionProperties.
#pragma once

#include <vulkan/vulkan_core.h>

namespace etzel::icd {

VkResult listExtensions(bool instanceLevel, uint32_t* pCount, VkExtensionProperties* pProperties);

}  // namespace etzel::icd
