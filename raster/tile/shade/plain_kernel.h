// The shortest way through a fragment kernel: one that needs no more than its place and writes colours, maybe two of
// one target or a depth too, for all groups of a block in one call where its executable can.
#pragma once

#include <atomic>

#include "raster/lanes.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/shade/primitive_context.h"
#include "raster/tile/shade/run_kernel.h"
#include "raster/tile/shade/system_values.h"
#include "raster/tile/shade/worker_state.h"
#include "runtime/abi/fragment_groups.h"

namespace etzel::raster::ETZEL_TARGET {

/// Whether PlainKernel and one target of bytes do for the block at (x, y), whatever is covered of it.
ETZEL_INLINE bool isPlainBlock(const PrimitiveContext& p, int32_t x, int32_t y) {
  return p.draw->bytesOnly && isWholeBlock(*p.draw, x, y) && !(p.sys & abi::kPixelSysValues);
}

/// abi::FragmentGroups::offset of a block.
struct GroupOffsets {
  alignas(32) LaneWords word[abi::FragmentGroups::kCount][2];
  constexpr GroupOffsets() : word() {
    for (uint32_t group = 0; group < abi::FragmentGroups::kCount; ++group)
      for (uint32_t i = 0; i < kWarpLanes; ++i) {
        word[group][0].lane[i] = __builtin_bit_cast(uint32_t, group & 1 ? 4.0f : 0.0f);
        word[group][1].lane[i] = __builtin_bit_cast(uint32_t, static_cast<float>(group & 6));
      }
  }
};
inline constexpr GroupOffsets kGroupOffsets;

/// What all groups of a block give, as abi::FragmentGroups has them.
struct GroupWords {
  alignas(32) LaneWords word[abi::FragmentGroups::kCount * abi::kMaxGroupWords];
};

/// The colour of a target, where `first` is the first target's.
ETZEL_INLINE const LaneWords* colorOf(const TileDraw& d, uint32_t target, const LaneWords* first) {
  return first + 4 * (static_cast<ptrdiff_t>(d.color[target].location) - d.color[0].location);
}

/// The second source of a draw with two (TileDraw::twoSources), where `first` is the colour of its target; else null.
ETZEL_INLINE const LaneWords* secondColorOf(const TileDraw& d, const LaneWords* first) {
  if (!d.twoSources) return nullptr;
  const abi::ProgramInfo& info = d.kernel->info;
  const uint32_t target = abi::groupWord(info, abi::kFragOutColor + 4 * d.color[0].location);
  return first + abi::groupWord(info, abi::kFragOutColorIndex1) - target;
}

/// The location of the colours that PlainKernel gives.
ETZEL_INLINE uint32_t firstLocation(const TileDraw& d) {
  return d.colorCount ? d.color[0].location : abi::firstGroupLocation(d.kernel->info);
}

/// The depth of a kernel that writes one for all samples, where `first` is the colour of firstLocation(); else null.
ETZEL_INLINE const LaneWords* depthOf(const TileDraw& d, const LaneWords* first) {
  const abi::ProgramInfo& info = d.kernel->info;
  if (!info.writesDepth) return nullptr;
  return first + abi::groupWord(info, abi::kFragOutDepth) -
         abi::groupWord(info, abi::kFragOutColor + 4 * firstLocation(d));
}

/// A fragment kernel for one block. Colours are given as those of the first target (colorOf).
class PlainKernel {
 public:
  ETZEL_INLINE PlainKernel(WorkerState& w, const TileDraw& d)
      : w_(w), draw_(d), color_(&w.out[abi::kFragOutColor + 4 * firstLocation(d)]) {
    if (!w.warp.executable) w.warp.executable = d.kernel->choose(w.warp.context);
    entry_ = w.warp.executable->entry, code_ = w.warp.executable->code;
    hasPlanes_ = d.kernel->info.sysValues & abi::kPlaneSysValues;
    hasSamples_ = d.kernel->info.sysValues & (abi::kSampleSysValues | abi::kCentroidSysValues);
    if (hasPlanes_) planes_ = fragmentPlanes(*w.primitive);
    if (!d.together && !d.twoSources) return;
    fragments_ = w.warp.executable->fragments;
    const abi::ProgramInfo& info = d.kernel->info;
    groupWords_ = abi::groupWords(info);
    firstWord_ = abi::groupWord(info, abi::kFragOutColor + 4 * firstLocation(d));
  }

  /// Shades `pixels` of the block whose first group has its pixels at (left, top), and calls body(group, lanes, color)
  /// for each of their groups: the lanes that survive. \returns false when cancelled
  template <class Body>
  ETZEL_INLINE bool shade(F32x8 left, F32x8 top, uint64_t pixels, const Body& body) {
    if (__builtin_expect(fragments_ != nullptr, true))
      return shadeTogether(left, top, kGroupOffsets.word[0], pixels, body);
    for (uint32_t groups = someBytes(pixels); groups; groups &= groups - 1) {
      const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
      const LaneMask lanes =
          run(left + splat<F32x8>(group & 1 ? 4.0f : 0.0f), top + splat<F32x8>(static_cast<float>(group & 6)),
              static_cast<LaneMask>(pixels >> group * 8 & 255));
      if (w_.cancelled) return false;
      body(group, lanes, color_);
    }
    return true;
  }

