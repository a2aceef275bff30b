#include "runtime/format/decoded.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace etzel::format {
namespace {

std::vector<const FormatInfo*> blockFormats() {
  std::vector<const FormatInfo*> all;
  for (int f = VK_FORMAT_BC1_RGB_UNORM_BLOCK; f <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK; ++f)
    all.push_back(find(static_cast<VkFormat>(f)));
  for (int f = VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK; f <= VK_FORMAT_ASTC_12x12_SFLOAT_BLOCK; ++f)
    all.push_back(find(static_cast<VkFormat>(f)));
  return all;
}

TEST(DecodedFormat, HoldsEveryBitOfWhatBlocksShow) {
  std::mt19937 random(5);
  for (const FormatInfo* f : blockFormats()) {
    ASSERT_NE(f, nullptr);
    const FormatInfo* const decoded = decodedFormat(*f);
    ASSERT_NE(decoded, nullptr) << f->name;
    EXPECT_EQ(decoded->components(), f->components()) << f->name;
    const uint32_t width = f->blockWidth, height = f->blockHeight, bytes = decoded->blockBytes;
    for (int i = 0; i < 400; ++i) {
      std::byte block[16], texels[6 * 6 * 6 * 8];
      for (std::byte& b : block) b = static_cast<std::byte>(random());
      Texel want[6 * 6 * 6], got[6 * 6 * 6];
      decodeBlock(*f, block, want);
      decodeTexels(*f, block, width, height, texels, size_t{width} * bytes);
      decoder(decoded->format)(texels, got, size_t{width} * height);
      ASSERT_EQ(std::memcmp(want, got, width * height * sizeof(Texel)), 0) << f->name << " block " << i;
    }
  }
}

TEST(DecodedFormat, CutsBlocks) {
  const FormatInfo& f = *find(VK_FORMAT_BC1_RGBA_UNORM_BLOCK);
  const std::byte block[8] = {std::byte{0xFF}, std::byte{0xFF}};  // one colour, white
  uint32_t texels[4 * 4] = {};
  decodeTexels(f, block, 3, 2, reinterpret_cast<std::byte*>(texels), 16);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(texels[i], i % 4 < 3 && i / 4 < 2 ? ~0u : 0u) << i;
}

TEST(DecodedFormat, FormatsDifferByTheirCurveAtMost) {
  const auto alike = [](VkFormat a, VkFormat b) { return decodeAlike(*find(a), *find(b)); };
  EXPECT_TRUE(alike(VK_FORMAT_BC7_UNORM_BLOCK, VK_FORMAT_BC7_SRGB_BLOCK));
  EXPECT_TRUE(alike(VK_FORMAT_ETC2_R8G8B8_SRGB_BLOCK, VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK));
  EXPECT_TRUE(alike(VK_FORMAT_BC5_SNORM_BLOCK, VK_FORMAT_BC5_SNORM_BLOCK));
  EXPECT_FALSE(alike(VK_FORMAT_BC5_SNORM_BLOCK, VK_FORMAT_BC5_UNORM_BLOCK));
  EXPECT_FALSE(alike(VK_FORMAT_BC1_RGB_SRGB_BLOCK, VK_FORMAT_BC1_RGBA_UNORM_BLOCK));
  EXPECT_FALSE(alike(VK_FORMAT_ASTC_4x4_UNORM_BLOCK, VK_FORMAT_ASTC_4x4_SRGB_BLOCK));
  EXPECT_FALSE(alike(VK_FORMAT_BC3_UNORM_BLOCK, VK_FORMAT_R8G8B8A8_UNORM));
  EXPECT_EQ(decodedFormat(*find(VK_FORMAT_R8G8B8A8_UNORM)), nullptr);
}

}  // namespace
}  // namespace etzel::format
