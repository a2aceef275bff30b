// The body of row_lanes_*.cpp: two texels in a vector of eight numbers. Operations are IEEE or integer, and where two
// NaNs meet the order of operands is settled, so both builds give the same bytes.

typedef float F8 __attribute__((vector_size(32)));
typedef float F4 __attribute__((vector_size(16)));
typedef int32_t I8 __attribute__((vector_size(32)));
typedef uint32_t U8 __attribute__((vector_size(32)));
typedef uint32_t U4 __attribute__((vector_size(16)));
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
ETZEL_INLINE U8 all(uint32_t u) { return U8{u, u, u, u, u, u, u, u}; }
ETZEL_INLINE F8 toFloat(U8 v) { return __builtin_convertvector((I8)v, F8); }
#define ETZEL_JOIN(low, high) __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7)

#ifdef ETZEL_AVX2
/// a < b ? a : b and a > b ? a : b: the second operand where either is NaN.
ETZEL_INLINE F8 minimum(F8 a, F8 b) { return (F8)_mm256_min_ps((__m256)a, (__m256)b); }
ETZEL_INLINE F8 maximum(F8 a, F8 b) { return (F8)_mm256_max_ps((__m256)a, (__m256)b); }
ETZEL_INLINE I8 roundToInt(F8 f) { return (I8)_mm256_cvtps_epi32((__m256)f); }
/// Bytes 0 to 7 and 8 to 15 of a vector; its words of 16 bits.
ETZEL_INLINE U8 lowBytes(U4 v) { return (U8)_mm256_cvtepu8_epi32((__m128i)v); }
ETZEL_INLINE U8 highBytes(U4 v) { return (U8)_mm256_cvtepu8_epi32(_mm_unpackhi_epi64((__m128i)v, (__m128i)v)); }
ETZEL_INLINE U8 words(U4 v) { return (U8)_mm256_cvtepu16_epi32((__m128i)v); }
/// Numbers 0 to 255, or any that saturate to them, of eight texels as bytes.
ETZEL_INLINE U8 narrow(I8 t01, I8 t23, I8 t45, I8 t67) {
  const __m256i low = _mm256_packs_epi32((__m256i)t01, (__m256i)t23);
  const __m256i high = _mm256_packs_epi32((__m256i)t45, (__m256i)t67);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);  // the packs keep to halves of vectors
  return (U8)_mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
}
/// Two numbers, four times each.
ETZEL_INLINE F8 fourTimes(const float* f) {
  return (F8)_mm256_blend_ps(_mm256_broadcast_ss(f), _mm256_broadcast_ss(f + 1), 0xF0);
}
/// format::floatToHalf().
ETZEL_INLINE U4 halves(F8 v) { return (U4)_mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT); }
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
  return ETZEL_JOIN((F4)_mm_min_ps(lower<__m128>(a), lower<__m128>(b)),
                    (F4)_mm_min_ps(upper<__m128>(a), upper<__m128>(b)));
}
ETZEL_INLINE F8 maximum(F8 a, F8 b) {
  return ETZEL_JOIN((F4)_mm_max_ps(lower<__m128>(a), lower<__m128>(b)),
                    (F4)_mm_max_ps(upper<__m128>(a), upper<__m128>(b)));
}
ETZEL_INLINE I8 roundToInt(F8 f) {
  return (I8)ETZEL_JOIN((U4)_mm_cvtps_epi32(lower<__m128>(f)), (U4)_mm_cvtps_epi32(upper<__m128>(f)));
}
ETZEL_INLINE U8 words(U4 v) {
  const __m128i zero = _mm_setzero_si128();
  return ETZEL_JOIN((U4)_mm_unpacklo_epi16((__m128i)v, zero), (U4)_mm_unpackhi_epi16((__m128i)v, zero));
}
ETZEL_INLINE U8 lowBytes(U4 v) { return words((U4)_mm_unpacklo_epi8((__m128i)v, _mm_setzero_si128())); }
ETZEL_INLINE U8 highBytes(U4 v) { return words((U4)_mm_unpackhi_epi8((__m128i)v, _mm_setzero_si128())); }
ETZEL_INLINE U8 narrow(I8 t01, I8 t23, I8 t45, I8 t67) {
  const auto four = [](I8 a, I8 b) __attribute__((always_inline)) {
    return (U4)_mm_packus_epi16(_mm_packs_epi32(lower<__m128i>(a), upper<__m128i>(a)),
                                _mm_packs_epi32(lower<__m128i>(b), upper<__m128i>(b)));
  };
  return ETZEL_JOIN(four(t01, t23), four(t45, t67));
}
ETZEL_INLINE F8 fourTimes(const float* f) { return ETZEL_JOIN((F4)_mm_load_ps1(f), (F4)_mm_load_ps1(f + 1)); }
ETZEL_INLINE U4 halves(F8 v) {
  uint16_t half[8];
  for (int i = 0; i < 8; ++i) half[i] = static_cast<uint16_t>(format::floatToHalf(v[i]));
  return load<U4>(half);
}
#endif

