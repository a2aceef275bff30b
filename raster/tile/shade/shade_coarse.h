// Blocks of fragments that are larger than a pixel ("Fragment Shading Rates"): samples are covered and tested as ever,
// an invocation stands for all of its fragment, and what it gives goes to every pixel of that.
#pragma once

#include "raster/lanes.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/cover/inside.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/shade/coarse_grid.h"
#include "raster/tile/shade/group_output.h"
#include "raster/tile/shade/plain_kernel.h"
#include "raster/tile/shade/primitive_context.h"
#include "raster/tile/shade/run_kernel.h"
#include "raster/tile/shade/system_values.h"
#include "raster/tile/shade/test_groups.h"
#include "raster/tile/shade/worker_state.h"
#include "raster/tile/test/primitive_tests.h"
#include "raster/tile/write/byte_color.h"
#include "raster/tile/write/target_block.h"

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
      : w_(w), p_(p), draw_(*p.draw), x_(x), y_(y), grid_(kCoarseGrids.of[rate]) {}

  /// \param tested the tests that come first are done, and counted
  void shade(BlockCoverage& block, bool tested);

 private:
  void test(bool write);
  void run(uint32_t warp);
  LaneMask coveredLanes(uint32_t warp) const;
  void fillValues(uint32_t warp, LaneMask covered);
  void fillCentroids(uint32_t warp, LaneMask covered);
  void fillMasks(uint32_t warp, LaneMask covered);
  void keepOutputs();
  void takeOutputs(I32x8 offset);
  template <Mode mode>
  void write(uint32_t group, const LaneMask* coverage);
  void writeGroup(uint32_t group, LaneMask alive);

  WorkerState& w_;
  PrimitiveContext& p_;
  const TileDraw& draw_;
  const int32_t x_, y_;
  const CoarseGrid& grid_;
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

/// Those of whose fragments some sample is covered.
inline LaneMask CoarseBlock::coveredLanes(uint32_t warp) const {
  const uint64_t any = left_.any();
  LaneMask covered = 0;
  for (uint32_t i = 0; i < kWarpLanes; ++i)
    covered |= static_cast<LaneMask>((any & grid_.pixelsOf[warp * kWarpLanes + i]) != 0) << i;
  return covered;
}

/// Centroids: a fragment's centre where all its samples are covered, else the first sample that is.
inline void CoarseBlock::fillCentroids(uint32_t warp, LaneMask covered) {
  using abi::SysValue;
  const uint64_t any = left_.any(), all = left_.all();
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    const uint32_t lane = warp * kWarpLanes + i;
    if (!(covered >> i & 1) || (all & grid_.pixelsOf[lane]) == grid_.pixelsOf[lane]) continue;
    uint32_t p = 0, s = 0;
    while (!(any >> grid_.bitOf(lane, p) & 1)) ++p;
    while (!(left_.of[s] >> grid_.bitOf(lane, p) & 1)) ++s;
    const int32_t column = static_cast<int32_t>(p) % grid_.width, row = static_cast<int32_t>(p) / grid_.width;
    const float x = static_cast<float>(x_ + grid_.left[lane] + column) + sampleX(draw_, s);
    const float y = static_cast<float>(y_ + grid_.top[lane] + row) + sampleY(draw_, s);
    sysOf(w_, SysValue::CentroidX)[i] = __builtin_bit_cast(uint32_t, x);
    sysOf(w_, SysValue::CentroidY)[i] = __builtin_bit_cast(uint32_t, y);
  }
}

