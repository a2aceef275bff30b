// Conversions between the numbers in texels and the numbers in shaders, one component at a time: "Fixed-Point Data
// Conversions", "Floating-Point Numbers" (16, 11 and 10 bits), the shared exponent of E5B9G9R9 and sRGB. Results do not
// depend on the machine. Inline because the decoders of every format are made of them.
#pragma once

#include <bit>
#include <cstdint>

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

inline float halfToFloat(uint32_t h) {
  const uint32_t sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31, mantissa = h & 1023;
  if (exponent == 0) return bitsToFloat(sign | floatToBits(static_cast<float>(mantissa) * 0x1p-24f));
  if (exponent == 31) return bitsToFloat(sign | 0x7F800000u | mantissa << 13);
  return bitsToFloat(sign | (exponent + 112) << 23 | mantissa << 13);
}

/// Rounds the magnitude `w` (float bits without sign, finite) to a float with 5 exponent bits, bias 15, and
/// `mantissaBits`, nearest even. The result may be the infinity code.
template <uint32_t mantissaBits>
inline uint32_t roundToSmallFloat(uint32_t w) {
  constexpr uint32_t drop = 23 - mantissaBits;
  const uint32_t exponent = w >> 23;
  if (exponent >= 113) {  // normal
    const uint32_t rebased = w - (112u << 23);
    const uint32_t r = (rebased + ((1u << (drop - 1)) - 1) + (rebased >> drop & 1)) >> drop;
    const uint32_t infinity = 31u << mantissaBits;
    return r < infinity ? r : infinity;
  }
  const uint32_t shift = drop + 113 - exponent;
  if (shift > 24 + 1) return 0;
  const uint32_t mantissa = (w & 0x7FFFFFu) | 0x800000u;
  if (shift == 25) return 0;  // below half of the smallest denormal
  const uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), half = 1u << (shift - 1);
  return kept + (rest > half || (rest == half && (kept & 1)));
}

/// Nearest even; overflow gives infinity; NaN stays a NaN.
inline uint32_t floatToHalf(float f) {
  const uint32_t w = floatToBits(f), sign = w >> 16 & 0x8000u, magnitude = w & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return sign | 0x7E00u | (magnitude >> 13 & 0x3FFu);
  if (magnitude == 0x7F800000u) return sign | 0x7C00u;
  return sign | roundToSmallFloat<10>(magnitude);
}

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
  const uint32_t r = roundToSmallFloat<mantissaBits>(w);
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
