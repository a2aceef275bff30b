// The body of row_lanes_*.cpp: vectors of kTexels texels. Operations are IEEE or integer, and where two NaNs meet the
// order of operands is settled, so both builds give the same bytes.

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
typedef float F4 __attribute__((vector_size(16)));
typedef uint32_t U4 __attribute__((vector_size(16)));

#ifdef ETZEL_AVX2
constexpr size_t kTexels = 2;
typedef float Floats __attribute__((vector_size(32)));
typedef int32_t Ints __attribute__((vector_size(32)));
typedef uint32_t Words __attribute__((vector_size(32)));

ETZEL_INLINE Floats all(float f) { return Floats{f, f, f, f, f, f, f, f}; }
/// a < b ? a : b and a > b ? a : b: the second operand where either is NaN.
ETZEL_INLINE Floats minimum(Floats a, Floats b) { return (Floats)_mm256_min_ps((__m256)a, (__m256)b); }
ETZEL_INLINE Floats maximum(Floats a, Floats b) { return (Floats)_mm256_max_ps((__m256)a, (__m256)b); }
ETZEL_INLINE Ints roundToInt(Floats f) { return (Ints)_mm256_cvtps_epi32((__m256)f); }
/// Texels of floats from anywhere in a row.
ETZEL_INLINE Floats texelsAt(const float* row, const uint32_t* index) {
  return __builtin_shufflevector(load<F4>(row + index[0]), load<F4>(row + index[1]), 0, 1, 2, 3, 4, 5, 6, 7);
}
/// A number for each texel.
ETZEL_INLINE Floats numbersAt(const float* f) {
  return (Floats)_mm256_blend_ps(_mm256_broadcast_ss(f), _mm256_broadcast_ss(f + 1), 0xF0);
}
/// Texels of bytes and of 16 bits as words.
ETZEL_INLINE Words byteWords(const std::byte* p) {
  return (Words)_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
}
ETZEL_INLINE Words halfWords(const std::byte* p) { return (Words)_mm256_cvtepu16_epi32(load<__m128i>(p)); }
/// Pairs of such texels: all first ones, all second ones.
struct BytePairs {
  Words first, second;
};
ETZEL_INLINE BytePairs bytePairs(const std::byte* p) {
  const __m128i sorted = _mm_shuffle_epi32(load<__m128i>(p), 0xD8);
  return {(Words)_mm256_cvtepu8_epi32(sorted), (Words)_mm256_cvtepu8_epi32(_mm_unpackhi_epi64(sorted, sorted))};
}
/// Numbers 0 to 255, or any that saturate to them, of eight texels as bytes.
ETZEL_INLINE void storeBytes(std::byte* to, const Ints* codes) {
  const __m256i low = _mm256_packs_epi32((__m256i)codes[0], (__m256i)codes[1]);
  const __m256i high = _mm256_packs_epi32((__m256i)codes[2], (__m256i)codes[3]);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);  // the packs keep to halves of vectors
  store(to, _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order));
}
/// format::floatToHalf() of texels.
ETZEL_INLINE void storeHalves(std::byte* to, Floats v) {
  store(to, _mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT));
}
/// Texels of one word, in all components.
ETZEL_INLINE Words texelWords(const std::byte* p) {
  return (Words)_mm256_permutevar8x32_epi32(
      _mm256_castsi128_si256(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))),
      _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1));
}
/// The words of texels from their first components.
ETZEL_INLINE void storeWords(std::byte* to, Words w) { store(to, w[0]), store(to + 4, w[4]); }
ETZEL_INLINE Words perComponent(uint32_t r, uint32_t g, uint32_t b, uint32_t a) {
  return Words{r, g, b, a, r, g, b, a};
}
/// All of a texel's components or-ed into its first.
ETZEL_INLINE Words united(Words w) {
  w |= __builtin_shufflevector(w, w, 1, 1, 3, 3, 5, 5, 7, 7);
  return w | __builtin_shufflevector(w, w, 2, 2, 2, 2, 6, 6, 6, 6);
}
/// Red and blue change places; colours of `a` with the alphas of `b`.
ETZEL_INLINE Floats swapped(Floats v) { return __builtin_shufflevector(v, v, 2, 1, 0, 3, 6, 5, 4, 7); }
template <class V>
ETZEL_INLINE V withAlpha(V a, V b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 11, 4, 5, 6, 15);
}
/// find(i) for the components that are colours.
template <class V, class Find>
ETZEL_INLINE V forColors(Find find) {
  return V{find(0), find(1), find(2), 0, find(4), find(5), find(6), 0};
}
#else
constexpr size_t kTexels = 1;
typedef F4 Floats;
typedef int32_t Ints __attribute__((vector_size(16)));
typedef U4 Words;

