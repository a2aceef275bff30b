#include "runtime/mem/image_layout.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace etzel::mem {
namespace {

ImageShape imageInfo(VkFormat format, VkExtent3D extent, uint32_t mips, uint32_t layers, uint32_t samples = 1) {
  ImageShape shape;
  shape.type = extent.depth > 1 ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D;
  shape.format = format;
  shape.extent = extent;
  shape.mipLevels = mips;
  shape.arrayLayers = layers;
  shape.samples = samples;
  return shape;
}

/// Every row of every subresource must have bytes of its own, inside the image.
void expectDisjoint(const ImageLayout& l) {
  std::vector<std::pair<uint64_t, uint64_t>> rows;
  for (uint32_t p = 0; p < l.planeCount; ++p) {
    const PlaneLayout& plane = l.plane[p];
    for (uint32_t s = 0; s < l.samples; ++s)
      for (uint32_t layer = 0; layer < l.arrayLayers; ++layer)
        for (uint32_t m = 0; m < l.mipLevels; ++m)
          for (uint32_t z = 0; z < plane.mip[m].depth; ++z)
            for (uint32_t y = 0; y * plane.blockHeight < plane.mip[m].height; ++y) {
              const uint64_t begin = l.texelOffset(plane, m, layer, s, 0, y, z);
              const uint64_t columns = divideUp(plane.mip[m].width, plane.blockWidth);
              rows.push_back({begin, begin + columns * plane.blockBytes});
            }
  }
  std::sort(rows.begin(), rows.end());
  for (size_t i = 1; i < rows.size(); ++i) ASSERT_LE(rows[i - 1].second, rows[i].first);
  EXPECT_LE(rows.back().second, l.size);
}

TEST(ImageLayout, SubresourcesAreDisjoint) {
  expectDisjoint(layoutImage(imageInfo(VK_FORMAT_R8G8B8A8_UNORM, {37, 21, 1}, 6, 3)));
  expectDisjoint(layoutImage(imageInfo(VK_FORMAT_R8G8B8_UNORM, {5, 7, 9}, 4, 1)));
  expectDisjoint(layoutImage(imageInfo(VK_FORMAT_D24_UNORM_S8_UINT, {19, 11, 1}, 1, 2, 4)));
  expectDisjoint(layoutImage(imageInfo(VK_FORMAT_ASTC_10x5_UNORM_BLOCK, {37, 21, 1}, 6, 2)));
  expectDisjoint(layoutImage(imageInfo(VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, {16, 12, 1}, 1, 2)));
}

TEST(ImageLayout, DepthAndStencilAreSeparatePlanes) {
  const ImageLayout l = layoutImage(imageInfo(VK_FORMAT_D32_SFLOAT_S8_UINT, {8, 8, 1}, 1, 1));
  ASSERT_EQ(l.planeCount, 2u);
  EXPECT_EQ(l.planeOf(VK_IMAGE_ASPECT_DEPTH_BIT).format, VK_FORMAT_D32_SFLOAT);
  EXPECT_EQ(l.planeOf(VK_IMAGE_ASPECT_STENCIL_BIT).format, VK_FORMAT_S8_UINT);
  EXPECT_EQ(l.planeOf(VK_IMAGE_ASPECT_STENCIL_BIT).blockBytes, 1u);
  EXPECT_EQ(layoutImage(imageInfo(VK_FORMAT_S8_UINT, {8, 8, 1}, 1, 1)).planeCount, 1u);
}

TEST(ImageLayout, ChromaPlanesAreSmaller) {
  const ImageLayout l = layoutImage(imageInfo(VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, {16, 12, 1}, 1, 1));
  ASSERT_EQ(l.planeCount, 2u);
  EXPECT_EQ(l.plane[1].format, VK_FORMAT_R8G8_UNORM);
  EXPECT_EQ(l.plane[1].mip[0].width, 8u);
  EXPECT_EQ(l.plane[1].mip[0].height, 6u);
}

ImageShape blockShape(VkFormat format, VkExtent3D extent, uint32_t mips, uint32_t layers, uint32_t samples = 1) {
  ImageShape shape = imageInfo(format, extent, mips, layers, samples);
  shape.blockPage = 4096;
  return shape;
}

TEST(ImageLayout, PlainImagesHaveATexelForEverySample) {
  for (VkFormat f : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D24_UNORM_S8_UINT}) {
    ImageShape shape = imageInfo(f, {100, 60, 1}, 1, 2, 4);
    const ImageLayout compressed = layoutImage(shape);
    shape.plain = true;
    const ImageLayout plain = layoutImage(shape);
    expectDisjoint(plain);
    EXPECT_LT(plain.size, compressed.size);
    for (uint32_t i = 0; i < plain.planeCount; ++i)
      EXPECT_TRUE(plain.plane[i].fragments.offset == 0 && plain.plane[i].tiles.offset == 0) << f;
  }
}

TEST(ImageLayout, RowsOfBlocksBeginOnPages) {
  const ImageLayout l = layoutImage(blockShape(VK_FORMAT_R8G8B8A8_UNORM, {1500, 20, 1}, 5, 3));
  const PlaneLayout& p = l.plane[0];
  ASSERT_EQ(p.tailMip, 3u);  // rows of 6000, 3000, 1500 bytes, then 748
  for (uint32_t m = 0; m < p.tailMip; ++m)
    for (uint32_t layer = 0; layer < 3; ++layer)
      for (uint32_t y = 0; y < p.mip[m].height; ++y) ASSERT_EQ(l.texelOffset(p, m, layer, 0, 0, y, 0) % 4096, 0u);
  expectDisjoint(l);
}

TEST(ImageLayout, TheTailHasPagesOfItsOwn) {
  const ImageLayout l = layoutImage(blockShape(VK_FORMAT_R8_UNORM, {4096, 9, 5}, 13, 1));
  const PlaneLayout& p = l.plane[0];
  ASSERT_EQ(p.tailMip, 3u);
  EXPECT_EQ(p.tailOffset % 4096, 0u);
  EXPECT_EQ(p.tailBytes % 4096, 0u);
  EXPECT_EQ(p.tailOffset + p.tailBytes, p.layerPitch);
  for (uint32_t m = 0; m < 13; ++m) EXPECT_EQ(p.mip[m].offset >= p.tailOffset, m >= p.tailMip) << m;
  expectDisjoint(l);
}

TEST(ImageLayout, PagesHoldAllThereIsToKnowOfSamples) {
  const ImageLayout l = layoutImage(blockShape(VK_FORMAT_D32_SFLOAT_S8_UINT, {100, 30, 1}, 1, 2, 4));
  expectDisjoint(l);
  EXPECT_EQ(l.alignment, 4 * 4096u);
  EXPECT_EQ(l.size % 4096, 0u);
  for (uint32_t i = 0; i < l.planeCount; ++i) {
    EXPECT_EQ(l.plane[i].tiles.offset, 0u);
    EXPECT_EQ(l.plane[i].tailMip, kMaxMips);
    EXPECT_EQ(l.plane[i].offset % 4096, 0u);
  }
  EXPECT_EQ(layoutImage(blockShape(VK_FORMAT_R8G8B8A8_UNORM, {64, 64, 1}, 1, 1, 8)).plane[0].fragments.offset, 0u);
}

}  // namespace
}  // namespace etzel::mem
