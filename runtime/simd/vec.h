// Vectors of numbers for code that is compiled per target (target.h): the compilers' vector extensions with names, and
// the operations that these lack. The usual operators work lane by lane; comparisons give lanes of 0 and ~0. A warp has
// eight lanes on every machine, so most vectors have eight, also where the host's registers hold four.
//
// Every operation is exactly rounded or integer and gives the same bits on every target, except for the payload of a
// NaN that is made of two. This and half.h are the only files outside of code generators that name machine
// instructions. A host without any of them takes the plain loops at the end of each function.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "runtime/base/types.h"
#include "runtime/simd/target.h"

#if defined(__SSE2__) && !defined(ETZEL_SIMD_PLAIN)
#define ETZEL_SIMD_X86 1
#include <immintrin.h>
#endif
#if defined(__aarch64__) && !defined(ETZEL_SIMD_PLAIN)
#define ETZEL_SIMD_NEON 1
#include <arm_neon.h>
#endif
#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__) && !defined(ETZEL_SIMD_PLAIN)
#define ETZEL_SIMD_V3 1
#elif defined(ETZEL_SIMD_X86) || defined(ETZEL_SIMD_NEON)
#define ETZEL_SIMD_NARROW 1  // registers of 16 bytes: compilers compare and choose lanes of wider vectors one by one
#endif

