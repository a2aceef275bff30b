// Which way a sample of eight lanes goes: by code for registers of sixteen or of eight numbers where that knows the
// view and the sampler, else as squares, nearest texels, or any footprints. Compiled per target.
#pragma once

#include "runtime/tex/lanes/level_cubes.h"
#include "runtime/tex/lanes/volume.h"
#ifdef ETZEL_SIMD_V3
#include "runtime/tex/lanes/wide_volume.h"
#endif

namespace etzel::tex::ETZEL_TARGET {
namespace {

#ifdef ETZEL_SIMD_V3
static_assert(plainArray(abi::LodMode::Zero) == (1u << 7 | uint32_t(abi::LodMode::Zero) << 9 | plainSample(false, {})));

/// Where instructions of 2D images and arrays sample.
ETZEL_INLINE_LOOP PlaceOfLanes placeOf(const LanesCall& call, const abi::TexInst& inst, I32x8 level) {
  return {level, inst.arrayed ? layersOf(call, 2, false) : splat(0)};
}

/// A sample from one level or two, by lane. `upper`: the weight of the second.
template <bool srgb>
ETZEL_WIDE_BYTES __attribute__((noinline)) bool filterLevelsWide(const LanesCall& call, F32x8 u, F32x8 v, I32x8 level,
                                                                 F32x8 upper) {
  const abi::TexInst inst = plainInst(call, abi::TexDim::D2);
  const int32_t first = simd::firstOf(level, call.lanes);
  const bool two = laneMask(upper > splat(0.0f)) & call.lanes;
  const Target to{*call.view, call.result, call.lanes};
  if (!inst.arrayed && !(~laneMask(level == splat(first)) & call.lanes)) {
    const uint32_t number = predicted(static_cast<uint32_t>(first));
    if (two ? filterTwoWide<srgb>(to, *call.sampler, u, v, number, upper)
            : filterOneWide<srgb>(to, *call.sampler, u, v, number))
      return true;
  }
  return filterAnywhere<srgb>(to, *call.sampler, u, v, placeOf(call, inst, level), upper, two);
}

/// A sample with as many probes as some lane needs: others add some without weight, and no lane notices whom it is
/// filtered with.
template <bool srgb>
ETZEL_WIDE_BYTES __attribute__((noinline)) bool sampleProbesWide(const LanesCall& call, F32x8 u, F32x8 v) {
  const abi::TexInst inst = plainInst(call, abi::TexDim::D2);
  const ImageView& view = *call.view;
  const LaneMask lanes = call.lanes;
  const WideSides w = wideSides(view.direct.level[0], u, v);
  const Sides sides{{lowerHalf(w.dx), upperHalf(w.dx)}, {lowerHalf(w.dy), upperHalf(w.dy)}, w.xx, w.yy};
  const F32x8 major = maximum(w.yy, w.xx), r[2] = {u, v};
  Lods lods;
  selectLevels(call, inst, findProbes(*call.sampler, sides, major, lods), lods);
  const uint32_t probes = mostProbes(lods.probes, lanes);
  if (probes == 1) return filterLevelsWide<srgb>(call, u, v, lods.level, lods.weight);
  const int32_t first = simd::firstOf(lods.level, lanes);
  const bool two = laneMask(lods.weight > splat(0.0f)) & lanes;
  const bool same = !(~laneMask(lods.level == splat(first)) & lanes);
  const Target to{view, call.result, lanes};
  const ProbeLine line = probeLine(view, r, lods, lanes, probes, two);
  constexpr Q f = srgb ? Q::Rgba8Srgb : Q::Rgba8;
  const Sampler& s = *call.sampler;
  if (same) {
    const uint32_t level = predicted(static_cast<uint32_t>(first));
    if (!inst.arrayed && !isMirrored(s) && filterProbesWide<srgb>(to, s, level, line)) return true;
    lods.level = splat(static_cast<int32_t>(level));
  }
  return filterProbesAnywhere<f>(to, s, placeOf(call, inst, lods.level), line);
}

/// sampleSquares() of texels of four bytes, and all probes of anisotropic samplers.
template <bool srgb>
ETZEL_WIDE_BYTES bool sampleWide(const LanesCall& call) {
  const ImageView& view = *call.view;
  const Sampler& s = *call.sampler;
  F32x8 u = floats(call.args[0]), v = floats(call.args[1]);
  if (call.lanes != kAllLanes) u = ofRunningQuads(u, call.lanes), v = ofRunningQuads(v, call.lanes);
  const abi::TexInst inst = plainInst(call, abi::TexDim::D2);
  if (view.mipCount > 1 || s.anisotropic) {
    Lods lods;
    if (inst.lod != abi::LodMode::Implicit && inst.lod != abi::LodMode::Bias) {
      if (inst.lod == abi::LodMode::Grad && s.anisotropic && s.maxAnisotropy > 1) return false;
      const F32x8 r[2] = {u, v};
      lods.level = splat(0), lods.weight = splat(0.0f);
      findLods(call, inst, r, nullptr, 2, lods);
      return filterLevelsWide<srgb>(call, u, v, lods.level, lods.weight);
    }
    const WideSides sides = wideSides(view.direct.level[0], u, v);
    const F32x8 major = maximum(sides.yy, sides.xx);
    if (inst.lod == abi::LodMode::Bias || !isWithinTexel(s, major)) {
      if (s.anisotropic && s.maxAnisotropy > 1) return sampleProbesWide<srgb>(call, u, v);
      selectLevels(call, inst, log2Of(major, 0.5f), lods);
      return filterLevelsWide<srgb>(call, u, v, lods.level, lods.weight);
    }
  }
  const Target to{view, call.result, call.lanes};
  return (!inst.arrayed && filterOneWide<srgb>(to, s, u, v, 0)) ||
         filterAnywhere<srgb>(to, s, u, v, placeOf(call, inst, splat(0)), splat(0.0f), false);
}

/// probeLine() of lanes that may all have one probe.
ETZEL_WIDE_INLINE ProbeLine lineOf(const LanesCall& call, const F32x8 c[2], const Lods& lods) {
  const bool two = laneMask(lods.weight > splat(0.0f)) & call.lanes;
  if (const uint32_t most = mostProbes(lods.probes, call.lanes); most > 1)
    return probeLine(*call.view, c, lods, call.lanes, most, two);
  return {{c[0], c[1]}, {splat(0.0f), splat(0.0f)}, splat(1.0f), lods.weight, 1, two};
}

/// The same of other layouts that wide registers know, every lane with levels of its own.
ETZEL_WIDE_BYTES bool sampleApart(const LanesCall& call) {
  const ImageView& view = *call.view;
  const Sampler& s = *call.sampler;
  F32x8 r[2] = {floats(call.args[0]), floats(call.args[1])};
  if (call.lanes != kAllLanes)
    for (F32x8& c : r) c = ofRunningQuads(c, call.lanes);
  const abi::TexInst inst = plainInst(call, abi::TexDim::D2);
  Lods lods{};
  lods.probes = splat(1.0f);
  if (view.mipCount > 1 || s.anisotropic) findLods(call, inst, r, nullptr, 2, lods);
  const Target to{view, call.result, call.lanes};
  const PlaceOfLanes place = placeOf(call, inst, lods.level);
  const ProbeLine line = lineOf(call, r, lods);
  switch (view.lanes.layout) {
    case Q::R8: return filterProbesAnywhere<Q::R8>(to, s, place, line);
    // Of several probes, whether averages stay between texels depends on the lanes of the same level.
    case Q::R32: return line.most == 1 && filterProbesAnywhere<Q::R32>(to, s, place, line);
    case Q::Rgba16F: return filterProbesAnywhere<Q::Rgba16F>(to, s, place, line);
    default: return false;
  }
}

/// sidesOf() of a cube in directions `r`: both sides' numbers are computed at once, dx in lanes 0 to 7.
ETZEL_WIDE_INLINE Sides cubeSides(const ImageView& view, const F32x8 r[3], const Faces& faces) {
  const auto twice = [](F32x8 v) ETZEL_WIDE_BYTES { return joinWide(v, v); };
  const auto both = [](I32x8 v) ETZEL_WIDE_BYTES { return joinWide(v, v); };
  const auto flipped = [](F32x16 v, I32x16 bit) ETZEL_WIDE_BYTES { return (F32x16)((I32x16)v ^ bit); };
  F32x16 d[3];
  for (int c = 0; c < 3; ++c) {
    const F32x16 at = twice(r[c]);
    d[c] = halvesOf(simd::quadLaneWide<1>(at), simd::quadLaneWide<2>(at)) - simd::quadLaneWide<0>(at);
  }
  // toFaces()
  const I32x16 onZ = both(faces.onZ), onY = both(faces.onY), minus = splatWide(INT32_MIN);
  const I32x16 sign = both(faces.negative) & minus;
  const F32x16 dsc = onZ ? flipped(d[0], sign) : onY ? d[0] : flipped(d[2], sign ^ minus);
  const F32x16 dtc = (~onZ & onY) != splatWide(0) ? flipped(d[2], sign) : flipped(d[1], minus);
  const F32x16 dma = flipped(onZ ? d[2] : onY ? d[1] : d[0], sign);
  const F32x16 ma = twice(faces.ma), half = splatWide(0.5f), square = ma * ma;
  const abi::LevelPlace& base = view.direct.level[0];
  const F32x16 ds = half * (ma * dsc - twice(faces.sc) * dma) / square * splatWide(base.scale[0]);
  const F32x16 dt = half * (ma * dtc - twice(faces.tc) * dma) / square * splatWide(base.scale[1]);
  const F32x16 squares = ds * ds + dt * dt;
  Sides s;
  s.dx[0] = lowerHalf(ds), s.dx[1] = lowerHalf(dt), s.dy[0] = upperHalf(ds), s.dy[1] = upperHalf(dt);
  s.xx = maximum(lowerHalf(squares), splat(0.0f)), s.yy = maximum(upperHalf(squares), splat(0.0f));  // NaN coordinates
  return s;
}
/// findLods() of a cube.
ETZEL_WIDE_INLINE void findCubeLods(const LanesCall& call, const abi::TexInst& inst, const F32x8 r[3],
                                    const Faces& faces, Lods& lods) {
  const Sampler& s = *call.sampler;
  if (inst.lod != abi::LodMode::Implicit && inst.lod != abi::LodMode::Bias) {
    findLods(call, inst, r, &faces, 2, lods);
    return;
  }
  const Sides sides = cubeSides(*call.view, r, faces);
  const F32x8 major = maximum(sides.yy, sides.xx);
  if (inst.lod != abi::LodMode::Bias && isWithinTexel(s, major)) return;
  const bool anisotropic = s.anisotropic && s.maxAnisotropy > 1;
  selectLevels(call, inst, anisotropic ? findProbes(s, sides, major, lods) : log2Of(major, 0.5f), lods);
}

/// The same of a seamless cube.
ETZEL_WIDE_BYTES bool sampleCubeWide(const LanesCall& call) {
  const ImageView& view = *call.view;
  F32x8 r[3] = {floats(call.args[0]), floats(call.args[1]), floats(call.args[2])};
  if (call.lanes != kAllLanes)
    for (F32x8& c : r) c = ofRunningQuads(c, call.lanes);
  const Faces faces = facesOf(r);
  const F32x8 c[2] = {faces.s, faces.t};
  const abi::TexInst inst = plainInst(call, abi::TexDim::Cube);
  Lods lods{};
  lods.probes = splat(1.0f);
  if (view.mipCount > 1 || call.sampler->anisotropic) findCubeLods(call, inst, r, faces, lods);
  const Target to{view, call.result, call.lanes};
  const CubePlaces place{faces.face, inst.arrayed ? layersOf(call, 3, true) * splat(6) : splat(0), lods.level};
  const ProbeLine line = lineOf(call, c, lods);
  switch (wideLayout(view.lanes.layout)) {
    case Q::Rgba8: return filterCubeWide<Q::Rgba8>(to, place, line);
    case Q::Rgba8Srgb: return filterCubeWide<Q::Rgba8Srgb>(to, place, line);
    case Q::Rgba16F: return filterCubeWide<Q::Rgba16F>(to, place, line);
    // As of images.
    case Q::R32: return line.most == 1 && filterCubeWide<Q::R32>(to, place, line);
    case Q::Rgba32: return line.most == 1 && filterCubeWide<Q::Rgba32>(to, place, line);
    default: return false;
  }
}

/// The same of a 3D image.
ETZEL_INLINE_LOOP bool sampleVolume(const LanesCall& call) {
  const ImageView& view = *call.view;
  const bool bilinear = call.sampler->direct.filter == abi::DirectSampler::Filter::Bilinear;
  if (!hasLevels(view)) return sampleVolumeEight(call);
  SharedLevels levels;
  if (!bilinear || !findVolumeLevels(call, levels)) return false;
  switch (wideLayout(view.lanes.layout)) {
    case Q::Rgba8: return filterVolumeWide<Q::Rgba8>(call, levels);
    case Q::Rgba8Srgb: return filterVolumeWide<Q::Rgba8Srgb>(call, levels);
    case Q::R8: return filterVolumeWide<Q::R8>(call, levels);
    case Q::Rgba16F: return filterVolumeWide<Q::Rgba16F>(call, levels);
    default: return sampleVolumeEight(call);
  }
}

/// Of plainSample() and plainCube(). \returns false: the host, the view or the sampler has no such way, or some texels
/// are no neighbours; nothing happened
ETZEL_INLINE_LOOP bool sampleWidely(const LanesCall& call, bool cube) {
  const Sampler& s = *call.sampler;
  if (!hasLevels(*call.view)) return cube ? sampleCubeEight(call) : sampleEight(call);
  if (s.unnormalized) return false;
  const bool bilinear = s.direct.filter == abi::DirectSampler::Filter::Bilinear;
  if (!bilinear && !isPlainAnisotropic(s)) return false;
  if (cube) return s.seamlessCube && sampleCubeWide(call);
  if (!isWideView(*call.view)) return sampleApart(call);
  return (isSrgb(call.view->lanes.layout) ? sampleWide<true> : sampleWide<false>)(call);
}
#else
ETZEL_INLINE_LOOP bool sampleWidely(const LanesCall& call, bool cube) {
  return cube ? sampleCubeEight(call) : sampleEight(call);
}
ETZEL_INLINE_LOOP bool sampleVolume(const LanesCall& call) { return sampleVolumeEight(call); }
#endif

bool sampleAny(const LanesCall& call) { return sampleAs(call, abi::TexInst::unpack(call.inst)); }
/// An instruction that is known here costs less than one that is taken apart for every call.
template <uint32_t inst>
__attribute__((noinline)) bool sampleKnown(const LanesCall& call) {
  return sampleAs(call, abi::TexInst::unpack(inst));
}
template <bool dref, abi::LodMode lod>
__attribute__((noinline)) bool samplePlain(const LanesCall& call) {
  if (sampleSquares<dref, lod>(call)) return true;
  if constexpr (!dref)
    if (sampleNearest<lod>(call)) return true;
  // Quads on different levels, and edges that have a border, are common in scenes.
  if constexpr (!dref && lod == abi::LodMode::Implicit) return sampleKnown<plainSample(dref, lod)>(call);
  return sampleAny(call);
}

ETZEL_INLINE_LOOP bool sample(const LanesCall& call) {
  using abi::LodMode;
  switch (call.inst) {
    case plainSample(false, LodMode::Implicit):
      return sampleWidely(call, false) || samplePlain<false, LodMode::Implicit>(call);
    case plainSample(false, LodMode::Explicit):
      return sampleWidely(call, false) || samplePlain<false, LodMode::Explicit>(call);
    case plainSample(true, LodMode::Implicit): return samplePlain<true, LodMode::Implicit>(call);
    case plainSample(true, LodMode::Explicit): return samplePlain<true, LodMode::Explicit>(call);
    case plainArray(LodMode::Implicit):
    case plainArray(LodMode::Bias):
    case plainArray(LodMode::Explicit):
    case plainArray(LodMode::Grad):
    case plainArray(LodMode::Zero):
    case plainSample(false, LodMode::Zero):
    case plainSample(false, LodMode::Grad):
    case plainSample(false, LodMode::Bias): return sampleWidely(call, false) || sampleAny(call);
    case plainVolume(LodMode::Implicit):
    case plainVolume(LodMode::Bias):
    case plainVolume(LodMode::Explicit):
    case plainVolume(LodMode::Grad):
    case plainVolume(LodMode::Zero): return sampleVolume(call) || sampleAny(call);
    case plainCube(LodMode::Implicit):
      return sampleWidely(call, true) || sampleKnown<plainCube(LodMode::Implicit)>(call);
    case plainCube(LodMode::Bias):
    case plainCube(LodMode::Explicit):
    case plainCube(LodMode::Grad):
    case plainCube(LodMode::Zero):
    case plainCube(LodMode::Implicit, true):
    case plainCube(LodMode::Bias, true):
    case plainCube(LodMode::Explicit, true):
    case plainCube(LodMode::Grad, true):
    case plainCube(LodMode::Zero, true): return sampleWidely(call, true) || sampleAny(call);
    default: return sampleAny(call);
  }
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
