#include "runtime/mem/decoded_image.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "runtime/format/decoded.h"

namespace etzel::mem {
namespace {

constexpr VkExtent3D kExtent{83, 45, 1};  // 21 x 12 blocks, the last ones cut
constexpr uint32_t kLevels = 5, kLayers = 2;

struct Blocks {
  ImageLayout layout;
  std::vector<std::byte> bytes;
  std::mt19937 random{3};

  explicit Blocks(VkFormat format) {
    layout = layoutImage({.format = format, .extent = kExtent, .mipLevels = kLevels, .arrayLayers = kLayers});
    bytes.resize(layout.size);
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  }
  std::byte* block(uint32_t level, uint32_t layer, uint32_t x, uint32_t y) {
    return bytes.data() + layout.texelOffset(layout.plane[0], level, layer, 0, x, y, 0);
  }
  void rewrite(const BlockArea& a) {
    for (uint32_t y = a.y; y < a.y + a.rows; ++y)
      for (uint32_t i = 0; i < a.columns * layout.plane[0].blockBytes; ++i)
        block(a.level, a.layer, a.x, y)[i] = static_cast<std::byte>(random());
  }
};

/// Every texel is that of its block.
void expectDecoded(Blocks& from, const DecodedImage& image) {
  const PlaneLayout &p = from.layout.plane[0], &q = image.layout().plane[0];
  for (uint32_t layer = 0; layer < kLayers; ++layer)
    for (uint32_t level = 0; level < kLevels; ++level)
      for (uint32_t y = 0; y < q.mip[level].height; ++y)
        for (uint32_t x = 0; x < q.mip[level].width; ++x) {
          std::byte want[16 * 8];
          const uint32_t bw = p.blockWidth, bh = p.blockHeight;
          format::decodeTexels(image.blockFormat(), from.block(level, layer, x / bw, y / bh), bw, bh, want,
                               size_t{bw} * q.blockBytes);
          const std::byte* const got = image.memory() + image.layout().texelOffset(q, level, layer, 0, x, y, 0);
          ASSERT_EQ(std::memcmp(got, want + (y % bh * bw + x % bw) * q.blockBytes, q.blockBytes), 0)
              << "layer " << layer << " level " << level << " at " << x << ',' << y;
        }
}

TEST(DecodedImage, AdvancesUntilEveryTexelIsThere) {
  for (VkFormat format : {VK_FORMAT_BC1_RGB_UNORM_BLOCK, VK_FORMAT_BC5_UNORM_BLOCK, VK_FORMAT_BC6H_UFLOAT_BLOCK}) {
    Blocks blocks(format);
    const auto image = DecodedImage::create(blocks.layout, blocks.bytes.data());
    ASSERT_NE(image, nullptr);
    int calls = 0;
    for (; !image->complete(); ++calls) image->advance();
    // Two pieces in each of 12 rows of the first level, one in those of the others; two layers.
    EXPECT_EQ(calls, 2 * (2 * 12 + 6 + 3 + 2 + 1));
    expectDecoded(blocks, *image);
  }
}

TEST(DecodedImage, WrittenBlocksAreDecodedAgainOnceTheyHaveBeen) {
  const BlockArea area{.level = 0, .layer = 1, .layers = 1, .x = 3, .y = 2, .columns = 17, .rows = 9};
  for (const int before : {0, 40, 1000}) {
    Blocks blocks(VK_FORMAT_BC7_UNORM_BLOCK);
    const auto image = DecodedImage::create(blocks.layout, blocks.bytes.data());
    ASSERT_NE(image, nullptr);
    for (int i = 0; i < before; ++i) image->advance();
    blocks.rewrite(area);
    const bool again = image->written(area);
    EXPECT_EQ(again, before == 1000);
    if (again)
      for (uint32_t y = area.y; y < area.y + area.rows; ++y)
        image->decode(area.level, area.layer, y, area.x, area.columns);
    while (!image->complete()) image->advance();
    expectDecoded(blocks, *image);
  }
}

TEST(DecodedImage, ThreadsShareTheWork) {
  Blocks blocks(VK_FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK);
  const auto image = DecodedImage::create(blocks.layout, blocks.bytes.data());
  ASSERT_NE(image, nullptr);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      while (!image->complete()) image->advance();
    });
  for (std::thread& t : threads) t.join();
  expectDecoded(blocks, *image);
}

TEST(DecodedImage, IsForFlatBlocks) {
  const ImageLayout texels = layoutImage({.format = VK_FORMAT_R8G8B8A8_UNORM, .extent = kExtent});
  EXPECT_EQ(DecodedImage::create(texels, nullptr), nullptr);
  const ImageLayout volume =
      layoutImage({.type = VK_IMAGE_TYPE_3D, .format = VK_FORMAT_BC1_RGB_UNORM_BLOCK, .extent = {8, 8, 8}});
  EXPECT_EQ(DecodedImage::create(volume, nullptr), nullptr);
}

}  // namespace
}  // namespace etzel::mem
