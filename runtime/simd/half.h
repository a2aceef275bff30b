// binary16 and binary32: the only conversions between them ("Floating-Point Numbers", 16-Bit Floating-Point Numbers;
// IEEE 754). Single numbers by integer arithmetic alone, and eight at a time with the target's instructions; the same
// bits both ways.
#pragma once

#include <bit>

#include "runtime/simd/vec.h"

namespace etzel::simd {

/// Rounds the magnitude `w` (float bits without sign, finite) to a float with 5 exponent bits, bias 15, and
/// `mantissaBits`, nearest even. The result may be the infinity code.
template <uint32_t mantissaBits>
constexpr uint32_t roundToSmallFloat(uint32_t w) {
  constexpr uint32_t drop = 23 - mantissaBits;
  const uint32_t exponent = w >> 23;
  if (exponent >= 113) {  // normal
    const uint32_t rebased = w - (112u << 23);
    const uint32_t r = (rebased + ((1u << (drop - 1)) - 1) + (rebased >> drop & 1)) >> drop;
    const uint32_t infinity = 31u << mantissaBits;
    return r < infinity ? r : infinity;
  }
  const uint32_t shift = drop + 113 - exponent;
  if (shift > 24) return 0;  // below half of the smallest denormal
  const uint32_t mantissa = (w & 0x7FFFFFu) | 0x800000u;
  const uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), half = 1u << (shift - 1);
  return kept + (rest > half || (rest == half && (kept & 1)));
}

/// A signalling NaN stays one.
constexpr float halfToFloat(uint32_t h) {
  const uint32_t sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31, mantissa = h & 1023;
  if (exponent == 0)
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(static_cast<float>(mantissa) * 0x1p-24f));
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | mantissa << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}
/// Nearest even; overflow gives infinity; NaN becomes a quiet NaN with the upper bits of its payload.
constexpr uint32_t floatToHalf(float f) {
  const uint32_t w = std::bit_cast<uint32_t>(f), sign = w >> 16 & 0x8000u, magnitude = w & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return sign | 0x7E00u | (magnitude >> 13 & 0x3FFu);
  if (magnitude == 0x7F800000u) return sign | 0x7C00u;
  return sign | roundToSmallFloat<10>(magnitude);
}

/// Toward zero, and odd where digits are lost: what is rounded next to fewer digits then knows of them.
constexpr float doubleToOddFloat(double d) {
  const float f = static_cast<float>(d);
  if (f == d || d != d) return f;
  uint32_t w = std::bit_cast<uint32_t>(f);
  if (d > 0 ? f > d : f < d) --w;
  return std::bit_cast<float>(w | 1);
}
/// floatToHalf() of a double, rounded once.
constexpr uint32_t doubleToHalf(double d) { return floatToHalf(doubleToOddFloat(d)); }

/// halfToFloat() of the low 16 bits of each lane; the bits above are ignored.
template <class Words>
ETZEL_INLINE auto halfToFloat(Words h) requires(sizeof(Words) >= 16) {
  using Ints = MaskOf<Words>;
  using Floats = std::conditional_t<kLanes<Words> == 8, F32x8, F32x4>;
  const Ints sign = ((Ints)h & 0x8000) << 16, rest = (Ints)h & 0x7FFF;
  const Ints normal = (rest << 13) + (atLeast(rest, splat<Ints>(0x7C00)) & (112 << 23)) + (112 << 23);
  const Ints small = (Ints)(convert<Floats>(rest) * 0x1p-24f);
  return (Floats)(sign | select(less(rest, splat<Ints>(0x400)), small, normal));
}
/// As arithmetic converts: a signalling NaN becomes quiet. \pre the upper 16 bits of each lane are 0
ETZEL_INLINE F32x8 halfToFloatQuiet(U32x8 h) {
#ifdef ETZEL_SIMD_V3
  return (F32x8)_mm256_cvtph_ps((__m128i)narrow(h));
#else
  const I32x8 nan = greater((I32x8)(h & 0x7FFFu), splat(0x7C00));
  return (F32x8)((I32x8)halfToFloat(h) | (nan & 0x00400000));
#endif
}
ETZEL_INLINE F32x8 halfToFloatQuiet(U16x8 h) {
#ifdef ETZEL_SIMD_V3
  return (F32x8)_mm256_cvtph_ps((__m128i)h);
#else
  return halfToFloatQuiet(widen(h));
#endif
}

/// floatToHalf() of each lane, in the low 16 bits.
ETZEL_INLINE U32x8 floatToHalf(F32x8 v) {
#ifdef ETZEL_SIMD_V3
  return widen((U16x8)_mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT));
#else
  const U32x8 x = (U32x8)v, sign = x & 0x80000000u, a = x ^ sign;
  const U32x8 normal = (a + 0xC8000FFFu + (a >> 13 & 1u)) >> 13;
  // 0.5's last place is binary16's smallest denormal: the addition rounds there.
  const U32x8 denormal = (U32x8)((F32x8)a + 0.5f) - 0x3F000000u;
  U32x8 r = select(less(a, splat(0x38800000u)), denormal, normal);
  r = select(atLeast(a, splat(0x47800000u)), splat<U32x8>(0x7C00), r);
  r = select(greater(a, splat(0x7F800000u)), 0x7E00u | (a >> 13 & 0x3FFu), r);
  return r | sign >> 16;
#endif
}
/// The same as eight numbers of 16 bits.
ETZEL_INLINE U16x8 floatToHalves(F32x8 v) {
#ifdef ETZEL_SIMD_V3
  return (U16x8)_mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT);
#else
  return narrow(floatToHalf(v));
#endif
}
/// Toward zero: overflow gives the greatest finite number.
ETZEL_INLINE U32x8 floatToHalfTowardZero(F32x8 v) {
#ifdef ETZEL_SIMD_V3
  return widen((U16x8)_mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_ZERO));
#else
  const U32x8 x = (U32x8)v, sign = x & 0x80000000u, a = x ^ sign;
  const U32x8 normal = (a - 0x38000000u) >> 13;
  const U32x8 denormal = (U32x8)truncateToInt((F32x8)a * 0x1p24f);
  U32x8 r = select(less(a, splat(0x38800000u)), denormal, normal);
  r = select(atLeast(a, splat(0x47800000u)), splat<U32x8>(0x7BFF), r);
  r = select(equal(a, splat(0x7F800000u)), splat<U32x8>(0x7C00), r);
  r = select(greater(a, splat(0x7F800000u)), 0x7E00u | (a >> 13 & 0x3FFu), r);
  return r | sign >> 16;
#endif
}

}  // namespace etzel::simd