namespace etzel::simd {

#define ETZEL_VECTOR(name, element, bytes) typedef element name __attribute__((vector_size(bytes)))
ETZEL_VECTOR(F32x8, float, 32);
ETZEL_VECTOR(I32x8, int32_t, 32);
ETZEL_VECTOR(U32x8, uint32_t, 32);
ETZEL_VECTOR(F64x8, double, 64);
ETZEL_VECTOR(I64x8, int64_t, 64);
ETZEL_VECTOR(U64x8, uint64_t, 64);
ETZEL_VECTOR(I16x8, int16_t, 16);
ETZEL_VECTOR(U16x8, uint16_t, 16);
ETZEL_VECTOR(U8x8, uint8_t, 8);
ETZEL_VECTOR(F32x4, float, 16);
ETZEL_VECTOR(I32x4, int32_t, 16);
ETZEL_VECTOR(U32x4, uint32_t, 16);
ETZEL_VECTOR(F64x4, double, 32);
ETZEL_VECTOR(I64x4, int64_t, 32);
ETZEL_VECTOR(U64x4, uint64_t, 32);
ETZEL_VECTOR(U16x4, uint16_t, 8);
ETZEL_VECTOR(U8x4, uint8_t, 4);
ETZEL_VECTOR(F64x2, double, 16);
ETZEL_VECTOR(I64x2, int64_t, 16);
ETZEL_VECTOR(U64x2, uint64_t, 16);
ETZEL_VECTOR(U16x16, uint16_t, 32);
ETZEL_VECTOR(U8x16, uint8_t, 16);
ETZEL_VECTOR(U8x32, uint8_t, 32);
#undef ETZEL_VECTOR

/// Eight words in place, whatever else is stored there as well: registers that are read as numbers of several types.
typedef uint32_t AliasedU32x8 __attribute__((vector_size(32), may_alias));

using Mask8 = LaneMask;  ///< a bit per lane

template <class V>
using Element = std::remove_cvref_t<decltype(std::declval<V&>()[0])>;
template <class V>
inline constexpr size_t kLanes = sizeof(V) / sizeof(Element<V>);
/// What comparisons of V give.
template <class V>
using MaskOf = decltype(std::declval<V>() < std::declval<V>());
#ifdef ETZEL_SIMD_NARROW
inline constexpr bool kNarrow = true;
#else
inline constexpr bool kNarrow = false;
#endif
/// Half as many lanes, and twice as many.
template <class V>
struct Resized {
  typedef Element<V> Half __attribute__((vector_size(sizeof(V) / 2)));
  typedef Element<V> Twice __attribute__((vector_size(sizeof(V) * 2)));
};
template <class V>
using Half = typename Resized<V>::Half;
template <class V>
using Twice = typename Resized<V>::Twice;

// --- Making vectors, and reading them as others

template <class V, size_t... lane>
ETZEL_INLINE V splatLanes(Element<V> x, std::index_sequence<lane...>) {
  return V{(static_cast<void>(lane), x)...};
}
template <class V>
ETZEL_INLINE V splat(std::type_identity_t<Element<V>> x) {
  return splatLanes<V>(x, std::make_index_sequence<kLanes<V>>{});
}
/// Eight lanes of one number.
ETZEL_INLINE F32x8 splat(float x) { return splat<F32x8>(x); }
ETZEL_INLINE I32x8 splat(int32_t x) { return splat<I32x8>(x); }
ETZEL_INLINE U32x8 splat(uint32_t x) { return splat<U32x8>(x); }
template <class V>
ETZEL_INLINE V load(const void* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class V>
ETZEL_INLINE void store(void* p, V v) {
  __builtin_memcpy(p, &v, sizeof v);
}
/// The same bits as lanes of another type.
template <class To, class From>
ETZEL_INLINE To bitCast(From v) {
  static_assert(sizeof(To) == sizeof(From));
  return (To)v;
}
/// The same bits as lanes of 32 bits.
template <class V>
ETZEL_INLINE auto asFloat(V v) {
  static_assert(sizeof(Element<V>) == 4);
  return bitCast<std::conditional_t<kLanes<V> == 8, F32x8, F32x4>>(v);
}
template <class V>
ETZEL_INLINE auto asInt(V v) {
  static_assert(sizeof(Element<V>) == 4);
  return bitCast<std::conditional_t<kLanes<V> == 8, I32x8, I32x4>>(v);
}
template <class V>
ETZEL_INLINE auto asUnsigned(V v) {
  static_assert(sizeof(Element<V>) == 4);
  return bitCast<std::conditional_t<kLanes<V> == 8, U32x8, U32x4>>(v);
}
/// A register's lanes.
ETZEL_INLINE F32x8 floats(const LaneWords& w) { return load<F32x8>(&w); }
ETZEL_INLINE I32x8 ints(const LaneWords& w) { return load<I32x8>(&w); }
ETZEL_INLINE U32x8 words(const LaneWords& w) { return load<U32x8>(&w); }
template <class V>
ETZEL_INLINE void store(LaneWords& to, V v) {
  static_assert(sizeof v == sizeof to);
  store(to.lane, v);
}
/// The same numbers as another type, as static_cast does; floats toward zero.
template <class To, class From>
ETZEL_INLINE To convert(From v) {
  return __builtin_convertvector(v, To);
}

template <class V>
struct Halves {
  Half<V> low, high;
};
template <class V>
ETZEL_INLINE Halves<V> halves(V v) {
#ifdef ETZEL_SIMD_V3
  if constexpr (sizeof(V) == 32)
    return {(Half<V>)_mm256_castsi256_si128((__m256i)v), (Half<V>)_mm256_extracti128_si256((__m256i)v, 1)};
#endif
  return __builtin_bit_cast(Halves<V>, v);
}
template <class V>
ETZEL_INLINE Half<V> lowHalf(V v) {
  return halves(v).low;
}
template <class V>
ETZEL_INLINE Half<V> highHalf(V v) {
  return halves(v).high;
}
template <class V>
ETZEL_INLINE Twice<V> join(V low, V high) {
#ifdef ETZEL_SIMD_V3
  if constexpr (sizeof(V) == 16) return (Twice<V>)_mm256_set_m128i((__m128i)high, (__m128i)low);
#endif
  struct {
    V low, high;
  } pair{low, high};
  return __builtin_bit_cast(Twice<V>, pair);
}

/// The lower half of `a` and the upper half of `b`.
template <class V>
ETZEL_INLINE V lowAndHigh(V a, V b) {
#ifdef ETZEL_SIMD_V3
  if constexpr (sizeof(V) == 32) return (V)_mm256_blend_epi32((__m256i)a, (__m256i)b, 0xF0);
#endif
  return join(lowHalf(a), highHalf(b));
}
/// __builtin_shufflevector() of two vectors of 32 bytes in each of their halves: lanes of `a`'s half from 0, of `b`'s
/// from half of the lanes on.
template <int... lane, class V>
ETZEL_INLINE V shuffleHalves(V a, V b) {
  constexpr int n = static_cast<int>(kLanes<V>) / 2;
  static_assert(sizeof...(lane) == n && sizeof(V) == 32);
#ifdef ETZEL_SIMD_V3
  return __builtin_shufflevector(a, b, (lane < n ? lane : lane + n)..., (lane < n ? lane + n : lane + 2 * n)...);
#else
  const Halves<V> x = halves(a), y = halves(b);
  return join<Half<V>>(__builtin_shufflevector(x.low, y.low, lane...),
                       __builtin_shufflevector(x.high, y.high, lane...));
#endif
}
template <int... lane, class V>
ETZEL_INLINE V shuffleHalves(V v) {
  return shuffleHalves<lane...>(v, v);
}

template <class V, size_t... i>
ETZEL_INLINE V interleaved(V a, V b, std::index_sequence<i...>) {
  return __builtin_shufflevector(a, b, (i / 2 + i % 2 * sizeof...(i))...);
}
/// Lanes of both in turn: of their first halves, and of their second ones.
template <class V>
ETZEL_INLINE V interleaveLow(V a, V b) {
  static_assert(sizeof(V) == 16);
  return interleaved(a, b, std::make_index_sequence<kLanes<V>>{});
}
template <class V, size_t... i>
ETZEL_INLINE V interleavedHigh(V a, V b, std::index_sequence<i...>) {
  return __builtin_shufflevector(a, b, ((i + sizeof...(i)) / 2 + i % 2 * sizeof...(i))...);
}
template <class V>
ETZEL_INLINE V interleaveHigh(V a, V b) {
  static_assert(sizeof(V) == 16);
  return interleavedHigh(a, b, std::make_index_sequence<kLanes<V>>{});
}

/// 4x4 transposition.
template <class V>
ETZEL_INLINE void transpose(V& a, V& b, V& c, V& d) {
  static_assert(kLanes<V> == 4);
  const V ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), AB = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const V cd = __builtin_shufflevector(c, d, 0, 4, 1, 5), CD = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  a = __builtin_shufflevector(ab, cd, 0, 1, 4, 5), b = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  c = __builtin_shufflevector(AB, CD, 0, 1, 4, 5), d = __builtin_shufflevector(AB, CD, 2, 3, 6, 7);
}
/// 4x4 transpositions in both halves of eight lanes.
template <class V>
ETZEL_INLINE void transposeHalves(V& a, V& b, V& c, V& d) {
  static_assert(kLanes<V> == 8);
  const V ab = shuffleHalves<0, 4, 1, 5>(a, b), AB = shuffleHalves<2, 6, 3, 7>(a, b);
  const V cd = shuffleHalves<0, 4, 1, 5>(c, d), CD = shuffleHalves<2, 6, 3, 7>(c, d);
  a = shuffleHalves<0, 1, 4, 5>(ab, cd), b = shuffleHalves<2, 3, 6, 7>(ab, cd);
  c = shuffleHalves<0, 1, 4, 5>(AB, CD), d = shuffleHalves<2, 3, 6, 7>(AB, CD);
}

// --- Masks

/// What the operators give, where vectors are wider than registers too.
#define ETZEL_COMPARISON(name, op)                                                          \
  template <class V>                                                                        \
  ETZEL_INLINE MaskOf<V> name(V a, std::type_identity_t<V> b) {                             \
    if constexpr (kNarrow && sizeof(V) > 16)                                                \
      return (MaskOf<V>)join(name(lowHalf(a), lowHalf(b)), name(highHalf(a), highHalf(b))); \
    else                                                                                    \
      return a op b;                                                                        \
  }
ETZEL_COMPARISON(less, <)
ETZEL_COMPARISON(greater, >)
ETZEL_COMPARISON(atLeast, >=)
ETZEL_COMPARISON(atMost, <=)
ETZEL_COMPARISON(equal, ==)
ETZEL_COMPARISON(unequal, !=)
#undef ETZEL_COMPARISON

/// Lanes of `a` where the mask is ~0, of `b` where it is 0. \pre all lanes of the mask are one of both
template <class M, class V>
ETZEL_INLINE V select(M mask, V a, std::type_identity_t<V> b) {
  using S = MaskOf<V>;
  static_assert(sizeof(M) == sizeof(V) && kLanes<M> == kLanes<V>);
#ifdef ETZEL_SIMD_V3
  return (S)mask < 0 ? a : b;  // one instruction, whatever made the mask
#elif defined(ETZEL_SIMD_NEON)
  if constexpr (sizeof(V) > 16)
    return join(select(lowHalf((S)mask), lowHalf(a), lowHalf(b)), select(highHalf((S)mask), highHalf(a), highHalf(b)));
  else if constexpr (sizeof(V) == 16)
    return (V)vbslq_u8((uint8x16_t)mask, (uint8x16_t)a, (uint8x16_t)b);
  else
    return (V)(((S)a & (S)mask) | ((S)b & ~(S)mask));
#else
  const S bits = (S)mask;
  return (V)(((S)a & bits) | ((S)b & ~bits));
#endif
}

/// Sign bits of eight lanes of 32 bits.
template <class V>
ETZEL_INLINE Mask8 laneMask(V v) {
  static_assert(sizeof(V) == 32 && kLanes<V> == 8);
#if defined(ETZEL_SIMD_V3)
  return static_cast<Mask8>(_mm256_movemask_ps((__m256)v));
#elif defined(ETZEL_SIMD_X86)
  const auto h = halves(v);
  return static_cast<Mask8>(_mm_movemask_ps((__m128)h.low) | _mm_movemask_ps((__m128)h.high) << 4);
#elif defined(ETZEL_SIMD_NEON)
  const auto h = halves((I32x8)v);
  const I32x4 low = {0, 1, 2, 3}, high = {4, 5, 6, 7};
  const uint32x4_t bits = vshlq_u32(vshrq_n_u32((uint32x4_t)h.low, 31), (int32x4_t)low);
  return vaddvq_u32(vorrq_u32(bits, vshlq_u32(vshrq_n_u32((uint32x4_t)h.high, 31), (int32x4_t)high)));
#else
  Mask8 mask = 0;
  for (uint32_t i = 0; i < 8; ++i) mask |= ((U32x8)v)[i] >> 31 << i;
  return mask;
#endif
}
/// ~0 in the lanes of a mask, 0 in the others.
template <class V = I32x8>
ETZEL_INLINE V fromLaneMask(Mask8 lanes) {
  const I32x8 bits = {1, 2, 4, 8, 16, 32, 64, 128};
  return (V)equal(splat<I32x8>(static_cast<int32_t>(lanes)) & bits, bits);
}
/// Sign bits of 32 lanes of 0 or ~0: of the lower halves of a, b, c and d, then of the upper halves.
ETZEL_INLINE uint32_t signs32(I32x8 a, I32x8 b, I32x8 c, I32x8 d) {
#if defined(ETZEL_SIMD_V3)
  const __m256i ab = _mm256_packs_epi32((__m256i)a, (__m256i)b), cd = _mm256_packs_epi32((__m256i)c, (__m256i)d);
  return static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_packs_epi16(ab, cd)));
