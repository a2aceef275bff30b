// Texels of eight lanes, one format at a time: fetch() reads codes or numbers, finish() turns what filters made of
// them into the shader's numbers, exactly as format::decoder() does for single texels. Included by quick_avx2.cpp and
// quick_sse2.cpp after quick_vec.inl.h.

/// Four components of eight texels. Between fetch() and finish() components of fixed-point formats are codes.
struct Texels {
  F8 c[4];
};

/// code / (2^n - 1), rounded once, n <= 16: the first product is exact, the second too small for its error to show.
template <int n>
ETZEL_INLINE F8 fixed(F8 code) {
  constexpr double most = static_cast<double>((1u << n) - 1), power = 1.0 / static_cast<double>(1u << n);
  return code * all(static_cast<float>(power)) + code * all(static_cast<float>(1.0 / most - power));
}

/// halfToFloat() of the low 16 bits of each lane; the bits above are ignored.
ETZEL_INLINE F8 halvesToFloat(I8 h) {
  const I8 sign = (h & all(0x8000)) << 16, magnitude = (h & all(0x7FFF)) << 13, exponent = h & all(0x7C00);
  const I8 rebased = magnitude + all(112 << 23);
  const I8 small = asInt(toFloat(h & all(0x3FF)) * all(0x1p-24f));
  I8 r = exponent == all(0x7C00) ? magnitude + all(224 << 23) : rebased;
  r = exponent == all(0) ? small : r;
  return asFloat(r | sign);
}

/// A byte or short from each offset. They are cut from words at multiples of four, so that nothing outside of the
/// memory's pages is read; `base` is such a multiple.
template <class Number>
ETZEL_INLINE I8 loadNumbers(const std::byte* base, I8 offset) {
#ifdef ETZEL_AVX2
  constexpr int32_t within = sizeof(Number) == 1 ? 3 : 2, most = sizeof(Number) == 1 ? 255 : 65535;
  const U8 word = std::bit_cast<U8>(loadWords(base, offset & all(~3)));
  return std::bit_cast<I8>(word >> std::bit_cast<U8>((offset & all(within)) << 3)) & all(most);
#else
  I8 w{};
  for (int i = 0; i < 8; ++i) w[i] = at<Number>(base + offset[i]);
  return w;
#endif
}
typedef float F4 __attribute__((vector_size(16)));
typedef int32_t I4 __attribute__((vector_size(16)));
ETZEL_INLINE F8 joined(F4 low, F4 high) {
#ifdef ETZEL_AVX2  // the compiler's own way is through memory
  return std::bit_cast<F8>(_mm256_set_m128(std::bit_cast<__m128>(high), std::bit_cast<__m128>(low)));
#else
  struct Pair {
    F4 low, high;
  };
  return std::bit_cast<F8>(Pair{low, high});
#endif
}

/// Eight bytes from each offset, as two words. Offsets are best in memory: addresses are loaded from there.
ETZEL_INLINE void loadPairs(const std::byte* base, const I8& offset, I8 w[2]) {
  const auto* from = reinterpret_cast<const int32_t*>(&offset);
  F4 pairs[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const __m128d first = _mm_castsi128_pd(_mm_loadu_si64(base + from[2 * i]));
    const __m128d both = _mm_loadh_pd(first, reinterpret_cast<const double*>(base + from[2 * i + 1]));
    pairs[i] = std::bit_cast<F4>(both);
  }
  const I4 even{0, 2, 4, 6}, odd{1, 3, 5, 7};
  w[0] = asInt(joined(__builtin_shuffle(pairs[0], pairs[1], even), __builtin_shuffle(pairs[2], pairs[3], even)));
  w[1] = asInt(joined(__builtin_shuffle(pairs[0], pairs[1], odd), __builtin_shuffle(pairs[2], pairs[3], odd)));
}

