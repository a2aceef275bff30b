// Sample shading by programs that let one invocation stand for several samples (abi::ProgramInfo::sharesSamples): those
// of a pixel whose fetches find the same texels, which is to say one invocation per distinct colour of the pictures
// that it reads. Each invocation finds its inputs at the pixel's centre, and so gives what those for the other samples
// would have given.
#pragma once

#include "raster/lanes.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/block/pixel_group.h"
#include "raster/tile/block/sample_set.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/shade/group_output.h"
#include "raster/tile/shade/primitive_context.h"
#include "raster/tile/shade/run_kernel.h"
#include "raster/tile/shade/worker_state.h"
#include "raster/tile/test/primitive_tests.h"
#include "raster/tile/write/color_write.h"
#include "raster/tile/write/tile_fragments.h"

namespace etzel::raster::ETZEL_TARGET {

/// Shades the covered samples of one pixel group, a first sample of each lane and those that it stands for at a time.
class SharedGroup {
 public:
  SharedGroup(WorkerState& w, const TileDraw& d, F32x8 px, F32x8 py) : w_(w), draw_(d) {
    setPlace(w, px + splat<F32x8>(0.5f), py + splat<F32x8>(0.5f));
  }
  /// Lanes some of whose samples, in `left`, have no colour yet.
  ETZEL_INLINE static LaneMask lanesOf(U32x8 left) { return laneMask(left != 0); }
  /// Runs the kernel for `lanes`, lanesOf(left). \returns the samples of `left` that it stood for; `alive`: the lanes
  /// that were not discarded
  ETZEL_INLINE U32x8 run(U32x8 left, LaneMask lanes, LaneMask& alive) {
    const U32x8 first = left & (0u - left);
    // The number of a sample's bit: the exponent of a power of two.
    const U32x8 id = (bitCast<U32x8>(convert<F32x8>(bitCast<I32x8>(first))) >> 23) - 127u;
    setWords(sysOf(w_, abi::SysValue::SampleId), id & fromLaneMask<U32x8>(lanes));
    setWords(w_.share, splat<U32x8>(~0u));
    alive = runKernel(w_, draw_, lanes);
    return w_.warp.sampleShare ? left & (first | load<U32x8>(&w_.share)) : first;
  }

