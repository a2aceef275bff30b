// Pixels that are covered in all samples or in none, the bulk of every picture: one colour a pixel, written to one
// fragment. The short way of shadeGroup() for draws without special wishes (TileDraw::alikeOnce), with all that a
// block's groups have in common done once.
#pragma once

#include "raster/lanes.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/block/pixel_group.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/shade/group_output.h"
#include "raster/tile/shade/one_color.h"
#include "raster/tile/shade/plain_kernel.h"
#include "raster/tile/shade/primitive_context.h"
#include "raster/tile/shade/run_kernel.h"
#include "raster/tile/shade/system_values.h"
#include "raster/tile/shade/worker_state.h"
#include "raster/tile/test/primitive_tests.h"
#include "raster/tile/write/byte_block.h"
#include "raster/tile/write/byte_color.h"
#include "raster/tile/write/color_write.h"
#include "raster/tile/write/fragment_write.h"
#include "raster/tile/write/target_block.h"
#include "raster/tile/write/texel_block.h"
#include "raster/tile/write/tile_fragments.h"

namespace etzel::raster::ETZEL_TARGET {

/// Where the lanes of a block's first group are shaded.
struct Places {
  F32x8 left, top;
};
template <bool single>
ETZEL_INLINE Places placesOf(const TileDraw& d, int32_t x, int32_t y) {
  return {splat<F32x8>(static_cast<float>(x) + (single ? d.firstX : 0.5f)) + laneXs(),
          splat<F32x8>(static_cast<float>(y) + (single ? d.firstY : 0.5f)) + laneYs()};
}

/// System values beside those of setPlace(), which have been set.
template <bool single>
__attribute__((noinline)) void fillOtherValues(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y,
                                               uint32_t group, LaneMask lanes) {
  using abi::SysValue;
  const TileDraw& d = *p.draw;
  const PixelGroup g = groupOf(p, x, y, group);
  if (p.sys & abi::kFragmentSysValues & ~abi::kPlaceSysValues)
    return fillGroup < single ? Mode::Single : Mode::Interior > (w, p, g, &lanes, &lanes, 0);
  const F32x8 cx = wordsF(sysOf(w, SysValue::PosX)), cy = wordsF(sysOf(w, SysValue::PosY));
  setWords(sysOf(w, SysValue::CentroidX), cx), setWords(sysOf(w, SysValue::CentroidY), cy);
  setWords(sysOf(w, SysValue::SamplePixelX), g.px + splat<F32x8>(d.firstX));
  setWords(sysOf(w, SysValue::SamplePixelY), g.py + splat<F32x8>(d.firstY));
}

/// Writes a group where it is not just bytes in plane 0.
__attribute__((noinline)) inline void writeAlike(const PrimitiveContext& p, int32_t x, int32_t y, uint32_t group,
                                                 LaneMask lanes, const ColorTarget& t, TargetBlock& b,
                                                 const LaneWords* source, const LaneWords* second) {
  const PixelGroup g = groupOf(p, x, y, group);
  const LaneMask edges = static_cast<LaneMask>(b.edges >> group * 8 & 255);
  if (b.expanded || (edges & lanes && t.reads)) return writeEverySample(t, g, lanes, source, second);
  if (edges & lanes) {
    const msaa::FragmentSurface fragments = t.surface.fragments(g.layer);
    TileFragments f = tileFragments(fragments, tileAt(fragments, x, y));
    f.setEdges(group, edges & ~lanes);
    f.store();
    b.edges = f.edges;
  }
  writeTarget(t, g, &lanes, 0, 1, source, second);
}

/// The targets of a block some pixels of which are about to be written in all samples; for draws with plainColors or
/// twoSources.
template <bool single>
class AlikeTargets {
 public:
  ETZEL_INLINE AlikeTargets(const PrimitiveContext& p, int32_t x, int32_t y, uint64_t pixels)
      : p_(p), x_(x), y_(y), whole_(isWholeBlock(*p.draw, x, y)) {
    const TileDraw& d = *p.draw;
    for (uint32_t i = 0; (d.plainColors || d.twoSources) && i < d.colorCount; ++i)
      at_[i] = replacedBlock<single>(d, d.color[i].surface, p.primitive->layer, x, y, pixels);
  }
  /// \param color of the first target (PlainKernel)
  ETZEL_INLINE void write(uint32_t group, LaneMask lanes, const LaneWords* color) {
    const TileDraw& d = *p_.draw;
    for (uint32_t i = 0; i < d.colorCount; ++i) writeGroup(i, group, lanes, colorOf(d, i, color), nullptr);
  }
  /// The same of all groups of `pixels`, whose colours are `words` apart.
  __attribute__((noinline)) void writeBlock(uint64_t pixels, const LaneWords* color, size_t words) {
    const TileDraw& d = *p_.draw;
    const LaneWords* const second = secondColorOf(d, color);
    for (uint32_t i = 0; i < d.colorCount; ++i) {
      const ColorTarget& t = d.color[i];
      const LaneWords* const source = colorOf(d, i, color);
      if (whole_ && isPlain(i)) {
        if (t.bytes != ByteWrite::None) {
          writeByteBlock(t, source, words, pixels, at_[i].texels);
          continue;
        }
        if (t.storeBlock) {
          t.storeBlock({source, words, pixels, at_[i].texels, t.surface.rowPitch});
          continue;
        }
        if (t.shapes && writeTexelBlock(t, {source, second, words}, pixels, at_[i].texels)) continue;
      }
      for (uint32_t groups = someBytes(pixels); groups; groups &= groups - 1) {
        const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
        writeGroup(i, group, static_cast<LaneMask>(pixels >> group * 8 & 255), source + group * words,
                   second ? second + group * words : nullptr);
      }
    }
  }