ETZEL_INLINE Floats all(float f) { return Floats{f, f, f, f}; }
ETZEL_INLINE Floats minimum(Floats a, Floats b) { return (Floats)_mm_min_ps((__m128)a, (__m128)b); }
ETZEL_INLINE Floats maximum(Floats a, Floats b) { return (Floats)_mm_max_ps((__m128)a, (__m128)b); }
ETZEL_INLINE Ints roundToInt(Floats f) { return (Ints)_mm_cvtps_epi32((__m128)f); }
ETZEL_INLINE Floats texelsAt(const float* row, const uint32_t* index) { return load<Floats>(row + index[0]); }
ETZEL_INLINE Floats numbersAt(const float* f) { return all(*f); }
ETZEL_INLINE Words byteWords(const std::byte* p) {
  const __m128i zero = _mm_setzero_si128(), bytes = _mm_cvtsi32_si128(load<int>(p));
  return (Words)_mm_unpacklo_epi16(_mm_unpacklo_epi8(bytes, zero), zero);
}
ETZEL_INLINE Words halfWords(const std::byte* p) {
  return (Words)_mm_unpacklo_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)), _mm_setzero_si128());
}
struct BytePairs {
  Words first, second;
};
ETZEL_INLINE BytePairs bytePairs(const std::byte* p) { return {byteWords(p), byteWords(p + 4)}; }
ETZEL_INLINE void storeBytes(std::byte* to, const Ints* codes) {
  for (int i = 0; i < 8; i += 4)
    store(to + 4 * i, _mm_packus_epi16(_mm_packs_epi32((__m128i)codes[i], (__m128i)codes[i + 1]),
                                       _mm_packs_epi32((__m128i)codes[i + 2], (__m128i)codes[i + 3])));
}
ETZEL_INLINE void storeHalves(std::byte* to, Floats v) {
  for (int i = 0; i < 4; ++i) store(to + 2 * i, static_cast<uint16_t>(format::floatToHalf(v[i])));
}
ETZEL_INLINE Words texelWords(const std::byte* p) { return (Words)_mm_set1_epi32(load<int>(p)); }
ETZEL_INLINE void storeWords(std::byte* to, Words w) { store(to, w[0]); }
ETZEL_INLINE Words perComponent(uint32_t r, uint32_t g, uint32_t b, uint32_t a) { return Words{r, g, b, a}; }
ETZEL_INLINE Words united(Words w) {
  w |= __builtin_shufflevector(w, w, 1, 1, 3, 3);
  return w | __builtin_shufflevector(w, w, 2, 2, 2, 2);
}
ETZEL_INLINE Floats swapped(Floats v) { return __builtin_shufflevector(v, v, 2, 1, 0, 3); }
template <class V>
ETZEL_INLINE V withAlpha(V a, V b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 7);
}
template <class V, class Find>
ETZEL_INLINE V forColors(Find find) {
  return V{find(0), find(1), find(2), 0};
}
#endif

ETZEL_INLINE Floats toFloat(Words w) { return __builtin_convertvector((Ints)w, Floats); }
template <bool swap>
ETZEL_INLINE Floats ordered(Floats v) {
  return swap ? swapped(v) : v;
}

