// Memory that is there only where somebody writes to it, memory that can be where it was, and what drivers say of
// images before and after they are made: usage of other formats' views, compression.
#include <algorithm>
#include <vector>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

/// An image that the case ends with, bound to nothing.
VkImage makeImage(Gpu& gpu, VkFormat format, VkImageUsageFlags usage, VkSampleCountFlagBits samples,
                  const void* next = nullptr) {
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, next};
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {512, 512, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = samples;
  info.usage = usage;
  VkImage image;
  CTS_VK(vkCreateImage(gpu.device, &info, nullptr, &image));
  gpu.later([&gpu, image] { vkDestroyImage(gpu.device, image, nullptr); });
  return image;
}

/// VK_EXT_image_compression_control: an image that is made without compression says so, and shows the same.
void compression(Gpu& gpu, VkImageCompressionFlagsEXT flags) {
  gpu.requireFeatures(VK_EXT_IMAGE_COMPRESSION_CONTROL_EXTENSION_NAME, 1);
  const auto query = gpu.proc<PFN_vkGetImageSubresourceLayout2EXT>("vkGetImageSubresourceLayout2EXT");
  const VkImageCompressionControlEXT control{VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT, nullptr, flags, 0,
                                             nullptr};
  for (VkSampleCountFlagBits samples : {VK_SAMPLE_COUNT_1_BIT, VK_SAMPLE_COUNT_4_BIT})
    for (VkFormat format : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D16_UNORM}) {
      const bool color = format != VK_FORMAT_D16_UNORM;
      const VkImage image = makeImage(
          gpu, format, color ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
          samples, &control);
      VkImageCompressionPropertiesEXT p{VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT};
      VkSubresourceLayout2EXT layout{VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2_EXT, &p, {}};
      const VkImageAspectFlags aspect = color ? VK_IMAGE_ASPECT_COLOR_BIT : VK_IMAGE_ASPECT_DEPTH_BIT;
      const VkImageSubresource2EXT which{VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2_EXT, nullptr, {aspect, 0, 0}};
      query(gpu.device, image, &which, &layout);
      EXPECT_EQ(p.imageCompressionFixedRateFlags, VkImageCompressionFixedRateFlagsEXT(0));
      if (flags == VK_IMAGE_COMPRESSION_DISABLED_EXT)
        EXPECT_EQ(p.imageCompressionFlags, VK_IMAGE_COMPRESSION_DISABLED_EXT) << "of format " << format;
      else
        EXPECT_TRUE(p.imageCompressionFlags == VK_IMAGE_COMPRESSION_DEFAULT_EXT ||
                    p.imageCompressionFlags == VK_IMAGE_COMPRESSION_DISABLED_EXT);
    }
}

/// "Image Creation", VK_IMAGE_CREATE_EXTENDED_USAGE_BIT: blocks that texels may be seen in are used as those can be.
void texelsOfBlocks(Gpu& gpu) {
  gpu.require(gpu.features.features.textureCompressionBC, "textureCompressionBC");
  const VkImageCreateFlags views = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
  const VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT;
  VkImageFormatProperties p;
  const auto ask = [&](VkFormat format, VkImageCreateFlags flags) {
    return vkGetPhysicalDeviceImageFormatProperties(gpu.physical, format, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
                                                    usage, flags, &p);
  };
  gpu.require(ask(VK_FORMAT_R32G32B32A32_UINT, 0) == VK_SUCCESS, "storage images of 16 bytes a texel");
  for (VkFormat format : {VK_FORMAT_BC3_UNORM_BLOCK, VK_FORMAT_BC7_SRGB_BLOCK}) {
    EXPECT_EQ(ask(format, 0), VK_ERROR_FORMAT_NOT_SUPPORTED);
    EXPECT_EQ(ask(format, views | VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT), VK_SUCCESS);
  }
}

}  // namespace

void registerKindsOfMemory() {
  add("memory.compression.disabled", [](Gpu& gpu) { compression(gpu, VK_IMAGE_COMPRESSION_DISABLED_EXT); });
  add("memory.compression.default", [](Gpu& gpu) { compression(gpu, VK_IMAGE_COMPRESSION_DEFAULT_EXT); });
  add("memory.extended_flags.texels_of_blocks", texelsOfBlocks);
}

}  // namespace etzel::cts
