// Pixels that are covered in all samples or in none, the bulk of every picture: one colour a pixel, written to one
// fragment. The short way of shadeGroup() for draws without special wishes (TileDraw::alikeOnce), with all that a
// block's groups have in common done once.
#pragma once

#include "raster/lanes.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/block/pixel_group.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/shade/group_output.h"
#include "raster/tile/shade/plain_kernel.h"
#include "raster/tile/shade/primitive_context.h"
#include "raster/tile/shade/run_kernel.h"
#include "raster/tile/shade/system_values.h"
#include "raster/tile/shade/worker_state.h"
#include "raster/tile/test/primitive_tests.h"
#include "raster/tile/write/byte_color.h"
#include "raster/tile/write/color_write.h"
#include "raster/tile/write/fragment_write.h"
#include "raster/tile/write/target_block.h"
#include "raster/tile/write/tile_fragments.h"

namespace etzel::raster::ETZEL_TARGET {

/// System values beside PosX and PosY, which have been set.
template <bool single>
__attribute__((noinline)) void fillOtherValues(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y,
                                               uint32_t group, LaneMask lanes) {
  using abi::SysValue;
  const TileDraw& d = *p.draw;
  const PixelGroup g = groupOf(p, x, y, group);
  if (p.sys & abi::kFragmentSysValues & ~abi::kPlaceSysValues)
    return fillGroup < single ? Mode::Single : Mode::Interior > (w, p, g, &lanes, &lanes, 0);
  const F32x8 cx = wordsF(sysOf(w, SysValue::PosX)), cy = wordsF(sysOf(w, SysValue::PosY));
  setWords(sysOf(w, SysValue::FragCoordX), cx), setWords(sysOf(w, SysValue::FragCoordY), cy);
  setWords(sysOf(w, SysValue::CentroidX), cx), setWords(sysOf(w, SysValue::CentroidY), cy);
  setWords(sysOf(w, SysValue::SamplePixelX), g.px + splat<F32x8>(sampleX(d, 0)));
  setWords(sysOf(w, SysValue::SamplePixelY), g.py + splat<F32x8>(sampleY(d, 0)));
}

/// Writes a group where it is not just bytes in plane 0.
__attribute__((noinline)) inline void writeAlike(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y,
                                                 uint32_t group, LaneMask lanes, const ColorTarget& t, TargetBlock& b) {
  const PixelGroup g = groupOf(p, x, y, group);
  const LaneWords* source = &w.out[abi::kFragOutColor + 4 * t.location];
  const LaneMask edges = static_cast<LaneMask>(b.edges >> group * 8 & 255);
  if (b.expanded || (edges & lanes && t.reads)) return writeEverySample(t, g, lanes, source, nullptr);
  if (edges & lanes) {
    const msaa::FragmentSurface fragments = t.surface.fragments(g.layer);
    TileFragments f = tileFragments(fragments, tileAt(fragments, x, y));
    f.setEdges(group, edges & ~lanes);
    f.store();
    b.edges = f.edges;
  }
  writeTarget(t, g, &lanes, 0, 1, source, nullptr);
}
template <bool single>
__attribute__((noinline)) void writeOddColors(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y,
                                              uint32_t group, LaneMask lanes) {
  writeColors<single ? Mode::Single : Mode::Interior>(w, *p.draw, groupOf(p, x, y, group), &lanes, 0, 1);
}

/// The shortest way: a plain kernel, one target of bytes.
template <bool single, ByteWrite bytes>
inline void shadeBytes(WorkerState& w, const TileDraw& d, int32_t x, int32_t y, uint64_t alike, std::byte* texels) {
  const ColorTarget& t = d.color[0];
  const uint32_t rowPitch = t.surface.rowPitch;
  const F32x8 left = splat<F32x8>(static_cast<float>(x) + (single ? sampleX(d, 0) : 0.5f)) + laneXs();
  const F32x8 top = splat<F32x8>(static_cast<float>(y) + (single ? sampleY(d, 0) : 0.5f)) + laneYs();
  if (t.srgb) {
    if (const WriteSrgbBlock write = writeSrgbBlock()) {
      alignas(32) LaneWords colors[8][4];
      const uint64_t alive = PlainKernel(w, d).shadeBlock(left, top, alike, colors);
      return writeSrgb(write, t, colors, alive, texels);
    }
  }
  PlainKernel(w, d).shade(
      left, top, alike, [&](uint32_t group, LaneMask lanes, const LaneWords* color) __attribute__((always_inline)) {
        std::byte* const at = texels + (group & 6) * rowPitch + (group & 1) * 16;
        if (bytes == ByteWrite::Store)
          storeRows(at, rowPitch, lanes, packSource(t, color));
        else
          blendBytes4(t, at, lanes, color);
      });
}

/// Runs the kernel once for the primitive in work, wherever that may be. \returns false when cancelled
__attribute__((noinline)) inline bool findOneColor(WorkerState& w, const TileDraw& d) {
  const F32x8 anywhere = splat<F32x8>(0.5f);
  w.hasColor = PlainKernel(w, d).shade(anywhere, anywhere, kAllLanes, [&](uint32_t, LaneMask, const LaneWords* color) {
    __builtin_memcpy(w.color, color, sizeof w.color);
  });
  return w.hasColor;
}

/// shadeBytes() where the primitive has one colour.
template <ByteWrite bytes>
__attribute__((noinline)) void storeOneColor(WorkerState& w, const TileDraw& d, uint64_t alike, std::byte* texels) {
  if (!w.hasColor && !findOneColor(w, d)) return;
  const ColorTarget& t = d.color[0];
  const uint32_t rowPitch = t.surface.rowPitch;
  if (bytes == ByteWrite::Store) {
    const RowTexels v = packSource(t, w.color);
    if (alike == ~uint64_t{0}) {
      for (uint32_t y = 0; y < 8; ++y) store(texels + y * rowPitch, v);
      return;
    }
    for (uint32_t groups = someBytes(alike); groups; groups &= groups - 1) {
      const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
      storeRows(texels + (group & 6) * rowPitch + (group & 1) * 16, rowPitch,
                static_cast<LaneMask>(alike >> group * 8 & 255), v);
    }
    return;
  }
  LaneWords color[4];
  __builtin_memcpy(color, w.color, sizeof color);  // nothing that is stored can change these
  // Equal texels stay equal: most groups blend what the one before did.
  RowTexels lastBefore = {}, lastAfter = {};
  bool known = false;
  for (uint32_t groups = someBytes(alike); groups; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    std::byte* const at = texels + (group & 6) * rowPitch + (group & 1) * 16;
    const RowTexels before = loadRows(at, rowPitch);
    if (!known || laneMask(before == lastBefore) != kAllLanes)
      lastAfter = blendRows(t, before, color), lastBefore = before, known = true;
    saveRows(at, rowPitch, mergeRows(static_cast<LaneMask>(alike >> group * 8 & 255), lastAfter, before));
  }
}

/// shadeAlike() for draws and blocks of any kind.
template <bool single>
__attribute__((noinline)) void shadeAnyAlike(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y,
                                             uint64_t alike) {
  using abi::SysValue;
  const TileDraw& d = *p.draw;
  const uint32_t colorCount = d.plainColors ? d.colorCount : 0;
  const bool otherValues = p.sys & kPixelValues, oddColors = !d.plainColors;
  const bool whole = isWholeBlock(d, x, y);
  TargetBlock at[kMaxColorAttachments];
  for (uint32_t i = 0; i < colorCount; ++i)
    at[i] = replacedBlock<single>(d, d.color[i].surface, p.primitive->layer, x, y, alike);
  const F32x8 left = splat<F32x8>(static_cast<float>(x) + (single ? sampleX(d, 0) : 0.5f)) + laneXs();
  const F32x8 top = splat<F32x8>(static_cast<float>(y) + (single ? sampleY(d, 0) : 0.5f)) + laneYs();
  while (alike) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctzll(alike)) / 8;
    LaneMask lanes = static_cast<LaneMask>(alike >> group * 8 & 255);
    alike &= ~(uint64_t{255} << group * 8);
    setWords(sysOf(w, SysValue::PosX), left + splat<F32x8>(group & 1 ? 4.0f : 0.0f));
    setWords(sysOf(w, SysValue::PosY), top + splat<F32x8>(static_cast<float>(group & 6)));
    if (otherValues) fillOtherValues<single>(w, p, x, y, group, lanes);
    lanes = runKernel(w, d, lanes);
    if (w.cancelled) return;
    if (!lanes) continue;
    if (oddColors) writeOddColors<single>(w, p, x, y, group, lanes);
    for (uint32_t i = 0; i < colorCount; ++i) {
      const ColorTarget& t = d.color[i];
      if (t.bytes == ByteWrite::None || !whole || (!single && (at[i].edges != 0 || at[i].expanded))) {
        writeAlike(w, p, x, y, group, lanes, t, at[i]);
        continue;
      }
      std::byte* texels = at[i].texels + (group & 6) * t.surface.rowPitch + (group & 1) * 16;
      const LaneWords* source = &w.out[abi::kFragOutColor + 4 * t.location];
      if (t.bytes == ByteWrite::Store)
        storeRows(texels, t.surface.rowPitch, lanes, packSource(t, source));
      else
        blendBytes4(t, texels, lanes, source);
    }
  }
}

/// Shades and writes the pixels of `alike`, which have passed all tests.
template <bool single>
inline void shadeAlike(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, uint64_t alike) {
  const TileDraw& d = *p.draw;
  w.fragmentInvocations += static_cast<uint32_t>(__builtin_popcountll(alike));
  if (isPlainBlock(p, x, y)) {
    const TargetBlock at = replacedBlock<single>(d, d.color[0].surface, p.primitive->layer, x, y, alike);
    if (!((at.edges | at.expanded) & alike)) {
      const bool stores = d.color[0].bytes == ByteWrite::Store;
      if (d.oneColor)
        return stores ? storeOneColor<ByteWrite::Store>(w, d, alike, at.texels)
                      : storeOneColor<ByteWrite::Blend>(w, d, alike, at.texels);
      if (stores) return shadeBytes<single, ByteWrite::Store>(w, d, x, y, alike, at.texels);
      return shadeBytes<single, ByteWrite::Blend>(w, d, x, y, alike, at.texels);
    }
  }
  shadeAnyAlike<single>(w, p, x, y, alike);
}

}  // namespace etzel::raster::ETZEL_TARGET
