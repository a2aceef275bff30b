// Blocks of fragments that are larger than a pixel ("Fragment Shading Rates"): samples are covered and tested as ever,
// an invocation stands for all of its fragment, and what it gives goes to every pixel of that.
#pragma once

#include "raster/lanes.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/shade/coarse_grid.h"
#include "raster/tile/shade/group_output.h"
#include "raster/tile/shade/primitive_context.h"
#include "raster/tile/shade/run_kernel.h"
#include "raster/tile/shade/system_values.h"
#include "raster/tile/shade/worker_state.h"
#include "raster/tile/test/primitive_tests.h"

namespace etzel::raster::ETZEL_TARGET {

/// Covered samples of a block: a word of pixels for each.
struct BlockSampleMasks {
  uint64_t of[kMaxSamples] = {};
  uint32_t count = 0;

  uint64_t any() const {
    uint64_t pixels = 0;
    for (uint32_t s = 0; s < count; ++s) pixels |= of[s];
    return pixels;
  }
  uint64_t all() const {
    uint64_t pixels = ~uint64_t{0};
    for (uint32_t s = 0; s < count; ++s) pixels &= of[s];
    return pixels;
  }
  void load(uint32_t group, LaneMask* lanes) const {
    for (uint32_t s = 0; s < count; ++s) lanes[s] = static_cast<LaneMask>(of[s] >> group * 8 & 255);
  }
  void store(uint32_t group, const LaneMask* lanes) {
    for (uint32_t s = 0; s < count; ++s)
      of[s] = (of[s] & ~(uint64_t{255} << group * 8)) | uint64_t{lanes[s]} << group * 8;
  }
};

/// Shades one block.
class CoarseBlock {
 public:
  CoarseBlock(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, ShadingRate rate)
      : w_(w), p_(p), draw_(*p.draw), x_(x), y_(y), grid_(rate) {}

  /// `block`: what is covered, and what of it is left when tests that come first are done.
  void shade(BlockCoverage& block);

 private:
  struct Invocations {
    CoarseGrid::Corner corner[kWarpLanes];
    uint64_t pixels[kWarpLanes];
    LaneMask covered = 0;
  };

  void test(bool write);
  void run(uint32_t warp);
  Invocations invocations(uint32_t warp) const;
  void fillValues(const Invocations& v);
  void fillCentroids(const Invocations& v);
  void fillMasks(const Invocations& v);
  void keepOutputs();
  void takeOutputs(I32x8 lanes);
  template <Mode mode>
  void write(uint32_t group, const LaneMask* coverage);
  void writeGroup(uint32_t group, const CoarseGrid::GroupFragments& fragments, LaneMask alive);

  WorkerState& w_;
  PrimitiveContext& p_;
  const TileDraw& draw_;
  const int32_t x_, y_;
  const CoarseGrid grid_;
  BlockSampleMasks left_, seen_;  ///< samples that are still covered; those that shaders see
  alignas(32) LaneWords kept_[abi::kFragmentOutWords];
};

/// The tests of samples that are left, before any shading.
inline void CoarseBlock::test(bool write) {
  for (uint32_t groups = someBytes(left_.any()); groups; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    LaneMask lanes[kMaxSamples];
    left_.load(group, lanes);
    testGroup(p_, groupOf(p_, x_, y_, group), lanes, 0, left_.count, nullptr, write);
    left_.store(group, lanes);
  }
}

inline CoarseBlock::Invocations CoarseBlock::invocations(uint32_t warp) const {
  Invocations v;
  const uint64_t any = left_.any();
  for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    v.corner[lane] = grid_.corner(warp, lane);
    v.pixels[lane] = grid_.pixelsAt(v.corner[lane]);
    v.covered |= static_cast<LaneMask>((any & v.pixels[lane]) != 0) << lane;
  }
  return v;
}

