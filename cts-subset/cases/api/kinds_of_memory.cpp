// Memory that is there only where somebody writes to it, memory that can be where it was, and what drivers say of
// images before and after they are made: usage of other formats' views, compression.
#include <algorithm>
#include <vector>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

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
  add("memory.extended_flags.texels_of_blocks", texelsOfBlocks);
}

}  // namespace etzel::cts
