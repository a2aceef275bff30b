// Plain 2D images of four bytes a texel on hosts whose registers hold eight numbers, as wide.h has them where they hold
// sixteen: samples of nearest texels, bilinear, trilinear and anisotropic ones, whose lanes share their levels. Where
// levels lie is known (LanesView::level), the derivatives of a quad are computed side by side, and texels are found,
// filtered and written by one function, so that little but offsets goes through memory. The operations on each number
// are those of square.h in the same order, so either way gives the same bytes. Compiled per target.
#pragma once

#include "runtime/tex/lanes/sample.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// Whether this file knows the view.
ETZEL_INLINE_LOOP bool hasEightLevels(const ImageView& view) { return view.lanes.levels == LevelUse::Eight; }

/// Which level of detail an instruction asks for, without taking all of it apart.
ETZEL_INLINE_LOOP abi::LodMode lodModeOf(const LanesCall& call) {
  return static_cast<abi::LodMode>(call.inst >> 9 & 7);
}

/// A plainSample(), plainArray() or plainCube(), taken apart: nothing else differs between those.
ETZEL_INLINE_LOOP abi::TexInst plainInst(const LanesCall& call, abi::TexDim dim) {
  abi::TexInst inst;
  inst.dim = dim, inst.arrayed = call.inst >> 7 & 1, inst.lod = lodModeOf(call);
  return inst;
}

/// squareRule() of a level.
ETZEL_INLINE_LOOP SquareRule levelRule(const ImageView& view, const Sampler& s, uint32_t number) {
  const abi::LevelPlace& l = view.direct.level[number];
  const auto axis = [&](int d) __attribute__((always_inline)) {
    return AxisRule{l.scale[d], l.keep[d] | static_cast<int32_t>(~s.direct.repeats[d]), l.size[d] - 2};
  };
  return {view.lanes.base + l.start, l.pitch, axis(0), axis(1)};
}

/// sidesOf(): in each quad lanes 0 and 2 have what is along x, lanes 1 and 3 what is along y.
struct QuadSides {
  F32x8 d[2];  ///< in texels
  F32x8 squares;
};
ETZEL_INLINE_LOOP QuadSides quadSides(const abi::LevelPlace& base, F32x8 u, F32x8 v) {
  const auto along = [](F32x8 at) __attribute__((always_inline)) {
    return shuffleHalves<1, 2, 1, 2>(at) - shuffleHalves<0, 0, 0, 0>(at);
  };
  QuadSides q;
  q.d[0] = along(u) * splat(base.scale[0]), q.d[1] = along(v) * splat(base.scale[1]);
  const F32x8 uu = q.d[0] * q.d[0], vv = q.d[1] * q.d[1];
  q.squares = maximum(uu + vv, splat(0.0f));  // NaN coordinates
  return q;
}
/// Of two sides the longer one, squared.
ETZEL_INLINE_LOOP F32x8 majorOf(const QuadSides& q) { return maximum(q.squares, shuffleHalves<1, 0, 3, 2>(q.squares)); }
ETZEL_INLINE_LOOP Sides sidesOf(const QuadSides& q) {
  const auto alongX = [](F32x8 side) __attribute__((always_inline)) { return shuffleHalves<0, 0, 0, 0>(side); };
  const auto alongY = [](F32x8 side) __attribute__((always_inline)) { return shuffleHalves<1, 1, 1, 1>(side); };
  return {{alongX(q.d[0]), alongX(q.d[1])}, {alongY(q.d[0]), alongY(q.d[1])}, alongX(q.squares), alongY(q.squares)};
}

/// filterSquare() on one level, or with `two` on that and the next one, which has the weights `upper`. \returns false:
/// some texels are of the border, nothing happened
template <Q f, bool two>
ETZEL_INLINE_LOOP bool filterLevels(const Target& to, const Sampler& s, F32x8 u, F32x8 v, uint32_t level, F32x8 upper) {
  Square q[2];
  CopiedSquares copied[2];
  for (uint32_t n = 0; n < (two ? 2 : 1); ++n)
    if (!squareOf(levelRule(to.view, s, level + n), texelBytes(f), u, v, q[n]) &&
        !copiedPlainSquareOf(s, u, v, planeOf(to.view, level + n), copied[n], q[n]))
      return false;
  if (two) {
    const F32x8 lower = splat(1.0f) - upper;
    for (int x = 0; x < 2; ++x) q[0].wx[x] *= lower, q[1].wx[x] *= upper;
  }
  filterSquareByEight<f>(to, q[0], two ? &q[1] : nullptr);
  return true;
}
template <Q f>
__attribute__((noinline)) bool filterOneLevel(const LanesCall& call, F32x8 u, F32x8 v, uint32_t level) {
  return filterLevels<f, false>({*call.view, call.result, call.lanes}, *call.sampler, u, v, level, splat(0.0f));
}
template <Q f>
__attribute__((noinline)) bool filterTwoLevels(const LanesCall& call, F32x8 u, F32x8 v, uint32_t level, F32x8 upper) {
  return filterLevels<f, true>({*call.view, call.result, call.lanes}, *call.sampler, u, v, level, upper);
}

/// The nearest texels of a level. \returns false: some are not inside of the image, nothing happened
template <Q f>
ETZEL_INLINE_LOOP bool readLevel(const LanesCall& call, F32x8 u, F32x8 v, uint32_t level) {
  const SquareRule rule = levelRule(*call.view, *call.sampler, level);
  I32x8 offset;
  if (!nearestOf(rule, texelBytes(f), u, v, offset)) return false;
  prefetchRight(rule.base, offset);
  Texels t;
  fetch<f>(*call.view, rule.base, offset, t);
  finish<f>(t);
  put({*call.view, call.result, call.lanes}, t);
  return true;
}

