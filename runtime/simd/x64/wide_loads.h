// x86-64 with AVX-512: texels of floats from eight places, two components of all eight lanes to a vector. For functions
// of ETZEL_WIDE_BYTES alone.
#pragma once

#include "runtime/simd/x64/wide.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // as in wide_bytes.h
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace etzel::simd {

/// Sixteen bytes from each of four offsets.
ETZEL_WIDE_INLINE __m512i loadFour(const std::byte* base, const int32_t* offset) {
  const auto at = [&](int i)
                      ETZEL_WIDE_BYTES { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(base + offset[i])); };
  const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(at(0)), at(1), 1);
  const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(at(2)), at(3), 1);
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

struct alignas(64) HalfOrder {
  uint16_t index[32];
};
/// Of eight times eight halves, in two registers: four of each, from `first` on, those of eight lanes side by side.
constexpr HalfOrder halfOrder(uint32_t first) {
  HalfOrder o{};
  for (uint32_t i = 0; i < 32; ++i) o.index[i] = static_cast<uint16_t>(i % 8 * 8 + i / 8 + first);
  return o;
}
inline constexpr HalfOrder kHalfOrders[2] = {halfOrder(0), halfOrder(4)};

/// Two texels of four halves of each lane, lane by lane: components 0 and 1 of eight lanes, then 2 and 3.
ETZEL_WIDE_INLINE void numbersOfHalves(__m512i a, __m512i b, F32x16 left[2], F32x16 right[2]) {
  for (int side = 0; side < 2; ++side) {
    const __m512i halves = _mm512_permutex2var_epi16(a, _mm512_load_si512(&kHalfOrders[side]), b);
    F32x16* const out = side ? right : left;
    out[0] = (F32x16)_mm512_cvtph_ps(_mm512_castsi512_si256(halves));
    out[1] = (F32x16)_mm512_cvtph_ps(_mm512_extracti64x4_epi64(halves, 1));
  }
}
/// Two neighbours from each offset.
ETZEL_WIDE_INLINE void loadHalvesWide(const std::byte* base, const int32_t* offset, F32x16 left[2], F32x16 right[2]) {
  numbersOfHalves(loadFour(base, offset), loadFour(base, offset + 4), left, right);
}
/// A texel from each offset of `at`, another one from each of `other`.
ETZEL_WIDE_INLINE void loadHalvesApart(const std::byte* base, const int32_t* at, const int32_t* other, F32x16 left[2],
                                       F32x16 right[2]) {
  const auto both = [&](int i) ETZEL_WIDE_BYTES {
    const __m128d first = _mm_castsi128_pd(_mm_loadu_si64(base + at[i]));
    return _mm_castpd_si128(_mm_loadh_pd(first, reinterpret_cast<const double*>(base + other[i])));
  };
  __m512i texels[2];
#pragma GCC unroll 2
  for (int k = 0; k < 2; ++k) {
    const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(both(4 * k)), both(4 * k + 1), 1);
    const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(both(4 * k + 2)), both(4 * k + 3), 1);
    texels[k] = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
  }
  numbersOfHalves(texels[0], texels[1], left, right);
}

/// Of eight times two neighbours, two halves each: the first halves of eight left ones, their second halves, and those
/// of the right ones.
constexpr HalfOrder halfPairOrder() {
  HalfOrder o{};
  for (uint32_t i = 0; i < 32; ++i) o.index[i] = static_cast<uint16_t>(i % 8 * 4 + i / 16 * 2 + i / 8 % 2);
  return o;
}
inline constexpr HalfOrder kHalfPairOrder = halfPairOrder();
/// Two neighbours of two halves from each offset: component 0 of eight lanes, then component 1.
ETZEL_WIDE_INLINE void loadHalfPairsWide(const std::byte* base, const int32_t* offset, F32x16& left, F32x16& right) {
  const __m512i halves =
      _mm512_permutexvar_epi16(_mm512_load_si512(&kHalfPairOrder), (__m512i)gatherPairsWide(base, offset));
  left = (F32x16)_mm512_cvtph_ps(_mm512_castsi512_si256(halves));
  right = (F32x16)_mm512_cvtph_ps(_mm512_extracti64x4_epi64(halves, 1));
}
/// The same of gatherPairsWide()'s words as numbers of 16 bits without sign: left ones, or with `right` 1 right ones.
ETZEL_WIDE_INLINE I32x16 halfWordsWide(U32x16 both, uint32_t right) {
  const U32x16 order = U32x16{0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4, 6, 8, 10, 12, 14} + right;
  const U32x16 shift = {0, 0, 0, 0, 0, 0, 0, 0, 16, 16, 16, 16, 16, 16, 16, 16};
  return (I32x16)(reordered(both, order) >> shift) & splatWide(0xFFFF);
}