 private:
  /// Whether all pixels of the block are one colour in plane 0.
  ETZEL_INLINE bool isPlain(uint32_t target) const {
    return single || (at_[target].edges == 0 && !at_[target].expanded);
  }
  ETZEL_INLINE void writeGroup(uint32_t target, uint32_t group, LaneMask lanes, const LaneWords* source,
                               const LaneWords* second) {
    const ColorTarget& t = p_.draw->color[target];
    if (t.bytes == ByteWrite::None || !whole_ || !isPlain(target))
      return writeAlike(p_, x_, y_, group, lanes, t, at_[target], source, second);
    std::byte* texels = at_[target].texels + (group & 6) * t.surface.rowPitch + (group & 1) * 16;
    if (t.bytes == ByteWrite::Store)
      storeRows(texels, t.surface.rowPitch, lanes, packSource(t, source));
    else
      blendBytes4(t, texels, lanes, source);
  }

  const PrimitiveContext& p_;
  const int32_t x_, y_;
  const bool whole_;
  TargetBlock at_[kMaxColorAttachments];
};

template <bool single>
__attribute__((noinline)) void writeOddColors(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y,
                                              uint32_t group, LaneMask lanes) {
  writeColors<single ? Mode::Single : Mode::Interior>(w, *p.draw, groupOf(p, x, y, group), &lanes, 0, 1);
}

/// The shortest way: a plain kernel, one target of bytes.
template <bool single>
inline void shadeBytes(WorkerState& w, const TileDraw& d, int32_t x, int32_t y, uint64_t alike, std::byte* texels) {
  const auto [left, top] = placesOf<single>(d, x, y);
  GroupWords room;
  const LaneWords* colors;
  size_t words;
  const uint64_t alive = PlainKernel(w, d).shadeBlock(left, top, alike, room, colors, words);
  const ColorTarget& t = d.color[0];
  if (t.bytes == ByteWrite::Store && !t.srgb) return storeGroups(t, colors, words, alive, texels);
  writeByteBlock(t, colors, words, alive, texels);
}

/// shadeAlike() for plain kernels and targets of any kind.
template <bool single>
__attribute__((noinline)) void shadePlainAlike(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y,
                                               uint64_t alike) {
  const TileDraw& d = *p.draw;
  AlikeTargets<single> targets(p, x, y, alike);
  const auto [left, top] = placesOf<single>(d, x, y);
  if (d.together || d.colorCount == 1) {  // shadeBlock() has the colours of all targets, and second sources
    GroupWords room;
    const LaneWords* colors;
    size_t words;
    const uint64_t alive = PlainKernel(w, d).shadeBlock(left, top, alike, room, colors, words);
    return targets.writeBlock(alive, colors, words);
  }
  PlainKernel(w, d).shade(
      left, top, alike, [&](uint32_t group, LaneMask lanes, const LaneWords* color) __attribute__((always_inline)) {
        if (lanes) targets.write(group, lanes, color);
      });
}

/// Runs the kernel for the groups of `alike`, and calls body(group, lanes) for those that something survives of: their
/// colours are in w.out. \returns false when cancelled
template <bool single, class Body>
ETZEL_INLINE bool runGroups(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y, uint64_t alike,
                            const Body& body) {
  const TileDraw& d = *p.draw;
  const bool otherValues = p.sys & (abi::kPixelSysValues | abi::kPlaneSysValues);
  const auto [left, top] = placesOf<single>(d, x, y);
  while (alike) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctzll(alike)) / 8;
    LaneMask lanes = static_cast<LaneMask>(alike >> group * 8 & 255);
    alike &= ~(uint64_t{255} << group * 8);
    setPlace(w, left + splat<F32x8>(group & 1 ? 4.0f : 0.0f), top + splat<F32x8>(static_cast<float>(group & 6)));
    if (otherValues) fillOtherValues<single>(w, p, x, y, group, lanes);
    lanes = runKernel(w, d, lanes);
    if (w.cancelled) return false;
    if (lanes) body(group, lanes);
  }
  return true;
}