  /// Shades `pixels` as shade() does, and leaves what the groups that have some give: from `color` on, `words` from one
  /// group's words to the next one's. Of draws that are not `together` it is the first target's colour alone. \returns
  /// the pixels that survive: none when cancelled
  ETZEL_INLINE uint64_t shadeBlock(F32x8 left, F32x8 top, uint64_t pixels, GroupWords& room, const LaneWords*& color,
                                   size_t& words) {
    color = room.word + firstWord_, words = groupWords_;
    if (__builtin_expect(fragments_ != nullptr, true))
      return runTogether(left, top, kGroupOffsets.word[0], pixels, room) & pixels;
    uint64_t alive = 0;
    const abi::ProgramInfo& info = draw_.kernel->info;
    const uint32_t others = abi::kFragOutColorIndex1, depth = abi::kFragOutDepth;
    const uint32_t ofColors = draw_.together || draw_.twoSources ? abi::groupWord(info, others) : groupWords_;
    const bool ran = shade(left, top, pixels, [&](uint32_t group, LaneMask lanes, const LaneWords* of) {
      LaneWords* const to = &room.word[group * groupWords_];
      __builtin_memcpy(to, of - firstWord_, ofColors * sizeof *of);
      if (draw_.twoSources) __builtin_memcpy(to + ofColors, &w_.out[others], 4 * sizeof *of);
      if (draw_.together && info.writesDepth) to[abi::groupWord(info, depth)] = w_.out[depth];
      alive |= uint64_t{lanes} << group * 8;
    });
    return ran ? alive : 0;
  }

  /// shade() for warps that lie elsewhere: `offset` is added to the places of each (abi::FragmentGroups), `lanes` has a
  /// byte for each.
  template <class Body>
  ETZEL_INLINE bool shadeWarps(F32x8 left, F32x8 top, const LaneWords (*offset)[2], uint64_t lanes, const Body& body) {
    if (__builtin_expect(fragments_ != nullptr, true)) return shadeTogether(left, top, offset[0], lanes, body);
    for (uint32_t warps = someBytes(lanes); warps; warps &= warps - 1) {
      const uint32_t warp = static_cast<uint32_t>(__builtin_ctz(warps));
      const LaneMask alive = run(left + wordsF(offset[warp][0]), top + wordsF(offset[warp][1]),
                                 static_cast<LaneMask>(lanes >> warp * 8 & 255));
      if (w_.cancelled) return false;
      body(warp, alive, color_);
    }
    return true;
  }

 private:
  /// All groups in one call. \returns the lanes that are not discarded: none when cancelled
  ETZEL_INLINE uint64_t runTogether(F32x8 left, F32x8 top, const LaneWords* offset, uint64_t pixels, GroupWords& room) {
    alignas(32) LaneWords place[2];
    setWords(place[0], left), setWords(place[1], top);
    const uint64_t active = quadsOf(pixels);
    abi::FragmentGroups input;
    input.groups = someBytes(pixels);
    input.active = active, input.helper = active & ~pixels;
    input.place = place, input.offset = offset, input.color = room.word;
    input.planes = &planes_;
    w_.warp.resume = 0;
    w_.warps += static_cast<uint32_t>(__builtin_popcount(input.groups));
    if (fragments_(code_, &w_.warp, &input) == abi::WarpStatus::Cancelled) {
      w_.cancelled = true;
      return 0;
    }
    return ~input.killed;
  }
  template <class Body>
  ETZEL_INLINE bool shadeTogether(F32x8 left, F32x8 top, const LaneWords* offset, uint64_t pixels, const Body& body) {
    GroupWords room;
    const uint64_t alive = runTogether(left, top, offset, pixels, room) & pixels;
    if (w_.cancelled) return false;
    for (uint32_t groups = someBytes(pixels); groups; groups &= groups - 1) {
      const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
      body(group, static_cast<LaneMask>(alive >> group * 8 & 255), room.word + firstWord_ + group * groupWords_);
    }
    return true;
  }

  /// Shades `lanes` at the given places. \returns those that survive: none when cancelled
  ETZEL_INLINE LaneMask run(F32x8 x, F32x8 y, LaneMask lanes) {
    abi::Warp& warp = w_.warp;
    setPlace(w_, x, y);
    if (hasSamples_) {
      using abi::SysValue;
      setWords(sysOf(w_, SysValue::SamplePixelX), x), setWords(sysOf(w_, SysValue::SamplePixelY), y);
      setWords(sysOf(w_, SysValue::CentroidX), x), setWords(sysOf(w_, SysValue::CentroidY), y);
    }
    if (hasPlanes_) fillPlaneValues(w_, *w_.primitive, {x, y});
    zeroColors(w_, draw_);
    if (draw_.otherOutputs) zeroOtherOutputs(w_, draw_);
    const auto active = static_cast<LaneMask>(quadsOf(lanes));
    warp.active = active, warp.helper = active & ~lanes;
    warp.killed = 0, warp.resume = 0;
    if (draw_.kernel->stateBytes) __builtin_memset(warp.executorState, 0, draw_.kernel->stateBytes);
    ++w_.warps;
    if (entry_(code_, &warp) == abi::WarpStatus::Cancelled) {
      w_.cancelled = true;
      return 0;
    }
    return lanes & ~warp.killed;
  }

  WorkerState& w_;
  const TileDraw& draw_;
  LaneWords* color_;
  abi::KernelEntry entry_;
  decltype(abi::Executable::fragments) fragments_ = nullptr;
  const void* code_;
  bool hasPlanes_;   ///< the kernel reads what follows from planes_
  bool hasSamples_;  ///< it reads which sample it runs for, or the centroid
  abi::FragmentPlanes planes_;
  uint32_t groupWords_ = 4, firstWord_ = 0;  ///< from one group's colours to the next one's, and of the first target
};

}  // namespace etzel::raster::ETZEL_TARGET