/// Makes numbers of texels of `bytes` bytes, kTexels at a time, with body(bytes). A rest is read from a copy.
template <uint32_t bytes, class Body>
ETZEL_INLINE void decodeEach(const std::byte* texels, size_t count, float* out, Body body) {
  size_t i = 0;
  for (; i + kTexels <= count; i += kTexels) store(out + 4 * i, body(texels + bytes * i));
  if (i == count) return;
  std::byte rest[kTexels * bytes] = {};
  __builtin_memcpy(rest, texels + bytes * i, bytes * (count - i));
  store(out + 4 * i, body(rest));
}
/// Makes texels of four bytes, eight at a time: their codes are body(4 * texel). A rest ends on the way in a copy.
template <class Body>
ETZEL_INLINE void encodeEach(size_t count, std::byte* out, Body body) {
  const auto eight = [=](size_t i, std::byte * to) __attribute__((always_inline)) {
    Ints codes[8 / kTexels];
#pragma GCC unroll 8
    for (size_t k = 0; k < 8 / kTexels; ++k) codes[k] = body(4 * (i + k * kTexels));
    storeBytes(to, codes);
  };
  size_t i = 0;
  for (; i + 8 <= count; i += 8) eight(i, out + 4 * i);
  if (i == count) return;
  std::byte rest[32];
  eight(i, rest);
  __builtin_memcpy(out + 4 * i, rest, 4 * (count - i));
}

/// Byte / 255, correctly rounded: the first product is exact, and the sum rounds as the quotient does for all of them.
ETZEL_INLINE Floats unormOf(Words byte) {
  constexpr float kHigh = 257.0f / 65536, kLow = static_cast<float>(1.0 / 255 - 257.0 / 65536);
  const Floats f = toFloat(byte);
  return f * all(kHigh) + f * all(kLow);
}
/// The bytes of numbers; NaN gives 0.
ETZEL_INLINE Ints unormBytes(Floats v) { return roundToInt(minimum(maximum(v, all(0)), all(1)) * all(255)); }

template <bool swap>
void decodeUnorm(const std::byte* texels, size_t count, float* out) {
  const auto body = [](const std::byte* from) __attribute__((always_inline)) {
    return ordered<swap>(unormOf(byteWords(from)));
  };
  decodeEach<4>(texels, count, out, body);
}
void decodeUnorm(const std::byte* texels, bool swap, size_t count, float* out) {
  swap ? decodeUnorm<true>(texels, count, out) : decodeUnorm<false>(texels, count, out);
}

template <bool swap>
void encodeUnorm(const float* texels, size_t count, std::byte* out) {
  const auto body = [=](size_t at) __attribute__((always_inline)) {
    return unormBytes(ordered<swap>(load<Floats>(texels + at)));
  };
  encodeEach(count, out, body);
}
void encodeUnorm(const float* texels, bool swap, size_t count, std::byte* out) {
  swap ? encodeUnorm<true>(texels, count, out) : encodeUnorm<false>(texels, count, out);
}

template <bool swap>
void decodeSrgb(const std::byte* texels, size_t count, float* out) {
  const auto body = [](const std::byte* from) __attribute__((always_inline)) {
    const auto find = [=](int i) __attribute__((always_inline)) {
      return format::kSrgbToLinear[static_cast<uint8_t>(from[i])];
    };
    return ordered<swap>(withAlpha(forColors<Floats>(find), unormOf(byteWords(from))));
  };
  decodeEach<4>(texels, count, out, body);
}
void decodeSrgb(const std::byte* texels, bool swap, size_t count, float* out) {
  swap ? decodeSrgb<true>(texels, count, out) : decodeSrgb<false>(texels, count, out);
}

