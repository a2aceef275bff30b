// Eight lanes of numbers. Included once per instruction set, inside that set's namespace
// (raster/tile/tile_variant.inl.h, raster/front/primitive/triangle_filter.inl.h), so that nothing here may be used elsewhere. All
// operations are IEEE or integer: same results on all.

using F8 = float __attribute__((vector_size(32)));
using I8 = int32_t __attribute__((vector_size(32)));
using U8 = uint32_t __attribute__((vector_size(32)));
using L4 = int64_t __attribute__((vector_size(32)));
using U4 = uint32_t __attribute__((vector_size(16)));
using F4 = float __attribute__((vector_size(16)));
using H8 = uint16_t __attribute__((vector_size(16)));
using H4 = uint16_t __attribute__((vector_size(8)));
using B8 = uint8_t __attribute__((vector_size(8)));
using B4 = uint8_t __attribute__((vector_size(4)));
#define ETZEL_INLINE inline __attribute__((always_inline))

ETZEL_INLINE F8 splat(float v) { return F8{v, v, v, v, v, v, v, v}; }
ETZEL_INLINE I8 splatI(int32_t v) { return I8{v, v, v, v, v, v, v, v}; }
ETZEL_INLINE U8 splatU(uint32_t v) { return U8{v, v, v, v, v, v, v, v}; }
ETZEL_INLINE F8 asF(I8 v) { return (F8)v; }
ETZEL_INLINE F8 asF(U8 v) { return (F8)v; }
ETZEL_INLINE U8 asU(F8 v) { return (U8)v; }
ETZEL_INLINE I8 asI(F8 v) { return (I8)v; }
ETZEL_INLINE F8 select(I8 m, F8 a, F8 b) { return m ? a : b; }
ETZEL_INLINE U8 selectU(I8 m, U8 a, U8 b) { return m ? a : b; }

/// a < b ? a : b and a > b ? a : b: the second operand where either is NaN.
ETZEL_INLINE F8 min8(F8 a, F8 b) {
#ifdef __AVX2__
  return (F8)_mm256_min_ps((__m256)a, (__m256)b);
#else
  return a < b ? a : b;
#endif
}
ETZEL_INLINE F8 max8(F8 a, F8 b) {
#ifdef __AVX2__
  return (F8)_mm256_max_ps((__m256)a, (__m256)b);
#else
  return a > b ? a : b;
#endif
}
/// Clamp that turns NaN into `low`.
ETZEL_INLINE F8 clampF(F8 v, float low, float high) { return min8(max8(v, splat(low)), splat(high)); }

/// Sign bits of the lanes.
ETZEL_INLINE LaneMask signs(I8 v) {
#ifdef __AVX2__
  return static_cast<LaneMask>(_mm256_movemask_ps((__m256)v));
#else
  __m128 low = (__m128)__builtin_shufflevector(v, v, 0, 1, 2, 3);
  __m128 high = (__m128)__builtin_shufflevector(v, v, 4, 5, 6, 7);
  return static_cast<LaneMask>(_mm_movemask_ps(low) | _mm_movemask_ps(high) << 4);
#endif
}
/// Sign bits of 32 lanes: of the lower halves of a, b, c and d, then of the upper halves.
ETZEL_INLINE uint32_t signs32(I8 a, I8 b, I8 c, I8 d) {
#ifdef __AVX2__
  const __m256i ab = _mm256_packs_epi32((__m256i)a, (__m256i)b), cd = _mm256_packs_epi32((__m256i)c, (__m256i)d);
  return static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_packs_epi16(ab, cd)));
#else
  auto half = [](U4 p, U4 q, U4 r, U4 s) __attribute__((always_inline)) {
    const __m128i pq = _mm_packs_epi32((__m128i)p, (__m128i)q), rs = _mm_packs_epi32((__m128i)r, (__m128i)s);
    return static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(pq, rs)));
  };
  auto low = [](I8 v) __attribute__((always_inline)) { return (U4)__builtin_shufflevector(v, v, 0, 1, 2, 3); };
  auto high = [](I8 v) __attribute__((always_inline)) { return (U4)__builtin_shufflevector(v, v, 4, 5, 6, 7); };
  return half(low(a), low(b), low(c), low(d)) | half(high(a), high(b), high(c), high(d)) << 16;
#endif
}
ETZEL_INLINE I8 maskOf(LaneMask m) {
  const I8 bits = {1, 2, 4, 8, 16, 32, 64, 128};
  return (splatI(static_cast<int32_t>(m)) & bits) != 0;
}

/// To the nearest integer, ties to even.
ETZEL_INLINE I8 roundI(F8 v) {
#ifdef __AVX2__
  return (I8)_mm256_cvtps_epi32((__m256)v);
#else
  __m128i low = _mm_cvtps_epi32((__m128)__builtin_shufflevector(v, v, 0, 1, 2, 3));
  __m128i high = _mm_cvtps_epi32((__m128)__builtin_shufflevector(v, v, 4, 5, 6, 7));
  return __builtin_shufflevector((__v4si)low, (__v4si)high, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}
/// roundI(v * scale) with the product in double precision.
ETZEL_INLINE I8 roundScaledI(F8 v, double scale) {
  F4 low = __builtin_shufflevector(v, v, 0, 1, 2, 3), high = __builtin_shufflevector(v, v, 4, 5, 6, 7);
#ifdef __AVX2__
  __m256d s = _mm256_set1_pd(scale);
  __m128i a = _mm256_cvtpd_epi32(_mm256_mul_pd(_mm256_cvtps_pd((__m128)low), s));
  __m128i b = _mm256_cvtpd_epi32(_mm256_mul_pd(_mm256_cvtps_pd((__m128)high), s));
  return __builtin_shufflevector((__v4si)a, (__v4si)b, 0, 1, 2, 3, 4, 5, 6, 7);
#else
  __m128d s = _mm_set1_pd(scale);
  auto two = [&](__m128 x) { return _mm_cvtpd_epi32(_mm_mul_pd(_mm_cvtps_pd(x), s)); };
  __m128i a = _mm_unpacklo_epi64(two((__m128)low), two(_mm_movehl_ps((__m128)low, (__m128)low)));
  __m128i b = _mm_unpacklo_epi64(two((__m128)high), two(_mm_movehl_ps((__m128)high, (__m128)high)));
  return __builtin_shufflevector((__v4si)a, (__v4si)b, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

template <class V>
ETZEL_INLINE V loadAs(const void* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class V>
ETZEL_INLINE void storeAs(void* p, V v) {
  __builtin_memcpy(p, &v, sizeof v);
}
ETZEL_INLINE F8 wordsF(const LaneWords& w) { return loadAs<F8>(&w); }
ETZEL_INLINE void setWords(LaneWords& w, F8 v) { storeAs(&w, v); }
ETZEL_INLINE void setWords(LaneWords& w, U8 v) { storeAs(&w, v); }
