// Blocks of texels that are stored at once against the conversion of one number at a time: any pixels left out, numbers
// of all kinds.
#include "runtime/simd/texel_block.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>

#include "runtime/simd/half.h"

namespace etzel::simd {
namespace {

constexpr uint32_t kPitch = 8 * 16 + 64;  // bytes: rows of which the block has the first part

uint32_t texelBytes(BlockTexel texel) { return texel == BlockTexel::R32 ? 4 : texel == BlockTexel::Rgba16F ? 8 : 16; }

/// Stores `pixels` of a block whose colours are `next()`, and looks at every byte around.
template <class Next>
void store(BlockTexel texel, uint64_t pixels, const Next& next) {
  const StoreTexelBlock store = findStoreTexelBlock(texel);
  if (!store) GTEST_SKIP() << "group by group";
  alignas(32) LaneWords colors[8][5];  // a word that nobody asks for behind each group's
  for (auto& group : colors)
    for (LaneWords& words : group)
      for (uint32_t& word : words.lane) word = next();
  uint8_t texels[8 * kPitch], want[8 * kPitch];
  for (uint8_t& byte : texels) byte = static_cast<uint8_t>(next());
  std::memcpy(want, texels, sizeof want);
  const uint32_t bytes = texelBytes(texel);
  for (uint32_t y = 0; y < 8; ++y)
    for (uint32_t x = 0; x < 8; ++x) {
      const uint32_t group = (y >> 1) * 2 + (x >> 2), lane = (x >> 1 & 1) * 4 + (y & 1) * 2 + (x & 1);
      if (!(pixels >> (group * 8 + lane) & 1)) continue;
      for (uint32_t c = 0; c < (texel == BlockTexel::R32 ? 1u : 4u); ++c) {
        const uint32_t word = colors[group][c].lane[lane];
        const uint32_t code = texel == BlockTexel::Rgba16F ? floatToHalf(std::bit_cast<float>(word)) : word;
        const uint32_t size = texel == BlockTexel::Rgba16F ? 2 : 4;
        std::memcpy(&want[y * kPitch + x * bytes + c * size], &code, size);
      }
    }
  store({colors[0], 5, pixels, reinterpret_cast<std::byte*>(texels), kPitch});
  ASSERT_EQ(std::memcmp(texels, want, sizeof want), 0) << "texel " << int(texel) << " pixels " << pixels;
}

class TexelBlockTest : public testing::TestWithParam<BlockTexel> {};

TEST_P(TexelBlockTest, EveryPixelGoesWhereItBelongs) {
  uint32_t count = 0;
  for (uint32_t pixel = 0; pixel < 64; ++pixel) store(GetParam(), uint64_t{1} << pixel, [&] { return ++count << 13; });
}

TEST_P(TexelBlockTest, PixelsThatAreLeftOutStayAsTheyAre) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const uint64_t pixels = i % 4 == 0 ? ~uint64_t{0} : i % 4 == 1 ? random() & random() & random() : random();
    store(GetParam(), pixels, [&] { return static_cast<uint32_t>(random()); });
  }
}

TEST_P(TexelBlockTest, NumbersAtTheEndsOfHalvesAreRounded) {
  std::mt19937 random(4);
  constexpr uint32_t kEnds[] = {0,          0x80000000, 0x33000000, 0x33000001, 0x33800000, 0x387FC000, 0x387FE000,
                                0x477FE000, 0x477FEFFF, 0x477FF000, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7F800001,
                                0x7FC00000, 0xFFFFFFFF, 1,          0x3F801000, 0x3F803000};
  for (int i = 0; i < 200; ++i) store(GetParam(), ~uint64_t{0}, [&] { return kEnds[random() % std::size(kEnds)]; });
}

INSTANTIATE_TEST_SUITE_P(Texels, TexelBlockTest,
                         testing::Values(BlockTexel::R32, BlockTexel::Rgba32, BlockTexel::Rgba16F));

}  // namespace
}  // namespace etzel::simd
