// The shortest way to attachments of four unsigned normalized bytes, sRGB or not: eight colours at once, stored or
// blended. Gives what the general path (color_write.h) gives.
#pragma once

#include "raster/lanes.h"
#include "raster/tile/draw/tile_draw.h"
#include "runtime/base/assert.h"
#include "runtime/format/srgb_lanes.h"
#include "runtime/simd/srgb_block.h"

namespace etzel::raster::ETZEL_TARGET {

/// v / 255 for bytes, to the bit: the first product is exact, so that only the sum's rounding matters. A test tries all
/// values.
ETZEL_INLINE F32x8 fromByte(U32x8 v) {
  const F32x8 x = convert<F32x8>(bitCast<I32x8>(v));
  return x * splat<F32x8>(0x1.01p-8f) + x * splat<F32x8>(0x1.010102p-24f);
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
ETZEL_INLINE RowTexels packBytes(F32x8 c0, F32x8 c1, F32x8 c2, F32x8 c3) { return rowsOf(packLanes(c0, c1, c2, c3)); }

/// The same of an sRGB target: the first three are encoded, the last is alpha.
ETZEL_INLINE RowTexels packSrgb(F32x8 c0, F32x8 c1, F32x8 c2, F32x8 alpha) {
  using format::linearToSrgb8;
  const U32x8 a = bitCast<U32x8>(roundToInt(clamp(alpha, 0.0f, 1.0f) * splat<F32x8>(255.0f)));
  return rowsOf(linearToSrgb8(c0) | linearToSrgb8(c1) << 8 | linearToSrgb8(c2) << 16 | a << 24);
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

/// packSource() of sRGB targets: not worth a place in every loop. Through memory, as no vector passes through calls.
__attribute__((noinline)) inline void packSrgbSource(const ColorTarget& t, const LaneWords* source, RowTexels& texels) {
  texels =
      packSrgb(wordsF(source[t.bgra ? 2 : 0]), wordsF(source[1]), wordsF(source[t.bgra ? 0 : 2]), wordsF(source[3]));
}

/// The colours at `source` as texels. \pre t.bytes == ByteWrite::Store
ETZEL_INLINE RowTexels packSource(const ColorTarget& t, const LaneWords* source) {
  ETZEL_ASSERT(t.bytes == ByteWrite::Store);
  if (t.srgb) {
    RowTexels texels;
    packSrgbSource(t, source, texels);
    return texels;
  }
  const F32x8 one = splat<F32x8>(1.0f);
  // Only the upper end needs a clamp: what is below 0 or NaN packs to 0.
  auto channel = [&](uint32_t c) __attribute__((always_inline)) { return minimum(one, wordsF(source[c])); };
  return packBytes(channel(t.bgra ? 2 : 0), channel(1), channel(t.bgra ? 0 : 2), channel(3));
}

/// The colours of `count` groups at `source` blended with their texels, step by step for all of them: look-ups of each
/// wait for one another. \pre t.bytes == ByteWrite::Blend
template <bool srgb, uint32_t count>
ETZEL_INLINE void blendGroups(const ColorTarget& t, const LaneWords* const source[count], RowTexels texels[count]) {
  const F32x8 one = splat<F32x8>(1.0f);
  F32x8 color[count][4];
#pragma GCC unroll 2
  for (uint32_t g = 0; g < count; ++g) {
    const U32x8 old = lanesOf(texels[g]);
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
    const F32x8 alpha = channel(3), alphaBefore = color[g][3];
    // Indexed by PlainFactor: no branches, whatever the equation.
    alignas(32)
        F32x8 factor[kPlainFactors] = {splat<F32x8>(0.0f), one, alpha, one - alpha, alphaBefore, one - alphaBefore};
    auto blend = [&](F32x8 s, F32x8 d, uint32_t part) __attribute__((always_inline)) {
      return s * factor[t.plainFactor[2 * part]] + d * factor[t.plainFactor[2 * part + 1]];
    };
    F32x8* const c = color[g];
    c[0] = blend(channel(t.bgra ? 2 : 0), c[0], 0), c[1] = blend(channel(1), c[1], 0);
    c[2] = blend(channel(t.bgra ? 0 : 2), c[2], 0), c[3] = blend(alpha, alphaBefore, 1);
  }
#pragma GCC unroll 2
  for (uint32_t g = 0; g < count; ++g) {
    // Both terms lie in [0, 1]: nothing the packing would not clamp as well.
    const F32x8* const c = color[g];
    texels[g] = srgb ? packSrgb(c[0], c[1], c[2], c[3]) : packBytes(c[0], c[1], c[2], c[3]);
  }
}
template <bool srgb>
ETZEL_INLINE RowTexels blendTexels(const ColorTarget& t, RowTexels before, const LaneWords* source) {
  blendGroups<srgb, 1>(t, &source, &before);
  return before;
}
/// blendTexels() of sRGB targets, as packSrgbSource().
__attribute__((noinline)) inline void blendSrgb(const ColorTarget& t, const LaneWords* source, RowTexels& texels) {
  texels = blendTexels<true>(t, texels, source);
}

/// Stores or blends the colours of `pixels` of the block at `texels`: from `colors` on, `words` from one group's to the
/// next one's. \pre t.bytes is not None, `write` is blockWriter(t)
__attribute__((noinline)) inline void writeSrgb(WriteSrgbBlock write, const ColorTarget& t, const LaneWords* colors,
                                                size_t words, uint64_t pixels, std::byte* texels) {
  constexpr float kFactors[kPlainFactors][3] = {{0, 0, 0},  {1, 0, 0}, {0, 1, 0},
                                                {1, -1, 0}, {0, 0, 1}, {1, 0, -1}};  // by PlainFactor
  constexpr uint8_t kStore[4] = {kFactorOne, kFactorZero, kFactorOne, kFactorZero};
  SrgbBlock block;
  block.numbers = &format::kSrgbBytes, block.least = &format::kSrgbLeast;
  block.colors = colors, block.groupWords = words;
  block.pixels = pixels;
  block.texels = texels, block.rowPitch = t.surface.rowPitch;
  block.blueFirst = t.bgra;
  const uint8_t* factor = t.bytes == ByteWrite::Store ? kStore : t.plainFactor;
  for (uint32_t i = 0; i < 4; ++i) __builtin_memcpy(block.factor[i], kFactors[factor[i]], sizeof block.factor[i]);
  write(block);
}

/// What stores or blends blocks of a target quicker than group by group; null: nothing does.
ETZEL_INLINE WriteSrgbBlock blockWriter(const ColorTarget& t) {
  if (t.srgb) return writeSrgbBlock();
  return t.bytes == ByteWrite::Blend ? writePlainBlock() : nullptr;
}

/// blendTexels() of any target. \pre t.bytes == ByteWrite::Blend
ETZEL_INLINE RowTexels blendRows(const ColorTarget& t, RowTexels before, const LaneWords* source) {
  ETZEL_ASSERT(t.bytes == ByteWrite::Blend);
  if (!t.srgb) return blendTexels<false>(t, before, source);
  blendSrgb(t, source, before);
  return before;
}
/// Blends the colours at `source` into the texels of `lanes`. \pre t.bytes == ByteWrite::Blend
ETZEL_INLINE void blendBytes4(const ColorTarget& t, std::byte* texels, LaneMask lanes, const LaneWords* source) {
  const RowTexels before = loadRows(texels, t.surface.rowPitch);
  RowTexels v = blendRows(t, before, source);
  if (lanes != kAllLanes) v = mergeRows(lanes, v, before);
  saveRows(texels, t.surface.rowPitch, v);
}

/// The same of sRGB targets and the groups of a block, two at a time: from `colors` on, `words` from one group's to the
/// next one's, where `pixels` has some.
__attribute__((noinline)) inline void blendSrgbBlock(const ColorTarget& t, const LaneWords* colors, size_t words,
                                                     uint64_t pixels, std::byte* block) {
  const uint32_t rowPitch = t.surface.rowPitch;
  const auto lanesOfGroup = [&](uint32_t g) { return static_cast<LaneMask>(pixels >> g * 8 & 255); };
  for (uint32_t g = 0; g < 8; g += 2) {
    const LaneMask lanes[2] = {lanesOfGroup(g), lanesOfGroup(g + 1)};
    std::byte* const at[2] = {block + g * rowPitch, block + g * rowPitch + 16};
    const LaneWords* const source[2] = {colors + g * words, colors + (g + 1) * words};
    if (!lanes[0] || !lanes[1]) {
      for (uint32_t k = 0; k < 2; ++k)
        if (lanes[k]) blendBytes4(t, at[k], lanes[k], source[k]);
      continue;
    }
    const RowTexels before[2] = {loadRows(at[0], rowPitch), loadRows(at[1], rowPitch)};
    RowTexels v[2] = {before[0], before[1]};
    blendGroups<true, 2>(t, source, v);
    for (uint32_t k = 0; k < 2; ++k)
      saveRows(at[k], rowPitch, lanes[k] == kAllLanes ? v[k] : mergeRows(lanes[k], v[k], before[k]));
  }
}

}  // namespace etzel::raster::ETZEL_TARGET