#elif defined(ETZEL_SIMD_X86)
  const auto half = [](I32x4 p, I32x4 q, I32x4 r, I32x4 s) __attribute__((always_inline)) {
    const __m128i pq = _mm_packs_epi32((__m128i)p, (__m128i)q), rs = _mm_packs_epi32((__m128i)r, (__m128i)s);
    return static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(pq, rs)));
  };
  return half(lowHalf(a), lowHalf(b), lowHalf(c), lowHalf(d)) | half(highHalf(a), highHalf(b), highHalf(c), highHalf(d))
                                                                    << 16;
#else
  const Mask8 m[4] = {laneMask(a), laneMask(b), laneMask(c), laneMask(d)};
  uint32_t signs = 0;
  for (uint32_t i = 0; i < 4; ++i) signs |= (m[i] & 15) << (4 * i) | (m[i] >> 4) << (16 + 4 * i);
  return signs;
#endif
}
/// Sign bits of sixteen bytes.
ETZEL_INLINE uint32_t signs16(U8x16 v) {
#ifdef ETZEL_SIMD_X86
  return static_cast<uint32_t>(_mm_movemask_epi8((__m128i)v));
#elif defined(ETZEL_SIMD_NEON)
  constexpr int8x16_t kPlaces = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
  const uint8x16_t bits = vshlq_u8(vshrq_n_u8((uint8x16_t)v, 7), kPlaces);
  return vaddv_u8(vget_low_u8(bits)) | uint32_t{vaddv_u8(vget_high_u8(bits))} << 8;
#else
  uint32_t signs = 0;
  for (uint32_t i = 0; i < 16; ++i) signs |= uint32_t{v[i]} >> 7 << i;
  return signs;
#endif
}
/// Whether any bit is set.
ETZEL_INLINE bool anyBit(I64x4 v) {
#ifdef ETZEL_SIMD_V3
  return !_mm256_testz_si256((__m256i)v, (__m256i)v);
#else
  return (v[0] | v[1] | v[2] | v[3]) != 0;
#endif
}
/// All four numbers or-ed.
ETZEL_INLINE uint64_t unitedBits(I64x4 v) {
#ifdef ETZEL_SIMD_V3
  const I64x2 two = lowHalf(v) | highHalf(v);
  return static_cast<uint64_t>(_mm_cvtsi128_si64((__m128i)(two | __builtin_shufflevector(two, two, 1, 1))));
#else
  return static_cast<uint64_t>(v[0] | v[1] | v[2] | v[3]);
#endif
}

