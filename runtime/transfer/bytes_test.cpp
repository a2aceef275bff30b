// Fills and copies that are long enough for their quick ways, of every texel size, split or not; and copies of rows
// with and without gaps between them, texel by texel.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "runtime/transfer/transfer.h"

namespace etzel::transfer {
namespace {

mem::ImageLayout layoutOf(VkFormat format, VkExtent3D extent, uint32_t mips, uint32_t layers, VkImageType type) {
  mem::ImageShape shape;
  shape.type = type, shape.format = format, shape.extent = extent;
  shape.mipLevels = mips, shape.arrayLayers = layers, shape.samples = 1;
  return mem::layoutImage(shape);
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
  expectCleared(VK_FORMAT_R8G8B8A8_UNORM, {2048, 2700, 1}, VK_IMAGE_TYPE_2D, value, &pool);
  expectCleared(VK_FORMAT_R8G8B8A8_UNORM, {2048, 2700, 1}, VK_IMAGE_TYPE_2D, {}, &pool);
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

/// What goes past the caches, on hosts where that is quicker.
TEST(BufferLong, MoreThanCachesHold) {
  task::Pool pool(3);
  constexpr uint64_t kBytes = (21 << 20) + 12;
  std::vector<std::byte> source(kBytes + 16), to(kBytes + 64, std::byte{9});
  std::mt19937 random(3);
  for (size_t i = 0; i < source.size(); i += 4) {
    const uint32_t word = static_cast<uint32_t>(random());
    std::memcpy(source.data() + i, &word, 4);
  }
  const auto rest = [&] {
    return std::all_of(to.data() + 4 + kBytes, to.data() + to.size(), [](std::byte b) { return b == std::byte{9}; });
  };
  copyBuffer(&pool, source.data() + 12, to.data() + 4, kBytes);
  EXPECT_EQ(std::memcmp(to.data() + 4, source.data() + 12, kBytes), 0);
  EXPECT_TRUE(rest());
  fillBuffer(&pool, to.data() + 4, kBytes, 0x12345678);
  for (uint64_t i = 4; i < 4 + kBytes; i += 4) {
    uint32_t word;
    std::memcpy(&word, to.data() + i, 4);
    ASSERT_EQ(word, 0x12345678u) << i;
  }
  EXPECT_TRUE(rest());
}

struct Layers {
  mem::ImageLayout layout;
  std::vector<std::byte> bytes;

  Layers(uint32_t width, uint32_t height, std::mt19937& random)
      : layout(layoutOf(VK_FORMAT_R8G8B8A8_UNORM, {width, height, 1}, 1, 3, VK_IMAGE_TYPE_2D)), bytes(layout.size) {
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  }
  Image image() { return {&layout, bytes.data()}; }
  std::byte* at(uint32_t layer, uint32_t x, uint32_t y) {
    return bytes.data() + layout.texelOffset(layout.plane[0], 0, layer, 0, x, y, 0);
  }
};

TEST(CopyRows, WithAndWithoutGaps) {
  std::mt19937 random(2);
  task::Pool pool(3);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  for (int round = 0; round < 400; ++round) {
    const uint32_t scale = round % 50 == 0 ? 16 : 1;  // now and then enough to be split
    const uint32_t sWidth = 16 * scale + 8 * below(3), dWidth = 16 * scale + 8 * below(3);
    const uint32_t sHeight = (1 + below(30)) * scale, dHeight = (1 + below(30)) * scale;
    Layers source(sWidth, sHeight, random), real(dWidth, dHeight, random), model = real;
    const uint32_t width = below(3) ? std::min(sWidth, dWidth) : 1 + below(std::min(sWidth, dWidth));
    const uint32_t height = 1 + below(std::min(sHeight, dHeight));
    const uint32_t sx = below(sWidth - width + 1), sy = below(sHeight - height + 1);
    const uint32_t dx = below(dWidth - width + 1), dy = below(dHeight - height + 1);
    VkImageCopy2 r{};
    r.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 2};
    r.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 2};
    r.srcOffset = {int32_t(sx), int32_t(sy), 0}, r.dstOffset = {int32_t(dx), int32_t(dy), 0};
    r.extent = {width, height, 1};
    copyImage(&pool, source.image(), real.image(), r);
    for (uint32_t layer = 0; layer < 2; ++layer)
      for (uint32_t y = 0; y < height; ++y)
        for (uint32_t x = 0; x < width; ++x)
          std::memcpy(model.at(layer, dx + x, dy + y), source.at(layer + 1, sx + x, sy + y), 4);
    ASSERT_TRUE(real.bytes == model.bytes) << "image, round " << round;

    VkBufferImageCopy2 b{};
    b.bufferOffset = 4 * below(5);
    b.bufferRowLength = below(2) ? 0 : width + below(3), b.bufferImageHeight = below(2) ? 0 : height + below(3);
    b.imageSubresource = r.dstSubresource, b.imageOffset = r.dstOffset, b.imageExtent = r.extent;
    const uint32_t pitch = b.bufferRowLength ? b.bufferRowLength : width;
    const uint32_t lines = b.bufferImageHeight ? b.bufferImageHeight : height;
    std::vector<std::byte> buffer(b.bufferOffset + size_t{pitch} * lines * 8), expected;
    for (std::byte& byte : buffer) byte = static_cast<std::byte>(random());
    expected = buffer;
    const auto eachTexel = [&](auto body) {
      for (uint32_t layer = 0; layer < 2; ++layer)
        for (uint32_t y = 0; y < height; ++y)
          for (uint32_t x = 0; x < width; ++x)
            body(model.at(layer, dx + x, dy + y), b.bufferOffset + ((size_t{layer} * lines + y) * pitch + x) * 4);
    };
    copyImageToBuffer(&pool, real.image(), buffer.data(), b);
    eachTexel([&](std::byte* texel, size_t at) { std::memcpy(expected.data() + at, texel, 4); });
    ASSERT_TRUE(buffer == expected) << "to buffer, round " << round;
    for (std::byte& byte : buffer) byte = static_cast<std::byte>(random());
    copyBufferToImage(&pool, buffer.data(), real.image(), b);
    eachTexel([&](std::byte* texel, size_t at) { std::memcpy(texel, buffer.data() + at, 4); });
    ASSERT_TRUE(real.bytes == model.bytes) << "from buffer, round " << round;
  }
}

}  // namespace
}  // namespace etzel::transfer
