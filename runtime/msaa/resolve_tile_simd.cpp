// Eight pixels of a 4x2 group at a time, its upper row in the lower half of a vector. Bytes are summed in halves of
// words: two of four in `even`, the others in `odd`; 16 * 255 + 8 fits.
#include "runtime/base/assert.h"
#include "runtime/msaa/resolve_tile.h"
#include "runtime/simd/vec.h"

namespace etzel::msaa::ETZEL_TARGET {
namespace {

using namespace simd;

ETZEL_INLINE U32x8 loadRows(const std::byte* p, uint32_t pitch) { return join(load<U32x4>(p), load<U32x4>(p + pitch)); }
ETZEL_INLINE void storeRows(std::byte* p, size_t pitch, U32x8 v) {
  store(p, lowHalf(v));
  store(p + pitch, highHalf(v));
}

template <uint32_t samples>
constexpr uint32_t kShift = samples == 2   ? 1
                            : samples == 4 ? 2
                            : samples == 8 ? 3
                                           : 4;

struct Sum {
  U16x16 even, odd;
};
/// What rounds: half of the divisor.
template <uint32_t samples>
ETZEL_INLINE Sum startOf() {
  constexpr uint16_t half = samples / 2;
  return {U16x16{} + half, U16x16{} + half};
}
template <uint32_t samples>
ETZEL_INLINE U32x8 meanOf(const Sum& s) {
  const U32x8 even = (U32x8)(s.even >> kShift<samples>), odd = (U32x8)(s.odd >> kShift<samples>);
  return (even & 0x00FF00FFu) | (odd & 0x00FF00FFu) << 8;
}
ETZEL_INLINE U16x16 evenBytes(U32x8 v) { return (U16x16)(v & 0x00FF00FFu); }
ETZEL_INLINE U16x16 oddBytes(U32x8 v) { return (U16x16)(v >> 8 & 0x00FF00FFu); }

/// How many samples of each pixel are set in words of 64 pixels, one per sample.
template <uint32_t samples>
struct Counts {
  static constexpr uint32_t kParts = (samples + 3) / 4;
  alignas(32) uint32_t part[kParts][8];  ///< of each group: a byte of pixels for each of four samples

  /// \param pixels those that count
  ETZEL_INLINE void set(const uint64_t* words, uint64_t pixels) {
    const auto pair = [=](const uint64_t* two) __attribute__((always_inline)) {
      const U8x16 v = (U8x16)(load<U64x2>(two) & pixels);
      return (U16x8)__builtin_shufflevector(v, v, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    };
    for (uint32_t i = 0; i < kParts; ++i) {
      const U16x8 first = pair(words + 4 * i), second = samples < 4 ? U16x8{} : pair(words + 4 * i + 2);
      store(part[i], interleaveLow(first, second));
      store(part[i] + 4, interleaveHigh(first, second));
    }
  }
  /// The numbers of a group's pixels in the order of rows; in both halves of a word.
  ETZEL_INLINE U16x16 of(uint32_t group) const {
    constexpr uint32_t kByte = 0x01010101u;
    const U32x8 lanes = {kByte, kByte << 1, kByte << 4, kByte << 5, kByte << 2, kByte << 3, kByte << 6, kByte << 7};
    U8x32 n{};
    for (uint32_t i = 0; i < kParts; ++i) n -= (U8x32)((U8x32)(lanes & part[i][group]) == (U8x32)lanes);
    U32x8 sum = (U32x8)n;
    sum += sum >> 16;
    sum = (sum + (sum >> 8)) & 31u;
    return (U16x16)(sum | sum << 16);
  }
};

/// The samples that show fragment `k` of a tile.
template <uint32_t samples>
ETZEL_INLINE void samplesShowing(const uint64_t* masks, uint32_t bits, uint32_t k, uint64_t* words) {
  for (uint32_t s = 0; s < samples; s += 2) {
    U64x2 shown = ~U64x2{};
    for (uint32_t i = 0; i < bits; ++i) {
      const U64x2 bit = load<U64x2>(masks + i * samples + s);
      shown &= k >> i & 1 ? bit : ~bit;
    }
    store(words + s, shown);
  }
}

/// The groups of a tile that have edges, a bit each.
ETZEL_INLINE uint32_t groupsOf(uint64_t edges) { return ~signs16((U8x16)((U8x16)U64x2{edges} == 0)) & 255; }

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
    const U32x8 first = loadRows(from, s.rowPitch);
    const U16x16 even = evenBytes(first), odd = oddBytes(first);
    Sum sum = startOf<samples>();
    sum.even += even << kShift<samples>, sum.odd += odd << kShift<samples>;
    for (uint32_t k = 1; k <= last; ++k) {
      const U16x16 weight = counts[k].of(group);
      const U32x8 texel = loadRows(from + k * s.planePitch, s.rowPitch);
      sum.even += (evenBytes(texel) - even) * weight, sum.odd += (oddBytes(texel) - odd) * weight;
    }
    storeRows(out + (group & 6) * outPitch + (group & 1) * 16, outPitch, meanOf<samples>(sum));
  }
}

template <uint32_t samples>
ETZEL_INLINE U32x8 averageExpanded(const FragmentSurface& s, const std::byte* texels) {
  Sum sum = startOf<samples>();
  for (uint32_t k = 0; k < samples; ++k, texels += s.planePitch) {
    const U32x8 texel = loadRows(texels, s.rowPitch);
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
      U32x8 v;
      if (kind == TileKind::Clear)
        v = splat<U32x8>(load<uint32_t>(s.clearColor(clearColorOf(state))));
      else
        v = averageExpanded<samples>(s, from);
      storeRows(out + (group & 6) * outPitch + (group & 1) * 16, outPitch, v);
    }
  }
}

}  // namespace

void averageTiles(const FragmentSurface& s, uint32_t tile, uint32_t count, std::byte* out, size_t outPitch) {
  ETZEL_ASSERT(s.texelBytes == 4 && s.samples > 1);
  switch (s.samples) {
    case 2: return averageTiles<2>(s, tile, count, out, outPitch);
    case 4: return averageTiles<4>(s, tile, count, out, outPitch);
    case 8: return averageTiles<8>(s, tile, count, out, outPitch);
    default: return averageTiles<16>(s, tile, count, out, outPitch);
  }
}

}  // namespace etzel::msaa::ETZEL_TARGET
