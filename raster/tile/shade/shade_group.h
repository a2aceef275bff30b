// From covered groups to attachments: early tests, the fragment kernel, late tests, colour output ("Fragment
// Operations" and "Fragment Shading" decide the order).
#pragma once

#include "raster/lanes.h"
#include "raster/tile/block/pixel_group.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/shade/group_output.h"
#include "raster/tile/shade/primitive_context.h"
#include "raster/tile/shade/run_kernel.h"
#include "raster/tile/shade/shade_shared.h"
#include "raster/tile/shade/system_values.h"
#include "raster/tile/shade/worker_state.h"
#include "raster/tile/test/primitive_tests.h"

namespace etzel::raster::ETZEL_TARGET {

/// Shades samples [first, end) of a group with one invocation per pixel: all samples, or TileDraw::samplesEach of them.
template <Mode mode>
ETZEL_INLINE void shadeSamples(WorkerState& w, PrimitiveContext& p, const PixelGroup& g, LaneMask* coverage,
                               const LaneMask* maskIn, uint32_t first, uint32_t end) {
  const TileDraw& d = *p.draw;
  bool tests = d.tests && !p.tested;
  LaneMask covered = anyOf(coverage, first, end);
  if (!covered) return;
  if (d.cullBeforeShading && tests) {
    testGroup(p, g, coverage, first, end, nullptr, false);
    covered = anyOf(coverage, first, end);
    if (!covered) return;
  }
  w.fragmentInvocations += static_cast<uint32_t>(__builtin_popcount(covered));
  if (d.skipShading) return;
  fillGroup<mode>(w, p, g, coverage, maskIn, first);
  LaneMask alive = runKernel(w, d, covered);
  if (w.cancelled) return;
  for (uint32_t s = first; s < end; ++s) coverage[s] &= alive;
  if (d.writesSampleMask) {
    U32x8 mask = load<U32x8>(&w.out[abi::kFragOutSampleMask]);
    for (uint32_t s = first; s < end; ++s) coverage[s] &= laneMask(mask << (31 - s));
  }
  if (d.smoothLines) smoothAlpha(w, *p.primitive, g, alive);
  if (d.alphaToCoverage) alphaToCoverage(w, d, coverage, first, end);
  if (!d.earlyTests) {
    p.tests.stencilRef = d.writesStencilRef ? &w.out[abi::kFragOutStencilRef] : nullptr;
    if (tests) testGroup(p, g, coverage, first, end, shaderDepth(w, d), true);
    count(w, coverage, first, end);
  }
  if (anyOf(coverage, first, end)) writeColors<mode>(w, d, g, coverage, first, end);
}

/// Everything for one 4x2 group; `coverage` has one entry per sample and is used up.
template <Mode mode>
ETZEL_INLINE void shadeGroup(WorkerState& w, PrimitiveContext& p, const PixelGroup& g, LaneMask* coverage) {
  const TileDraw& d = *p.draw;
  const uint32_t samples = samplesOf<mode>(d);
  LaneMask before[kMaxSamples];
  const LaneMask* maskIn = before;
  if (p.sys & (abi::sysBit(abi::SysValue::SampleMaskIn) | abi::sysBit(abi::SysValue::FullyCovered)))
    for (uint32_t s = 0; s < samples; ++s) before[s] = coverage[s];
  if (d.earlyTests) {
    if (d.tests && !p.tested) testGroup(p, g, coverage, 0, samples, nullptr, true);
    if (d.lateSampleMask != ~0u)
      for (uint32_t s = 0; s < samples; ++s) coverage[s] = d.lateSampleMask >> s & 1 ? coverage[s] : 0;
    count(w, coverage, 0, samples);
    if (!d.kernel) return;
    if (d.kernel->info.postDepthCoverage) maskIn = coverage;
  }
  if (mode == Mode::Multi && d.sharesSamples) return shadeShared(w, p, g, coverage);
  if (mode != Mode::Multi || !d.perSample) return shadeSamples<mode>(w, p, g, coverage, maskIn, 0, samples);
  for (uint32_t s = 0; s < samples && !w.cancelled; s += d.samplesEach)
    shadeSamples<Mode::Multi>(w, p, g, coverage, maskIn, s, s + d.samplesEach);
}

}  // namespace etzel::raster::ETZEL_TARGET
