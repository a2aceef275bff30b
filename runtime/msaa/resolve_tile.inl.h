// The body of resolve_tile_*.cpp. Eight pixels of a 4x2 group at a time, its upper row in the lower half of a vector.
// Bytes are summed in halves of words: two of four in `even`, the others in `odd`; 16 * 255 + 8 fits.

typedef uint32_t U8 __attribute__((vector_size(32)));
typedef uint32_t U4 __attribute__((vector_size(16)));
typedef uint64_t L2 __attribute__((vector_size(16)));
typedef uint16_t H16 __attribute__((vector_size(32)));
typedef uint8_t B32 __attribute__((vector_size(32)));
#define ETZEL_INLINE inline __attribute__((always_inline))

template <class V>
ETZEL_INLINE V load(const void* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
ETZEL_INLINE U8 loadRows(const std::byte* p, uint32_t pitch) {
  return __builtin_shufflevector(load<U4>(p), load<U4>(p + pitch), 0, 1, 2, 3, 4, 5, 6, 7);
}
ETZEL_INLINE void storeRows(std::byte* p, size_t pitch, U8 v) {
  const U4 upper = __builtin_shufflevector(v, v, 0, 1, 2, 3), lower = __builtin_shufflevector(v, v, 4, 5, 6, 7);
  __builtin_memcpy(p, &upper, 16);
  __builtin_memcpy(p + pitch, &lower, 16);
}

template <uint32_t samples>
constexpr uint32_t kShift = samples == 2   ? 1
                            : samples == 4 ? 2
                            : samples == 8 ? 3
                                           : 4;

struct Sum {
  H16 even, odd;
};
/// What rounds: half of the divisor.
template <uint32_t samples>
ETZEL_INLINE Sum startOf() {
  constexpr uint16_t half = samples / 2;
  return {H16{} + half, H16{} + half};
}
template <uint32_t samples>
ETZEL_INLINE U8 meanOf(const Sum& s) {
  const U8 even = (U8)(s.even >> kShift<samples>), odd = (U8)(s.odd >> kShift<samples>);
  return (even & 0x00FF00FFu) | (odd & 0x00FF00FFu) << 8;
}
ETZEL_INLINE H16 evenBytes(U8 v) { return (H16)(v & 0x00FF00FFu); }
ETZEL_INLINE H16 oddBytes(U8 v) { return (H16)(v >> 8 & 0x00FF00FFu); }

/// How many samples of each pixel are set in words of 64 pixels, one per sample.
template <uint32_t samples>
struct Counts {
  static constexpr uint32_t kParts = (samples + 3) / 4;
  alignas(32) uint32_t part[kParts][8];  ///< of each group: a byte of pixels for each of four samples

  /// \param pixels those that count
  ETZEL_INLINE void set(const uint64_t* words, uint64_t pixels) {
    const __m128i which = _mm_set1_epi64x(static_cast<int64_t>(pixels));
    auto pair = [&](const uint64_t* two) __attribute__((always_inline)) {
      const __m128i v = _mm_and_si128(load<__m128i>(two), which);
      return _mm_unpacklo_epi8(v, _mm_srli_si128(v, 8));
    };
    for (uint32_t i = 0; i < kParts; ++i) {
      const __m128i first = pair(words + 4 * i);
      const __m128i second = samples < 4 ? _mm_setzero_si128() : pair(words + 4 * i + 2);
      _mm_store_si128(reinterpret_cast<__m128i*>(part[i]), _mm_unpacklo_epi16(first, second));
      _mm_store_si128(reinterpret_cast<__m128i*>(part[i] + 4), _mm_unpackhi_epi16(first, second));
    }
  }
  /// The numbers of a group's pixels in the order of rows; in both halves of a word.
  ETZEL_INLINE H16 of(uint32_t group) const {
    constexpr uint32_t kByte = 0x01010101u;
    const U8 lanes = {kByte, kByte << 1, kByte << 4, kByte << 5, kByte << 2, kByte << 3, kByte << 6, kByte << 7};
    B32 n{};
    for (uint32_t i = 0; i < kParts; ++i) n -= (B32)((B32)(lanes & part[i][group]) == (B32)lanes);
    U8 sum = (U8)n;
    sum += sum >> 16;
    sum = (sum + (sum >> 8)) & 31u;
    return (H16)(sum | sum << 16);
  }
};

/// The samples that show fragment `k` of a tile.
template <uint32_t samples>
ETZEL_INLINE void samplesShowing(const uint64_t* masks, uint32_t bits, uint32_t k, uint64_t* words) {
  for (uint32_t s = 0; s < samples; s += 2) {
    L2 shown = ~L2{};
    for (uint32_t i = 0; i < bits; ++i) {
      const L2 bit = load<L2>(masks + i * samples + s);
      shown &= k >> i & 1 ? bit : ~bit;
    }
    __builtin_memcpy(words + s, &shown, sizeof shown);
  }
}

/// The groups of a tile that have edges, a bit each.
ETZEL_INLINE uint32_t groupsOf(uint64_t edges) {
  const __m128i none = _mm_cmpeq_epi8(_mm_cvtsi64_si128(static_cast<int64_t>(edges)), _mm_setzero_si128());
  return ~static_cast<uint32_t>(_mm_movemask_epi8(none)) & 255;
}

ETZEL_INLINE void copyTile(const FragmentSurface& s, const std::byte* texels, std::byte* out, size_t outPitch) {
  for (uint32_t row = 0; row < kTile; ++row) __builtin_memcpy(out + row * outPitch, texels + row * s.rowPitch, 32);
}

/// A tile with edges. `texels`: its first pixel, plane 0
template <uint32_t samples>
ETZEL_INLINE void averageGeneral(const FragmentSurface& s, uint32_t tile, const std::byte* texels, std::byte* out,
                                 size_t outPitch) {
  copyTile(s, texels, out, outPitch);
  const uint64_t edges = s.edges(tile);
  const uint64_t* const masks = s.masks(tile);
  const uint32_t bits = maskBits(s.state(tile), samples);
  const uint32_t last = lastFragment(s.state(tile)) & (samples - 1);
  Counts<samples> counts[samples];
  if (bits == 1) {
    counts[1].set(masks, edges);
  } else {
    alignas(16) uint64_t words[samples];
    for (uint32_t k = 1; k <= last; ++k) samplesShowing<samples>(masks, bits, k, words), counts[k].set(words, edges);
  }
  for (uint32_t groups = groupsOf(edges); groups; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    const std::byte* from = texels + (group & 6) * s.rowPitch + (group & 1) * 16;
    // The first fragment in all samples, and the difference in those that show another.
    const U8 first = loadRows(from, s.rowPitch);
    const H16 even = evenBytes(first), odd = oddBytes(first);
    Sum sum = startOf<samples>();
    sum.even += even << kShift<samples>, sum.odd += odd << kShift<samples>;
    for (uint32_t k = 1; k <= last; ++k) {
      const H16 weight = counts[k].of(group);
      const U8 texel = loadRows(from + k * s.planePitch, s.rowPitch);
      sum.even += (evenBytes(texel) - even) * weight, sum.odd += (oddBytes(texel) - odd) * weight;
    }
    storeRows(out + (group & 6) * outPitch + (group & 1) * 16, outPitch, meanOf<samples>(sum));
  }
}

template <uint32_t samples>
ETZEL_INLINE U8 averageExpanded(const FragmentSurface& s, const std::byte* texels) {
  Sum sum = startOf<samples>();
  for (uint32_t k = 0; k < samples; ++k, texels += s.planePitch) {
    const U8 texel = loadRows(texels, s.rowPitch);
    sum.even += evenBytes(texel), sum.odd += oddBytes(texel);
  }
  return meanOf<samples>(sum);
}

/// Tiles are short pieces of many lines, which the hardware's prefetching does not see coming.
template <uint32_t samples>
ETZEL_INLINE void prefetchTile(const FragmentSurface& s, uint32_t tile, const std::byte* texels, std::byte* out,
                               size_t outPitch) {
  const uint8_t state = s.state(tile);
  const TileKind kind = kindOf(state);
  uint32_t planes = kind == TileKind::Clear ? 0 : kind == TileKind::Expanded ? samples : 1;
  if (kind == TileKind::General) {
    planes = (lastFragment(state) & (samples - 1)) + 1;
    const uint32_t words = maskBits(state, samples) * samples;
    for (uint32_t at = 0; at < words; at += 8) __builtin_prefetch(s.masks(tile) + at);
  }
  for (uint32_t k = 0; k < planes; ++k, texels += s.planePitch)
    for (uint32_t row = 0; row < 8; ++row) __builtin_prefetch(texels + row * s.rowPitch);
  for (uint32_t row = 0; row < 8; ++row) __builtin_prefetch(out + row * outPitch, 1);
}

template <uint32_t samples>
inline void averageTiles(const FragmentSurface& s, uint32_t tile, uint32_t count, std::byte* out, size_t outPitch) {
  constexpr uint32_t kAhead = 8;
  const std::byte* texels = s.at(s.tileLeft(tile), s.tileTop(tile), 0);
  for (uint32_t i = 0; i < count; ++i, ++tile, texels += 32, out += 32) {
    if (i + kAhead < count) prefetchTile<samples>(s, tile + kAhead, texels + 32 * kAhead, out + 32 * kAhead, outPitch);
    const uint8_t state = s.state(tile);
    const TileKind kind = kindOf(state);
    if (kind == TileKind::General) {
      averageGeneral<samples>(s, tile, texels, out, outPitch);
      continue;
    }
    if (kind == TileKind::One) {
      copyTile(s, texels, out, outPitch);
      continue;
    }
    for (uint32_t group = 0; group < 8; ++group) {
      const std::byte* from = texels + (group & 6) * s.rowPitch + (group & 1) * 16;
      U8 v;
      if (kind == TileKind::Clear)
        v = U8{} + load<uint32_t>(s.clearColor(clearColorOf(state)));
      else
        v = averageExpanded<samples>(s, from);
      storeRows(out + (group & 6) * outPitch + (group & 1) * 16, outPitch, v);
    }
  }
}

inline void averageTiles(const FragmentSurface& s, uint32_t tile, uint32_t count, std::byte* out, size_t outPitch) {
  switch (s.samples) {
    case 2: return averageTiles<2>(s, tile, count, out, outPitch);
    case 4: return averageTiles<4>(s, tile, count, out, outPitch);
    case 8: return averageTiles<8>(s, tile, count, out, outPitch);
    default: return averageTiles<16>(s, tile, count, out, outPitch);
  }
}
#undef ETZEL_INLINE
