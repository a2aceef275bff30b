// The body of row_lanes_*.cpp: two texels in a vector of eight numbers. Operations are IEEE or integer, and where two
// NaNs meet the order of operands is settled, so both builds give the same bytes.

typedef float F8 __attribute__((vector_size(32)));
typedef float F4 __attribute__((vector_size(16)));
typedef int32_t I8 __attribute__((vector_size(32)));
typedef uint32_t U8 __attribute__((vector_size(32)));
#define ETZEL_INLINE inline __attribute__((always_inline))

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
ETZEL_INLINE F8 all(float f) { return F8{f, f, f, f, f, f, f, f}; }
ETZEL_INLINE F8 join(F4 low, F4 high) { return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7); }

#ifdef ETZEL_AVX2
/// a < b ? a : b and a > b ? a : b: the second operand where either is NaN.
ETZEL_INLINE F8 minimum(F8 a, F8 b) { return (F8)_mm256_min_ps((__m256)a, (__m256)b); }
ETZEL_INLINE F8 maximum(F8 a, F8 b) { return (F8)_mm256_max_ps((__m256)a, (__m256)b); }
ETZEL_INLINE I8 roundToInt(F8 f) { return (I8)_mm256_cvtps_epi32((__m256)f); }
/// Eight bytes as numbers.
ETZEL_INLINE F8 widen(const std::byte* bytes) {
  return (F8)_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes))));
}
/// Numbers 0 to 255, or any that saturate to them, of eight texels as bytes.
ETZEL_INLINE U8 narrow(I8 t01, I8 t23, I8 t45, I8 t67) {
  const __m256i low = _mm256_packs_epi32((__m256i)t01, (__m256i)t23);
  const __m256i high = _mm256_packs_epi32((__m256i)t45, (__m256i)t67);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);  // the packs keep to halves of vectors
  return (U8)_mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
}
#else
template <class Half, class V>
ETZEL_INLINE Half lower(V v) {
  return (Half)__builtin_shufflevector(v, v, 0, 1, 2, 3);
}
template <class Half, class V>
ETZEL_INLINE Half upper(V v) {
  return (Half)__builtin_shufflevector(v, v, 4, 5, 6, 7);
}
ETZEL_INLINE F8 minimum(F8 a, F8 b) {
  return join((F4)_mm_min_ps(lower<__m128>(a), lower<__m128>(b)), (F4)_mm_min_ps(upper<__m128>(a), upper<__m128>(b)));
}
ETZEL_INLINE F8 maximum(F8 a, F8 b) {
  return join((F4)_mm_max_ps(lower<__m128>(a), lower<__m128>(b)), (F4)_mm_max_ps(upper<__m128>(a), upper<__m128>(b)));
}
ETZEL_INLINE I8 roundToInt(F8 f) {
  return (I8)join((F4)_mm_cvtps_epi32(lower<__m128>(f)), (F4)_mm_cvtps_epi32(upper<__m128>(f)));
}
ETZEL_INLINE F8 widen(const std::byte* bytes) {
  const __m128i zero = _mm_setzero_si128();
  const __m128i words = _mm_unpacklo_epi8(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes)), zero);
  return join((F4)_mm_cvtepi32_ps(_mm_unpacklo_epi16(words, zero)),
              (F4)_mm_cvtepi32_ps(_mm_unpackhi_epi16(words, zero)));
}
ETZEL_INLINE U8 narrow(I8 t01, I8 t23, I8 t45, I8 t67) {
  auto four = [](I8 a, I8 b) __attribute__((always_inline)) {
    return (F4)_mm_packus_epi16(_mm_packs_epi32(lower<__m128i>(a), upper<__m128i>(a)),
                                _mm_packs_epi32(lower<__m128i>(b), upper<__m128i>(b)));
  };
  return (U8)join(four(t01, t23), four(t45, t67));
}
#endif

template <bool swap>
ETZEL_INLINE F8 ordered(F8 v) {
  return swap ? __builtin_shufflevector(v, v, 2, 1, 0, 3, 6, 5, 4, 7) : v;
}

/// Calls body(texel, bytes) for every eighth texel, where body makes 32 bytes; a rest ends on the way in a copy.
template <class Body>
ETZEL_INLINE void storeBytes(size_t count, std::byte* out, Body body) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) body(i, out + 4 * i);
  if (i == count) return;
  std::byte rest[32];
  body(i, rest);
  __builtin_memcpy(out + 4 * i, rest, 4 * (count - i));
}

/// Byte / 255, correctly rounded: the first product is exact, and the sum rounds as the quotient does for all 256
/// bytes.
ETZEL_INLINE F8 unormOf(F8 byte) {
  constexpr float kHigh = 257.0f / 65536, kLow = static_cast<float>(1.0 / 255 - 257.0 / 65536);
  return byte * all(kHigh) + byte * all(kLow);
}
/// The bytes of numbers; NaN gives 0.
ETZEL_INLINE I8 unormBytes(F8 v) { return roundToInt(minimum(maximum(v, all(0.0f)), all(1.0f)) * all(255.0f)); }

