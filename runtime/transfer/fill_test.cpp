// Fills and copies that are long enough for their quick ways, of every texel size, split or not.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "runtime/transfer/transfer.h"

namespace etzel::transfer {
namespace {

mem::ImageLayout layoutOf(VkFormat format, VkExtent3D extent, uint32_t mips, uint32_t layers, VkImageType type) {
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.imageType = type, info.format = format, info.extent = extent;
  info.mipLevels = mips, info.arrayLayers = layers, info.samples = VK_SAMPLE_COUNT_1_BIT;
  return mem::layoutImage(info);
}

void expectCleared(VkFormat format, VkExtent3D extent, VkImageType type, const VkClearColorValue& value,
                   task::Pool* pool) {
  const uint32_t layers = type == VK_IMAGE_TYPE_3D ? 1 : 3, mips = 2;
  const mem::ImageLayout layout = layoutOf(format, extent, mips, layers, type);
  const mem::PlaneLayout& p = layout.plane[0];
  std::vector<std::byte> bytes(layout.size, std::byte{0xA5}), expected = bytes;
  const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, 0, mips, layers - 1, 1};
  clearColor(pool, {&layout, bytes.data()}, value, range);

  format::Texel texel;
  std::memcpy(&texel, &value, sizeof texel);
  std::byte encoded[32];
  format::encoder(format)(&texel, encoded, 1);
  for (uint32_t mip = 0; mip < mips; ++mip)
    for (uint32_t z = 0; z < p.mip[mip].depth; ++z)
      for (uint32_t y = 0; y < p.mip[mip].height; ++y)
        for (uint32_t x = 0; x < p.mip[mip].width; ++x)
          std::memcpy(expected.data() + layout.texelOffset(p, mip, layers - 1, 0, x, y, z), encoded, p.blockBytes);
  EXPECT_TRUE(bytes == expected) << format::find(format)->name << " " << extent.width << "x" << extent.height << "x"
                                 << extent.depth;
}

TEST(ClearLong, EveryTexelSizeWithAndWithoutRepeatedBytes) {
  constexpr VkFormat kFormats[] = {
      VK_FORMAT_R8_UNORM,           VK_FORMAT_R8G8_UNORM,       VK_FORMAT_R8G8B8_UNORM,
      VK_FORMAT_R8G8B8A8_UNORM,     VK_FORMAT_R16G16B16_SFLOAT, VK_FORMAT_R16G16B16A16_SFLOAT,
      VK_FORMAT_R32G32_SFLOAT,      VK_FORMAT_R32G32B32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT,
      VK_FORMAT_B5G6R5_UNORM_PACK16};
  constexpr VkClearColorValue kValues[] = {
      {{0, 0, 0, 0}}, {{1, 1, 1, 1}}, {{0.25f, 0.5f, 0.75f, 1}}, {{0.25f, 0.5f, 0.25f, 0.5f}}};
  for (VkFormat format : kFormats)
    for (const VkClearColorValue& value : kValues) {
      expectCleared(format, {67, 131, 1}, VK_IMAGE_TYPE_2D, value, nullptr);
      expectCleared(format, {64, 64, 1}, VK_IMAGE_TYPE_2D, value, nullptr);
      expectCleared(format, {7, 5, 9}, VK_IMAGE_TYPE_3D, value, nullptr);
    }
}

TEST(ClearLong, ManyThreads) {
  task::Pool pool(3);
  const VkClearColorValue value{{0.25f, 0.5f, 0.75f, 1}};
  expectCleared(VK_FORMAT_R8G8B8_UNORM, {2003, 1501, 1}, VK_IMAGE_TYPE_2D, value, &pool);
  expectCleared(VK_FORMAT_R8G8B8A8_UNORM, {2048, 1024, 1}, VK_IMAGE_TYPE_2D, value, &pool);
  expectCleared(VK_FORMAT_R16G16B16A16_SFLOAT, {128, 120, 50}, VK_IMAGE_TYPE_3D, value, &pool);
}

TEST(BufferLong, FillsAndCopiesKeepToTheirBytes) {
  task::Pool pool(3);
  std::mt19937 random(1);
  std::vector<std::byte> source(9 << 20);
  for (size_t i = 0; i < source.size(); i += 4) {
    const uint32_t word = random();
    std::memcpy(source.data() + i, &word, 4);
  }
  for (uint64_t size : {4u, 60u, 2048u, 2052u, 65532u, 65536u, 65537u, 1000004u, 8388620u})
    for (uint64_t offset : {0u, 4u, 36u}) {
      std::vector<std::byte> to(size + offset + 64, std::byte{9}), expected = to;
      std::memcpy(expected.data() + offset, source.data() + 4, size);
      copyBuffer(&pool, source.data() + 4, to.data() + offset, size);
      EXPECT_TRUE(to == expected) << "copy " << size << " at " << offset;
      const uint64_t words = size / 4;
      for (uint64_t i = 0; i < words; ++i) {
        const uint32_t word = 0x12345678;
        std::memcpy(expected.data() + offset + 4 * i, &word, 4);
      }
      fillBuffer(&pool, to.data() + offset, words * 4, 0x12345678);
      EXPECT_TRUE(to == expected) << "fill " << size << " at " << offset;
    }
}

}  // namespace
}  // namespace etzel::transfer
