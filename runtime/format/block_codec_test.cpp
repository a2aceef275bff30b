// Known blocks, and hashes of the texels of random blocks: the decoders were compared with an independent
// implementation when the hashes were taken, so a changed hash is a changed decoder.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "runtime/format/convert.h"
#include "runtime/format/format.h"
#include "runtime/format/newer_formats.h"

namespace etzel::format {
namespace {

std::vector<Texel> decode(VkFormat format, uint64_t low, uint64_t high = 0) {
  const FormatInfo& info = *find(format);
  const uint64_t block[2] = {low, high};
  std::vector<Texel> texels(info.blockWidth * info.blockHeight * info.blockDepth);
  decodeBlock(info, reinterpret_cast<const std::byte*>(block), texels.data());
  return texels;
}
void expectTexel(const Texel& t, float r, float g, float b, float a) {
  EXPECT_NEAR(bitsToFloat(t.word[0]), r, 1e-4);
  EXPECT_NEAR(bitsToFloat(t.word[1]), g, 1e-4);
  EXPECT_NEAR(bitsToFloat(t.word[2]), b, 1e-4);
  EXPECT_NEAR(bitsToFloat(t.word[3]), a, 1e-4);
}

TEST(BlockCodec, Bc1HasFourColoursOrThreeAndTransparent) {
  // Red and blue; texels 0-3 have indices 0 to 3.
  const auto four = decode(VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 0xE4ull << 32 | 0x001Full << 16 | 0xF800);
  expectTexel(four[0], 1, 0, 0, 1);
  expectTexel(four[1], 0, 0, 1, 1);
  expectTexel(four[2], 170.0f / 255, 0, 85.0f / 255, 1);
  const auto three = decode(VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 0xE4ull << 32 | 0xF800ull << 16 | 0x001F);
  expectTexel(three[2], 127.0f / 255, 0, 127.0f / 255, 1);
  expectTexel(three[3], 0, 0, 0, 0);
  expectTexel(decode(VK_FORMAT_BC1_RGB_UNORM_BLOCK, 0xE4ull << 32 | 0xF800ull << 16 | 0x001F)[3], 0, 0, 0, 1);
}

TEST(BlockCodec, Bc4RampsHaveTheirExtremes) {
  // 0 < 255: five steps, then the fixed codes 6 (least) and 7 (most).
  const auto t = decode(VK_FORMAT_BC4_UNORM_BLOCK, (0x06ull | 0x07ull << 3 | 0x01ull << 6) << 16 | 0xFF00);
  expectTexel(t[0], 0, 0, 0, 1);
  expectTexel(t[1], 1, 0, 0, 1);
  expectTexel(t[2], 1, 0, 0, 1);
  expectTexel(t[3], 0, 0, 0, 1);
  expectTexel(decode(VK_FORMAT_BC4_SNORM_BLOCK, 0x06ull << 16 | 0x7F80)[0], -1, 0, 0, 1);
}

TEST(BlockCodec, AstcVolumesHaveAWeightForEachTexel) {
  // Endpoint mode 0 between 0x20 and 0xC0, 3x3x3 weights of one bit from the top down: 1, 0, 1, 1, 0 ...
  const uint64_t low = 0xA5 | 0x20ull << 17 | 0xC0ull << 25, high = 0b10110ull << 59;
  const auto texels = decode(VK_FORMAT_ASTC_3x3x3_UNORM_BLOCK_EXT, low, high);
  ASSERT_EQ(texels.size(), 27u);
  for (uint32_t i = 0; i < 27; ++i) {
    const float code = i == 0 || i == 2 || i == 3 ? 0xC0 : 0x20;
    EXPECT_NEAR(bitsToFloat(texels[i].word[0]), code / 255, 0.003f) << i;
  }
}

TEST(BlockCodec, AstcOfAHighDynamicRange) {
  // Void extent of half floats; LDR formats show the error colour.
  const uint64_t magic = ~0ull << 12 | 0xFFC, halves = 0x3C00'7000'4000'3800;
  const auto t = decode(VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK, magic, halves);
  expectTexel(t[7], 0.5f, 2, 8192, 1);
  expectTexel(decode(VK_FORMAT_ASTC_4x4_UNORM_BLOCK, magic, halves)[7], 1, 0, 1, 1);
}

TEST(BlockCodec, AstcVoidExtentAndErrors) {
  const auto t = decode(VK_FORMAT_ASTC_8x6_UNORM_BLOCK, ~0x203ull & (~0ull << 12 | 0xDFC), 0x8000'FFFF'0000'4000);
  ASSERT_EQ(t.size(), 48u);
  for (const Texel& texel : t) expectTexel(texel, 0.25f, 0, 1, 0.5f);
  expectTexel(decode(VK_FORMAT_ASTC_4x4_UNORM_BLOCK, 0)[5], 1, 0, 1, 1);                       // reserved mode
  expectTexel(decode(VK_FORMAT_ASTC_4x4_UNORM_BLOCK, ~0ull << 12 | 0xFFC, 0)[5], 1, 0, 1, 1);  // HDR void extent
}

TEST(BlockCodec, AstcComponentsAreHalfFloatsRoundedTowardZero) {
  // 0x8010 and 0xFFFE lie between two half floats; 3 is a denormal one.
  const auto t = decode(VK_FORMAT_ASTC_4x4_UNORM_BLOCK, ~0x203ull & (~0ull << 12 | 0xDFC), 0x0003'FFFE'8010'FFFF);
  const float expected[] = {1, 0.5f, 0.99951172f, 3 / 65536.0f};
  for (int c = 0; c < 4; ++c) EXPECT_EQ(bitsToFloat(t[0].word[c]), expected[c]) << c;
}

TEST(BlockCodec, Bc7ReservedModeIsTransparentBlack) {
  expectTexel(decode(VK_FORMAT_BC7_UNORM_BLOCK, 0, ~0ull)[3], 0, 0, 0, 0);
}

uint64_t hashOf(VkFormat format) {
  std::mt19937_64 random(42);
  uint64_t hash = 1469598103934665603u;
  for (int i = 0; i < 4096; ++i) {
    uint64_t low = random();
    const uint64_t high = random();
    if (format == VK_FORMAT_BC7_UNORM_BLOCK) low = (low >> (i % 8 + 1) << (i % 8 + 1)) | 1ull << i % 8;
    for (const Texel& t : decode(format, low, high))
      for (uint32_t w : t.word) hash = (hash ^ w) * 1099511628211u;
  }
  return hash;
}

TEST(BlockCodec, RandomBlocksDecodeAsTheyDidWhenVerified) {
  struct Case {
    VkFormat format;
    uint64_t hash;
  };
  const Case cases[] = {
      {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 0xEA05C786261C3519u},
      {VK_FORMAT_BC2_UNORM_BLOCK, 0xB7BE4F42167D838Cu},
      {VK_FORMAT_BC3_UNORM_BLOCK, 0xEF762C80AA87292Bu},
      {VK_FORMAT_BC4_SNORM_BLOCK, 0x9BA42924FD55077Du},
      {VK_FORMAT_BC5_UNORM_BLOCK, 0x663588FED698A0E0u},
      {VK_FORMAT_BC6H_UFLOAT_BLOCK, 0x5540D0DFADD66383u},
      {VK_FORMAT_BC6H_SFLOAT_BLOCK, 0x66749B15B78A8383u},
      {VK_FORMAT_BC7_UNORM_BLOCK, 0xACA576E087E88507u},
      {VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK, 0x5A5027534C10690Eu},
      {VK_FORMAT_ETC2_R8G8B8A1_UNORM_BLOCK, 0xAFAB6B68CA85EE33u},
      {VK_FORMAT_ETC2_R8G8B8A8_SRGB_BLOCK, 0xA311F3F455A69178u},
      {VK_FORMAT_EAC_R11_UNORM_BLOCK, 0xCEC25CE8D028C8FEu},
      {VK_FORMAT_EAC_R11G11_SNORM_BLOCK, 0x5790B22B9EF89FE9u},
      {VK_FORMAT_ASTC_4x4_UNORM_BLOCK, 0xB1A7E2480AA50383u},
      {VK_FORMAT_ASTC_6x5_SRGB_BLOCK, 0x91C17FD6A52BC36Au},
      {VK_FORMAT_ASTC_8x8_UNORM_BLOCK, 0x2C5C09D5BB800383u},
      {VK_FORMAT_ASTC_12x12_UNORM_BLOCK, 0xF0776EA734E54383u},
  };
  for (const Case& c : cases) EXPECT_EQ(hashOf(c.format), c.hash) << find(c.format)->name;
}

}  // namespace
}  // namespace etzel::format
