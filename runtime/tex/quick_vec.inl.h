// Vectors of eight lanes for quick_avx2.cpp, which defines ETZEL_AVX2 (the compiler's own macro follows command lines
// only), and quick_sse2.cpp: the compiler's vector types, plus the few operations they lack. Every function gives the
// same bytes with either instruction set.

#ifdef ETZEL_AVX2
#define ETZEL_INLINE inline __attribute__((always_inline))
#else
#define ETZEL_INLINE inline  // a fallback: small before quick
#endif

typedef float F8 __attribute__((vector_size(32)));
typedef int32_t I8 __attribute__((vector_size(32)));
typedef uint32_t U8 __attribute__((vector_size(32)));

ETZEL_INLINE F8 all(float f) { return F8{f, f, f, f, f, f, f, f}; }
ETZEL_INLINE I8 all(int32_t i) { return I8{i, i, i, i, i, i, i, i}; }
ETZEL_INLINE F8 toFloat(I8 v) { return __builtin_convertvector(v, F8); }
ETZEL_INLINE F8 asFloat(I8 v) { return std::bit_cast<F8>(v); }
ETZEL_INLINE I8 asInt(F8 v) { return std::bit_cast<I8>(v); }
ETZEL_INLINE I8 shiftRight(I8 v, int count) { return std::bit_cast<I8>(std::bit_cast<U8>(v) >> count); }
/// Modulo 2^32: absurd coordinates have places too, which nobody reads.
ETZEL_INLINE I8 plus(I8 a, I8 b) { return std::bit_cast<I8>(std::bit_cast<U8>(a) + std::bit_cast<U8>(b)); }
ETZEL_INLINE I8 minus(I8 a, I8 b) { return std::bit_cast<I8>(std::bit_cast<U8>(a) - std::bit_cast<U8>(b)); }
ETZEL_INLINE I8 times(I8 a, int32_t b) { return std::bit_cast<I8>(std::bit_cast<U8>(a) * static_cast<uint32_t>(b)); }
ETZEL_INLINE I8 minimum(I8 a, I8 b) { return a < b ? a : b; }
ETZEL_INLINE I8 maximum(I8 a, I8 b) { return a > b ? a : b; }
/// As std::min and std::max order their arguments: (b < a ? b : a), (a < b ? b : a). One instruction, which the
/// compiler does not always find.
#ifdef ETZEL_AVX2
ETZEL_INLINE F8 minimum(F8 a, F8 b) {
  return std::bit_cast<F8>(_mm256_min_ps(std::bit_cast<__m256>(b), std::bit_cast<__m256>(a)));
}
ETZEL_INLINE F8 maximum(F8 a, F8 b) {
  return std::bit_cast<F8>(_mm256_max_ps(std::bit_cast<__m256>(b), std::bit_cast<__m256>(a)));
}
#else
ETZEL_INLINE F8 minimum(F8 a, F8 b) { return b < a ? b : a; }
ETZEL_INLINE F8 maximum(F8 a, F8 b) { return a < b ? b : a; }
#endif
ETZEL_INLINE F8 absolute(F8 a) { return asFloat(asInt(a) & all(0x7FFFFFFF)); }
/// -1 where 0 <= i < size.
ETZEL_INLINE I8 inside(I8 i, int32_t size) {
  return std::bit_cast<I8>(std::bit_cast<U8>(i) < std::bit_cast<U8>(all(size)));
}

ETZEL_INLINE F8 load(const LaneWords& w) {
  F8 f;
  __builtin_memcpy(&f, w.lane, 32);
  return f;
}
ETZEL_INLINE I8 loadInt(const LaneWords& w) { return asInt(load(w)); }

