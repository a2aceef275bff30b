// Which features exist (device/features.txt) and which an application asks for ("Features").
#pragma once

#include <vulkan/vulkan.h>

namespace etzel::icd {

/// \returns the name of a structure with a feature that is asked for but absent, or null when all is well.
const char* findUnsupportedFeature(const VkDeviceCreateInfo& info);

const VkPhysicalDeviceFeatures& coreFeatures();

}  // namespace etzel::icd