/// "Multisampling", coverage index: the last pixel has the lowest bits.
inline void CoarseBlock::fillMasks(uint32_t warp, LaneMask covered) {
  using abi::SysValue;
  const uint64_t all = seen_.all();
  uint64_t inside = 0;
  for (uint32_t g = 0; draw_.pixels.conservative() && g < 8; ++g)
    inside |= uint64_t{lanesInside(*p_.primitive, draw_.pixels, x_ + int32_t(g & 1) * 4, y_ + int32_t(g & 6))} << g * 8;
  LaneMask allLanes = 0, insideLanes = 0;
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    const uint32_t lane = warp * kWarpLanes + i;
    uint32_t mask = 0;
    for (uint32_t p = 0; p < grid_.pixels && covered >> i & 1; ++p) {
      const uint32_t bit = grid_.bitOf(lane, p), shift = left_.count * (grid_.pixels - 1 - p);
      for (uint32_t s = 0; s < left_.count; ++s) mask |= static_cast<uint32_t>(seen_.of[s] >> bit & 1) << (shift + s);
    }
    sysOf(w_, SysValue::SampleMaskIn)[i] = mask;
    const auto holds = [&](uint64_t pixels) { return (pixels & grid_.pixelsOf[lane]) == grid_.pixelsOf[lane]; };
    allLanes |= static_cast<LaneMask>(holds(all) << i), insideLanes |= static_cast<LaneMask>(holds(inside) << i);
  }
  fillFullyCovered(w_, allLanes, insideLanes);
}

