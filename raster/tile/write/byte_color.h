// The shortest way to attachments of four unsigned normalized bytes, sRGB or not: eight colours at once, stored or
// blended. Gives what the general path (color_write.h) gives.
#pragma once

#include "raster/lanes.h"
#include "raster/tile/draw/tile_draw.h"
#include "runtime/base/assert.h"
#include "runtime/format/srgb_lanes.h"

namespace etzel::raster::ETZEL_TARGET {

/// v / 255 for bytes, to the bit: the first product is exact, so that only the sum's rounding matters. A test tries all
/// values.
ETZEL_INLINE F32x8 fromByte(U32x8 v) {
  const F32x8 x = convert<F32x8>(bitCast<I32x8>(v));
  return addProduct(x, splat<F32x8>(0x1.01p-8f), x * splat<F32x8>(0x1.010102p-24f));
}

/// Eight texels in a group's rows: the upper four pixels, then the lower four.
using RowTexels = U32x8;

ETZEL_INLINE RowTexels rowsOf(U32x8 lanes) {
  return bitCast<U32x8>(__builtin_shufflevector(bitCast<I64x4>(lanes), bitCast<I64x4>(lanes), 0, 2, 1, 3));
}
ETZEL_INLINE U32x8 lanesOf(RowTexels rows) { return rowsOf(rows); }  // its own inverse

ETZEL_INLINE RowTexels loadRows(const std::byte* texels, uint32_t rowPitch) {
  return join(load<U32x4>(texels), load<U32x4>(texels + rowPitch));
}
ETZEL_INLINE void saveRows(std::byte* texels, uint32_t rowPitch, RowTexels v) {
  store(texels, lowHalf(v)), store(texels + rowPitch, highHalf(v));
}

/// Packs channels c0 (lowest byte) to c3, each rounded to 0-255 and cut to that range, lane by lane. Beyond the range
/// of 32-bit integers and for NaN the result is 0.
ETZEL_INLINE U32x8 packLanes(F32x8 c0, F32x8 c1, F32x8 c2, F32x8 c3) {
  auto whole = [](F32x8 v) __attribute__((always_inline)) { return roundToInt(v * splat<F32x8>(255.0f)); };
  return saturatedWords(whole(c0), whole(c1), whole(c2), whole(c3));
}
/// The same of an sRGB target: the first three are encoded, the last is alpha.
ETZEL_INLINE U32x8 packSrgbLanes(F32x8 c0, F32x8 c1, F32x8 c2, F32x8 alpha) {
  using format::linearToSrgb8;
  const U32x8 a = bitCast<U32x8>(roundToInt(clamp(alpha, 0.0f, 1.0f) * splat<F32x8>(255.0f)));
  return linearToSrgb8(c0) | linearToSrgb8(c1) << 8 | linearToSrgb8(c2) << 16 | a << 24;
}

/// The texels of `lanes` of `now`, the others of `old`.
ETZEL_INLINE RowTexels mergeRows(LaneMask lanes, RowTexels now, RowTexels old) {
  const U32x8 bits = {1, 2, 16, 32, 4, 8, 64, 128};
  return select(equal(splat<U32x8>(lanes) & bits, bits), now, old);
}
/// Stores the texels of `lanes`, which may be any.
ETZEL_INLINE void mergeRows(std::byte* texels, uint32_t rowPitch, LaneMask lanes, RowTexels v) {
  saveRows(texels, rowPitch, mergeRows(lanes, v, loadRows(texels, rowPitch)));
}
/// mergeRows() that reads nothing where all lanes are stored.
ETZEL_INLINE void storeRows(std::byte* texels, uint32_t rowPitch, LaneMask lanes, RowTexels v) {
  if (lanes != kAllLanes) return mergeRows(texels, rowPitch, lanes, v);
  saveRows(texels, rowPitch, v);
}

/// The component that a texel's lowest byte has; 2 - it is that of the third.
ETZEL_INLINE uint32_t firstComponent(const ColorTarget& t) { return t.bgra ? 2 : 0; }

/// packColors() of sRGB targets: not worth a place in every loop. Through memory, as no vector passes through calls.
__attribute__((noinline)) inline void packSrgbColors(uint32_t first, const LaneWords* source, U32x8& texels) {
  texels = packSrgbLanes(wordsF(source[first]), wordsF(source[1]), wordsF(source[2 - first]), wordsF(source[3]));
}

/// The colours at `source` as texels that are stored, lane by lane.
ETZEL_INLINE U32x8 packColors(bool srgb, uint32_t first, const LaneWords* source) {
  if (srgb) {
    U32x8 texels;
    packSrgbColors(first, source, texels);
    return texels;
  }
  const F32x8 one = splat<F32x8>(1.0f);
  // Only the upper end needs a clamp: what is below 0 or NaN packs to 0.
  auto channel = [&](uint32_t c) __attribute__((always_inline)) { return minimum(one, wordsF(source[c])); };
  return packLanes(channel(first), channel(1), channel(2 - first), channel(3));
}
/// \pre t.bytes == ByteWrite::Store
ETZEL_INLINE RowTexels packSource(const ColorTarget& t, const LaneWords* source) {
  ETZEL_ASSERT(t.bytes == ByteWrite::Store);
  return rowsOf(packColors(t.srgb, firstComponent(t), source));
}

/// How a target blends eight lanes, to be made once for many groups: ColorTarget::factor.
struct PlainEquation {
  F32x8 fixed[4], ofSource[4];
  F32x8 ofDestination[4];  ///< only if that is read
  bool readsDestination;
  uint32_t first;  ///< firstComponent()

