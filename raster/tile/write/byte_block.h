// Blocks of 8x8 pixels of the attachments that byte_color.h writes.
#pragma once

#include "raster/lanes.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/write/byte_color.h"
#include "runtime/simd/srgb_block.h"

namespace etzel::raster::ETZEL_TARGET {

/// Loads texels of two groups side by side, lane by lane.
ETZEL_INLINE void loadPair(const std::byte* texels, uint32_t rowPitch, U32x8& first, U32x8& second) {
  const I64x4 upper = load<I64x4>(texels), lower = load<I64x4>(texels + rowPitch);
  const I64x4 left = __builtin_shufflevector(upper, lower, 0, 4, 2, 6);
  const I64x4 right = __builtin_shufflevector(upper, lower, 1, 5, 3, 7);
  first = bitCast<U32x8>(__builtin_shufflevector(left, right, 0, 1, 4, 5));
  second = bitCast<U32x8>(__builtin_shufflevector(left, right, 2, 3, 6, 7));
}
/// Stores them.
ETZEL_INLINE void savePair(std::byte* texels, uint32_t rowPitch, U32x8 first, U32x8 second) {
  const I64x4 a = bitCast<I64x4>(first), b = bitCast<I64x4>(second);
  const I64x4 left = __builtin_shufflevector(a, b, 0, 1, 4, 5), right = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  store(texels, __builtin_shufflevector(left, right, 0, 4, 2, 6));
  store(texels + rowPitch, __builtin_shufflevector(left, right, 1, 5, 3, 7));
}

/// Calls body(group, lanes, color, texels) for the groups of `pixels` of the block at `texels`, whose colours are at
/// `colors`, `words` from one group's to the next one's.
template <class Body>
ETZEL_INLINE void forGroups(const ColorTarget& t, const LaneWords* colors, size_t words, uint64_t pixels,
                            std::byte* texels, const Body& body) {
  const uint32_t rowPitch = t.surface.rowPitch;
  for (uint32_t groups = someBytes(pixels); groups; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    body(static_cast<LaneMask>(pixels >> group * 8 & 255), colors + group * words,
         texels + (group & 6) * rowPitch + (group & 1) * 16);
  }
}

/// writeByteBlock() of targets of which nothing is read.
ETZEL_INLINE void storeGroups(const ColorTarget& t, const LaneWords* colors, size_t words, uint64_t pixels,
                              std::byte* texels) {
  const uint32_t rowPitch = t.surface.rowPitch, first = firstComponent(t);
  const bool srgb = t.srgb;
  if (pixels == ~uint64_t{0}) {
    for (uint32_t g = 0; g < 8; g += 2)
      savePair(texels + g * rowPitch, rowPitch, packColors(srgb, first, colors + g * words),
               packColors(srgb, first, colors + (g + 1) * words));
    return;
  }
  forGroups(
      t, colors, words, pixels,
      texels, [&](LaneMask lanes, const LaneWords* color, std::byte* at) __attribute__((always_inline)) {
        storeRows(at, rowPitch, lanes, rowsOf(packColors(srgb, first, color)));
      });
}

/// writeByteBlock() of blended targets that are not sRGB.
ETZEL_INLINE void blendGroups(const ColorTarget& t, const LaneWords* colors, size_t words, uint64_t pixels,
                              std::byte* texels) {
  const PlainEquation equation(t);
  if (pixels == ~uint64_t{0} && !equation.readsDestination) {
    const uint32_t rowPitch = t.surface.rowPitch;
#pragma GCC unroll 4
    for (uint32_t g = 0; g < 8; g += 2) {
      U32x8 v[2];
      loadPair(texels + g * rowPitch, rowPitch, v[0], v[1]);
#pragma GCC unroll 2
      for (uint32_t k = 0; k < 2; ++k) {
        const LaneWords* const source = colors + (g + k) * words;
        blendColors<false, 1>(equation, &source, v + k);
      }
      savePair(texels + g * rowPitch, rowPitch, v[0], v[1]);
    }
    return;
  }
  forGroups(
      t, colors, words, pixels,
      texels, [&](LaneMask lanes, const LaneWords* color, std::byte* at) __attribute__((always_inline)) {
        blendBytes4(t, equation, at, lanes, color);
      });
}

/// The same of sRGB targets: look-ups of two groups at a time.
ETZEL_INLINE void blendSrgbPairs(const ColorTarget& t, const LaneWords* colors, size_t words, uint64_t pixels,
                                 std::byte* texels) {
  const PlainEquation equation(t);
  const uint32_t rowPitch = t.surface.rowPitch;
  const auto lanesOfGroup = [&](uint32_t g) { return static_cast<LaneMask>(pixels >> g * 8 & 255); };
  for (uint32_t g = 0; g < 8; g += 2) {
    const LaneMask lanes[2] = {lanesOfGroup(g), lanesOfGroup(g + 1)};
    std::byte* const at[2] = {texels + g * rowPitch, texels + g * rowPitch + 16};
    const LaneWords* const source[2] = {colors + g * words, colors + (g + 1) * words};
    if (!lanes[0] || !lanes[1]) {
      for (uint32_t k = 0; k < 2; ++k)
        if (lanes[k]) blendBytes4(t, equation, at[k], lanes[k], source[k]);
      continue;
    }
    const RowTexels before[2] = {loadRows(at[0], rowPitch), loadRows(at[1], rowPitch)};
    U32x8 v[2] = {lanesOf(before[0]), lanesOf(before[1])};
    blendColors<true, 2>(equation, source, v);
    for (uint32_t k = 0; k < 2; ++k)
      saveRows(at[k], rowPitch, lanes[k] == kAllLanes ? rowsOf(v[k]) : mergeRows(lanes[k], rowsOf(v[k]), before[k]));
  }
}

/// What writeByteBlock() does, by registers of sixteen numbers.
__attribute__((noinline)) inline void writeWideBlock(WriteSrgbBlock write, const ColorTarget& t,
                                                     const LaneWords* colors, size_t words, uint64_t pixels,
                                                     std::byte* texels) {
  SrgbBlock block;
  block.numbers = &format::kSrgbBytes, block.least = &format::kSrgbLeast;
  block.colors = colors, block.groupWords = words;
  block.pixels = pixels;
  block.texels = texels, block.rowPitch = t.surface.rowPitch;
  block.blueFirst = t.bgra;
  static_assert(sizeof block.factor == sizeof t.factor);
  __builtin_memcpy(block.factor, t.factor, sizeof block.factor);
  write(block);
}

/// What stores or blends blocks of a target quicker than a group or two at a time; null: nothing does.
ETZEL_INLINE WriteSrgbBlock wideWriter(const ColorTarget& t) {
  if (t.srgb) return writeSrgbBlock();
  return t.bytes == ByteWrite::Blend ? writePlainBlock() : nullptr;
}

/// Stores or blends the colours of `pixels` of the block at `texels`: from `colors` on, `words` from one group's to the
/// next one's. \pre t.bytes is not None
__attribute__((noinline)) inline void writeByteBlock(const ColorTarget& t, const LaneWords* colors, size_t words,
                                                     uint64_t pixels, std::byte* texels) {
  if (const WriteSrgbBlock write = wideWriter(t)) return writeWideBlock(write, t, colors, words, pixels, texels);
  if (t.bytes == ByteWrite::Store) return storeGroups(t, colors, words, pixels, texels);
  if (t.srgb) return blendSrgbPairs(t, colors, words, pixels, texels);
  blendGroups(t, colors, words, pixels, texels);
}

}  // namespace etzel::raster::ETZEL_TARGET