/// Centroids: a fragment's centre where all its samples are covered, else the first sample that is.
inline void CoarseBlock::fillCentroids(const Invocations& v) {
  using abi::SysValue;
  const uint64_t any = left_.any(), all = left_.all();
  for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    if (!(v.covered >> lane & 1) || (all & v.pixels[lane]) == v.pixels[lane]) continue;
    uint32_t p = 0, s = 0;
    while (!(any >> grid_.bitOf(v.corner[lane], p) & 1)) ++p;
    while (!(left_.of[s] >> grid_.bitOf(v.corner[lane], p) & 1)) ++s;
    const auto column = static_cast<int32_t>(p) % grid_.width(), row = static_cast<int32_t>(p) / grid_.width();
    const float x = static_cast<float>(x_ + v.corner[lane].x + column) + sampleX(draw_, s);
    const float y = static_cast<float>(y_ + v.corner[lane].y + row) + sampleY(draw_, s);
    sysOf(w_, SysValue::CentroidX)[lane] = __builtin_bit_cast(uint32_t, x);
    sysOf(w_, SysValue::CentroidY)[lane] = __builtin_bit_cast(uint32_t, y);
  }
}

/// "Multisampling", coverage index: the last pixel has the lowest bits.
inline void CoarseBlock::fillMasks(const Invocations& v) {
  using abi::SysValue;
  const uint64_t all = seen_.all();
  for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    uint32_t mask = 0;
    for (uint32_t p = 0; p < grid_.pixels() && v.covered >> lane & 1; ++p) {
      const uint32_t bit = grid_.bitOf(v.corner[lane], p), shift = left_.count * (grid_.pixels() - 1 - p);
      for (uint32_t s = 0; s < left_.count; ++s) mask |= static_cast<uint32_t>(seen_.of[s] >> bit & 1) << (shift + s);
    }
    sysOf(w_, SysValue::SampleMaskIn)[lane] = mask;
    sysOf(w_, SysValue::FullyCovered)[lane] = (all & v.pixels[lane]) == v.pixels[lane] ? ~0u : 0;
  }
}

inline void CoarseBlock::fillValues(const Invocations& v) {
  using abi::SysValue;
  F32x8 x, y;
  for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    x[lane] = static_cast<float>(x_ + v.corner[lane].x) + 0.5f * static_cast<float>(grid_.width());
    y[lane] = static_cast<float>(y_ + v.corner[lane].y) + 0.5f * static_cast<float>(grid_.height());
  }
  for (SysValue value : {SysValue::PosX, SysValue::FragCoordX, SysValue::CentroidX, SysValue::SamplePixelX})
    setWords(sysOf(w_, value), x);
  for (SysValue value : {SysValue::PosY, SysValue::FragCoordY, SysValue::CentroidY, SysValue::SamplePixelY})
    setWords(sysOf(w_, value), y);
  if (reads(p_, SysValue::CentroidX) || reads(p_, SysValue::CentroidY)) fillCentroids(v);
  if (!(p_.sys & abi::kFragmentSysValues)) return;
  if (draw_.usesFragCoordZ) setWords(sysOf(w_, SysValue::FragCoordZ), depthAt(*p_.primitive, x, y));
  if (draw_.usesFragCoordW) setWords(sysOf(w_, SysValue::FragCoordW), inverseWAt(p_.primitive->setup, x, y));
  if (reads(p_, SysValue::PointCoordX) || reads(p_, SysValue::PointCoordY)) fillPointCoord(w_, *p_.primitive, {x, y});
  if (reads(p_, SysValue::SampleMaskIn) || reads(p_, SysValue::FullyCovered)) fillMasks(v);
}

/// What the kernel wrote for its warp, before groups of pixels get theirs in its place.
inline void CoarseBlock::keepOutputs() {
  if (draw_.otherOutputs) {
    __builtin_memcpy(kept_, w_.out, sizeof kept_);
    return;
  }
  for (uint32_t m = draw_.colorOutputs; m; m &= m - 1) {
    const uint32_t word = abi::kFragOutColor + 4 * static_cast<uint32_t>(__builtin_ctz(m));
    __builtin_memcpy(&kept_[word], &w_.out[word], 4 * sizeof(LaneWords));
  }
}

/// Outputs of a group: those of the given lanes.
inline void CoarseBlock::takeOutputs(I32x8 lanes) {
  const I32x8 offset = lanes * splat<I32x8>(int32_t{sizeof(uint32_t)});
  const auto take = [&](uint32_t first, uint32_t count) __attribute__((always_inline)) {
    for (uint32_t word = first; word < first + count; ++word)
      setWords(w_.out[word], bitCast<U32x8>(gatherWords(&kept_[word], offset)));
  };
  for (uint32_t m = draw_.colorOutputs; m; m &= m - 1)
    take(abi::kFragOutColor + 4 * static_cast<uint32_t>(__builtin_ctz(m)), 4);
  if (!draw_.otherOutputs) return;
  take(abi::kFragOutSampleMask, abi::kFragOutColor - abi::kFragOutSampleMask);
  take(abi::kFragOutColorIndex1, abi::kFragmentOutWords - abi::kFragOutColorIndex1);
}