template <bool swap>
ETZEL_INLINE F8 ordered(F8 v) {
  return swap ? __builtin_shufflevector(v, v, 2, 1, 0, 3, 6, 5, 4, 7) : v;
}

/// Calls body(from, to) for every two texels of `bytes` bytes, where body reads both and makes eight numbers.
template <uint32_t bytes, class Body>
ETZEL_INLINE void decodeTwos(const std::byte* texels, size_t count, float* out, Body body) {
  size_t i = 0;
  for (; i + 2 <= count; i += 2) body(texels + bytes * i, out + 4 * i);
  if (i == count) return;
  std::byte rest[2 * bytes] = {};
  __builtin_memcpy(rest, texels + bytes * i, bytes);
  body(rest, out + 4 * i);
}
/// Calls body(texel, to) for every eighth texel, where body makes 32 bytes; a rest ends on the way in a copy.
template <class Body>
ETZEL_INLINE void encodeEights(size_t count, std::byte* out, Body body) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) body(i, out + 4 * i);
  if (i == count) return;
  std::byte rest[32];
  body(i, rest);
  __builtin_memcpy(out + 4 * i, rest, 4 * (count - i));
}
/// Two texels of four bytes.
ETZEL_INLINE U4 loadTwo(const std::byte* texels) {
  return (U4)_mm_loadl_epi64(reinterpret_cast<const __m128i*>(texels));
}

/// Byte / 255, correctly rounded: the first product is exact, and the sum rounds as the quotient does for all of them.
ETZEL_INLINE F8 unormOf(U8 byte) {
  constexpr float kHigh = 257.0f / 65536, kLow = static_cast<float>(1.0 / 255 - 257.0 / 65536);
  const F8 f = toFloat(byte);
  return f * all(kHigh) + f * all(kLow);
}
/// The bytes of numbers; NaN gives 0.
ETZEL_INLINE I8 unormBytes(F8 v) { return roundToInt(minimum(maximum(v, all(0.0f)), all(1.0f)) * all(255.0f)); }

template <bool swap>
void decodeUnorm(const std::byte* texels, size_t count, float* out) {
  const auto body = [](const std::byte* from, float* to) __attribute__((always_inline)) {
    store(to, ordered<swap>(unormOf(lowBytes(loadTwo(from)))));
  };
  decodeTwos<4>(texels, count, out, body);
}
void decodeUnorm(const std::byte* texels, bool swap, size_t count, float* out) {
  swap ? decodeUnorm<true>(texels, count, out) : decodeUnorm<false>(texels, count, out);
}

template <bool swap>
void encodeUnorm(const float* texels, size_t count, std::byte* out) {
  const auto body = [=](size_t i, std::byte * to) __attribute__((always_inline)) {
    I8 codes[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) codes[k] = unormBytes(ordered<swap>(load<F8>(texels + 4 * i + 8 * k)));
    store(to, narrow(codes[0], codes[1], codes[2], codes[3]));
  };
  encodeEights(count, out, body);
}
void encodeUnorm(const float* texels, bool swap, size_t count, std::byte* out) {
  swap ? encodeUnorm<true>(texels, count, out) : encodeUnorm<false>(texels, count, out);
}

template <bool swap>
void decodeSrgb(const std::byte* texels, size_t count, float* out) {
  const auto body = [](const std::byte* from, float* to) __attribute__((always_inline)) {
    const float* const linear = format::kSrgbToLinear;
    const auto at = [=](int i) __attribute__((always_inline)) { return linear[static_cast<uint8_t>(from[i])]; };
    const F8 colors = {at(0), at(1), at(2), 0, at(4), at(5), at(6), 0}, v = unormOf(lowBytes(loadTwo(from)));
    store(to, ordered<swap>(__builtin_shufflevector(colors, v, 0, 1, 2, 11, 4, 5, 6, 15)));
  };
  decodeTwos<4>(texels, count, out, body);
}
void decodeSrgb(const std::byte* texels, bool swap, size_t count, float* out) {
  swap ? decodeSrgb<true>(texels, count, out) : decodeSrgb<false>(texels, count, out);
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
  const auto body = [=](size_t i, std::byte * to) __attribute__((always_inline)) {
    I8 codes[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) codes[k] = srgbBytes(ordered<swap>(load<F8>(texels + 4 * i + 8 * k)));
    store(to, narrow(codes[0], codes[1], codes[2], codes[3]));
  };
  encodeEights(count, out, body);
}
void encodeSrgb(const float* texels, bool swap, size_t count, std::byte* out) {
  swap ? encodeSrgb<true>(texels, count, out) : encodeSrgb<false>(texels, count, out);
}