/// Four words of eight lanes, each word's lanes together.
ETZEL_INLINE void transpose(const F4 row[8], F8 out[4]) {
  F4 column[2][4];
  for (int half = 0; half < 2; ++half) {
    const F4* r = row + half * 4;
    const F4 a = __builtin_shuffle(r[0], r[1], I4{0, 4, 1, 5}), b = __builtin_shuffle(r[0], r[1], I4{2, 6, 3, 7});
    const F4 c = __builtin_shuffle(r[2], r[3], I4{0, 4, 1, 5}), d = __builtin_shuffle(r[2], r[3], I4{2, 6, 3, 7});
    column[half][0] = __builtin_shuffle(a, c, I4{0, 1, 4, 5});
    column[half][1] = __builtin_shuffle(a, c, I4{2, 3, 6, 7});
    column[half][2] = __builtin_shuffle(b, d, I4{0, 1, 4, 5});
    column[half][3] = __builtin_shuffle(b, d, I4{2, 3, 6, 7});
  }
  for (int k = 0; k < 4; ++k) out[k] = joined(column[0][k], column[1][k]);
}
/// Sixteen bytes from each offset, as four words.
ETZEL_INLINE void loadVectors(const std::byte* base, const I8& offset, F8 out[4]) {
  const auto* from = reinterpret_cast<const int32_t*>(&offset);
  F4 row[8];
  for (int i = 0; i < 8; ++i) row[i] = at<F4>(base + from[i]);
  transpose(row, out);
}

/// Texels of compressed blocks: places are those of Plane. Lanes beside each other mostly lie in one block.
inline void loadBlocks(const ImageView& view, const std::byte* base, I8 place, F8 out[4]) {
  alignas(32) int32_t from[8];
  __builtin_memcpy(from, &place, 32);
  F4 row[8];
  int32_t last = -1;
  const format::Texel* texels = nullptr;
  const int32_t width = view.info->blockWidth, bytes = view.info->blockBytes;
  for (int i = 0; i < 8; ++i) {
    const int32_t block = from[i] >> 8;
    if (block != last) texels = decodedBlock(*view.info, base + int64_t{block} * bytes), last = block;
    // At once: the next block may take its place.
    row[i] = at<F4>(reinterpret_cast<const std::byte*>(&texels[(from[i] >> 4 & 15) * width + (from[i] & 15)]));
  }
  transpose(row, out);
}

using Q = QuickFormat;

/// Formats whose texels may be infinite or NaN: texels without weight must not take part there.
constexpr bool hasInfinities(Q f) {
  return f == Q::R16F || f == Q::Rg16F || f == Q::Rgba16F || f == Q::R32 || f == Q::Rg32 || f == Q::Rgba32 ||
         f == Q::Rg11B10F || f == Q::Decoded || f == Q::Blocks;
}
constexpr bool isBytes(Q f) { return f == Q::Rgba8 || f == Q::Bgra8 || f == Q::Rgba8Srgb || f == Q::Bgra8Srgb; }
constexpr bool isBgra(Q f) { return f == Q::Bgra8 || f == Q::Bgra8Srgb; }
constexpr bool isSrgb(Q f) { return f == Q::Rgba8Srgb || f == Q::Bgra8Srgb; }

/// Formats whose texels are one word each.
constexpr bool isWord(Q f) {
  return isBytes(f) || f == Q::Rgba8Snorm || f == Q::Rgba8Uint || f == Q::Rgba8Sint || f == Q::Rg16 || f == Q::Rg16F ||
         f == Q::R32 || f == Q::Rgb10A2 || f == Q::Bgr10A2 || f == Q::Rg11B10F || f == Q::Rgb9E5 || f == Q::D24;
}