  ETZEL_INLINE explicit PlainEquation(const ColorTarget& t)
      : readsDestination(t.readsDestination()), first(firstComponent(t)) {
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 4; ++i) {
      fixed[i] = splat<F32x8>(t.factor[i].fixed), ofSource[i] = splat<F32x8>(t.factor[i].ofSource);
      if (readsDestination) ofDestination[i] = splat<F32x8>(t.factor[i].ofDestination);
    }
  }
  /// \param alpha, before in [0, 1]: that of the source and of the destination
  ETZEL_INLINE void factors(F32x8 alpha, F32x8 before, F32x8 factor[4]) const {
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 4; ++i) factor[i] = addProduct(ofSource[i], alpha, fixed[i]);
    if (!readsDestination) return;
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 4; ++i) factor[i] = addProduct(ofDestination[i], before, factor[i]);
  }
};

/// The colours of `count` groups at `source` blended with their texels, lane by lane, step by step for all of them:
/// look-ups of each wait for one another.
template <bool srgb, uint32_t count>
ETZEL_INLINE void blendColors(const PlainEquation& equation, const LaneWords* const source[count],
                              U32x8 texels[count]) {
  F32x8 color[count][4];
#pragma GCC unroll 2
  for (uint32_t g = 0; g < count; ++g) {
    const U32x8 old = texels[g];
    if constexpr (srgb) {
      format::srgbToLinear(old, color[g]);
    } else {
#pragma GCC unroll 3
      for (uint32_t c = 0; c < 3; ++c) color[g][c] = fromByte(old >> (8 * c) & 255u);
    }
    color[g][3] = fromByte(old >> 24);
  }
#pragma GCC unroll 2
  for (uint32_t g = 0; g < count; ++g) {
    auto channel = [&](uint32_t c) __attribute__((always_inline)) { return clamp(wordsF(source[g][c]), 0.0f, 1.0f); };
    F32x8* const c = color[g];
    const F32x8 alpha = channel(3);
    F32x8 factor[4];
    equation.factors(alpha, c[3], factor);
    auto blend = [&](F32x8 s, F32x8 d, uint32_t part) __attribute__((always_inline)) {
      return s * factor[2 * part] + d * factor[2 * part + 1];
    };
    c[0] = blend(channel(equation.first), c[0], 0), c[1] = blend(channel(1), c[1], 0);
    c[2] = blend(channel(2 - equation.first), c[2], 0), c[3] = blend(alpha, c[3], 1);
  }
#pragma GCC unroll 2
  for (uint32_t g = 0; g < count; ++g) {
    // Both terms lie in [0, 1]: nothing the packing would not clamp as well.
    const F32x8* const c = color[g];
    texels[g] = srgb ? packSrgbLanes(c[0], c[1], c[2], c[3]) : packLanes(c[0], c[1], c[2], c[3]);
  }
}
template <bool srgb>
ETZEL_INLINE RowTexels blendTexels(const PlainEquation& equation, RowTexels before, const LaneWords* source) {
  U32x8 texels = lanesOf(before);
  blendColors<srgb, 1>(equation, &source, &texels);
  return rowsOf(texels);
}
/// blendTexels() of sRGB targets, as packSrgbColors().
__attribute__((noinline)) inline void blendSrgb(const ColorTarget& t, const LaneWords* source, RowTexels& texels) {
  texels = blendTexels<true>(PlainEquation(t), texels, source);
}

/// blendTexels() of any target. \pre t.bytes == ByteWrite::Blend
ETZEL_INLINE RowTexels blendRows(const ColorTarget& t, const PlainEquation& equation, RowTexels before,
                                 const LaneWords* source) {
  ETZEL_ASSERT(t.bytes == ByteWrite::Blend);
  if (!t.srgb) return blendTexels<false>(equation, before, source);
  blendSrgb(t, source, before);
  return before;
}
/// Blends the colours at `source` into the texels of `lanes`. \pre t.bytes == ByteWrite::Blend
ETZEL_INLINE void blendBytes4(const ColorTarget& t, const PlainEquation& equation, std::byte* texels, LaneMask lanes,
                              const LaneWords* source) {
  const RowTexels before = loadRows(texels, t.surface.rowPitch);
  RowTexels v = blendRows(t, equation, before, source);
  if (lanes != kAllLanes) v = mergeRows(lanes, v, before);
  saveRows(texels, t.surface.rowPitch, v);
}
/// The same of a group by itself.
ETZEL_INLINE void blendBytes4(const ColorTarget& t, std::byte* texels, LaneMask lanes, const LaneWords* source) {
  blendBytes4(t, PlainEquation(t), texels, lanes, source);
}

}  // namespace etzel::raster::ETZEL_TARGET
