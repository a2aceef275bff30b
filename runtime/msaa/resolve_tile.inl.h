// The body of resolve_tile_*.cpp. Eight pixels of a 4x2 group at a time, its upper row in the lower half of a vector.
// Bytes are summed in halves of words: two of four in `even`, the others in `odd`; 16 * 255 + 8 fits.

typedef uint32_t U8 __attribute__((vector_size(32)));
typedef uint32_t U4 __attribute__((vector_size(16)));
typedef uint16_t H16 __attribute__((vector_size(32)));
typedef uint16_t H8 __attribute__((vector_size(16)));
typedef uint8_t B8 __attribute__((vector_size(8)));
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
constexpr uint32_t kShift = samples == 2 ? 1 : samples == 4 ? 2 : samples == 8 ? 3 : 4;
template <uint32_t samples>
constexpr uint32_t kNibbles = samples == 2 ? 0x11u : samples == 4 ? 0x1111u : 0x11111111u;

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

/// How many of the lowest bits of nibbles are set, in both halves of a word.
template <uint32_t samples>
ETZEL_INLINE H16 countOf(U8 low, U8 high) {
  U8 n = samples == 16 ? low + high : low;  // up to 2 in a nibble
  if (samples >= 8) n += n >> 16;
  if (samples >= 4) n += n >> 8;
  n = samples == 16 ? (n & 15u) + (n >> 4 & 15u) : (n + (n >> 4)) & 15u;
  return (H16)(n | n << 16);
}

/// The masks of a group's pixels in the order of rows; those without an edge show fragment 0.
struct Masks {
  U8 low, high;
};
template <uint32_t samples>
ETZEL_INLINE Masks loadMasks(const std::byte* p, uint32_t edges) {
  Masks m{};
  if (samples == 2) m.low = __builtin_convertvector(load<B8>(p), U8);
  if (samples == 4) m.low = __builtin_convertvector(load<H8>(p), U8);
  if (samples >= 8) m.low = load<U8>(p);
  if (samples == 16) m.high = load<U8>(p + 32);
  const U8 lanes = {1, 2, 4, 8, 16, 32, 64, 128};
  const U8 keep = (U8)((lanes & edges) != 0);
  m.low &= keep;
  m.low = __builtin_shufflevector(m.low, m.low, 0, 1, 4, 5, 2, 3, 6, 7);
  if (samples == 16) {
    m.high &= keep;
    m.high = __builtin_shufflevector(m.high, m.high, 0, 1, 4, 5, 2, 3, 6, 7);
  }
  return m;
}

/// A group with edges. `texels`: its first pixel, plane 0
template <uint32_t samples>
ETZEL_INLINE U8 averageGeneral(const FragmentSurface& s, const std::byte* texels, const Masks& m, uint32_t last) {
  const U8 first = loadRows(texels, s.rowPitch);
  if (last == 1) {
    // Two fragments: the first in all samples, and the difference in those that show the second.
    const H16 weight = countOf<samples>(m.low & kNibbles<samples>, m.high & kNibbles<samples>);
    const U8 second = loadRows(texels + s.planePitch, s.rowPitch);
    const H16 even = evenBytes(first), odd = oddBytes(first);
    Sum sum = startOf<samples>();
    sum.even += (even << kShift<samples>) + (evenBytes(second) - even) * weight;
    sum.odd += (odd << kShift<samples>) + (oddBytes(second) - odd) * weight;
    return meanOf<samples>(sum);
  }
  // Nibbles beyond the sample count, which only garbage has, are cut down as everywhere.
  constexpr uint32_t kIndices = kNibbles<samples> * (samples - 1);
  auto zeroNibbles = [](U8 v) __attribute__((always_inline)) {
    v &= kIndices;
    v |= v >> 1;
    v |= v >> 2;
    return ~v & kNibbles<samples>;
  };
  Sum sum = startOf<samples>();
  for (uint32_t k = 0; k <= last; ++k) {
    const uint32_t other = k * kNibbles<samples>;
    const H16 weight = countOf<samples>(zeroNibbles(m.low ^ other), samples == 16 ? zeroNibbles(m.high ^ other) : U8{});
    const U8 texel = k == 0 ? first : loadRows(texels + k * s.planePitch, s.rowPitch);
    sum.even += evenBytes(texel) * weight, sum.odd += oddBytes(texel) * weight;
  }
  return meanOf<samples>(sum);
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
    for (uint32_t at = 0; at < 32 * samples; at += 64) __builtin_prefetch(s.masks(tile) + at);
  }
  for (uint32_t k = 0; k < planes; ++k, texels += s.planePitch)
    for (uint32_t row = 0; row < 8; ++row) __builtin_prefetch(texels + row * s.rowPitch);
  for (uint32_t row = 0; row < 8; ++row) __builtin_prefetch(out + row * outPitch, 1);
}

template <uint32_t samples>
inline void averageTiles(const FragmentSurface& s, uint32_t tile, uint32_t count, std::byte* out, size_t outPitch) {
  constexpr uint32_t kAhead = 8;
  const std::byte* texels = s.at(tile % s.tilesX * kTile, tile / s.tilesX * kTile, 0);
  for (uint32_t i = 0; i < count; ++i, ++tile, texels += 32, out += 32) {
    if (i + kAhead < count) prefetchTile<samples>(s, tile + kAhead, texels + 32 * kAhead, out + 32 * kAhead, outPitch);
    const uint8_t state = s.state(tile);
    const TileKind kind = kindOf(state);
    const uint64_t edges = kind == TileKind::General ? s.edges(tile) : 0;
    const uint32_t last = lastFragment(state) & (samples - 1);
    const std::byte* const masks = s.masks(tile);
    for (uint32_t group = 0; group < 8; ++group) {
      const std::byte* from = texels + (group & 6) * s.rowPitch + (group & 1) * 16;
      U8 v;
      if (kind == TileKind::Clear)
        v = U8{} + load<uint32_t>(s.clearColor(clearColorOf(state)));
      else if (kind == TileKind::Expanded)
        v = averageExpanded<samples>(s, from);
      else if (const uint32_t lanes = static_cast<uint32_t>(edges >> group * 8 & 255))
        v = averageGeneral<samples>(s, from, loadMasks<samples>(masks + group * 4 * samples, lanes), last);
      else
        v = loadRows(from, s.rowPitch);
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