#ifdef ETZEL_AVX2
ETZEL_INLINE LaneMask bits(I8 mask) { return static_cast<LaneMask>(_mm256_movemask_ps(std::bit_cast<__m256>(mask))); }
ETZEL_INLINE F8 squareRoot(F8 f) { return std::bit_cast<F8>(_mm256_sqrt_ps(std::bit_cast<__m256>(f))); }
ETZEL_INLINE I8 roundToInt(F8 f) { return std::bit_cast<I8>(_mm256_cvtps_epi32(std::bit_cast<__m256>(f))); }
#else
struct Halves {
  __m128 low, high;
};
ETZEL_INLINE Halves halves(F8 f) { return std::bit_cast<Halves>(f); }
ETZEL_INLINE LaneMask bits(I8 mask) {
  const Halves h = halves(asFloat(mask));
  return static_cast<LaneMask>(_mm_movemask_ps(h.low) | _mm_movemask_ps(h.high) << 4);
}
ETZEL_INLINE F8 squareRoot(F8 f) {
  const Halves h = halves(f);
  return std::bit_cast<F8>(Halves{_mm_sqrt_ps(h.low), _mm_sqrt_ps(h.high)});
}
ETZEL_INLINE I8 roundToInt(F8 f) {
  const Halves h = halves(f);
  struct {
    __m128i low, high;
  } r{_mm_cvtps_epi32(h.low), _mm_cvtps_epi32(h.high)};
  return std::bit_cast<I8>(r);
}
#endif
/// -1 in the lanes of `lanes`.
ETZEL_INLINE I8 maskOf(LaneMask lanes) {
  return (all(static_cast<int32_t>(lanes)) & I8{1, 2, 4, 8, 16, 32, 64, 128}) != all(0);
}

/// Writes the lanes of `lanes`.
ETZEL_INLINE void store(LaneWords& to, F8 value, LaneMask lanes) {
  if (lanes != kAllLanes) value = maskOf(lanes) ? value : load(to);
  __builtin_memcpy(to.lane, &value, 32);
}

/// Largest integers not above f; anything out of range, NaN too, becomes an arbitrary index.
ETZEL_INLINE I8 floorOf(F8 f) {
  f = minimum(all(1073741824.0f), maximum(all(-1073741824.0f), f));
#ifdef ETZEL_AVX2
  return __builtin_convertvector(std::bit_cast<F8>(_mm256_floor_ps(std::bit_cast<__m256>(f))), I8);
#else
  const I8 i = __builtin_convertvector(f, I8);
  return i + (toFloat(i) > f);  // true is -1
#endif
}

template <class Word>
ETZEL_INLINE Word at(const std::byte* p) {
  Word w;
  __builtin_memcpy(&w, p, sizeof(w));
  return w;
}

/// A word from each offset. Eight loads: gather instructions are slower where this was measured (Zen 5).
ETZEL_INLINE I8 loadWords(const std::byte* base, I8 offset) {
  I8 w{};
  for (int i = 0; i < 8; ++i) w[i] = at<int32_t>(base + offset[i]);
  return w;
}
ETZEL_INLINE F8 lookUp(const float* table, I8 index) {
  return asFloat(loadWords(reinterpret_cast<const std::byte*>(table), index << 2));
}

/// log2Exact() of eight numbers times a power of two, with its bytes.
ETZEL_INLINE F8 log2Of(F8 f, float scale) {
  const I8 w = asInt(f);
  I8 exponent = shiftRight(w, 23) - all(127);
  F8 m = asFloat((w & all(0x7FFFFF)) | all(0x3F800000));
  const I8 upper = m > all(1.41421356f);
  m = upper ? m * all(0.5f) : m;
  const I8 infinite = exponent == all(128);
  exponent -= upper;
  const F8 t = m - all(1.0f), t2 = t * t;
  const F8 p01 = all(1.44269645f) + t * all(-0.721363576f), p23 = all(0.480626768f) + t * all(-0.359371644f);
  const F8 p45 = all(0.295699521f) + t * all(-0.269320216f);
  const F8 p = (p01 + t2 * p23) + (t2 * t2) * (p45 + t2 * all(0.171624561f));
  F8 r = toFloat(exponent) * all(scale) + (t * all(scale)) * p;
  r = infinite ? all(128.0f * scale) : r;
  return f > all(0.0f) ? r : all(-127.0f * scale);
}