// --- 64-bit numbers of eight lanes as two words each

ETZEL_INLINE U64x8 joinWords(U32x8 low, U32x8 high) { return convert<U64x8>(low) | convert<U64x8>(high) << 32; }
ETZEL_INLINE U32x8 lowWords(U64x8 v) { return convert<U32x8>(v); }
ETZEL_INLINE U32x8 highWords(U64x8 v) { return convert<U32x8>(v >> 32); }
/// Masks of 64 bits a lane from masks of 32 bits, and back.
ETZEL_INLINE U64x8 widenMask(U32x8 mask) { return (U64x8)convert<I64x8>((I32x8)mask); }
ETZEL_INLINE U32x8 narrowMask(U64x8 mask) { return lowWords(mask); }

// --- Arithmetic

/// Modulo 2^32: absurd coordinates have places too, which nobody reads.
ETZEL_INLINE I32x8 wrappingAdd(I32x8 a, I32x8 b) { return (I32x8)((U32x8)a + (U32x8)b); }
ETZEL_INLINE I32x8 wrappingSub(I32x8 a, I32x8 b) { return (I32x8)((U32x8)a - (U32x8)b); }
ETZEL_INLINE I32x8 wrappingMul(I32x8 a, int32_t b) { return (I32x8)((U32x8)a * static_cast<uint32_t>(b)); }
/// Zeros come in from the left.
ETZEL_INLINE I32x8 shiftRightLogical(I32x8 v, int count) { return (I32x8)((U32x8)v >> count); }

/// a < b ? a : b and a > b ? a : b: the second operand where either is NaN.
template <class V>
ETZEL_INLINE V minimum(V a, std::type_identity_t<V> b) {
#ifdef ETZEL_SIMD_V3
  if constexpr (std::is_same_v<Element<V>, float> && sizeof(V) == 32) return (V)_mm256_min_ps((__m256)a, (__m256)b);
#endif
#ifdef ETZEL_SIMD_X86
  if constexpr (std::is_same_v<Element<V>, float> && sizeof(V) == 16) return (V)_mm_min_ps((__m128)a, (__m128)b);
#endif
#ifdef ETZEL_SIMD_NARROW
  if constexpr (sizeof(V) > 16) return join(minimum(lowHalf(a), lowHalf(b)), minimum(highHalf(a), highHalf(b)));
#endif
  return a < b ? a : b;
}
template <class V>
ETZEL_INLINE V maximum(V a, std::type_identity_t<V> b) {
#ifdef ETZEL_SIMD_V3
  if constexpr (std::is_same_v<Element<V>, float> && sizeof(V) == 32) return (V)_mm256_max_ps((__m256)a, (__m256)b);
#endif
#ifdef ETZEL_SIMD_X86
  if constexpr (std::is_same_v<Element<V>, float> && sizeof(V) == 16) return (V)_mm_max_ps((__m128)a, (__m128)b);
#endif
#ifdef ETZEL_SIMD_NARROW
  if constexpr (sizeof(V) > 16) return join(maximum(lowHalf(a), lowHalf(b)), maximum(highHalf(a), highHalf(b)));
#endif
  return a > b ? a : b;
}
/// Cut to a range; NaN becomes `low`.
template <class V>
ETZEL_INLINE V clamp(V v, std::type_identity_t<Element<V>> low, std::type_identity_t<Element<V>> high) {
  return minimum(maximum(v, splat<V>(low)), splat<V>(high));
}
/// Without its sign, NaN too.
template <class V>
ETZEL_INLINE V abs(V v) {
  using S = MaskOf<V>;
  return (V)((S)v & splat<S>(std::is_same_v<Element<V>, float> ? INT32_MAX : static_cast<Element<S>>(INT64_MAX)));
}

// Every lane by itself, for what the target has no instruction for. The functions of <cmath> are exactly rounded.
#define ETZEL_EACH_LANE(v, expression)                                     \
  decltype(v) result;                                                      \
  for (size_t i = 0; i < kLanes<decltype(v)>; ++i) result[i] = expression; \
  return result

ETZEL_INLINE I32x8 truncateToInt(F32x8 v);
ETZEL_INLINE I32x8 roundToInt(F32x8 v);
/// The number that `whole` is, with the sign of `v`; `v` itself where it is too large for fractions, or NaN.
ETZEL_INLINE F32x8 wholeNumber(I32x8 whole, F32x8 v) {
  const I32x8 sign = asInt(v) & INT32_MIN, size = asInt(v) & INT32_MAX;
  return select(less(size, splat(0x4B000000)), asFloat(asInt(convert<F32x8>(whole)) | sign), v);
}