/// Four floats from each offset, likewise.
ETZEL_WIDE_INLINE void loadFloatsWide(const std::byte* base, const int32_t* offset, F32x16 out[2]) {
  const F32x16 a = (F32x16)loadFour(base, offset), b = (F32x16)loadFour(base, offset + 4);
  const U32x16 first = {0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29};
  out[0] = reordered(a, b, first), out[1] = reordered(a, b, first + 2);
}

/// Two neighbours of floats of 11, 11 and 10 bits from each offset, likewise; component 3 is 1.
ETZEL_WIDE_INLINE void loadSmallFloatsWide(const std::byte* base, const int32_t* offset, F32x16 left[2],
                                           F32x16 right[2]) {
  const U32x16 texels = gatherPairsWide(base, offset);
  // Halves with as many bits of exponent, at whose end bits of the fraction are missing: rotated to there.
  const U32x16 rotation[2] = {{28, 28, 28, 28, 28, 28, 28, 28, 7, 7, 7, 7, 7, 7, 7, 7},
                              {17, 17, 17, 17, 17, 17, 17, 17, 0, 0, 0, 0, 0, 0, 0, 0}};
  const I32x16 kept[2] = {splatWide(0x7FF0), joinWide(splat(0x7FE0), splat(0))};
  const I32x16 one = joinWide(splat(0), splat(0x3C00));
  for (uint32_t side = 0; side < 2; ++side) {
    const U32x16 texel = reordered(texels, U32x16{0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4, 6, 8, 10, 12, 14} + side);
    F32x16* const out = side ? right : left;
    for (int pair = 0; pair < 2; ++pair) {
      I32x16 half = (I32x16)_mm512_rorv_epi32((__m512i)texel, (__m512i)rotation[pair]) & kept[pair];
      if (pair) half |= one;
      out[pair] = (F32x16)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)half));
    }
  }
}

/// Also NaNs.
ETZEL_WIDE_INLINE WideMask notZeroWide(F32x16 v) { return unequalWide(v, splatWide(0.0f)); }
/// In these lanes v < low ? v : low, and v > high ? v : high; `low` and `high` in the others.
ETZEL_WIDE_INLINE F32x16 lowerWide(WideMask lanes, F32x16 v, F32x16 low) {
  return (F32x16)_mm512_mask_min_ps((__m512)low, lanes, (__m512)v, (__m512)low);
}
ETZEL_WIDE_INLINE F32x16 higherWide(WideMask lanes, F32x16 v, F32x16 high) {
  return (F32x16)_mm512_mask_max_ps((__m512)high, lanes, (__m512)v, (__m512)high);
}
/// v < low ? low : v > high ? high : v
ETZEL_WIDE_INLINE F32x16 betweenWide(F32x16 v, F32x16 low, F32x16 high) {
  const WideMask above = _mm512_cmp_ps_mask((__m512)v, (__m512)high, _CMP_GT_OQ);
  const WideMask below = _mm512_cmp_ps_mask((__m512)v, (__m512)low, _CMP_LT_OQ);
  return (F32x16)_mm512_mask_mov_ps(_mm512_mask_mov_ps((__m512)v, above, (__m512)high), below, (__m512)low);
}

}  // namespace etzel::simd

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