/// The bytes of texels: format::linearToSrgb8() of the colours, unormBytes() of the alphas.
ETZEL_INLINE Ints srgbBytes(Floats v) {
  using format::kSrgbEncoding;
  // From the greatest number that gives 0, to the greatest below 1: within the table, NaN at its start.
  const Words bits = (Words)minimum(maximum(v, all(0x1p-13f)), all(0x1.fffffep-1f));
  const Words row = (bits >> 16) - kSrgbEncoding.kFirst;
  const auto find = [=](int i) __attribute__((always_inline)) { return kSrgbEncoding.word[row[i]]; };
  return withAlpha((Ints)((forColors<Words>(find) + (bits & 0xFFFFu)) >> 16), unormBytes(v));
}
template <bool swap>
void encodeSrgb(const float* texels, size_t count, std::byte* out) {
  const auto body = [=](size_t at) __attribute__((always_inline)) {
    return srgbBytes(ordered<swap>(load<Floats>(texels + at)));
  };
  encodeEach(count, out, body);
}
void encodeSrgb(const float* texels, bool swap, size_t count, std::byte* out) {
  swap ? encodeSrgb<true>(texels, count, out) : encodeSrgb<false>(texels, count, out);
}

/// format::halfToFloat(), signalling NaNs too, which the machine's own instruction would silence.
ETZEL_INLINE Floats halfNumbers(Words half) {
  const Words sign = (half & 0x8000u) << 16, rest = half & 0x7FFFu;
  const Words normal = (rest << 13) + ((Words)((Ints)rest >= 0x7C00) & (112u << 23)) + (112u << 23);
  const Words small = (Words)(toFloat(rest) * all(0x1p-24f));
  return (Floats)(sign | ((Ints)rest < 0x400 ? small : normal));
}
void decodeHalf(const std::byte* texels, size_t count, float* out) {
  const auto body = [](const std::byte* from) __attribute__((always_inline)) { return halfNumbers(halfWords(from)); };
  decodeEach<8>(texels, count, out, body);
}
void encodeHalf(const float* texels, size_t count, std::byte* out) {
  size_t i = 0;
  for (; i + kTexels <= count; i += kTexels) storeHalves(out + 8 * i, load<Floats>(texels + 4 * i));
  if (i == count) return;
  std::byte rest[8 * kTexels];
  storeHalves(rest, load<Floats>(texels + 4 * i));
  __builtin_memcpy(out + 8 * i, rest, 8 * (count - i));
}

/// Floats of 11, 11 and 10 bits are halves without a sign that lack the last bits.
void decodeSmallFloats(const std::byte* texels, size_t count, float* out) {
  const auto body = [](const std::byte* from) __attribute__((always_inline)) {
    const Words code = texelWords(from) >> perComponent(0, 11, 22, 0) & perComponent(0x7FF, 0x7FF, 0x3FF, 0);
    return halfNumbers(code << perComponent(4, 4, 5, 0) | perComponent(0, 0, 0, 0x3C00));
  };
  decodeEach<4>(texels, count, out, body);
}

/// format::floatToUfloat() of the colours, each where it belongs in the texel's word.
ETZEL_INLINE Words smallFloats(Floats v) {
  const Words drop = perComponent(17, 17, 18, 0), infinity = perComponent(31 << 6, 31 << 6, 31 << 5, 0);
  const Words rebased = (Words)v - (112u << 23);
  const Words normal = (rebased + perComponent(0xFFFF, 0xFFFF, 0x1FFFF, 0) + (rebased >> drop & 1u)) >> drop;
  const Words small = (Words)roundToInt(v * (Floats)perComponent(0x49800000, 0x49800000, 0x49000000, 0));  // 2^20, 2^19
  Words code = v < all(0x1p-14f) ? small : normal;
  code = (Ints)code < (Ints)infinity ? code : infinity - 1;
  code = v > all(0) ? code : Words{};
  code = v == all(__builtin_inff()) ? infinity : code;
  code = v == v ? code : infinity | 1u;
  return (code & perComponent(0x7FF, 0x7FF, 0x3FF, 0)) << perComponent(0, 11, 22, 0);
}
void encodeSmallFloats(const float* texels, size_t count, std::byte* out) {
  size_t i = 0;
  for (; i + kTexels <= count; i += kTexels) storeWords(out + 4 * i, united(smallFloats(load<Floats>(texels + 4 * i))));
  if (i == count) return;
  std::byte rest[4 * kTexels];
  storeWords(rest, united(smallFloats(load<Floats>(texels + 4 * i))));
  __builtin_memcpy(out + 4 * i, rest, 4 * (count - i));
}