#ifdef ETZEL_SIMD_V3
#define ETZEL_ROUNDING(name, mode, each, way)                                                                 \
  ETZEL_INLINE F32x8 name(F32x8 v) { return (F32x8)_mm256_round_ps((__m256)v, (mode) | _MM_FROUND_NO_EXC); }  \
  ETZEL_INLINE F64x4 name(F64x4 v) { return (F64x4)_mm256_round_pd((__m256d)v, (mode) | _MM_FROUND_NO_EXC); } \
  ETZEL_INLINE F64x8 name(F64x8 v) { return join<F64x4>(name(lowHalf(v)), name(highHalf(v))); }
#elif defined(ETZEL_SIMD_NEON)
#define ETZEL_ROUNDING(name, mode, each, way)                                                   \
  ETZEL_INLINE F32x4 name(F32x4 v) { return (F32x4)ETZEL_NEON_##each##q_f32((float32x4_t)v); }  \
  ETZEL_INLINE F64x2 name(F64x2 v) { return (F64x2)ETZEL_NEON_##each##q_f64((float64x2_t)v); }  \
  ETZEL_INLINE F32x8 name(F32x8 v) { return join<F32x4>(name(lowHalf(v)), name(highHalf(v))); } \
  ETZEL_INLINE F64x4 name(F64x4 v) { return join<F64x2>(name(lowHalf(v)), name(highHalf(v))); } \
  ETZEL_INLINE F64x8 name(F64x8 v) { return join<F64x4>(name(lowHalf(v)), name(highHalf(v))); }
#define ETZEL_NEON_truncq_f32 vrndq_f32
#define ETZEL_NEON_truncq_f64 vrndq_f64
#define ETZEL_NEON_floorq_f32 vrndmq_f32
#define ETZEL_NEON_floorq_f64 vrndmq_f64
#define ETZEL_NEON_ceilq_f32 vrndpq_f32
#define ETZEL_NEON_ceilq_f64 vrndpq_f64
#define ETZEL_NEON_nearbyintq_f32 vrndnq_f32
#define ETZEL_NEON_nearbyintq_f64 vrndnq_f64
#else
#define ETZEL_ROUNDING(name, mode, each, way)      \
  ETZEL_INLINE F32x8 name(F32x8 v) { return way; } \
  ETZEL_INLINE F64x8 name(F64x8 v) { ETZEL_EACH_LANE(v, __builtin_##each(v[i])); }
#endif
ETZEL_ROUNDING(trunc, _MM_FROUND_TO_ZERO, trunc, wholeNumber(truncateToInt(v), v))
ETZEL_ROUNDING(floor, _MM_FROUND_TO_NEG_INF, floor,
               wholeNumber(truncateToInt(v) + greater(convert<F32x8>(truncateToInt(v)), v), v))  // true is -1
ETZEL_ROUNDING(ceil, _MM_FROUND_TO_POS_INF, ceil,
               wholeNumber(truncateToInt(v) - less(convert<F32x8>(truncateToInt(v)), v), v))
/// Ties to even.
ETZEL_ROUNDING(round, _MM_FROUND_TO_NEAREST_INT, nearbyint, wholeNumber(roundToInt(v), v))
#undef ETZEL_ROUNDING

ETZEL_INLINE F32x4 sqrt(F32x4 v) {
#ifdef ETZEL_SIMD_X86
  return (F32x4)_mm_sqrt_ps((__m128)v);
#elif defined(ETZEL_SIMD_NEON)
  return (F32x4)vsqrtq_f32((float32x4_t)v);
#else
  ETZEL_EACH_LANE(v, __builtin_sqrtf(v[i]));
#endif
}
ETZEL_INLINE F32x8 sqrt(F32x8 v) {
#ifdef ETZEL_SIMD_V3
  return (F32x8)_mm256_sqrt_ps((__m256)v);
#else
  return join<F32x4>(sqrt(lowHalf(v)), sqrt(highHalf(v)));
#endif
}
ETZEL_INLINE F64x8 sqrt(F64x8 v) {
#if defined(ETZEL_SIMD_V3)
  return join<F64x4>((F64x4)_mm256_sqrt_pd((__m256d)lowHalf(v)), (F64x4)_mm256_sqrt_pd((__m256d)highHalf(v)));
#elif defined(ETZEL_SIMD_X86)
  const auto four = [](F64x4 f) __attribute__((always_inline)) {
    return join<F64x2>((F64x2)_mm_sqrt_pd((__m128d)lowHalf(f)), (F64x2)_mm_sqrt_pd((__m128d)highHalf(f)));
  };
  return join<F64x4>(four(lowHalf(v)), four(highHalf(v)));
#elif defined(ETZEL_SIMD_NEON)
  const auto four = [](F64x4 f) __attribute__((always_inline)) {
    return join<F64x2>((F64x2)vsqrtq_f64((float64x2_t)lowHalf(f)), (F64x2)vsqrtq_f64((float64x2_t)highHalf(f)));
  };
  return join<F64x4>(four(lowHalf(v)), four(highHalf(v)));
#else
  ETZEL_EACH_LANE(v, __builtin_sqrt(v[i]));
#endif
}

#if !defined(ETZEL_SIMD_V3) && !defined(ETZEL_SIMD_NEON)
/// a * b + c, rounded once, in doubles: the product is exact, and a sum that is inexact becomes the neighbour whose
/// last bit is odd, which rounds to the float that the exact sum rounds to.
__attribute__((noinline, cold, unused)) static void fusedByOdd(const F32x8& a, const F32x8& b, const F32x8& c,
                                                               F32x8& result) {
  const F64x8 p = convert<F64x8>(a) * convert<F64x8>(b), d = convert<F64x8>(c), sum = p + d;
  const F64x8 back = sum - p, error = (p - (sum - back)) + (d - back);
  const I64x8 inexact = (error < 0.0) | (error > 0.0), even = ((I64x8)sum & 1) - 1;
  const I64x8 outward = ~((error < 0.0) ^ (sum < 0.0));  // the exact sum is farther from 0
  result = convert<F32x8>((F64x8)((I64x8)sum + ((inexact & even) & (1 + 2 * ~outward))));
}
#endif
#if defined(ETZEL_SIMD_X86) && !defined(ETZEL_SIMD_V3)
/// Four sums in doubles, rounded twice. `doubtful` gets lanes where that may be another float than the sum rounded
/// once: the double lies in the middle of two floats, or the float is denormal or next to that (zeros come from exact
/// sums).
ETZEL_INLINE F32x4 fusedTwice(F32x4 a, F32x4 b, F32x4 c, I32x4& doubtful) {
  const auto low = [](F32x4 v) __attribute__((always_inline)) { return _mm_cvtps_pd((__m128)v); };
  const auto high = [](F32x4 v) __attribute__((always_inline)) {
    return _mm_cvtps_pd(_mm_movehl_ps((__m128)v, (__m128)v));
  };
  const __m128d s0 = _mm_add_pd(_mm_mul_pd(low(a), low(b)), low(c));
  const __m128d s1 = _mm_add_pd(_mm_mul_pd(high(a), high(b)), high(c));
  const F32x4 once = (F32x4)_mm_movelh_ps(_mm_cvtpd_ps(s0), _mm_cvtpd_ps(s1));
  const I32x4 dropped = (I32x4)_mm_shuffle_ps((__m128)s0, (__m128)s1, _MM_SHUFFLE(2, 0, 2, 0)) & 0x1FFFFFFF;
  const I32x4 small = (abs(once) <= 0x1p-126f) & (once != 0.0f);
  doubtful |= (dropped == 0x10000000) | small;
  return once;
}
#endif

/// a * b + c, rounded once.
ETZEL_INLINE F32x8 fma(F32x8 a, F32x8 b, F32x8 c) {
#ifdef ETZEL_SIMD_V3
  return (F32x8)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(ETZEL_SIMD_NEON)
  const auto four = [](F32x4 x, F32x4 y, F32x4 z) __attribute__((always_inline)) {
    return (F32x4)vfmaq_f32((float32x4_t)z, (float32x4_t)x, (float32x4_t)y);
  };
  return join<F32x4>(four(lowHalf(a), lowHalf(b), lowHalf(c)), four(highHalf(a), highHalf(b), highHalf(c)));
#elif defined(ETZEL_SIMD_X86)
  I32x4 doubtful{};
  F32x8 result = join(fusedTwice(lowHalf(a), lowHalf(b), lowHalf(c), doubtful),
                      fusedTwice(highHalf(a), highHalf(b), highHalf(c), doubtful));
  if (_mm_movemask_ps((__m128)doubtful) != 0) [[unlikely]]
    fusedByOdd(a, b, c, result);
  return result;
#else
  F32x8 result;
  fusedByOdd(a, b, c, result);
  return result;
#endif
}
/// a * b + c, where the product is no other float than it would be unrounded: the same on every host.
ETZEL_INLINE F32x8 addProduct(F32x8 a, F32x8 b, F32x8 c) {
#if defined(ETZEL_SIMD_V3) || defined(ETZEL_SIMD_NEON)
  return fma(a, b, c);
#else
  return a * b + c;
#endif
}
ETZEL_INLINE F64x8 fma(F64x8 a, F64x8 b, F64x8 c) {
#ifdef ETZEL_SIMD_V3
  const auto four = [](F64x4 x, F64x4 y, F64x4 z) __attribute__((always_inline)) {
    return (F64x4)_mm256_fmadd_pd((__m256d)x, (__m256d)y, (__m256d)z);
  };
  return join<F64x4>(four(lowHalf(a), lowHalf(b), lowHalf(c)), four(highHalf(a), highHalf(b), highHalf(c)));
#else  // one instruction a lane on AArch64
  ETZEL_EACH_LANE(a, std::fma(a[i], b[i], c[i]));
#endif
}

// --- Floats to integers. What is out of range, NaN too, becomes INT32_MIN.

/// What the processor makes of a float that it has rounded to an integer.
ETZEL_INLINE int32_t integerOf(double whole) {
  return whole >= -2147483648.0 && whole < 2147483648.0 ? static_cast<int32_t>(whole) : INT32_MIN;
}

#ifdef ETZEL_SIMD_NEON
/// NEON takes the nearest number where a float does not fit, and 0 for NaN.
ETZEL_INLINE I32x4 lowestBeyond(int32x4_t whole, F32x4 v) {
  return select(v < 0x1p31f, (I32x4)whole, splat<I32x4>(INT32_MIN));
}
#endif

/// Toward zero.
ETZEL_INLINE I32x4 truncateToInt(F32x4 v) {
#ifdef ETZEL_SIMD_X86
  return (I32x4)_mm_cvttps_epi32((__m128)v);
#elif defined(ETZEL_SIMD_NEON)
  return lowestBeyond(vcvtq_s32_f32((float32x4_t)v), v);
#else
  I32x4 r;
  for (int i = 0; i < 4; ++i) r[i] = integerOf(__builtin_truncf(v[i]));
  return r;
#endif
}
ETZEL_INLINE I32x8 truncateToInt(F32x8 v) {
#ifdef ETZEL_SIMD_V3
  return (I32x8)_mm256_cvttps_epi32((__m256)v);
#else
  return join<I32x4>(truncateToInt(lowHalf(v)), truncateToInt(highHalf(v)));
#endif
}
/// To the nearest integer, ties to even.
ETZEL_INLINE I32x4 roundToInt(F32x4 v) {
#ifdef ETZEL_SIMD_X86
  return (I32x4)_mm_cvtps_epi32((__m128)v);
#elif defined(ETZEL_SIMD_NEON)
  return lowestBeyond(vcvtnq_s32_f32((float32x4_t)v), v);
#else
  I32x4 r;
  for (int i = 0; i < 4; ++i) r[i] = integerOf(__builtin_nearbyintf(v[i]));
  return r;
#endif
}
ETZEL_INLINE I32x8 roundToInt(F32x8 v) {
#ifdef ETZEL_SIMD_V3
  return (I32x8)_mm256_cvtps_epi32((__m256)v);
#else
  return join<I32x4>(roundToInt(lowHalf(v)), roundToInt(highHalf(v)));
#endif
}
/// roundToInt(v * scale) with the product in double precision.
ETZEL_INLINE I32x4 roundScaledToInt(F32x4 v, double scale) {
#if defined(ETZEL_SIMD_V3)
  return (I32x4)_mm256_cvtpd_epi32(_mm256_mul_pd(_mm256_cvtps_pd((__m128)v), _mm256_set1_pd(scale)));
#elif defined(ETZEL_SIMD_X86)
  const __m128d s = _mm_set1_pd(scale);
  const __m128i a = _mm_cvtpd_epi32(_mm_mul_pd(_mm_cvtps_pd((__m128)v), s));
  const __m128i b = _mm_cvtpd_epi32(_mm_mul_pd(_mm_cvtps_pd(_mm_movehl_ps((__m128)v, (__m128)v)), s));
  return (I32x4)_mm_unpacklo_epi64(a, b);
#else
  I32x4 r;
  for (int i = 0; i < 4; ++i) r[i] = integerOf(__builtin_nearbyint(double{v[i]} * scale));
  return r;
#endif
}
ETZEL_INLINE I32x8 roundScaledToInt(F32x8 v, double scale) {
  return join<I32x4>(roundScaledToInt(lowHalf(v), scale), roundScaledToInt(highHalf(v), scale));
}
/// One number, to the nearest integer, ties to even.
ETZEL_INLINE int32_t roundToInt(double v) {
#ifdef ETZEL_SIMD_X86
  return _mm_cvtsd_si32(_mm_set_sd(v));
#else
  return integerOf(__builtin_nearbyint(v));
#endif
}
/// The largest integer that is not above. \pre |v| < 2^31
ETZEL_INLINE I32x8 floorToInt(F32x8 v) {
#ifdef ETZEL_SIMD_V3
  return convert<I32x8>(floor(v));
#else
  const I32x8 i = truncateToInt(v);
  return i + greater(convert<F32x8>(i), v);  // true is -1
#endif
}

// --- Memory in other orders

/// A word from each byte offset. Eight loads: gather instructions are slower where this was measured (Zen 5).
ETZEL_INLINE I32x8 gatherWords(const void* base, I32x8 offset) {
  I32x8 w{};
  for (int i = 0; i < 8; ++i) w[i] = load<int32_t>(static_cast<const std::byte*>(base) + offset[i]);
  return w;
}
/// A byte or short from each byte offset. They are cut from words at multiples of four, so that nothing outside of the
/// memory's pages is read; `base` is such a multiple.
template <class Number>
ETZEL_INLINE I32x8 gatherNumbers(const std::byte* base, I32x8 offset) {
#ifdef ETZEL_SIMD_V3
  constexpr int32_t within = sizeof(Number) == 1 ? 3 : 2, most = sizeof(Number) == 1 ? 255 : 65535;
  const U32x8 word = (U32x8)gatherWords(base, offset & ~3);
  return (I32x8)(word >> (U32x8)((offset & within) << 3)) & most;
#else
  I32x8 w{};
  for (int i = 0; i < 8; ++i) w[i] = load<Number>(base + offset[i]);
  return w;
#endif
}
/// Eight bytes from each byte offset, as two words. Offsets are best in memory: addresses are loaded from there.
ETZEL_INLINE void gatherPairs(const std::byte* base, const I32x8& offset, I32x8 w[2]) {
  const auto* from = reinterpret_cast<const int32_t*>(&offset);
  F32x4 pairs[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
#ifdef ETZEL_SIMD_X86
    const __m128d first = _mm_castsi128_pd(_mm_loadu_si64(base + from[2 * i]));
    pairs[i] = (F32x4)_mm_loadh_pd(first, reinterpret_cast<const double*>(base + from[2 * i + 1]));
#else
    pairs[i] = (F32x4)U64x2{load<uint64_t>(base + from[2 * i]), load<uint64_t>(base + from[2 * i + 1])};
#endif
  }
  const F32x8 a = join<F32x4>(pairs[0], pairs[2]), b = join<F32x4>(pairs[1], pairs[3]);
  w[0] = (I32x8)shuffleHalves<0, 2, 4, 6>(a, b);
  w[1] = (I32x8)shuffleHalves<1, 3, 5, 7>(a, b);
}

/// The first eight of sixteen bytes as words, and the others.
ETZEL_INLINE U32x8 widenLow(U8x16 v) {
#if defined(ETZEL_SIMD_V3)
  return (U32x8)_mm256_cvtepu8_epi32((__m128i)v);
#elif defined(ETZEL_SIMD_X86)
  const __m128i zero = _mm_setzero_si128(), shorts = _mm_unpacklo_epi8((__m128i)v, zero);
  return join<U32x4>((U32x4)_mm_unpacklo_epi16(shorts, zero), (U32x4)_mm_unpackhi_epi16(shorts, zero));
#else
  U32x8 words;
  for (int i = 0; i < 8; ++i) words[i] = v[i];
  return words;
#endif
}
ETZEL_INLINE U32x8 widenHigh(U8x16 v) {
  const U64x2 both = (U64x2)v;
  return widenLow((U8x16)__builtin_shufflevector(both, both, 1, 1));
}
/// Eight bytes from memory as words.
ETZEL_INLINE U32x8 loadBytes(const void* p) {
#ifdef ETZEL_SIMD_X86
  return widenLow((U8x16)_mm_loadu_si64(p));
#else
  return widenLow((U8x16)U64x2{load<uint64_t>(p)});
#endif
}
/// Eight numbers of 16 bits as words.
ETZEL_INLINE U32x8 widen(U16x8 v) {
#if defined(ETZEL_SIMD_V3)
  return (U32x8)_mm256_cvtepu16_epi32((__m128i)v);
#elif defined(ETZEL_SIMD_X86)
  const __m128i zero = _mm_setzero_si128();
  return join<U32x4>((U32x4)_mm_unpacklo_epi16((__m128i)v, zero), (U32x4)_mm_unpackhi_epi16((__m128i)v, zero));
#else
  return convert<U32x8>(v);
#endif
}
/// The low 16 bits of words. \pre the bits above are 0
ETZEL_INLINE U16x8 narrow(U32x8 v) {
#ifdef ETZEL_SIMD_V3
  return (U16x8)_mm_packus_epi32((__m128i)lowHalf(v), (__m128i)highHalf(v));
#else
  return convert<U16x8>(v);
#endif
}

/// Numbers cut to 0-255, as bytes: all of a, then of b, c and d.
ETZEL_INLINE U8x32 saturatedBytes(I32x8 a, I32x8 b, I32x8 c, I32x8 d) {
#if defined(ETZEL_SIMD_V3)
  const __m256i low = _mm256_packs_epi32((__m256i)a, (__m256i)b), high = _mm256_packs_epi32((__m256i)c, (__m256i)d);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);  // the packs keep to halves of vectors
  return (U8x32)_mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
#elif defined(ETZEL_SIMD_X86)
  const auto two = [](I32x8 p, I32x8 q) __attribute__((always_inline)) {
    return (U8x16)_mm_packus_epi16(_mm_packs_epi32((__m128i)lowHalf(p), (__m128i)highHalf(p)),
                                   _mm_packs_epi32((__m128i)lowHalf(q), (__m128i)highHalf(q)));
  };
  return join<U8x16>(two(a, b), two(c, d));
#else
  const I32x8 part[4] = {a, b, c, d};
  U8x32 r;
  for (int i = 0; i < 32; ++i) {
    const int32_t v = part[i / 8][i % 8];
    r[i] = static_cast<uint8_t>(v < 0 ? 0 : v > 255 ? 255 : v);
  }
  return r;
#endif
}
/// Eight bytes as words, and the low bytes of words: compilers go through each lane for these.
ETZEL_INLINE U32x8 wordsOfBytes(uint64_t bytes) { return widenLow(bitCast<U8x16>(U64x2{bytes})); }
ETZEL_INLINE uint64_t bytesOfWords(U32x8 v) {
  return bitCast<U64x4>(saturatedBytes(asInt(v & 255u), I32x8{}, I32x8{}, I32x8{}))[0];
}
/// Numbers cut to 0-255, as bytes of words: c0 lowest.
ETZEL_INLINE U32x8 saturatedWords(I32x8 c0, I32x8 c1, I32x8 c2, I32x8 c3) {
#if defined(ETZEL_SIMD_V3)
  const __m256i low = _mm256_packs_epi32((__m256i)c0, (__m256i)c1), high = _mm256_packs_epi32((__m256i)c2, (__m256i)c3);
  // In each half: four bytes of every channel, channel after channel.
  const __m256i planes = _mm256_packus_epi16(low, high);
  const __m128i words = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return (U32x8)_mm256_shuffle_epi8(planes, _mm256_broadcastsi128_si256(words));
#elif defined(ETZEL_SIMD_X86)
  const auto two = [](I32x8 p, I32x8 q) __attribute__((always_inline)) {
    const __m128i bytes = _mm_packus_epi16(_mm_packs_epi32((__m128i)lowHalf(p), (__m128i)highHalf(p)),
                                           _mm_packs_epi32((__m128i)lowHalf(q), (__m128i)highHalf(q)));
    return _mm_unpacklo_epi8(bytes, _mm_unpackhi_epi64(bytes, bytes));
  };
  const __m128i low = two(c0, c1), high = two(c2, c3);
  return join<U32x4>((U32x4)_mm_unpacklo_epi16(low, high), (U32x4)_mm_unpackhi_epi16(low, high));
#else
  const U8x32 bytes = saturatedBytes(c0, c1, c2, c3);
  U32x8 r;
  for (uint32_t i = 0; i < 8; ++i)
    r[i] = bytes[i] | uint32_t{bytes[8 + i]} << 8 | uint32_t{bytes[16 + i]} << 16 | uint32_t{bytes[24 + i]} << 24;
  return r;
#endif
}
#undef ETZEL_EACH_LANE

}  // namespace etzel::simd
