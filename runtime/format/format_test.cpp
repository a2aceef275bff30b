#include "runtime/format/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <set>

#include "runtime/format/convert.h"
#include "runtime/format/srgb_lanes.h"

namespace etzel::format {
namespace {

std::vector<const FormatInfo*> allFormats() {
  std::vector<const FormatInfo*> all;
  const auto add = [&](uint32_t first, uint32_t last) {
    for (uint32_t f = first; f <= last; ++f)
      if (const FormatInfo* info = find(static_cast<VkFormat>(f))) all.push_back(info);
  };
  add(1, 184);
  add(1000156000, 1000156033);
  add(1000330000, 1000330003);
  add(1000340000, 1000340001);
  return all;
}

Texel decodeOne(VkFormat format, const void* bytes) {
  Texel t;
  decoder(format)(static_cast<const std::byte*>(bytes), &t, 1);
  return t;
}
template <class T>
T encodeOne(VkFormat format, float r, float g = 0, float b = 0, float a = 0) {
  const Texel t = {{floatToBits(r), floatToBits(g), floatToBits(b), floatToBits(a)}};
  T out{};
  encoder(format)(&t, reinterpret_cast<std::byte*>(&out), 1);
  return out;
}

TEST(FormatTable, KnowsEveryCoreFormat) {
  for (uint32_t f = 1; f <= 184; ++f) EXPECT_NE(find(static_cast<VkFormat>(f)), nullptr) << f;
  EXPECT_EQ(find(VK_FORMAT_UNDEFINED), nullptr);
  EXPECT_EQ(allFormats().size(), 184u + 34 + 4 + 2);
}

TEST(FormatTable, ChannelsFillTheTexelWithoutOverlap) {
  for (const FormatInfo* f : allFormats()) {
    if (f->compression != Compression::None || f->planes > 1) continue;
    std::set<uint32_t> used;
    for (const Channel& c : f->channel)
      for (uint32_t b = 0; b < c.bits; ++b) EXPECT_TRUE(used.insert(c.shift + b).second) << f->name;
    EXPECT_LE(*used.rbegin(), f->blockBytes * 8u - 1) << f->name;
  }
}

TEST(FormatTable, WhatFeaturesPromiseExists) {
  for (const FormatInfo* f : allFormats()) {
    for (VkImageTiling tiling : {VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_TILING_LINEAR}) {
      const VkFormatFeatureFlags2 features = imageFeatures(f->format, tiling);
      if (features & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT && f->compression == Compression::None && !f->isYcbcr()) {
        EXPECT_NE(decoder(f->format), nullptr) << f->name;
      }
      if (features & (VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT |
                      VK_FORMAT_FEATURE_2_BLIT_DST_BIT)) {
        EXPECT_NE(encoder(f->format), nullptr) << f->name;
      }
    }
  }
}

TEST(FormatTable, RequiredSupportOfCommonFormats) {
  const auto has = [](VkFormat f, VkFormatFeatureFlags2 bits) {
    return (imageFeatures(f, VK_IMAGE_TILING_OPTIMAL) & bits) == bits;
  };
  EXPECT_TRUE(has(VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BLEND_BIT |
                                               VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT));
  EXPECT_TRUE(has(VK_FORMAT_R32_UINT, VK_FORMAT_FEATURE_2_STORAGE_IMAGE_ATOMIC_BIT));
  EXPECT_TRUE(has(VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT));
  EXPECT_TRUE(has(VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BLEND_BIT));
  EXPECT_TRUE(has(VK_FORMAT_D16_UNORM, VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT));
  EXPECT_TRUE(has(VK_FORMAT_R8G8B8A8_USCALED, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT));
  EXPECT_TRUE(bufferFeatures(VK_FORMAT_A2B10G10R10_USCALED_PACK32) & VK_FORMAT_FEATURE_2_VERTEX_BUFFER_BIT);
}

TEST(FormatTable, ScaledFormatsHaveASiblingOfIntegers) {
  for (const FormatInfo* f : allFormats()) {
    const bool scaled = f->isScaled();
    const FormatInfo* integers = integersOf(*f);
    ASSERT_EQ(integers != nullptr, scaled) << f->name;
    if (!scaled) continue;
    EXPECT_EQ(integers->numeric, f->numeric == Numeric::Uscaled ? Numeric::Uint : Numeric::Sint) << f->name;
    for (int c = 0; c < 4; ++c) {
      EXPECT_EQ(integers->channel[c].bits, f->channel[c].bits) << f->name;
      EXPECT_EQ(integers->channel[c].shift, f->channel[c].shift) << f->name;
    }
  }
}

TEST(FormatTable, ClearValuesOfScaledFormatsMayBeIntegers) {
  const uint32_t values[4] = {200, uint32_t(-5), floatToBits(3.0f), floatToBits(-7.0f)};
  const Texel scaled = clearTexel(*find(VK_FORMAT_R16G16B16A16_SSCALED), values);
  const float want[4] = {200, -5, 3, -7};
  for (int c = 0; c < 4; ++c) EXPECT_EQ(bitsToFloat(scaled.word[c]), want[c]) << c;
  const Texel floats = clearTexel(*find(VK_FORMAT_R16G16B16A16_SFLOAT), values);
  for (int c = 0; c < 4; ++c) EXPECT_EQ(floats.word[c], values[c]) << c;
}

TEST(TexelCodec, ScaledNumbersAreRoundedAndClamped) {
  const auto encoded = [](VkFormat format, float value) {
    const Texel texel{{floatToBits(value), 0, 0, 0}};
    std::byte byte{};
    encoder(format)(&texel, &byte, 1);
    return int(std::to_integer<uint8_t>(byte));
  };
  const float nan = bitsToFloat(0x7FC00000u);
  for (auto [value, want] : {std::pair{2.5f, 2}, {3.5f, 4}, {254.6f, 255}, {1e9f, 255}, {-3.0f, 0}, {nan, 0}})
    EXPECT_EQ(encoded(VK_FORMAT_R8_USCALED, value), want) << value;
  for (auto [value, want] : {std::pair{-2.5f, 254}, {126.7f, 127}, {1e9f, 127}, {-1e9f, 128}, {nan, 0}})
    EXPECT_EQ(encoded(VK_FORMAT_R8_SSCALED, value), want) << value;
}

TEST(TexelCodec, EverySmallTexelSurvivesTheRoundTrip) {
  for (const FormatInfo* f : allFormats()) {
    if (!decoder(f->format) || f->blockBytes > 2) continue;
    for (uint32_t code = 0; code < 1u << (8 * f->blockBytes); ++code) {
      uint32_t mask = 0;
      bool skip = false;
      for (const Channel& c : f->channel) {
        if (!c.bits) continue;
        mask |= ((1u << c.bits) - 1) << c.shift;
        // Two codes of SNORM mean -1; NaNs keep only that they are NaNs.
        const uint32_t v = code >> c.shift & ((1u << c.bits) - 1);
        if (f->numeric == Numeric::Snorm && v == 1u << (c.bits - 1)) skip = true;
        if (f->numeric == Numeric::Float && (v & 0x7C00) == 0x7C00 && (v & 0x3FF)) skip = true;
      }
      if (skip) continue;
      uint32_t out = 0;
      const Texel t = decodeOne(f->format, &code);
      encoder(f->format)(&t, reinterpret_cast<std::byte*>(&out), 1);
      ASSERT_EQ(out, code & mask) << f->name << " " << code;
    }
  }
}

TEST(TexelCodec, RandomWideTexelsSurviveTheRoundTrip) {
  std::mt19937_64 random(1);
  for (const FormatInfo* f : allFormats()) {
    if (!decoder(f->format) || f->blockBytes <= 2 || f->numeric == Numeric::Snorm ||
        f->format == VK_FORMAT_E5B9G9R9_UFLOAT_PACK32 || f->channel[0].bits > 24)
      continue;
    for (int i = 0; i < 1000; ++i) {
      uint64_t code[4] = {random(), random(), random(), random()};
      // Small exponents only: NaN payloads and infinities are tested apart.
      if (f->numeric == Numeric::Float)
        for (uint64_t& w : code) w &= 0xBBFFBBFFBBFFBBFFu;
      if (f->numeric == Numeric::Ufloat) code[0] &= ~(1ull << 10 | 1ull << 21 | 1ull << 31);
      std::byte first[32] = {}, second[32] = {};
      Texel a = decodeOne(f->format, code), b;
      encoder(f->format)(&a, first, 1);
      b = decodeOne(f->format, first);
      EXPECT_EQ(std::memcmp(&a, &b, sizeof(a)), 0) << f->name;
      encoder(f->format)(&b, second, 1);
      EXPECT_EQ(std::memcmp(first, second, 32), 0) << f->name;
    }
  }
}

TEST(TexelCodec, ComponentsLieWhereTheNamesSay) {
  const uint32_t bgra = 0x04010203;  // bytes 3 2 1 4
  const Texel t = decodeOne(VK_FORMAT_B8G8R8A8_UINT, &bgra);
  EXPECT_EQ(t.word[0], 1u);
  EXPECT_EQ(t.word[1], 2u);
  EXPECT_EQ(t.word[2], 3u);
  EXPECT_EQ(t.word[3], 4u);
  EXPECT_EQ(encodeOne<uint16_t>(VK_FORMAT_R5G6B5_UNORM_PACK16, 1, 0, 0), 0xF800);
  EXPECT_EQ(encodeOne<uint16_t>(VK_FORMAT_A1R5G5B5_UNORM_PACK16, 0, 0, 0, 1), 0x8000);
  EXPECT_EQ(encodeOne<uint16_t>(VK_FORMAT_A4B4G4R4_UNORM_PACK16, 1, 0, 0, 0), 0x000F);
  EXPECT_EQ(encodeOne<uint32_t>(VK_FORMAT_A2R10G10B10_UNORM_PACK32, 1, 0, 0, 0), 0x3FF00000u);
  const uint8_t r8 = 255;
  EXPECT_EQ(decodeOne(VK_FORMAT_R8_UINT, &r8).word[3], 1u);
  EXPECT_EQ(decodeOne(VK_FORMAT_R8_UNORM, &r8).word[3], floatToBits(1.0f));
}

TEST(TexelCodec, ClampsAndRoundsToNearest) {
  EXPECT_EQ(encodeOne<uint8_t>(VK_FORMAT_R8_UNORM, 2.0f), 255);
  EXPECT_EQ(encodeOne<uint8_t>(VK_FORMAT_R8_UNORM, -1.0f), 0);
  EXPECT_EQ(encodeOne<uint8_t>(VK_FORMAT_R8_UNORM, NAN), 0);
  EXPECT_EQ(encodeOne<uint8_t>(VK_FORMAT_R8_UNORM, 127.4f / 255), 127);
  EXPECT_EQ(encodeOne<uint8_t>(VK_FORMAT_R8_UNORM, 127.6f / 255), 128);
  EXPECT_EQ(encodeOne<int8_t>(VK_FORMAT_R8_SNORM, -3.0f), -127);
  EXPECT_EQ(encodeOne<uint32_t>(VK_FORMAT_X8_D24_UNORM_PACK32, 1.0f), 0xFFFFFFu);
  EXPECT_EQ(encodeOne<uint32_t>(VK_FORMAT_X8_D24_UNORM_PACK32, 0.5f), 0x800000u);
  Texel big = {{300, 0, 0, 0}};
  uint8_t byte;
  encoder(VK_FORMAT_R8_UINT)(&big, reinterpret_cast<std::byte*>(&byte), 1);
  EXPECT_EQ(byte, 255);
}

TEST(Convert, HalfsMatchTheirDefinition) {
  for (uint32_t h = 0; h < 0x7C00; ++h) {
    const float f = halfToFloat(h);
    const double expected =
        h < 1024 ? std::ldexp(h, -24) : std::ldexp(1024 + (h & 1023), static_cast<int>(h >> 10) - 25);
    ASSERT_EQ(f, expected);
    ASSERT_EQ(floatToHalf(f), h);
    if (h == 0x7BFF) continue;
    // Half way between neighbours goes to the even one; a hair beyond does not.
    const float middle = (f + halfToFloat(h + 1)) / 2;
    ASSERT_EQ(floatToHalf(middle), h + (h & 1)) << h;
    ASSERT_EQ(floatToHalf(std::nextafter(middle, 1e9f)), h + 1) << h;
    ASSERT_EQ(floatToHalf(-std::nextafter(middle, -1.0f)), 0x8000 + h) << h;
  }
  EXPECT_EQ(floatToHalf(65519.0f), 0x7BFFu);
  EXPECT_EQ(floatToHalf(65520.0f), 0x7C00u);
  EXPECT_EQ(floatToHalf(1e-10f), 0u);
  EXPECT_GT(floatToHalf(NAN) & 0x3FF, 0u);
}

TEST(Convert, SmallFloatsClampToTheirRange) {
  EXPECT_EQ(floatToUfloat<6>(-1.0f), 0u);
  EXPECT_EQ(floatToUfloat<6>(INFINITY), 31u << 6);
  EXPECT_EQ(floatToUfloat<6>(1e9f), (31u << 6) - 1);
  EXPECT_EQ(floatToUfloat<5>(1.0f), 15u << 5);
  EXPECT_TRUE(std::isnan(ufloatToFloat<6>(floatToUfloat<6>(NAN))));
}

TEST(Convert, SharedExponentFollowsTheSpecification) {
  const auto pack = [](float r, float g, float b) {
    const float rgb[3] = {r, g, b};
    return floatToSharedExponent(rgb);
  };
  EXPECT_EQ(pack(0, 0, 0), 0u);
  EXPECT_EQ(pack(1, 0, 0), 16u << 27 | 256u);
  EXPECT_EQ(pack(1e9f, 0, 0), 31u << 27 | 511u);  // clamped to the greatest value
  EXPECT_EQ(pack(NAN, -1, 0), 0u);
  EXPECT_EQ(pack(511.75f / 512, 0, 0), 16u << 27 | 256u);  // rounds up to the next exponent
  std::mt19937 random(3);
  for (int i = 0; i < 1000; ++i) {
    const float c[3] = {std::ldexp(float(random() % 512), int(random() % 20) - 20),
                        std::ldexp(float(random() % 512), -9), 0};
    float back[3];
    sharedExponentToFloat(floatToSharedExponent(c), back);
    const float step = std::max(c[0], c[1]) / 256;
    for (int k = 0; k < 3; ++k) EXPECT_LE(std::fabs(back[k] - c[k]), step / 2 + 1e-7f);
  }
}

TEST(Convert, SrgbPicksTheNearestCode) {
  const auto encodeExact = [](double l) {
    return (l <= 0.0031308 ? 12.92 * l : 1.055 * std::pow(l, 1 / 2.4) - 0.055) * 255;
  };
  for (uint32_t i = 0; i < 256; ++i) EXPECT_EQ(linearToSrgb8(kSrgbToLinear[i]), i);
  for (int i = 0; i <= 200000; ++i) {
    const float l = static_cast<float>(i) / 200000;
    EXPECT_NEAR(linearToSrgb8(l), encodeExact(l), 0.5001) << l;
  }
  EXPECT_EQ(linearToSrgb8(NAN), 0u);
  EXPECT_EQ(linearToSrgb8(7.0f), 255u);
}

}  // namespace
TEST(Convert, SrgbCodesBecomeLinearByTableAndByArithmetic) {
  const auto exact = [](double code) {
    const double c = code / 255;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  EXPECT_EQ(kSrgbToLinear[0], 0.0f);
  EXPECT_EQ(kSrgbToLinear[255], 1.0f);
  for (uint32_t i = 0; i < 256; ++i) {
    const double perCode = exact(i + 0.5) - exact(i - 0.5);
    EXPECT_NEAR(kSrgbToLinear[i], exact(i), perCode / 270) << i;
    EXPECT_NEAR(kSrgbToLinear[i], exact(i), exact(i) / 2800) << i;
    EXPECT_EQ(srgbToLinear(simd::splat<simd::F32x8>(static_cast<float>(i)))[0], kSrgbToLinear[i]) << i;
  }
}

}  // namespace etzel::format