/// shadeAlike() for draws and blocks of any kind.
template <bool single>
__attribute__((noinline)) void shadeAnyAlike(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y,
                                             uint64_t alike) {
  const TileDraw& d = *p.draw;
  const LaneWords* const color = d.colorCount ? &w.out[abi::kFragOutColor + 4 * d.color[0].location] : nullptr;
  if (d.bytesOnly && isWholeBlock(d, x, y) && wideWriter(d.color[0])) {
    const TargetBlock at = replacedBlock<single>(d, d.color[0].surface, p.primitive->layer, x, y, alike);
    if (!((at.edges | at.expanded) & alike)) {
      GroupWords room;
      uint64_t alive = 0;
      const bool ran = runGroups<single>(w, p, x, y, alike, [&](uint32_t group, LaneMask lanes) {
        __builtin_memcpy(&room.word[group * 4], color, 4 * sizeof *color);
        alive |= uint64_t{lanes} << group * 8;
      });
      if (ran) writeByteBlock(d.color[0], room.word, 4, alive, at.texels);
      return;
    }
  }
  AlikeTargets<single> targets(p, x, y, alike);
  runGroups<single>(w, p, x, y, alike, [&](uint32_t group, LaneMask lanes) {
    if (d.plainColors)
      targets.write(group, lanes, color);
    else
      writeOddColors<single>(w, p, x, y, group, lanes);
  });
}

/// Shades and writes the pixels of `alike`, which have passed all tests.
template <bool single>
inline void shadeAlike(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, uint64_t alike) {
  const TileDraw& d = *p.draw;
  w.fragmentInvocations += static_cast<uint32_t>(__builtin_popcountll(alike));
  if (p.sys & abi::kSampleSysValues) setSample(w, d, 0);
  if (d.plainValues && d.bytesOnly && isWholeBlock(d, x, y)) {
    const TargetBlock at = replacedBlock<single>(d, d.color[0].surface, p.primitive->layer, x, y, alike);
    if (!((at.edges | at.expanded) & alike)) {
      const bool stores = d.color[0].bytes == ByteWrite::Store;
      if (d.oneColor)
        return stores ? writeOneColor<ByteWrite::Store>(w, d, alike, at.texels)
                      : writeOneColor<ByteWrite::Blend>(w, d, alike, at.texels);
      return shadeBytes<single>(w, d, x, y, alike, at.texels);
    }
  }
  if ((d.colorsOnly || d.twoSources) && d.plainValues) return shadePlainAlike<single>(w, p, x, y, alike);
  shadeAnyAlike<single>(w, p, x, y, alike);
}

}  // namespace etzel::raster::ETZEL_TARGET