inline void CoarseBlock::fillValues(uint32_t warp, LaneMask covered) {
  using abi::SysValue;
  const F32x8 x = splat<F32x8>(static_cast<float>(x_)) + wordsF(grid_.place[0]) + wordsF(grid_.offset[warp][0]);
  const F32x8 y = splat<F32x8>(static_cast<float>(y_)) + wordsF(grid_.place[1]) + wordsF(grid_.offset[warp][1]);
  for (SysValue value : {SysValue::PosX, SysValue::FragCoordX, SysValue::CentroidX, SysValue::SamplePixelX})
    setWords(sysOf(w_, value), x);
  for (SysValue value : {SysValue::PosY, SysValue::FragCoordY, SysValue::CentroidY, SysValue::SamplePixelY})
    setWords(sysOf(w_, value), y);
  if (reads(p_, SysValue::CentroidX) || reads(p_, SysValue::CentroidY)) fillCentroids(warp, covered);
  if (!(p_.sys & abi::kFragmentSysValues)) return;
  if (p_.sys & abi::kPlaneSysValues) fillPlaneValues(w_, *p_.primitive, {x, y});
  if (reads(p_, SysValue::SampleMaskIn) || reads(p_, SysValue::FullyCovered)) fillMasks(warp, covered);
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

/// Outputs of a group: those of lanes whose words lie `offset` bytes from the first.
inline void CoarseBlock::takeOutputs(I32x8 offset) {
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
inline void CoarseBlock::writeGroup(uint32_t group, LaneMask alive) {
  const uint32_t samples = left_.count;
  LaneMask coverage[kMaxSamples];
  left_.load(group, coverage);
  for (uint32_t s = 0; s < samples; ++s) coverage[s] &= alive;
  if (draw_.writesSampleMask) {
    const U32x8 shift = (splat<U32x8>(grid_.pixels - 1) - words(grid_.pixelOf[group])) * splat<U32x8>(samples);
    const U32x8 mask = load<U32x8>(&w_.out[abi::kFragOutSampleMask]) >> shift;
    for (uint32_t s = 0; s < samples; ++s) coverage[s] &= laneMask(mask << (31 - s));
  }
  if (draw_.smoothLines) smoothAlpha(w_, *p_.primitive, groupOf(p_, x_, y_, group), alive);
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
  const LaneMask covered = coveredLanes(warp);
  if (!covered) return;
  w_.fragmentInvocations += static_cast<uint32_t>(__builtin_popcount(covered));
  if (draw_.skipShading) return;
  fillValues(warp, covered);
  const I32x8 alive = fromLaneMask(runKernel(w_, draw_, covered));
  if (w_.cancelled) return;
  alignas(32) LaneWords alives;
  setWords(alives, bitCast<U32x8>(alive));
  keepOutputs();
  for (uint32_t groups = someBytes(left_.any()); groups; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    if (grid_.warpOf[group] != warp) continue;
    const I32x8 offset = ints(grid_.byteOf[group]);
    takeOutputs(offset);
    writeGroup(group, laneMask(gatherWords(&alives, offset)));
  }
}

inline void CoarseBlock::shade(BlockCoverage& block, bool tested) {
  left_.count = draw_.samples;
  block.masks(left_.count, left_.of);
  seen_ = left_;
  if (!tested) {
    const bool tests = draw_.tests && !p_.tested;
    if (tests && (draw_.earlyTests || draw_.cullBeforeShading)) test(draw_.earlyTests);
    for (uint32_t s = 0; draw_.earlyTests && s < left_.count; ++s) {
      if (!(draw_.lateSampleMask >> s & 1)) left_.of[s] = 0;
      if (draw_.countSamples) w_.samplesPassed += static_cast<uint32_t>(__builtin_popcountll(left_.of[s]));
    }
    if (draw_.earlyTests && draw_.kernel->info.postDepthCoverage) seen_ = left_;
  }
  // In order of their first pixels, as warps are.
  for (uint32_t warp = 0; warp < grid_.warps && !w_.cancelled; ++warp) run(warp);
  if (draw_.countsTraffic) {
    block.split(left_.of, left_.count);
    __builtin_memcpy(w_.written, left_.of, left_.count * sizeof *left_.of);
  }
}

/// The shortest way: pixels that are covered in all samples or in none and have passed all tests, a plain kernel, one
/// target of bytes that are stored at `texels`.
__attribute__((noinline)) inline void storeCoarse(WorkerState& w, const TileDraw& d, int32_t x, int32_t y,
                                                  uint64_t alike, const CoarseGrid& grid, std::byte* texels) {
  const ColorTarget& t = d.color[0];
  const uint32_t rowPitch = t.surface.rowPitch;
  uint64_t lanes = grid.lanes, dead = 0;
  if (alike != ~uint64_t{0}) {
    lanes = 0;
    for (uint32_t i = 0; i < grid.warps * kWarpLanes; ++i) lanes |= uint64_t{(alike & grid.pixelsOf[i]) != 0} << i;
  }
  w.fragmentInvocations += static_cast<uint32_t>(__builtin_popcountll(lanes));
  alignas(32) LaneWords packed[CoarseGrid::kWarps];
  const F32x8 left = splat<F32x8>(static_cast<float>(x)) + wordsF(grid.place[0]);
  const F32x8 top = splat<F32x8>(static_cast<float>(y)) + wordsF(grid.place[1]);
  const bool ran = PlainKernel(w, d).shadeWarps(
      left, top, grid.offset,
      lanes, [&](uint32_t warp, LaneMask alive, const LaneWords* color) __attribute__((always_inline)) {
        setWords(packed[warp], lanesOf(packSource(t, color)));
        dead |= (lanes & uint64_t{255} << warp * 8) & ~(uint64_t{alive} << warp * 8);
      });
  if (!ran) return;
  for (; dead; dead &= dead - 1) alike &= ~grid.pixelsOf[__builtin_ctzll(dead)];
  for (uint32_t groups = someBytes(alike); groups; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    storeRows(texels + (group & 6) * rowPitch + (group & 1) * 16, rowPitch,
              static_cast<LaneMask>(alike >> group * 8 & 255),
              bitCast<RowTexels>(gatherWords(packed, ints(grid.rowByte[group]))));
  }
}

/// Shades what is left of a block.
template <bool single>
inline void shadeCoarse(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, BlockCoverage& block,
                        ShadingRate rate) {
  const TileDraw& d = *p.draw;
  if (d.alikeOnce) {
    if ((d.tests && !p.tested) || d.countSamples) testGroups<single>(w, p, x, y, block);
    if ((single || !block.mixed) && isPlainBlock(p, x, y) && d.color[0].bytes == ByteWrite::Store) {
      if (!block.alike) return;
      const TargetBlock at = replacedBlock<single>(d, d.color[0].surface, p.primitive->layer, x, y, block.alike);
      if (!((at.edges | at.expanded) & block.alike))
        return storeCoarse(w, d, x, y, block.alike, kCoarseGrids.of[rate], at.texels);
    }
  }
  CoarseBlock(w, p, x, y, rate).shade(block, d.alikeOnce);
}

}  // namespace etzel::raster::ETZEL_TARGET
