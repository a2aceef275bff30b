// The primitive that a worker shades: what its pixel groups share.
#pragma once

#include "raster/bin.h"
#include "raster/lanes.h"
#include "raster/tile/block/pixel_group.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/shade/worker_state.h"
#include "raster/tile/test/primitive_tests.h"
#include "runtime/abi/fragment_groups.h"

namespace etzel::raster::ETZEL_TARGET {

ETZEL_INLINE LaneWords& sysOf(WorkerState& w, abi::SysValue v) { return w.sys[static_cast<uint32_t>(v)]; }

/// PosX and PosY, which FragCoord's x and y are as well.
ETZEL_INLINE void setPlace(WorkerState& w, F32x8 x, F32x8 y) {
  using abi::SysValue;
  setWords(sysOf(w, SysValue::PosX), x), setWords(sysOf(w, SysValue::FragCoordX), x);
  setWords(sysOf(w, SysValue::PosY), y), setWords(sysOf(w, SysValue::FragCoordY), y);
}

/// What the groups of one primitive share.
struct PrimitiveContext : PrimitiveTests {
  uint64_t sys;  ///< system values that the kernel reads
  bool tested;   ///< testBlock() has done all tests of the block in work
};

ETZEL_INLINE bool reads(const PrimitiveContext& p, abi::SysValue v) { return p.sys >> static_cast<uint32_t>(v) & 1; }

/// System values that are the same for all fragments of a primitive.
inline PrimitiveContext beginPrimitive(WorkerState& w, const BinnedPrimitive& primitive) {
  PrimitiveContext p;  // compilers zero all of it by an instruction that takes as long as the rest
  p.draw = w.draw;
  p.primitive = &primitive;
  p.tests = {primitive.setup.frontFacing != 0, primitive.minDepth, primitive.maxDepth, nullptr};
  if (p.draw->tests) p.plane = planeOf(*p.draw, primitive);
  p.sys = 0, p.tested = false;
  if (!p.draw->kernel) return p;
  p.sys = p.draw->kernel->info.sysValues;
  w.oneColor.isKnown = false;
  w.primitive = &primitive, w.warp.primitive = &primitive.setup;
  auto uniform = [&](abi::SysValue v, uint32_t value) {
    if (reads(p, v)) setWords(sysOf(w, v), splat<U32x8>(value));
  };
  uniform(abi::SysValue::FrontFacing, primitive.setup.frontFacing);
  uniform(abi::SysValue::PrimitiveId, primitive.primitiveId);
  uniform(abi::SysValue::Layer, primitive.layer);
  uniform(abi::SysValue::ViewportIndex, primitive.viewportIndex);
  uniform(abi::SysValue::ViewIndex, primitive.viewIndex);
  uniform(abi::SysValue::InvocationCount, p.draw->perSample ? p.draw->samples / p.draw->samplesEach : 1);
  return p;
}

/// The pixel group `group` of the block at (x, y).
ETZEL_INLINE PixelGroup groupOf(const PrimitiveContext& p, int32_t x, int32_t y, uint32_t group) {
  const TileDraw& d = *p.draw;
  PixelGroup g;
  g.x = x + static_cast<int32_t>(group & 1) * 4;
  g.y = y + static_cast<int32_t>(group & 6);
  g.px = splat<F32x8>(static_cast<float>(g.x)) + laneXs();
  g.py = splat<F32x8>(static_cast<float>(g.y)) + laneYs();
  g.layer = p.primitive->layer;
  g.whole = static_cast<uint32_t>(g.x) + 4 <= d.safeWidth && static_cast<uint32_t>(g.y) + 2 <= d.safeHeight;
  return g;
}

/// What is known about a group at compile time.
enum class Mode : uint8_t {
  Single,    ///< one sample per pixel
  Interior,  ///< all samples of a pixel are covered alike and stay so: coverage[0] stands for all (alikeOnce)
  Multi,
};

/// Entries of the coverage of a group.
template <Mode mode>
ETZEL_INLINE uint32_t samplesOf(const TileDraw& d) {
  return mode == Mode::Multi ? d.samples : 1;
}

ETZEL_INLINE LaneMask anyOf(const LaneMask* coverage, uint32_t first, uint32_t end) {
  LaneMask any = 0;
  for (uint32_t s = first; s < end; ++s) any |= coverage[s];
  return any;
}
ETZEL_INLINE void count(WorkerState& w, const LaneMask* coverage, uint32_t first, uint32_t end) {
  if (!w.draw->countSamples) return;
  for (uint32_t s = first; s < end; ++s) w.samplesPassed += static_cast<uint32_t>(__builtin_popcount(coverage[s]));
}

}  // namespace etzel::raster::ETZEL_TARGET