 private:
  WorkerState& w_;
  const TileDraw& draw_;
};

/// One lane mask per sample from the samples of each lane.
ETZEL_INLINE void lanesOfSamples(U32x8 samplesOfLanes, LaneMask* lanes, uint32_t samples) {
  for (uint32_t s = 0; s < samples; ++s) lanes[s] = laneMask(samplesOfLanes << (31 - s));
}

/// shadeGroup() after the early tests. `coverage` becomes what was written.
inline void shadeShared(WorkerState& w, PrimitiveContext& p, const PixelGroup& g, LaneMask* coverage) {
  const TileDraw& d = *p.draw;
  const uint32_t samples = d.samples;
  const bool tests = d.tests && !p.tested;
  if (d.cullBeforeShading && tests) testGroup(p, g, coverage, 0, samples, nullptr, false);
  U32x8 left = {};
  for (uint32_t s = 0; s < samples; ++s) {
    left |= fromLaneMask<U32x8>(coverage[s]) & (1u << s);
    w.fragmentInvocations += static_cast<uint32_t>(__builtin_popcount(coverage[s]));
    coverage[s] = d.skipShading ? coverage[s] : 0;
  }
  if (d.skipShading) return;
  SharedGroup group(w, d, g.px, g.py);
  while (const LaneMask lanes = SharedGroup::lanesOf(left)) {
    LaneMask alive, written[kMaxSamples];
    U32x8 done = group.run(left, lanes, alive);
    if (w.cancelled) return;
    left &= ~done;
    done &= fromLaneMask<U32x8>(alive);
    if (d.writesSampleMask) done &= load<U32x8>(&w.out[abi::kFragOutSampleMask]);
    lanesOfSamples(done, written, samples);
    if (d.smoothLines) smoothAlpha(w, *p.primitive, g, alive);
    if (d.alphaToCoverage) alphaToCoverage(w, d, written, 0, samples);
    if (!d.earlyTests) {
      p.tests.stencilRef = d.writesStencilRef ? &w.out[abi::kFragOutStencilRef] : nullptr;
      if (tests) testGroup(p, g, written, 0, samples, shaderDepth(w, d), true);
      count(w, written, 0, samples);
    }
    if (anyOf(written, 0, samples)) writeColors<Mode::Multi>(w, d, g, written, 0, samples);
    for (uint32_t s = 0; s < samples; ++s) coverage[s] |= written[s];
  }
}

/// Shades a block of which all samples are covered and get a colour (TileDraw::replacesShared): the nth invocation of
/// a pixel makes its nth fragment, and nothing that the tiles held is read.
template <uint32_t samples>
inline void replaceShared(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y) {
  const TileDraw& d = *p.draw;
  const uint32_t layer = p.primitive->layer;
  FragmentIndices<samples> shown{};
  uint32_t last = 0;
  alignas(32) LaneWords colors[samples][kMaxBlockTargets][4];
  LaneMask planes[samples];
  for (LaneMask& lanes : planes) lanes = kAllLanes;  // lanes without a fragment may get anything in its plane
  for (uint32_t index = 0; index < 8; ++index) {
    const PixelGroup g = groupOf(p, x, y, index);
    SharedGroup group(w, d, g.px, g.py);
    U32x8 left = splat<U32x8>(msaa::allSamples(samples));
    uint32_t count = 0;
    while (const LaneMask lanes = SharedGroup::lanesOf(left)) {
      LaneMask alive;
      const U32x8 done = group.run(left, lanes, alive);
      if (w.cancelled) return;
      left &= ~done;
      if (count) {
        LaneMask samplesDone[samples];
        lanesOfSamples(done, samplesDone, samples);
        const SampleSet<samples> set = SampleSet<samples>::ofGroup(samplesDone, index);
        for (uint32_t i = 0; i < FragmentIndices<samples>::kBits; ++i)
          if (count >> i & 1) shown.bit[i] = shown.bit[i] | set;
        last = count > last ? count : last;
      }
      // Written when all is read: the target may be among the pictures.
      for (uint32_t i = 0; i < d.colorCount; ++i)
        __builtin_memcpy(colors[count][i], &w.out[abi::kFragOutColor + 4 * d.color[i].location], sizeof colors[0][0]);
      ++count;
    }
    for (uint32_t i = 0; i < d.colorCount; ++i)
      for (uint32_t k = 0; k < count; ++k) writeTarget(d.color[i], g, planes, k, k + 1, colors[k][i], nullptr);
  }
  for (uint32_t i = 0; i < d.colorCount; ++i) {
    const Surface& s = d.color[i].surface;
    const msaa::FragmentSurface fragments = s.fragments(layer);
    const uint32_t tile = tileAt(fragments, x, y);
    TileFragments f = tileFragments(fragments, tile);
    shown.store(f, last);
    if (f.store()) s.fragments(layer).expand(tile);
  }
}

/// Shades a whole block if it can be done in one go.
inline bool shadeSharedBlock(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y,
                             const BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  if (!isWholeBlock(d, x, y) || block.alike != ~uint64_t{0} || (d.tests && !p.tested)) return false;
  const uint32_t covered = 64 * d.samples;
  w.fragmentInvocations += covered;
  if (d.countSamples) w.samplesPassed += covered;
  switch (d.samples) {
    case 2: replaceShared<2>(w, p, x, y); break;
    case 4: replaceShared<4>(w, p, x, y); break;
    case 8: replaceShared<8>(w, p, x, y); break;
    default: replaceShared<16>(w, p, x, y); break;
  }
  return true;
}

}  // namespace etzel::raster::ETZEL_TARGET