/// A sample whose levels are known. \returns false: lanes differ in theirs, or some texels are no neighbours inside of
/// the image, nothing happened
template <Q f>
ETZEL_INLINE_LOOP bool sampleLevels(const LanesCall& call, F32x8 u, F32x8 v, const Lods& lods) {
  const int32_t first = lods.level[std::countr_zero(call.lanes)];
  if (~laneMask(lods.level == splat(first)) & call.lanes) return false;
  const uint32_t level = predicted(static_cast<uint32_t>(first));
  const bool two = laneMask(lods.weight > splat(0.0f)) & call.lanes;
  if (call.sampler->magFilter == VK_FILTER_NEAREST) return !two && readLevel<f>(call, u, v, level);
  return two ? filterTwoLevels<f>(call, u, v, level, lods.weight) : filterOneLevel<f>(call, u, v, level);
}

/// "Texel Anisotropic Filtering" of lanes that share their levels. \returns false: they don't, or some texels are no
/// neighbours inside of the image, nothing happened
template <Q f>
__attribute__((noinline)) bool sampleProbesOfLevels(const LanesCall& call, F32x8 u, F32x8 v, const QuadSides& quads) {
  const ImageView& view = *call.view;
  const Sampler& s = *call.sampler;
  Lods lods;
  abi::TexInst inst;
  inst.lod = lodModeOf(call);
  selectLevels(call, inst, findProbes(s, sidesOf(quads), majorOf(quads), lods), lods);
  const uint32_t most = mostProbes(lods.probes, call.lanes);
  if (most == 1) return sampleLevels<f>(call, u, v, lods);
  const int32_t first = lods.level[std::countr_zero(call.lanes)];
  if (~laneMask(lods.level == splat(first)) & call.lanes) return false;
  const uint32_t level = predicted(static_cast<uint32_t>(first));
  const bool two = laneMask(lods.weight > splat(0.0f)) & call.lanes;
  const F32x8 c[2] = {u, v};
  const ProbeLine line = probeLine(view, c, lods, call.lanes, most, two);
  const ProbeLevels levels{{levelRule(view, s, level), levelRule(view, s, level + (two ? 1 : 0))}, {}, nullptr};
  const Target to{view, call.result, call.lanes};
  F32x8 sum[4] = {splat(0.0f), splat(0.0f), splat(0.0f), splat(0.0f)};
  if (addProbesByEight<f>(to, levels, line, 1, sum) <= most) return false;
  Texels t;
  for (int k = 0; k < 4; ++k) t.c[k] = sum[k] / lods.probes;
  finishFiltered<f>(to, t);
  return true;
}

/// Of plainSample(false, …). \returns false: the sampler is another one, lanes differ in their levels, or some texels
/// are no neighbours inside of the image; nothing happened
template <Q f>
bool sampleOfLevels(const LanesCall& call) {
  const ImageView& view = *call.view;
  const Sampler& s = *call.sampler;
  const bool plain = s.direct.filter != abi::DirectSampler::Filter::Other;
  if (s.unnormalized || (!plain && !isPlainAnisotropic(s))) return false;
  F32x8 u = floats(call.args[0]), v = floats(call.args[1]);
  if (call.lanes != kAllLanes) u = ofRunningQuads(u, call.lanes), v = ofRunningQuads(v, call.lanes);
  abi::TexInst inst;
  inst.lod = lodModeOf(call);
  if (view.mipCount > 1 || !plain) {
    Lods lods;
    if (inst.lod != abi::LodMode::Implicit && inst.lod != abi::LodMode::Bias) {
      if (inst.lod == abi::LodMode::Grad && !plain && s.maxAnisotropy > 1) return false;
      const F32x8 r[2] = {u, v};
      lods.level = splat(0), lods.weight = splat(0.0f);
      findLods(call, inst, r, nullptr, 2, lods);
      return sampleLevels<f>(call, u, v, lods);
    }
    const QuadSides quads = quadSides(view.direct.level[0], u, v);
    const F32x8 major = majorOf(quads);
    if (inst.lod == abi::LodMode::Bias || !isWithinTexel(s, major)) {
      if (!plain && s.maxAnisotropy > 1) return sampleProbesOfLevels<f>(call, u, v, quads);
      selectLevels(call, inst, log2Of(major, 0.5f), lods);
      return sampleLevels<f>(call, u, v, lods);
    }
  }
  if (s.magFilter == VK_FILTER_NEAREST) return readLevel<f>(call, u, v, 0);
  return filterOneLevel<f>(call, u, v, 0);
}

/// The same, of whatever view. \returns false also where the view has no such way
ETZEL_INLINE_LOOP bool sampleEight(const LanesCall& call) {
  constexpr uint32_t kArrayed = plainArray(abi::LodMode::Implicit) ^ plainSample(false, abi::LodMode::Implicit);
  if (!hasEightLevels(*call.view) || call.inst & kArrayed) return false;
  switch (call.view->lanes.layout) {
    case Q::Rgba8: return sampleOfLevels<Q::Rgba8>(call);
    case Q::Bgra8: return sampleOfLevels<Q::Bgra8>(call);
    case Q::Rgba8Srgb: return sampleOfLevels<Q::Rgba8Srgb>(call);
    case Q::Bgra8Srgb: return sampleOfLevels<Q::Bgra8Srgb>(call);
    default: return false;
  }
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
