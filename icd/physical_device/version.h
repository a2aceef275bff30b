// The one place that says which Vulkan version is advertised.
#pragma once

#include <vulkan/vulkan.h>

namespace etzel::icd {

inline constexpr uint32_t kApiVersion = VK_MAKE_API_VERSION(0, 1, 3, VK_HEADER_VERSION);
inline constexpr uint32_t kDriverVersion = VK_MAKE_API_VERSION(0, 0, 1, 0);

}  // namespace etzel::icd