template <Mode mode>
__attribute__((noinline)) void CoarseBlock::write(uint32_t group, const LaneMask* coverage) {
  writeColors<mode>(w_, draw_, groupOf(p_, x_, y_, group), coverage, 0, samplesOf<mode>(draw_));
}

/// Everything behind the kernel for a group, whose outputs are there. "Fragment Operations".
inline void CoarseBlock::writeGroup(uint32_t group, const CoarseGrid::GroupFragments& fragments, LaneMask alive) {
  const uint32_t samples = left_.count;
  LaneMask coverage[kMaxSamples];
  left_.load(group, coverage);
  for (uint32_t s = 0; s < samples; ++s) coverage[s] &= alive;
  if (draw_.writesSampleMask) {
    const U32x8 shift = (splat<U32x8>(grid_.pixels() - 1) - fragments.pixel) * splat<U32x8>(samples);
    const U32x8 mask = load<U32x8>(&w_.out[abi::kFragOutSampleMask]) >> shift;
    for (uint32_t s = 0; s < samples; ++s) coverage[s] &= laneMask(mask << (31 - s));
  }
  if (draw_.alphaToCoverage) alphaToCoverage(w_, draw_, coverage, 0, samples);
  if (!draw_.earlyTests) {
    p_.tests.stencilRef = draw_.writesStencilRef ? &w_.out[abi::kFragOutStencilRef] : nullptr;
    if (draw_.tests && !p_.tested)
      testGroup(p_, groupOf(p_, x_, y_, group), coverage, 0, samples, shaderDepth(w_, draw_), true);
    count(w_, coverage, 0, samples);
  }
  left_.store(group, coverage);
  const LaneMask any = anyOf(coverage, 0, samples);
  if (!any) return;
  LaneMask all = any;
  for (uint32_t s = 0; s < samples; ++s) all &= coverage[s];
  if (samples == 1) return write<Mode::Single>(group, coverage);
  if (draw_.alikeOnce && any == all) return write<Mode::Interior>(group, coverage);
  write<Mode::Multi>(group, coverage);
}

inline void CoarseBlock::run(uint32_t warp) {
  const Invocations v = invocations(warp);
  if (!v.covered) return;
  w_.fragmentInvocations += static_cast<uint32_t>(__builtin_popcount(v.covered));
  if (draw_.skipShading) return;
  fillValues(v);
  const I32x8 alive = fromLaneMask(runKernel(w_, draw_, v.covered));
  if (w_.cancelled) return;
  alignas(32) LaneWords alives;
  setWords(alives, bitCast<U32x8>(alive));
  keepOutputs();
  for (uint32_t groups = someBytes(left_.any()); groups; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    const CoarseGrid::GroupFragments fragments = grid_.fragmentsOf(group);
    if (fragments.warp != warp) continue;
    takeOutputs(fragments.lane);
    writeGroup(group, fragments, laneMask(gatherWords(&alives, fragments.lane * 4)));
  }
}

inline void CoarseBlock::shade(BlockCoverage& block) {
  left_.count = draw_.samples;
  block.masks(left_.count, left_.of);
  seen_ = left_;
  const bool tests = draw_.tests && !p_.tested;
  if (tests && (draw_.earlyTests || draw_.cullBeforeShading)) test(draw_.earlyTests);
  if (draw_.earlyTests) {
    for (uint32_t s = 0; s < left_.count; ++s) {
      if (!(draw_.lateSampleMask >> s & 1)) left_.of[s] = 0;
      if (draw_.countSamples) w_.samplesPassed += static_cast<uint32_t>(__builtin_popcountll(left_.of[s]));
    }
    if (draw_.kernel->info.postDepthCoverage) seen_ = left_;
  }
  // In order of their first pixels, as warps are.
  for (uint32_t warp = 0; warp < grid_.warps() && !w_.cancelled; ++warp) run(warp);
  if (draw_.countsTraffic) {
    block.split(left_.of, left_.count);
    __builtin_memcpy(w_.written, left_.of, left_.count * sizeof *left_.of);
  }
}

}  // namespace etzel::raster::ETZEL_TARGET