/// format::halfToFloat(), signalling NaNs too, which the machine's own instruction would silence.
ETZEL_INLINE F8 halfNumbers(U8 half) {
  const U8 sign = (half & 0x8000u) << 16, rest = half & 0x7FFFu;
  const U8 normal = (rest << 13) + ((U8)(rest >= 0x7C00u) & (112u << 23)) + (112u << 23);
  const U8 small = (U8)(toFloat(rest) * all(0x1p-24f));
  return (F8)(sign | (rest < 0x400u ? small : normal));
}
void decodeHalf(const std::byte* texels, size_t count, float* out) {
  const auto body = [](const std::byte* from, float* to) __attribute__((always_inline)) {
    store(to, halfNumbers(words(load<U4>(from))));
  };
  decodeTwos<8>(texels, count, out, body);
}
void encodeHalf(const float* texels, size_t count, std::byte* out) {
  size_t i = 0;
  for (; i + 2 <= count; i += 2) store(out + 8 * i, halves(load<F8>(texels + 4 * i)));
  if (i == count) return;
  const U4 rest = halves(load<F8>(texels + 4 * i));
  __builtin_memcpy(out + 8 * i, &rest, 8);
}

void swapRedBlue(const std::byte* texels, size_t count, std::byte* out) {
  const auto swapped = [](auto v) { return (v & 0xFF00FF00u) | (v >> 16 & 0xFFu) | (v & 0xFFu) << 16; };
  size_t i = 0;
  for (; i + 8 <= count; i += 8) store(out + 4 * i, swapped(load<U8>(texels + 4 * i)));
  for (; i < count; ++i) store(out + 4 * i, swapped(load<uint32_t>(texels + 4 * i)));
}

/// a * keep + b * take, or the first product where it is NaN.
ETZEL_INLINE F8 mix(F8 a, F8 b, F8 keep, F8 take) {
  const F8 first = a * keep, both = first + b * take;
  return first == first ? both : first;
}
void filterColumns(const float* row, const ColumnTaps& taps, size_t count, float* out) {
  const uint32_t *const first = taps.first, *const second = taps.second;
  const float* const weight = taps.weight;
  for (size_t i = 0; i < count; i += 2) {
    const F8 a = ETZEL_JOIN(load<F4>(row + first[i]), load<F4>(row + first[i + 1]));
    const F8 b = ETZEL_JOIN(load<F4>(row + second[i]), load<F4>(row + second[i + 1]));
    const F8 take = fourTimes(weight + i);
    store(out + 4 * i, mix(a, b, all(1.0f) - take, take));
  }
}

template <bool swap>
void filterUnormPairs(const std::byte* texels, const float* weight, size_t count, float* out) {
  const auto two = [](U4 pairs, const float* weight, float* to) __attribute__((always_inline)) {
    const U4 sorted = __builtin_shufflevector(pairs, pairs, 0, 2, 1, 3);
    const F8 take = fourTimes(weight);
    store(to, ordered<swap>(unormOf(lowBytes(sorted)) * (all(1.0f) - take) + unormOf(highBytes(sorted)) * take));
  };
  size_t i = 0;
  for (; i + 2 <= count; i += 2) two(load<U4>(texels + 8 * i), weight + i, out + 4 * i);
  if (i < count) two(loadTwo(texels + 8 * i), weight + i, out + 4 * i);
}
void filterUnormPairs(const std::byte* texels, bool swap, const float* weight, size_t count, float* out) {
  swap ? filterUnormPairs<true>(texels, weight, count, out) : filterUnormPairs<false>(texels, weight, count, out);
}

void mixRows(const float* a, const float* b, float weight, size_t count, float* out) {
  const F8 keep = all(1 - weight), take = all(weight);
  for (size_t i = 0; i < 4 * count; i += 8) store(out + i, mix(load<F8>(a + i), load<F8>(b + i), keep, take));
}

template <bool swap>
void mixRowsToUnorm(const float* a, const float* b, float weight, size_t count, std::byte* out) {
  const F8 keep = all(1 - weight), take = all(weight);
  const auto body = [=](size_t i, std::byte * to) __attribute__((always_inline)) {
    I8 codes[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      const size_t at = 4 * i + 8 * k;
      codes[k] = unormBytes(ordered<swap>(load<F8>(a + at) * keep + load<F8>(b + at) * take));
    }
    store(to, narrow(codes[0], codes[1], codes[2], codes[3]));
  };
  encodeEights(count, out, body);
}
void mixRowsToUnorm(const float* a, const float* b, float weight, bool swap, size_t count, std::byte* out) {
  swap ? mixRowsToUnorm<true>(a, b, weight, count, out) : mixRowsToUnorm<false>(a, b, weight, count, out);
}

constexpr RowLanes kLanes = {decodeUnorm, encodeUnorm,   decodeSrgb,       encodeSrgb, decodeHalf,    encodeHalf,
                             swapRedBlue, filterColumns, filterUnormPairs, mixRows,    mixRowsToUnorm};
#undef ETZEL_JOIN
#undef ETZEL_INLINE
