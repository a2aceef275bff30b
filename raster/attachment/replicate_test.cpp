// The load of implicit multisampled images: every sample of the area is the single-sampled texel, whatever the
// destination held before and however both are stored.
#include <gtest/gtest.h>

#include <random>

#include "raster/attachment/replicate.h"
#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

using testing::TestImage;

format::Texel texelOf(uint32_t v, bool integer) {
  format::Texel t{};
  const float f = static_cast<float>(v % 256) / 255;
  for (uint32_t& w : t.word) w = integer ? v : __builtin_bit_cast(uint32_t, f);
  return t;
}

class Replicate : public ::testing::TestWithParam<VkFormat> {};

TEST_P(Replicate, EverySampleOfTheAreaIsTheTexel) {
  const VkFormat format = GetParam();
  const format::FormatInfo& info = *format::find(format);
  const bool integer = info.isInteger() || info.isStencil();
  constexpr VkRect2D kArea{{5, 3}, {29, 66}};
  for (uint32_t samples : {2u, 4u, 8u, 16u}) {
    std::mt19937 random(samples);
    TestImage one(format, 40, 70, 1, 3), many(format, 40, 70, samples, 3);
    // Garbage in the destination, tile states included.
    for (std::byte& b : many.memory) b = static_cast<std::byte>(random());
    for (uint32_t layer = 0; layer < 3; ++layer)
      for (uint32_t y = 0; y < 70; ++y)
        for (uint32_t x = 0; x < 40; ++x) one.set(texelOf(random() % 256, integer), x, y, 0, layer);
    task::Pool pool(2);
    replicateAttachment(&pool, one.view, many.view, kArea, 3, 0b101);
    for (uint32_t layer : {0u, 2u})
      for (uint32_t y = 3; y < 69; ++y)
        for (uint32_t x = 5; x < 34; ++x)
          for (uint32_t s = 0; s < samples; ++s)
            ASSERT_EQ(many.texel(x, y, s, layer).word[0], one.texel(x, y, 0, layer).word[0])
                << x << ", " << y << " sample " << s << " layer " << layer << " of " << samples;
  }
}

TEST(Replicate, OtherLayersAndPixelsOutsideOfTheTilesStay) {
  TestImage one(VK_FORMAT_R8G8B8A8_UNORM, 32, 32, 1, 2), many(VK_FORMAT_R8G8B8A8_UNORM, 32, 32, 4, 2);
  one.set(texelOf(200, false), 9, 9, 0, 0);
  many.set(texelOf(100, false), 9, 9, 1, 1);
  many.set(texelOf(100, false), 17, 9, 1, 0);
  replicateAttachment(nullptr, one.view, many.view, {{8, 8}, {8, 8}}, 1, 0);
  EXPECT_EQ(many.texel(9, 9, 3, 0).word[0], texelOf(200, false).word[0]);
  EXPECT_EQ(many.texel(9, 9, 1, 1).word[0], texelOf(100, false).word[0]);
  EXPECT_EQ(many.texel(17, 9, 1, 0).word[0], texelOf(100, false).word[0]);
  EXPECT_EQ(many.texel(17, 9, 0, 0).word[0], 0u);
}

INSTANTIATE_TEST_SUITE_P(Formats, Replicate,
                         ::testing::Values(VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32G32B32A32_UINT, VK_FORMAT_R8_UINT,
                                           VK_FORMAT_D16_UNORM, VK_FORMAT_D32_SFLOAT, VK_FORMAT_S8_UINT));

}  // namespace
}  // namespace etzel::raster