template <bool swap>
void decodeUnorm(const std::byte* texels, size_t count, float* out) {
  size_t i = 0;
  for (; i + 2 <= count; i += 2) store(out + 4 * i, ordered<swap>(unormOf(widen(texels + 4 * i))));
  if (i == count) return;
  std::byte rest[8] = {};
  __builtin_memcpy(rest, texels + 4 * i, 4);
  store(out + 4 * i, ordered<swap>(unormOf(widen(rest))));
}
void decodeUnorm(const std::byte* texels, bool swap, size_t count, float* out) {
  swap ? decodeUnorm<true>(texels, count, out) : decodeUnorm<false>(texels, count, out);
}

template <bool swap>
ETZEL_INLINE I8 codesOf(const float* texels) {
  return unormBytes(ordered<swap>(load<F8>(texels)));
}
template <bool swap>
void encodeUnorm(const float* texels, size_t count, std::byte* out) {
  storeBytes(
      count, out, [=](size_t i, std::byte * to) __attribute__((always_inline)) {
        const float* from = texels + 4 * i;
        store(to,
              narrow(codesOf<swap>(from), codesOf<swap>(from + 8), codesOf<swap>(from + 16), codesOf<swap>(from + 24)));
      });
}
void encodeUnorm(const float* texels, bool swap, size_t count, std::byte* out) {
  swap ? encodeUnorm<true>(texels, count, out) : encodeUnorm<false>(texels, count, out);
}

/// The bytes of two texels: format::linearToSrgb8() of the colours, unormBytes() of the alphas.
ETZEL_INLINE I8 srgbBytes(F8 v) {
  using format::kSrgbEncoding;
  // From the greatest number that gives 0, to the greatest below 1: within the table, NaN at its start.
  const U8 bits = (U8)minimum(maximum(v, all(0x1p-13f)), all(0x1.fffffep-1f));
  const U8 row = (bits >> 16) - kSrgbEncoding.kFirst, within = bits & 0xFFFFu;
  const uint32_t* const word = kSrgbEncoding.word;
  const U8 found = {word[row[0]], word[row[1]], word[row[2]], 0, word[row[4]], word[row[5]], word[row[6]], 0};
  const I8 codes = (I8)((found + within) >> 16);
  return __builtin_shufflevector(codes, unormBytes(v), 0, 1, 2, 11, 4, 5, 6, 15);
}
template <bool swap>
void encodeSrgb(const float* texels, size_t count, std::byte* out) {
  storeBytes(
      count, out, [=](size_t i, std::byte * to) __attribute__((always_inline)) {
        I8 codes[4];
        for (int k = 0; k < 4; ++k) codes[k] = srgbBytes(ordered<swap>(load<F8>(texels + 4 * i + 8 * k)));
        store(to, narrow(codes[0], codes[1], codes[2], codes[3]));
      });
}
void encodeSrgb(const float* texels, bool swap, size_t count, std::byte* out) {
  swap ? encodeSrgb<true>(texels, count, out) : encodeSrgb<false>(texels, count, out);
}

void swapRedBlue(const std::byte* texels, size_t count, std::byte* out) {
  const auto swapped = [](auto v) { return (v & 0xFF00FF00u) | (v >> 16 & 0xFFu) | (v & 0xFFu) << 16; };
  size_t i = 0;
  for (; i + 8 <= count; i += 8) store(out + 4 * i, swapped(load<U8>(texels + 4 * i)));
  for (; i < count; ++i) store(out + 4 * i, swapped(load<uint32_t>(texels + 4 * i)));
}

/// a + b, or a where it is NaN.
ETZEL_INLINE F8 sum(F8 a, F8 b) {
  const F8 s = a + b;
  return a == a ? s : a;
}

void filterColumns(const float* row, const ColumnTaps& taps, size_t count, float* out) {
  for (size_t i = 0; i < count; i += 2) {
    const F8 a = join(load<F4>(row + 4 * taps.first[i]), load<F4>(row + 4 * taps.first[i + 1]));
    const F8 b = join(load<F4>(row + 4 * taps.second[i]), load<F4>(row + 4 * taps.second[i + 1]));
    store(out + 4 * i, sum(a * load<F8>(taps.keep + 4 * i), b * load<F8>(taps.take + 4 * i)));
  }
}

void mixRows(const float* a, const float* b, float weight, size_t count, float* out) {
  const F8 keep = all(1 - weight), take = all(weight);
  for (size_t i = 0; i < 4 * count; i += 8) store(out + i, sum(load<F8>(a + i) * keep, load<F8>(b + i) * take));
}

template <bool swap>
void mixRowsToUnorm(const float* a, const float* b, float weight, size_t count, std::byte* out) {
  const F8 keep = all(1 - weight), take = all(weight);
  storeBytes(
      count, out, [=](size_t i, std::byte * to) __attribute__((always_inline)) {
        I8 codes[4];
        for (int k = 0; k < 4; ++k) {
          const size_t at = 4 * i + 8 * k;
          codes[k] = unormBytes(ordered<swap>(load<F8>(a + at) * keep + load<F8>(b + at) * take));
        }
        store(to, narrow(codes[0], codes[1], codes[2], codes[3]));
      });
}
void mixRowsToUnorm(const float* a, const float* b, float weight, bool swap, size_t count, std::byte* out) {
  swap ? mixRowsToUnorm<true>(a, b, weight, count, out) : mixRowsToUnorm<false>(a, b, weight, count, out);
}

constexpr RowLanes kLanes = {decodeUnorm, encodeUnorm, encodeSrgb, swapRedBlue, filterColumns, mixRows, mixRowsToUnorm};
#undef ETZEL_INLINE
