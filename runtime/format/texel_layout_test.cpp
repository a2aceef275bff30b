#include "runtime/format/texel_layout.h"

#include <gtest/gtest.h>

#include <set>

#include "runtime/format/format.h"

namespace etzel::format {
namespace {

TEST(TexelLayout, FormatsOfTheSameBitsAndNumbersShareOne) {
  const auto layout = [](VkFormat format) { return find(format)->layout; };
  EXPECT_EQ(layout(VK_FORMAT_R8G8B8A8_UNORM), TexelLayout::Rgba8);
  EXPECT_EQ(layout(VK_FORMAT_A8B8G8R8_UNORM_PACK32), TexelLayout::Rgba8);
  EXPECT_EQ(layout(VK_FORMAT_B8G8R8A8_SRGB), TexelLayout::Bgra8Srgb);
  EXPECT_EQ(layout(VK_FORMAT_R32_UINT), TexelLayout::R32);
  EXPECT_EQ(layout(VK_FORMAT_R32_SFLOAT), TexelLayout::R32);
  EXPECT_EQ(layout(VK_FORMAT_D32_SFLOAT), TexelLayout::R32);
  EXPECT_EQ(layout(VK_FORMAT_D16_UNORM), TexelLayout::R16);
  EXPECT_EQ(layout(VK_FORMAT_X8_D24_UNORM_PACK32), TexelLayout::D24);
  EXPECT_EQ(layout(VK_FORMAT_S8_UINT), TexelLayout::R8Uint);
  EXPECT_EQ(layout(VK_FORMAT_A2R10G10B10_UNORM_PACK32), TexelLayout::Bgr10A2);
  EXPECT_EQ(layout(VK_FORMAT_E5B9G9R9_UFLOAT_PACK32), TexelLayout::Rgb9E5);
}

TEST(TexelLayout, WhatHasNoNameOfItsOwnSaysWhy) {
  const auto layout = [](VkFormat format) { return find(format)->layout; };
  EXPECT_EQ(layout(VK_FORMAT_BC1_RGBA_UNORM_BLOCK), TexelLayout::Blocks);
  EXPECT_EQ(layout(VK_FORMAT_G8_B8R8_2PLANE_420_UNORM), TexelLayout::None);
  EXPECT_EQ(layout(VK_FORMAT_G8B8G8R8_422_UNORM), TexelLayout::None);
  EXPECT_EQ(layout(VK_FORMAT_D24_UNORM_S8_UINT), TexelLayout::Other);
  EXPECT_EQ(layout(VK_FORMAT_R8_SRGB), TexelLayout::Other);
  EXPECT_EQ(layout(VK_FORMAT_R64_UINT), TexelLayout::Other);
  EXPECT_EQ(layout(VK_FORMAT_B8G8R8A8_UINT), TexelLayout::Other);
}

TEST(TexelLayout, EveryOneIsSomeFormats) {
  std::set<TexelLayout> found;
  for (int i = 1; i <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK; ++i)
    if (const FormatInfo* info = find(static_cast<VkFormat>(i))) found.insert(info->layout);
  found.insert(find(VK_FORMAT_A4R4G4B4_UNORM_PACK16)->layout);
  EXPECT_EQ(found.size(), static_cast<size_t>(TexelLayout::kCount) - 1);  // None: formats with larger numbers
}

}  // namespace
}  // namespace etzel::format
