// Floats of 8 bits ("OCP 8-bit Floating Point Specification"), and bfloat16. E5M2 is a binary16 without its lower byte.
// E4M3 has no infinities and one NaN of each sign; its greatest number is 448.
#pragma once

#include "runtime/format/float_encoding.h"
#include "runtime/simd/half.h"

namespace etzel::format {

constexpr float e5m2ToFloat(uint32_t v) { return simd::halfToFloat((v & 0xFF) << 8); }

/// Nearest even; overflow gives infinity, NaN a NaN.
constexpr uint32_t floatToE5m2(float f) {
  const uint32_t w = std::bit_cast<uint32_t>(f), sign = w >> 24 & 0x80, magnitude = w & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return sign | 0x7F;
  if (magnitude == 0x7F800000u) return sign | 0x7C;
  return sign | simd::roundToSmallFloat<2>(magnitude);
}

/// The same digits in a binary16 are 2^-8 times the number, subnormals too.
constexpr float e4m3ToFloat(uint32_t v) {
  const uint32_t magnitude = v & 0x7F, sign = (v & 0x80) << 8;
  if (magnitude == 0x7F) return std::bit_cast<float>(sign << 16 | 0x7FC00000u);
  return simd::halfToFloat(sign | magnitude << 7) * 256.0f;
}

/// Nearest even; overflow, infinities and NaN give NaN.
constexpr uint32_t floatToE4m3(float f) {
  constexpr uint32_t kNan = 0x7F;
  const uint32_t w = std::bit_cast<uint32_t>(f), sign = w >> 24 & 0x80, magnitude = w & 0x7FFFFFFFu;
  if (magnitude >= 0x7F800000u) return sign | kNan;
  const uint32_t r = simd::roundToSmallFloat<3>(std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p-8f));
  return sign | (r < kNan ? r : kNan);
}

constexpr float bfloat16ToFloat(uint32_t v) { return std::bit_cast<float>(v << 16); }

/// Nearest even; overflow gives infinity, NaN a quiet NaN.
constexpr uint32_t floatToBfloat16(float f) {
  const uint32_t w = std::bit_cast<uint32_t>(f), upper = w >> 16;
  return f != f ? upper | 0x40 : (w + 0x7FFF + (upper & 1)) >> 16;
}

/// \pre the encoding is not IEEE 754's
constexpr float encodedToFloat(FloatEncoding from, uint32_t v) {
  return from == FloatEncoding::Brain  ? bfloat16ToFloat(v)
         : from == FloatEncoding::E4M3 ? e4m3ToFloat(v)
                                       : e5m2ToFloat(v);
}

/// Rounded once, to the nearest or the even one of two.
/// \pre the encoding is not IEEE 754's
constexpr uint32_t doubleToEncoded(FloatEncoding to, double d) {
  const float f = simd::doubleToOddFloat(d);
  return to == FloatEncoding::Brain ? floatToBfloat16(f) : to == FloatEncoding::E4M3 ? floatToE4m3(f) : floatToE5m2(f);
}

}  // namespace etzel::format
