// Primitives of one colour (TileDraw::oneColor): the kernel runs once for each tile, and what it gives is stored or
// blended in rows of eight texels, of blocks or of all that the primitive covers of a tile.
#pragma once

#include "raster/lanes.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/cover/tile_rect.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/shade/plain_kernel.h"
#include "raster/tile/shade/primitive_context.h"
#include "raster/tile/shade/worker_state.h"
#include "raster/tile/write/byte_block.h"
#include "raster/tile/write/byte_color.h"

namespace etzel::raster::ETZEL_TARGET {

/// Runs the kernel once for the primitive in work, wherever that may be. \returns false when cancelled
__attribute__((noinline)) inline bool findOneColor(WorkerState& w, const TileDraw& d) {
  OneColor& one = w.oneColor;
  const F32x8 anywhere = splat<F32x8>(0.5f);
  one.isKnown = PlainKernel(w, d).shade(anywhere, anywhere, kAllLanes, [&](uint32_t, LaneMask, const LaneWords* color) {
    __builtin_memcpy(one.color, color, sizeof one.color);
  });
  if (!one.isKnown) return false;
  const ColorTarget& t = d.color[0];
  one.hasBlended = false;
  if (t.bytes == ByteWrite::Store) {
    setWords(one.after, packSource(t, one.color));
    return true;
  }
  const auto channel = [&](uint32_t c) { return clamp(wordsF(one.color[c]), 0.0f, 1.0f); };
  const F32x8 alpha = channel(3);
  F32x8 factor[4];
  PlainEquation(t).factors(alpha, alpha, factor);  // of the destination's there are none
  for (uint32_t c = 0; c < 4; ++c) {
    const uint32_t source = t.bgra && c < 3 ? 2 - c : c;
    setWords(one.term[c], channel(source) * factor[c == 3 ? 2 : 0]);
  }
  for (uint32_t i = 0; i < 2; ++i) setWords(one.kept[i], factor[2 * i + 1]);
  return true;
}

/// blendTexels() of the primitive's colour with texels in any order, sRGB apart: what all texels have in common is
/// done.
ETZEL_INLINE U32x8 blendOneColor(const OneColor& one, U32x8 old) {
  const auto blend = [&](uint32_t c) __attribute__((always_inline)) {
    return wordsF(one.term[c]) + fromByte(old >> (8 * c) & 255u) * wordsF(one.kept[c / 3]);
  };
  return packLanes(blend(0), blend(1), blend(2), blend(3));
}

/// What becomes of eight texels at a time. Equal ones stay equal: most are what the eight before them were.
template <ByteWrite bytes>
class OneColorTexels {
 public:
  ETZEL_INLINE OneColorTexels(OneColor& one, const ColorTarget& t)
      : one_(one),
        target_(t),
        before_(load<U32x8>(&one.before)),
        after_(load<U32x8>(&one.after)),
        hasBlended_(bytes == ByteWrite::Blend && one.hasBlended) {}
  ETZEL_INLINE ~OneColorTexels() {
    if (bytes == ByteWrite::Store) return;
    setWords(one_.before, before_), setWords(one_.after, after_);
    one_.hasBlended = hasBlended_;
  }
  OneColorTexels(const OneColorTexels&) = delete;
  OneColorTexels& operator=(const OneColorTexels&) = delete;

  /// Whether texels become what others became before.
  ETZEL_INLINE bool areKnown(U32x8 old) const { return hasBlended_ && laneMask(equal(old, before_)) == kAllLanes; }
  ETZEL_INLINE U32x8 of(U32x8 old) {
    if (bytes == ByteWrite::Store || areKnown(old)) return after_;
    before_ = old, hasBlended_ = true;
    if (target_.srgb)
      blendSrgb(target_, one_.color, old), after_ = old;
    else
      after_ = blendOneColor(one_, old);
    return after_;
  }
  /// The texels from `to` on, less than eight.
  ETZEL_INLINE void few(std::byte* to, uint32_t count) {
    U32x8 texels = {};
    __builtin_memcpy(&texels, to, 4 * count);
    texels = of(texels);
    __builtin_memcpy(to, &texels, 4 * count);
  }
  ETZEL_INLINE void eight(std::byte* to) {
    if (bytes == ByteWrite::Store) return store(to, after_);
    store(to, of(load<U32x8>(to)));
  }

 private:
  OneColor& one_;
  const ColorTarget& target_;
  U32x8 before_, after_;
  bool hasBlended_;
};

/// Stores or blends the primitive's colour in the pixels of `alike` of a block whose texels begin at `texels`.
template <ByteWrite bytes>
__attribute__((noinline)) void writeOneColor(WorkerState& w, const TileDraw& d, uint64_t alike, std::byte* texels) {
  if (!w.oneColor.isKnown && !findOneColor(w, d)) return;
  const ColorTarget& t = d.color[0];
  const uint32_t rowPitch = t.surface.rowPitch;
  OneColorTexels<bytes> of(w.oneColor, t);
  if (bytes == ByteWrite::Blend && t.srgb && !of.areKnown(load<U32x8>(texels)))
    if (wideWriter(t)) return writeByteBlock(t, w.oneColor.color, 0, alike, texels);
  if (alike == ~uint64_t{0}) {
    for (uint32_t y = 0; y < 8; ++y) of.eight(texels + y * rowPitch);
    return;
  }
  for (uint32_t groups = someBytes(alike); groups; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    const LaneMask lanes = static_cast<LaneMask>(alike >> group * 8 & 255);
    std::byte* const at = texels + (group & 6) * rowPitch + (group & 1) * 16;
    if (bytes == ByteWrite::Store) {
      storeRows(at, rowPitch, lanes, of.of(U32x8{}));
      continue;
    }
    const RowTexels before = loadRows(at, rowPitch);
    saveRows(at, rowPitch, mergeRows(lanes, of.of(before), before));
  }
}

/// The same for a rectangle of a tile, all of which the primitive covers. \pre TileDraw::fillsRects
template <ByteWrite bytes>
__attribute__((noinline)) void fillRect(WorkerState& w, const PrimitiveContext& p, const TileRect& r) {
  const TileDraw& d = *p.draw;
  w.fragmentInvocations += static_cast<uint32_t>(r.pixels());
  if (!w.oneColor.isKnown && !findOneColor(w, d)) return;
  const ColorTarget& t = d.color[0];
  OneColorTexels<bytes> of(w.oneColor, t);
  const uint32_t width = static_cast<uint32_t>(r.x1 - r.x0);
  std::byte* row = t.surface.at(static_cast<uint32_t>(r.x0), static_cast<uint32_t>(r.y0), p.primitive->layer, 0);
  for (int32_t y = r.y0; y < r.y1; ++y, row += t.surface.rowPitch) {
    uint32_t x = 0;
    for (; x + 8 <= width; x += 8) of.eight(row + 4 * x);
    if (x < width) of.few(row + 4 * x, width - x);
  }
}

}  // namespace etzel::raster::ETZEL_TARGET
