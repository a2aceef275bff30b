// Questions about formats that other parts of the API layer ask too.
#pragma once

#include <vulkan/vulkan.h>

#include <vector>

namespace etzel::icd {

/// The one DRM format modifier: rows of texels, as in linear tiling (DRM_FORMAT_MOD_LINEAR). Of colour formats that are
/// not compressed.
inline constexpr uint64_t kLinearModifier = 0;
VkFormatFeatureFlags2 featuresOf(VkFormat format, VkImageTiling tiling);

/// "Image Creation Limits". VK_ERROR_FORMAT_NOT_SUPPORTED with zeros when no such image can be made.
VkResult imageFormatProperties(const VkPhysicalDeviceImageFormatInfo2& info, VkImageFormatProperties& out);

VkExternalMemoryProperties externalMemoryProperties(VkExternalMemoryHandleTypeFlagBits handle);

/// Every format of the same class ("Format Compatibility Classes"), for colour formats: same texel block size, and for
/// compressed formats the same block shape and coding.
std::vector<VkFormat> compatibleFormats(VkFormat format);

/// What "Additional Image Capabilities" says of an image, or of what it would be.
void fillCompression(bool possible, VkImageCompressionPropertiesEXT& p);

}  // namespace etzel::icd
