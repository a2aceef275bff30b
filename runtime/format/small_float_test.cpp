#include "runtime/format/small_float.h"

#include <gtest/gtest.h>

#include <cmath>

namespace etzel::format {
namespace {

/// The specification's formula: sign, exponent with a bias, mantissa.
double valueOf(uint32_t v, uint32_t mantissaBits, int bias) {
  const int exponent = int(v & 0x7F) >> mantissaBits;
  const double fraction = (v & ((1u << mantissaBits) - 1)) / double(1u << mantissaBits);
  const double magnitude = std::ldexp(exponent ? 1 + fraction : fraction, std::max(exponent, 1) - bias);
  return v & 0x80 ? -magnitude : magnitude;
}

struct Format {
  float (*widen)(uint32_t);
  uint32_t (*narrow)(float);
  uint32_t mantissaBits, greatest;  ///< code of the greatest finite number
  int bias;
};
constexpr Format kFormats[] = {{e4m3ToFloat, floatToE4m3, 3, 0x7E, 7}, {e5m2ToFloat, floatToE5m2, 2, 0x7B, 15}};

TEST(SmallFloat, EveryFiniteCodeIsItsNumberAndComesBack) {
  for (const Format& f : kFormats)
    for (uint32_t v = 0; v < 256; ++v) {
      if ((v & 0x7F) > f.greatest) continue;
      EXPECT_EQ(double(f.widen(v)), valueOf(v, f.mantissaBits, f.bias)) << v;
      EXPECT_EQ(f.narrow(f.widen(v)), v);
    }
}

TEST(SmallFloat, WhatLiesBetweenGoesToTheNearestOrTheEvenOne) {
  for (const Format& f : kFormats)
    for (uint32_t v = 0; v < f.greatest; ++v) {
      const float low = f.widen(v), high = f.widen(v + 1), half = (low + high) / 2;
      EXPECT_EQ(f.narrow(half), v % 2 ? v + 1 : v) << v;
      EXPECT_EQ(f.narrow(std::nextafter(half, 0.0f)), v);
      EXPECT_EQ(f.narrow(-std::nextafter(half, 1e9f)), (v + 1) | 0x80);
    }
}

/// Doubles that floats cannot tell from the middle, and what is less than any float.
TEST(SmallFloat, DoublesAreRoundedOnce) {
  for (const auto& [encoding, f] : {std::pair{FloatEncoding::E4M3, kFormats[0]}, {FloatEncoding::E5M2, kFormats[1]}}) {
    for (uint32_t v = 0; v < f.greatest; ++v) {
      const double half = (double(f.widen(v)) + f.widen(v + 1)) / 2;
      EXPECT_EQ(doubleToEncoded(encoding, half), v % 2 ? v + 1 : v) << v;
      EXPECT_EQ(doubleToEncoded(encoding, half * (1 - 0x1p-40)), v) << v;
      EXPECT_EQ(doubleToEncoded(encoding, -half * (1 + 0x1p-40)), (v + 1) | 0x80) << v;
    }
    EXPECT_EQ(doubleToEncoded(encoding, 1e-300), 0u);
    EXPECT_EQ(doubleToEncoded(encoding, -1e-300), 0x80u);
  }
}

TEST(SmallFloat, Bfloat16IsTheUpperHalfRoundedOnce) {
  EXPECT_EQ(bfloat16ToFloat(0xC049), -3.140625f);
  for (const uint32_t v : {0x0000u, 0x0001u, 0x007Fu, 0x3F80u, 0x3F81u, 0x7F7Eu}) {
    const double half = (double(bfloat16ToFloat(v)) + bfloat16ToFloat(v + 1)) / 2;
    EXPECT_EQ(floatToBfloat16(float(half)), v % 2 ? v + 1 : v) << v;
    EXPECT_EQ(doubleToEncoded(FloatEncoding::Brain, half * (1 + 0x1p-40)), v + 1) << v;
    EXPECT_EQ(doubleToEncoded(FloatEncoding::Brain, half * (1 - 0x1p-40)), v) << v;
    EXPECT_EQ(encodedToFloat(FloatEncoding::Brain, v), bfloat16ToFloat(v));
  }
  EXPECT_EQ(floatToBfloat16(INFINITY), 0x7F80u);
  EXPECT_EQ(floatToBfloat16(-3.4e38f), 0xFF80u);
  EXPECT_TRUE(std::isnan(bfloat16ToFloat(floatToBfloat16(NAN))));
}

TEST(SmallFloat, WhatIsTooLargeIsInfiniteOrNoNumber) {
  EXPECT_EQ(floatToE4m3(464.0f), 0x7Eu);  // halfway to 480, which would be even
  EXPECT_EQ(floatToE4m3(464.1f), 0x7Fu);
  EXPECT_EQ(floatToE4m3(-INFINITY), 0xFFu);
  EXPECT_EQ(floatToE4m3(NAN), 0x7Fu);
  EXPECT_TRUE(std::isnan(e4m3ToFloat(0x7F)) && std::isnan(e4m3ToFloat(0xFF)));
  EXPECT_EQ(floatToE5m2(61439.0f), 0x7Bu);
  EXPECT_EQ(floatToE5m2(-61440.0f), 0xFCu);  // halfway, to the even one
  EXPECT_EQ(floatToE5m2(INFINITY), 0x7Cu);
  EXPECT_TRUE(std::isnan(e5m2ToFloat(floatToE5m2(NAN))));
  EXPECT_EQ(e5m2ToFloat(0xFC), -INFINITY);
}

}  // namespace
}  // namespace etzel::format
