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
