// x86-64 with AVX-512: vectors of sixteen words. For functions of ETZEL_WIDE_BYTES alone, which do their arithmetic
// with the usual operators: what is not compiled for such registers takes these vectors apart, inlined or not.
#pragma once

#include "runtime/simd/vec.h"
#include "runtime/simd/x64/wide_bytes.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // as in wide_bytes.h
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace etzel::simd {

typedef float F32x16 __attribute__((vector_size(64)));
typedef int32_t I32x16 __attribute__((vector_size(64)));
typedef uint32_t U32x16 __attribute__((vector_size(64)));

ETZEL_WIDE_INLINE F32x16 splatWide(float v) { return (F32x16)_mm512_set1_ps(v); }
ETZEL_WIDE_INLINE I32x16 splatWide(int32_t v) { return (I32x16)_mm512_set1_epi32(v); }
ETZEL_WIDE_INLINE F32x16 joinWide(F32x8 low, F32x8 high) {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
ETZEL_WIDE_INLINE I32x16 joinWide(I32x8 low, I32x8 high) {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
ETZEL_WIDE_INLINE F32x8 lowerHalf(F32x16 v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7); }
ETZEL_WIDE_INLINE F32x8 upperHalf(F32x16 v) { return __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15); }
/// The lower half of one beside the upper half of another.
ETZEL_WIDE_INLINE F32x16 halvesOf(F32x16 low, F32x16 high) {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30, 31);
}
/// One half twice.
ETZEL_WIDE_INLINE F32x16 lowerTwice(F32x16 v) {
  return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
}
ETZEL_WIDE_INLINE F32x16 upperTwice(F32x16 v) {
  return __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15);
}
/// The lower halves of two, and the upper ones.
ETZEL_WIDE_INLINE F32x16 lowerHalves(F32x16 a, F32x16 b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
}
ETZEL_WIDE_INLINE F32x16 upperHalves(F32x16 a, F32x16 b) {
  return __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
}
ETZEL_WIDE_INLINE I32x16 minimumWide(I32x16 a, I32x16 b) { return (I32x16)_mm512_min_epi32((__m512i)a, (__m512i)b); }
ETZEL_WIDE_INLINE I32x16 maximumWide(I32x16 a, I32x16 b) { return (I32x16)_mm512_max_epi32((__m512i)a, (__m512i)b); }
ETZEL_WIDE_INLINE F32x16 floorWide(F32x16 v) {
  return (F32x16)_mm512_roundscale_ps((__m512)v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
ETZEL_WIDE_INLINE I32x16 truncateWide(F32x16 v) { return (I32x16)_mm512_cvttps_epi32((__m512)v); }
ETZEL_WIDE_INLINE F32x16 numbersWide(I32x16 v) { return (F32x16)_mm512_cvtepi32_ps((__m512i)v); }
ETZEL_WIDE_INLINE F32x16 numbersWide(U32x16 v) { return (F32x16)_mm512_cvtepu32_ps((__m512i)v); }
/// A bit for each lane that is negative.
ETZEL_WIDE_INLINE uint32_t signsWide(I32x16 v) { return _mm512_movepi32_mask((__m512i)v); }
/// Whether all lanes are 0.
ETZEL_WIDE_INLINE bool noneWide(I32x16 v) { return _mm512_test_epi32_mask((__m512i)v, (__m512i)v) == 0; }
/// A bit for each lane.
using WideMask = __mmask16;
/// Also where one is NaN.
ETZEL_WIDE_INLINE WideMask unequalWide(F32x16 a, F32x16 b) {
  return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_NEQ_UQ);
}
/// a * b; 0 in the other lanes.
ETZEL_WIDE_INLINE F32x16 productWide(WideMask lanes, F32x16 a, F32x16 b) {
  return (F32x16)_mm512_maskz_mul_ps(lanes, (__m512)a, (__m512)b);
}
/// Lane i is lane order[i].
ETZEL_WIDE_INLINE U32x16 reordered(U32x16 v, U32x16 order) {
  return (U32x16)_mm512_permutexvar_epi32((__m512i)order, (__m512i)v);
}
/// The same of two vectors, the second one's lanes are 16 to 31.
ETZEL_WIDE_INLINE F32x16 reordered(F32x16 a, F32x16 b, U32x16 order) {
  return (F32x16)_mm512_permutex2var_ps((__m512)a, (__m512i)order, (__m512)b);
}
/// A word in lanes 0 to 7, another one in lanes 8 to 15: the lower and the upper one of `two`.
ETZEL_WIDE_INLINE I32x16 eachTwice(uint64_t two) {
  const U32x16 order = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  return (I32x16)_mm512_permutexvar_epi32((__m512i)order,
                                          _mm512_castsi128_si512(_mm_cvtsi64_si128(static_cast<int64_t>(two))));
}
/// Lane `from` of each four.
template <int from>
ETZEL_WIDE_INLINE F32x16 quadLaneWide(F32x16 v) {
  return (F32x16)_mm512_permute_ps((__m512)v, 0x55 * from);
}
/// In each lane the byte of `words` that the lowest byte of order's lane numbers.
ETZEL_WIDE_INLINE I32x16 bytesWide(U32x16 words, const BytePattern& order) {
  constexpr __mmask64 kLowest = 0x1111111111111111;
  return (I32x16)_mm512_maskz_permutexvar_epi8(kLowest, _mm512_load_si512(&order), (__m512i)words);
}
/// The lowest of some lanes.
ETZEL_WIDE_INLINE int32_t firstOf(I32x8 v, LaneMask lanes) {
  return _mm_cvtsi128_si32(
      _mm256_castsi256_si128(_mm256_maskz_compress_epi32(static_cast<__mmask8>(lanes), (__m256i)v)));
}
/// Numbers that the low three bytes of each word stand for in a table.
ETZEL_WIDE_INLINE void lookUpWide(const ByteTable& table, U32x16 words, F32x16 numbers[3]) {
  __m512i found[3];
  lookUpWide(table, (__m512i)words, found);
  for (int c = 0; c < 3; ++c) numbers[c] = (F32x16)found[c];
}
/// In each lane the word of a table of 16, or 24, that it numbers.
ETZEL_WIDE_INLINE I32x16 wordsOf16(const void* table, I32x16 number) {
  return (I32x16)_mm512_permutexvar_epi32((__m512i)number, _mm512_loadu_si512(table));
}
ETZEL_WIDE_INLINE I32x16 wordsOf24(const void* table, I32x16 number) {
  const __m512i behind = _mm512_castsi256_si512(_mm256_loadu_si256(static_cast<const __m256i*>(table) + 2));
  return (I32x16)_mm512_permutex2var_epi32(_mm512_loadu_si512(table), (__m512i)number, behind);
}
/// A word from each of sixteen offsets in bytes.
ETZEL_WIDE_INLINE I32x16 gatherWide(const void* base, I32x16 offset) {
  return (I32x16)_mm512_i32gather_epi32((__m512i)offset, base, 1);
}
/// Two words from each of eight offsets.
ETZEL_WIDE_INLINE U32x16 gatherPairsWide(const std::byte* base, const int32_t* offset) {
  __m128i two[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const __m128d first = _mm_castsi128_pd(_mm_loadu_si64(base + offset[2 * i]));
    two[i] = _mm_castpd_si128(_mm_loadh_pd(first, reinterpret_cast<const double*>(base + offset[2 * i + 1])));
  }
  const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(two[0]), two[1], 1);
  const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(two[2]), two[3], 1);
  return (U32x16)_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
ETZEL_WIDE_INLINE void storeWide(void* to, F32x16 v) { _mm512_storeu_ps(to, (__m512)v); }
/// Words that are wanted one by one: each is a load then, where the compiler would take the register apart.
ETZEL_WIDE_INLINE void storeApart(int32_t (&to)[16], I32x16 v) {
  storeWide(to, (F32x16)v);
  asm("" : "+m"(to));
}
ETZEL_WIDE_INLINE void storeApart(int32_t (&to)[8], I32x8 v) {
  store(to, v);
  asm("" : "+m"(to));
}

}  // namespace etzel::simd

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
