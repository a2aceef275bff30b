// Formats that Debian 12's Vulkan headers do not name yet (VK_KHR_maintenance5), for format.def.
#pragma once

#include <vulkan/vulkan_core.h>

#ifndef VK_KHR_maintenance5
namespace etzel::format {
inline constexpr VkFormat VK_FORMAT_A1B5G5R5_UNORM_PACK16 = VkFormat(1000470000);
inline constexpr VkFormat VK_FORMAT_A8_UNORM = VkFormat(1000470001);
}  // namespace etzel::format
#endif
