// Runs the fragment kernel for one 4x2 group.
#pragma once

#include "raster/lanes.h"
#include "raster/sample_locations.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/shade/worker_state.h"

namespace etzel::raster::ETZEL_TARGET {

/// Outputs that a path leaves unwritten are undefined, but must not depend on what was shaded before.
__attribute__((noinline)) inline void zeroOtherOutputs(WorkerState& w, const TileDraw& d) {
  const abi::ProgramInfo& info = d.kernel->info;
  const U32x8 zero = {};
  if (d.dualSource || info.writesColorIndex1)
    for (uint32_t c = 0; c < 4; ++c) setWords(w.out[abi::kFragOutColorIndex1 + c], zero);
  if (info.writesDepth) setWords(w.out[abi::kFragOutDepth], zero);
  for (uint32_t s = 0; info.writesSampleDepth && s < kMaxSamples; ++s)
    setWords(w.out[abi::kFragOutSampleDepth + s], zero);
  if (info.writesStencilRef) setWords(w.out[abi::kFragOutStencilRef], zero);
  if (info.writesSampleMask) setWords(w.out[abi::kFragOutSampleMask], zero);
}

/// The same for colours.
ETZEL_INLINE void zeroColors(WorkerState& w, const TileDraw& d) {
  const U32x8 zero = {};
  for (uint32_t m = d.colorOutputs; m; m &= m - 1) {
    LaneWords* out = &w.out[abi::kFragOutColor + 4 * static_cast<uint32_t>(__builtin_ctz(m))];
    setWords(out[0], zero), setWords(out[1], zero), setWords(out[2], zero), setWords(out[3], zero);
  }
}

/// All lanes of the quads of `lanes`, of one group or of all of a block.
ETZEL_INLINE uint64_t quadsOf(uint64_t lanes) {
  lanes |= lanes >> 2;
  lanes |= lanes >> 1;
  return (lanes & 0x1111111111111111) * 15;
}

/// Runs the kernel for the quads that `covered` touches. \returns the lanes that survive.
ETZEL_INLINE LaneMask runKernel(WorkerState& w, const TileDraw& d, LaneMask covered) {
  abi::Warp& warp = w.warp;
  const auto active = static_cast<LaneMask>(quadsOf(covered));
  warp.active = active;
  warp.helper = active & ~covered;
  warp.killed = 0;
  warp.resume = 0;
  zeroColors(w, d);
  if (d.otherOutputs) zeroOtherOutputs(w, d);
  if (d.kernel->stateBytes) __builtin_memset(warp.executorState, 0, d.kernel->stateBytes);
  ++w.warps;
  if (d.kernel->run(&warp) == abi::WarpStatus::Cancelled) w.cancelled = true;
  return covered & ~warp.killed;
}

}  // namespace etzel::raster::ETZEL_TARGET
