// sRGB formats as their codes: what resolves average that are told to skip the transfer function.
#pragma once

#include <vulkan/vulkan_core.h>

namespace etzel::format {

/// The format that shows an 8-bit sRGB format's codes as they are stored; any other format itself.
constexpr VkFormat codesOf(VkFormat format) {
  switch (format) {
    case VK_FORMAT_R8_SRGB: return VK_FORMAT_R8_UNORM;
    case VK_FORMAT_R8G8_SRGB: return VK_FORMAT_R8G8_UNORM;
    case VK_FORMAT_R8G8B8_SRGB: return VK_FORMAT_R8G8B8_UNORM;
    case VK_FORMAT_B8G8R8_SRGB: return VK_FORMAT_B8G8R8_UNORM;
    case VK_FORMAT_R8G8B8A8_SRGB: return VK_FORMAT_R8G8B8A8_UNORM;
    case VK_FORMAT_B8G8R8A8_SRGB: return VK_FORMAT_B8G8R8A8_UNORM;
    case VK_FORMAT_A8B8G8R8_SRGB_PACK32: return VK_FORMAT_A8B8G8R8_UNORM_PACK32;
    default: return format;
  }
}

}  // namespace etzel::format