void swapRedBlue(const std::byte* texels, size_t count, std::byte* out) {
  const auto swapBytes = [](auto v) { return (v & 0xFF00FF00u) | (v >> 16 & 0xFFu) | (v & 0xFFu) << 16; };
  constexpr size_t kStep = sizeof(Words) / 4;
  size_t i = 0;
  for (; i + kStep <= count; i += kStep) store(out + 4 * i, swapBytes(load<Words>(texels + 4 * i)));
  for (; i < count; ++i) store(out + 4 * i, swapBytes(load<uint32_t>(texels + 4 * i)));
}

/// a * keep + b * take, or the first product where it is NaN.
ETZEL_INLINE Floats mix(Floats a, Floats b, Floats keep, Floats take) {
  const Floats first = a * keep, both = first + b * take;
  return first == first ? both : first;
}

template <bool hasSingles>
void filterColumns(const float* row, const ColumnTaps& taps, size_t count, float* out) {
  const uint32_t *const first = taps.first, *const second = taps.second;
  const float* const weight = taps.weight;
  for (size_t i = 0; i < count; i += kTexels) {
    const Floats take = numbersAt(weight + i), a = texelsAt(row, first + i);
    const Floats mixed = mix(a, texelsAt(row, second + i), all(1) - take, take);
    store(out + 4 * i, !hasSingles ? mixed : take == all(0) ? a : mixed);
  }
}
void filterColumns(const float* row, const ColumnTaps& taps, size_t count, float* out) {
  taps.hasSingles ? filterColumns<true>(row, taps, count, out) : filterColumns<false>(row, taps, count, out);
}

template <bool swap>
void filterUnormPairs(const std::byte* texels, const float* weight, size_t count, float* out) {
  const auto filtered = [](const std::byte* from, const float* weight) __attribute__((always_inline)) {
    const BytePairs pairs = bytePairs(from);
    const Floats take = numbersAt(weight);
    return ordered<swap>(unormOf(pairs.first) * (all(1) - take) + unormOf(pairs.second) * take);
  };
  size_t i = 0;
  for (; i + kTexels <= count; i += kTexels) store(out + 4 * i, filtered(texels + 8 * i, weight + i));
  if (i == count) return;
  std::byte rest[8 * kTexels] = {};
  __builtin_memcpy(rest, texels + 8 * i, 8 * (count - i));
  store(out + 4 * i, filtered(rest, weight + i));
}
void filterUnormPairs(const std::byte* texels, bool swap, const float* weight, size_t count, float* out) {
  swap ? filterUnormPairs<true>(texels, weight, count, out) : filterUnormPairs<false>(texels, weight, count, out);
}

void mixRows(const float* a, const float* b, float weight, size_t count, float* out) {
  const Floats keep = all(1 - weight), take = all(weight);
  for (size_t i = 0; i < 4 * count; i += 4 * kTexels)
    store(out + i, mix(load<Floats>(a + i), load<Floats>(b + i), keep, take));
}

template <bool swap>
void mixRowsToUnorm(const float* a, const float* b, float weight, size_t count, std::byte* out) {
  const Floats keep = all(1 - weight), take = all(weight);
  const auto body = [=](size_t at) __attribute__((always_inline)) {
    return unormBytes(ordered<swap>(load<Floats>(a + at) * keep + load<Floats>(b + at) * take));
  };
  encodeEach(count, out, body);
}
void mixRowsToUnorm(const float* a, const float* b, float weight, bool swap, size_t count, std::byte* out) {
  swap ? mixRowsToUnorm<true>(a, b, weight, count, out) : mixRowsToUnorm<false>(a, b, weight, count, out);
}

constexpr RowLanes kLanes = {decodeUnorm,      encodeUnorm,       decodeSrgb,        encodeSrgb,  decodeHalf,
                             encodeHalf,       decodeSmallFloats, encodeSmallFloats, swapRedBlue, filterColumns,
                             filterUnormPairs, mixRows,           mixRowsToUnorm};
#undef ETZEL_INLINE
