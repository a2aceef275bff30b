// Which Vulkan version is advertised, and which Etzel this is: the version of CMakeLists.txt's project().
#pragma once

#include <vulkan/vulkan.h>

#include "icd/version_numbers.h"

namespace etzel::icd {

/// The patch of headers that are older than Vulkan 1.4 (1.4.303) says nothing of it.
inline constexpr uint32_t kApiVersion = VK_MAKE_API_VERSION(0, 1, 4, VK_HEADER_VERSION < 303 ? 303 : VK_HEADER_VERSION);
inline constexpr uint32_t kDriverVersion =
    VK_MAKE_API_VERSION(0, ETZEL_VERSION_MAJOR, ETZEL_VERSION_MINOR, ETZEL_VERSION_PATCH);

}  // namespace etzel::icd
