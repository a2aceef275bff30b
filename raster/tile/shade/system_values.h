// System values of the fragment kernel for one 4x2 group.
#pragma once

#include "raster/bin.h"
#include "raster/lanes.h"
#include "raster/tile/block/pixel_group.h"
#include "raster/tile/cover/inside.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/shade/primitive_context.h"
#include "raster/tile/shade/worker_state.h"
#include "raster/tile/test/primitive_tests.h"

namespace etzel::raster::ETZEL_TARGET {

/// 1 / clip w at positions (x, y) (abi::PrimitiveSetup).
ETZEL_INLINE F32x8 inverseWAt(const abi::PrimitiveSetup& s, F32x8 x, F32x8 y) {
  F32x8 dx = x - splat<F32x8>(s.x0), dy = y - splat<F32x8>(s.y0);
  F32x8 l1 = dx * splat<F32x8>(s.l1dx) + dy * splat<F32x8>(s.l1dy),
        l2 = dx * splat<F32x8>(s.l2dx) + dy * splat<F32x8>(s.l2dy);
  return splat<F32x8>(s.w[0]) + l1 * splat<F32x8>(s.w[1] - s.w[0]) + l2 * splat<F32x8>(s.w[2] - s.w[0]);
}

/// Pixel positions of eight lanes.
struct Place {
  F32x8 x, y;
};

/// Centroid of samples [first, end): `centre` where all of them are covered, else the first covered one. Helper lanes:
/// the centre.
ETZEL_INLINE Place centroidOf(const TileDraw& d, const PixelGroup& g, const LaneMask* coverage, uint32_t first,
                              uint32_t end, Place centre) {
  LaneMask all = kAllLanes, found = 0;
  for (uint32_t s = first; s < end; ++s) all &= coverage[s];
  found = all;
  for (uint32_t s = first; s < end && found != kAllLanes; ++s) {
    LaneMask fresh = coverage[s] & ~found;
    if (!fresh) continue;
    I32x8 m = fromLaneMask(fresh);
    centre.x = select(m, g.px + splat<F32x8>(sampleX(d, s)), centre.x);
    centre.y = select(m, g.py + splat<F32x8>(sampleY(d, s)), centre.y);
    found |= fresh;
  }
  return centre;
}

/// What abi::kPlaneSysValues follow from.
ETZEL_INLINE abi::FragmentPlanes fragmentPlanes(const BinnedPrimitive& b) {
  abi::FragmentPlanes planes;
  planes.z0 = b.z0, planes.dzdx = b.dzdx, planes.dzdy = b.dzdy;
  if (b.isPoint)
    planes.half = 0.5f, planes.pointX = b.pointX, planes.pointY = b.pointY, planes.pointInvSize = b.pointInvSize;
  return planes;
}

/// Those of abi::kPlaneSysValues that the kernel reads.
__attribute__((noinline)) inline void fillPlaneValues(WorkerState& w, const BinnedPrimitive& b, const Place& at) {
  using abi::SysValue;
  const uint64_t read = w.draw->kernel->info.sysValues;
  const auto set = [&](SysValue v, F32x8 value) {
    if (read & abi::sysBit(v)) setWords(sysOf(w, v), value);
  };
  set(SysValue::FragCoordZ, depthAt(b, at.x, at.y));
  set(SysValue::FragCoordW, inverseWAt(b.setup, at.x, at.y));
  const abi::FragmentPlanes planes = fragmentPlanes(b);
  const F32x8 half = splat<F32x8>(planes.half), scale = splat<F32x8>(planes.pointInvSize);
  set(SysValue::PointCoordX, half + (at.x - splat<F32x8>(planes.pointX)) * scale);
  set(SysValue::PointCoordY, half + (at.y - splat<F32x8>(planes.pointY)) * scale);
}

/// FullyCovered, given the lanes all of whose samples are covered, and those inside of the primitive
/// (runtime/abi/invocation_place.h).
ETZEL_INLINE void fillFullyCovered(WorkerState& w, LaneMask all, LaneMask inside) {
  setWords(sysOf(w, abi::SysValue::FullyCovered),
           (fromLaneMask<U32x8>(all) & splat<U32x8>(1)) | fromLaneMask<U32x8>(inside));
}

/// \param sample the first one of a per-sample invocation
ETZEL_INLINE void fillMasks(WorkerState& w, const PrimitiveContext& p, const PixelGroup& g, const LaneMask* maskIn,
                            uint32_t sample) {
  const TileDraw& d = *p.draw;
  using abi::SysValue;
  U32x8 mask = {};
  for (uint32_t i = d.perSample ? sample : 0; i < (d.perSample ? sample + d.samplesEach : d.samples); ++i)
    mask |= fromLaneMask<U32x8>(maskIn[i]) & (1u << i);
  setWords(sysOf(w, SysValue::SampleMaskIn), mask);
  LaneMask all = kAllLanes;
  for (uint32_t i = 0; i < d.samples; ++i) all &= maskIn[i];
  fillFullyCovered(w, all, d.pixels.conservative() ? lanesInside(*p.primitive, d.pixels, g.x, g.y) : 0);
}

/// What is the same for all pixels of an invocation at one sample.
inline void setSample(WorkerState& w, const TileDraw& d, uint32_t sample) {
  using abi::SysValue;
  setWords(sysOf(w, SysValue::SampleId), splat<U32x8>(sample));
  setWords(sysOf(w, SysValue::SamplePosX), splat<F32x8>(sampleX(d, sample)));
  setWords(sysOf(w, SysValue::SamplePosY), splat<F32x8>(sampleY(d, sample)));
}

/// System values of one group. `sample`: the sample that a per-sample invocation stands for, or the first of several.
template <Mode mode>
ETZEL_INLINE void fillGroup(WorkerState& w, const PrimitiveContext& p, const PixelGroup& g, const LaneMask* coverage,
                            const LaneMask* maskIn, uint32_t sample) {
  using abi::SysValue;
  const TileDraw& d = *p.draw;
  const F32x8 px = g.px, py = g.py;
  constexpr bool single = mode == Mode::Single, multi = mode == Mode::Multi;
  float offsetX = single ? sampleX(d, 0) : multi && d.perSample ? sampleX(d, sample) : 0.5f;
  float offsetY = single ? sampleY(d, 0) : multi && d.perSample ? sampleY(d, sample) : 0.5f;
  F32x8 x = px + splat<F32x8>(offsetX), y = py + splat<F32x8>(offsetY);
  setWords(sysOf(w, SysValue::PosX), x);
  setWords(sysOf(w, SysValue::PosY), y);
  Place centroid = {x, y};
  if (multi && !d.perSample) centroid = centroidOf(d, g, coverage, 0, d.samples, centroid);
  if (multi && d.samplesEach > 1) centroid = centroidOf(d, g, coverage, sample, sample + d.samplesEach, centroid);
  setWords(sysOf(w, SysValue::CentroidX), centroid.x);
  setWords(sysOf(w, SysValue::CentroidY), centroid.y);
  uint32_t s = multi && d.perSample ? sample : 0;
  setWords(sysOf(w, SysValue::SamplePixelX), single ? x : px + splat<F32x8>(sampleX(d, s)));
  setWords(sysOf(w, SysValue::SamplePixelY), single ? y : py + splat<F32x8>(sampleY(d, s)));
  if (!(p.sys & abi::kFragmentSysValues)) return;
  if (reads(p, SysValue::FragCoordX)) setWords(sysOf(w, SysValue::FragCoordX), x);
  if (reads(p, SysValue::FragCoordY)) setWords(sysOf(w, SysValue::FragCoordY), y);
  if (p.sys & abi::kPlaneSysValues) fillPlaneValues(w, *p.primitive, {x, y});
  if (p.sys & abi::kSampleSysValues) setSample(w, d, s);
  if (reads(p, SysValue::SampleMaskIn) || reads(p, SysValue::FullyCovered)) fillMasks(w, p, g, maskIn, sample);
}

}  // namespace etzel::raster::ETZEL_TARGET
