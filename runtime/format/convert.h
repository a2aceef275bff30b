// Conversions between the numbers in texels and the numbers in shaders, one component at a time: "Fixed-Point Data
// Conversions", "Floating-Point Numbers" (16, 11 and 10 bits), the shared exponent of E5B9G9R9 and sRGB. Results do not
// depend on the machine. Inline because the decoders of every format are made of them.
#pragma once

#include <bit>
#include <cstdint>

#include "runtime/simd/half.h"

namespace etzel::format {

inline float bitsToFloat(uint32_t w) { return std::bit_cast<float>(w); }
inline uint32_t floatToBits(float f) { return std::bit_cast<uint32_t>(f); }

/// NaN gives 0, as all of Etzel's fixed-point conversions do.
inline float clamp01(float f) { return f > 0.0f ? (f < 1.0f ? f : 1.0f) : 0.0f; }

/// To the nearest integer, ties to even; |f| < 2^31.
inline int32_t roundToInt(float f) { return static_cast<int32_t>(__builtin_lrintf(f)); }
inline int64_t roundToInt(double f) { return __builtin_lrint(f); }

template <uint32_t bits>
inline float unormToFloat(uint32_t v) {
  constexpr uint32_t max = bits >= 32 ? ~0u : (1u << (bits & 31)) - 1;
  if constexpr (bits <= 24) return static_cast<float>(v) / static_cast<float>(max);
  return static_cast<float>(static_cast<double>(v) / max);
}
template <uint32_t bits>
inline uint32_t floatToUnorm(float f) {
  constexpr uint32_t max = bits >= 32 ? ~0u : (1u << (bits & 31)) - 1;
  f = clamp01(f);
  if constexpr (bits <= 12) return static_cast<uint32_t>(roundToInt(f * static_cast<float>(max)));
  return static_cast<uint32_t>(roundToInt(static_cast<double>(f) * max));
}
template <uint32_t bits>
inline float snormToFloat(int32_t v) {
  constexpr int32_t max = static_cast<int32_t>((1u << (bits - 1)) - 1);
  if constexpr (bits < 2) return 0.0f;
  const float f = static_cast<float>(v) / static_cast<float>(max);
  return f < -1.0f ? -1.0f : f;  // the most negative code is -1 too
}
template <uint32_t bits>
inline int32_t floatToSnorm(float f) {
  constexpr int32_t max = static_cast<int32_t>((1u << (bits - 1)) - 1);
  f = f > -1.0f ? (f < 1.0f ? f : 1.0f) : (f <= -1.0f ? -1.0f : 0.0f);
  return static_cast<int32_t>(roundToInt(static_cast<double>(f) * max));
}

using simd::floatToHalf;
using simd::halfToFloat;

/// Unsigned 11-bit (6 mantissa bits) and 10-bit (5) floats: negative numbers give 0, finite ones at most the greatest
/// finite value.
template <uint32_t mantissaBits>
inline float ufloatToFloat(uint32_t v) {
  return halfToFloat(v << (10 - mantissaBits));
}
template <uint32_t mantissaBits>
inline uint32_t floatToUfloat(float f) {
  constexpr uint32_t infinity = 31u << mantissaBits;
  const uint32_t w = floatToBits(f);
  if ((w & 0x7FFFFFFFu) > 0x7F800000u) return infinity | 1;
  if (w >> 31) return 0;
  if (w == 0x7F800000u) return infinity;
  const uint32_t r = simd::roundToSmallFloat<mantissaBits>(w);
  return r < infinity ? r : infinity - 1;
}

/// "Shared Exponent to RGB" and back; `packed` has the exponent in its top 5 bits.
void sharedExponentToFloat(uint32_t packed, float rgb[3]);
uint32_t floatToSharedExponent(const float rgb[3]);

/// 8-bit sRGB codes. Encoding gives the code whose decoded colour, through the sRGB transfer function, is nearest in
/// the encoded space.
extern const float kSrgbToLinear[256];

/// Codes by the upper half of a float's bits, from 2^-13 (code 1 begins at about 2^-12.7) to below 1. A word's upper
/// half is the code of the least such float; its lower half makes the float's own lower half carry into the code where
/// the next one begins.
struct SrgbEncoding {
  static constexpr uint32_t kFirst = 0x3900, kCount = 0x3F80 - kFirst;
  uint32_t word[kCount] = {};
};
extern const SrgbEncoding kSrgbEncoding;

inline uint32_t linearToSrgb8(float linear) {
  if (!(linear >= 0x1p-13f)) return 0;  // NaN too
  if (linear >= 1.0f) return 255;
  const uint32_t bits = floatToBits(linear);
  return (kSrgbEncoding.word[(bits >> 16) - SrgbEncoding::kFirst] + (bits & 0xFFFF)) >> 16;
}

}  // namespace etzel::format