/// fetch() of words that have been loaded.
template <Q f>
ETZEL_INLINE Texels fetchedWords(const ImageView& view, I8 w) {
  Texels t;
  t.c[1] = t.c[2] = all(0.0f);
  t.c[3] = asFloat(all(static_cast<int32_t>(view.quick.unity)));
  if constexpr (isBytes(f)) {
    const I8 mask = all(255);
    const I8 code[3] = {isBgra(f) ? w >> 16 & mask : w & mask, w >> 8 & mask, isBgra(f) ? w & mask : w >> 16 & mask};
    for (int c = 0; c < 3; ++c) t.c[c] = isSrgb(f) ? lookUp(format::kSrgbToLinear, code[c]) : toFloat(code[c]);
    t.c[3] = toFloat(shiftRight(w, 24));
  } else if constexpr (f == Q::Rgba8Snorm) {
    for (int c = 0; c < 4; ++c) t.c[c] = toFloat(maximum(w << (24 - 8 * c) >> 24, all(-127)));
  } else if constexpr (f == Q::Rgba8Uint) {
    for (int c = 0; c < 4; ++c) t.c[c] = asFloat(w >> (8 * c) & all(255));
  } else if constexpr (f == Q::Rgba8Sint) {
    for (int c = 0; c < 4; ++c) t.c[c] = asFloat(w << (24 - 8 * c) >> 24);
  } else if constexpr (f == Q::Rg16) {
    t.c[0] = toFloat(w & all(0xFFFF)), t.c[1] = toFloat(shiftRight(w, 16));
  } else if constexpr (f == Q::Rg16F) {
    t.c[0] = halvesToFloat(w), t.c[1] = halvesToFloat(shiftRight(w, 16));
  } else if constexpr (f == Q::R32) {
    t.c[0] = asFloat(w);
  } else if constexpr (f == Q::Rgb10A2 || f == Q::Bgr10A2) {
    const I8 mask = all(1023);
    const int red = f == Q::Rgb10A2 ? 0 : 20;
    t.c[0] = toFloat(w >> red & mask), t.c[1] = toFloat(w >> 10 & mask), t.c[2] = toFloat(w >> (20 - red) & mask);
    t.c[3] = toFloat(shiftRight(w, 30));
  } else if constexpr (f == Q::Rg11B10F) {
    t.c[0] = halvesToFloat((w & all(0x7FF)) << 4), t.c[1] = halvesToFloat((w >> 11 & all(0x7FF)) << 4);
    t.c[2] = halvesToFloat(shiftRight(w, 22) << 5);
  } else if constexpr (f == Q::Rgb9E5) {
    const F8 scale = asFloat((shiftRight(w, 27) + all(127 - 24)) << 23);
    for (int c = 0; c < 3; ++c) t.c[c] = toFloat(w >> (9 * c) & all(511)) * scale;
  } else {
    static_assert(f == Q::D24);
    t.c[0] = toFloat(w & all(0xFFFFFF));
  }
  return t;
}

/// Bytes of a texel that lies as it is read; 0: it is decoded.
constexpr int texelBytes(Q f) {
  if (isWord(f)) return 4;
  switch (f) {
    case Q::R8:
    case Q::R8Uint: return 1;
    case Q::Rg8:
    case Q::R16:
    case Q::R16F: return 2;
    case Q::Rgba16:
    case Q::Rgba16F:
    case Q::Rg32: return 8;
    case Q::Rgba32: return 16;
    default: return 0;
  }
}

/// fetch() of up to eight bytes a texel that have been loaded: zero-extended, or two words.
template <Q f>
ETZEL_INLINE Texels fetchedBits(const ImageView& view, const I8 w[2]) {
  if constexpr (isWord(f)) {
    return fetchedWords<f>(view, w[0]);
  } else {
    Texels t;
    t.c[1] = t.c[2] = all(0.0f);
    t.c[3] = asFloat(all(static_cast<int32_t>(view.quick.unity)));
    if constexpr (f == Q::R8 || f == Q::R16) {
      t.c[0] = toFloat(w[0]);
    } else if constexpr (f == Q::R8Uint) {
      t.c[0] = asFloat(w[0]);
    } else if constexpr (f == Q::Rg8) {
      t.c[0] = toFloat(w[0] & all(255)), t.c[1] = toFloat(w[0] >> 8);
    } else if constexpr (f == Q::R16F) {
      t.c[0] = halvesToFloat(w[0]);
    } else if constexpr (f == Q::Rgba16) {
      for (int k = 0; k < 2; ++k)
        t.c[2 * k] = toFloat(w[k] & all(0xFFFF)), t.c[2 * k + 1] = toFloat(shiftRight(w[k], 16));
    } else if constexpr (f == Q::Rgba16F) {
      for (int k = 0; k < 2; ++k)
        t.c[2 * k] = halvesToFloat(w[k]), t.c[2 * k + 1] = halvesToFloat(shiftRight(w[k], 16));
    } else {
      static_assert(f == Q::Rg32);
      t.c[0] = asFloat(w[0]), t.c[1] = asFloat(w[1]);
    }
    return t;
  }
}

