// The table of formats against the versions and extensions that are offered, and what images of them may be.
#include <gtest/gtest.h>

#include <set>

#include "icd/physical_device/formats.h"
#include "icd/vulkan_newer.h"
#include "runtime/format/format.h"

namespace etzel::icd {
namespace {

#include "icd/formats.inc"

TEST(Formats, EveryOfferedFormatHasARow) {
  std::set<VkFormat> missing;
  for (VkFormat f : kOfferedFormat)
    if (f != VK_FORMAT_UNDEFINED && !format::find(f)) missing.insert(f);
  EXPECT_EQ(missing, std::set<VkFormat>{}) << "no row in runtime/format/format.def";
}

VkResult ask(VkFormat format, VkImageUsageFlags usage, VkImageCreateFlags flags = 0,
             VkImageType type = VK_IMAGE_TYPE_2D) {
  VkPhysicalDeviceImageFormatInfo2 info{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2};
  info.format = format, info.type = type, info.usage = usage, info.flags = flags;
  VkImageFormatProperties properties;
  return imageFormatProperties(info, properties);
}

TEST(Formats, BlocksThatTexelsMayStandForAreUsedAsThoseCanBe) {
  constexpr VkImageCreateFlags kViews = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
  constexpr VkImageUsageFlags kUsage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  constexpr VkImageCreateFlags kTexels = VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT;
  for (VkFormat f : {VK_FORMAT_BC1_RGB_UNORM_BLOCK, VK_FORMAT_BC7_SRGB_BLOCK, VK_FORMAT_ASTC_6x5_SRGB_BLOCK}) {
    EXPECT_EQ(ask(f, kUsage, kViews), VK_ERROR_FORMAT_NOT_SUPPORTED) << f;
    EXPECT_EQ(ask(f, kUsage, kTexels | VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT), VK_ERROR_FORMAT_NOT_SUPPORTED) << f;
    EXPECT_EQ(ask(f, kUsage, kTexels | kViews), VK_SUCCESS) << f;
  }
}

TEST(Formats, DensityMapsAreTwoDimensionalAndOfOneFormat) {
  constexpr VkImageUsageFlags kMap = VK_IMAGE_USAGE_FRAGMENT_DENSITY_MAP_BIT_EXT;
  EXPECT_EQ(ask(VK_FORMAT_R8G8_UNORM, kMap), VK_SUCCESS);
  EXPECT_EQ(ask(VK_FORMAT_R8G8_UNORM, kMap, 0, VK_IMAGE_TYPE_3D), VK_ERROR_FORMAT_NOT_SUPPORTED);
  EXPECT_EQ(ask(VK_FORMAT_R8G8_UINT, kMap), VK_ERROR_FORMAT_NOT_SUPPORTED);
}

TEST(Formats, SubsampledImagesAreTwoDimensionalAndNoCubes) {
  constexpr VkImageCreateFlags kFlag = VK_IMAGE_CREATE_SUBSAMPLED_BIT_EXT;
  EXPECT_EQ(ask(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_SAMPLED_BIT, kFlag), VK_SUCCESS);
  EXPECT_EQ(ask(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_SAMPLED_BIT, kFlag, VK_IMAGE_TYPE_3D),
            VK_ERROR_FORMAT_NOT_SUPPORTED);
  EXPECT_EQ(ask(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_SAMPLED_BIT, kFlag | VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT),
            VK_ERROR_FORMAT_NOT_SUPPORTED);
}

}  // namespace
}  // namespace etzel::icd