template <Q f>
ETZEL_INLINE Texels fetch(const ImageView& view, const std::byte* base, const I8& offset) {
  constexpr int bytes = texelBytes(f);
  Texels t;
  if constexpr (bytes >= 1 && bytes <= 8) {
    I8 w[2];
    if constexpr (bytes == 1) w[0] = loadNumbers<uint8_t>(base, offset);
    if constexpr (bytes == 2) w[0] = loadNumbers<uint16_t>(base, offset);
    if constexpr (bytes == 4) w[0] = loadWords(base, offset);
    if constexpr (bytes == 8) loadPairs(base, offset, w);
    return fetchedBits<f>(view, w);
  } else if constexpr (f == Q::Rgba32) {
    loadVectors(base, offset, t.c);
  } else if constexpr (f == Q::Blocks) {
    loadBlocks(view, base, offset, t.c);
  } else {
    static_assert(f == Q::Decoded);
    format::Texel texel[8];
    for (int i = 0; i < 8; ++i) view.decode(base + offset[i], &texel[i], 1);
    loadVectors(reinterpret_cast<const std::byte*>(texel), I8{0, 16, 32, 48, 64, 80, 96, 112}, t.c);
  }
  return t;
}

/// The bits of the texel at each offset and of the one behind it, for fetchedBits().
template <Q f>
ETZEL_INLINE void loadNeighbours(const std::byte* base, const I8& offset, I8 left[2], I8 right[2]) {
  constexpr int bytes = texelBytes(f);
  if constexpr (bytes == 1) {
    const auto* from = reinterpret_cast<const int32_t*>(&offset);
    I8 w;
    for (int i = 0; i < 8; ++i) w[i] = at<uint16_t>(base + from[i]);
    left[0] = w & all(255), right[0] = w >> 8;
  } else if constexpr (bytes == 2) {
    const I8 w = loadWords(base, offset);
    left[0] = w & all(0xFFFF), right[0] = shiftRight(w, 16);
  } else if constexpr (bytes == 4) {
    I8 w[2];
    loadPairs(base, offset, w);
    left[0] = w[0], right[0] = w[1];
  } else {
    static_assert(bytes == 8);
    F8 w[4];
    loadVectors(base, offset, w);
    for (int k = 0; k < 2; ++k) left[k] = asInt(w[k]), right[k] = asInt(w[2 + k]);
  }
}

template <Q f>
ETZEL_INLINE F8 finishComponent(F8 v, int c) {
  if constexpr (isSrgb(f)) return c == 3 ? fixed<8>(v) : v;
  if constexpr (f == Q::Rgba8 || f == Q::Bgra8) return fixed<8>(v);
  if constexpr (f == Q::Rgba8Snorm) return fixed<7>(v);
  if constexpr (f == Q::R8) return c == 0 ? fixed<8>(v) : v;
  if constexpr (f == Q::Rg8) return c < 2 ? fixed<8>(v) : v;
  if constexpr (f == Q::R16) return c == 0 ? fixed<16>(v) : v;
  if constexpr (f == Q::Rg16) return c < 2 ? fixed<16>(v) : v;
  if constexpr (f == Q::Rgba16) return fixed<16>(v);
  if constexpr (f == Q::Rgb10A2 || f == Q::Bgr10A2) return c < 3 ? fixed<10>(v) : fixed<2>(v);
  if constexpr (f == Q::D24) return c == 0 ? v / all(16777215.0f) : v;
  return v;
}
template <Q f>
ETZEL_INLINE void finish(Texels& t) {
  for (int c = 0; c < 4; ++c) t.c[c] = finishComponent<f>(t.c[c], c);
}

/// A border colour as fetch() would give it.
template <Q f>
ETZEL_INLINE F8 unfinished(float v, int c) {
  if constexpr (isSrgb(f)) return all(c == 3 ? v * 255.0f : v);
  if constexpr (f == Q::Rgba8 || f == Q::Bgra8) return all(v * 255.0f);
  if constexpr (f == Q::Rgba8Snorm) return all(v * 127.0f);
  if constexpr (f == Q::R8) return all(c == 0 ? v * 255.0f : v);
  if constexpr (f == Q::Rg8) return all(c < 2 ? v * 255.0f : v);
  if constexpr (f == Q::R16) return all(c == 0 ? v * 65535.0f : v);
  if constexpr (f == Q::Rg16) return all(c < 2 ? v * 65535.0f : v);
  if constexpr (f == Q::Rgba16) return all(v * 65535.0f);
  if constexpr (f == Q::Rgb10A2 || f == Q::Bgr10A2) return all(v * (c < 3 ? 1023.0f : 3.0f));
  if constexpr (f == Q::D24) return all(c == 0 ? v * 16777215.0f : v);
  return all(v);
}
