// Trilinear footprints of 3D images: two squares, one behind the other. The operations on each number are those of the
// taps of address.h and kernels.h in the same order, so either way gives the same bytes. Compiled per target.
#pragma once

#include "runtime/tex/lanes/level_squares.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// The middle of the last texel, where tables end: it is the second one of two then, the first one has no weight.
ETZEL_INLINE_LOOP void endAxis(SquareAxis& a, const AxisRule& rule) {
  const I32x8 end = equal(a.at, splat(rule.last + 1)) & ~unequal(a.w[1], splat(0.0f));
  a.at = wrappingAdd(a.at, end);
  a.bad = select(end, a.at, a.bad);
  a.w[1] = select(end, a.w[0], a.w[1]), a.w[0] = select(end, splat(0.0f), a.w[0]);
}

/// Adds the weighted texels of a level. \returns false: some texels are no neighbours inside of the image
/// \param share  what the level weighs; null: all
template <Q f>
ETZEL_INLINE_LOOP bool addVolume(const LanesCall& call, uint32_t level, const F32x8* share, SumOfEight<f>& sum) {
  const Sampler& s = *call.sampler;
  const Plane p = planeOf(*call.view, level);
  const int32_t size[3] = {p.width, p.height, p.depth};
  SquareAxis axis[3];
  I32x8 bad = splat(0);
  for (int d = 0; d < 3; ++d) {
    const AxisRule rule = axisRule(s, s.address[d], size[d]);
    axis[d] = squareAxis(rule, floats(call.args[d]));
    if (s.address[d] != VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER) endAxis(axis[d], rule);
    bad |= axis[d].bad;
  }
  if (laneMask(bad) & call.lanes) return false;
  const I32x8 inside = atLeast(bad, splat(0));  // lanes that do not run may be anywhere
  const auto& [x, y, z] = axis;
  F32x8 wx[2] = {x.w[0], x.w[1]};
  if (share)
    for (F32x8& w : wx) w *= *share;
  const I32x8 offset =
      wrappingAdd(wrappingAdd(wrappingMul(z.at, p.slice), wrappingMul(y.at, p.row)), wrappingMul(x.at, p.texel));
  WeighedSquare q;
  q.offset = offset & inside;
  for (int k = 0; k < 2; ++k) {
    q.row[0] = p.base + k * int64_t{p.slice}, q.row[1] = q.row[0] + p.row;
    for (int i = 0; i < 4; ++i) q.weight[i] = wx[i & 1] * y.w[i >> 1] * z.w[k];
    addSquare<f>({*call.view, call.result, call.lanes}, q, sum);
  }
  return true;
}

/// \returns false: some texels are no neighbours inside of the image, nothing happened
template <Q f>
__attribute__((noinline)) bool filterVolume(const LanesCall& call, const SharedLevels& levels) {
  SumOfEight<f> sum(nullptr);
  const F32x8 lower = splat(1.0f) - levels.upper;
  if (!addVolume<f>(call, levels.low, levels.two ? &lower : nullptr, sum)) return false;
  if (levels.two && !addVolume<f>(call, levels.low + 1, &levels.upper, sum)) return false;
  putAverage<f>({*call.view, call.result, call.lanes}, sum);
  return true;
}

using FilterVolume = bool (*)(const LanesCall&, const SharedLevels&);
template <Q f>
constexpr FilterVolume filterVolumeOf() {
  if constexpr (texelBytes(f) >= 1)
    return filterVolume<f>;
  else
    return nullptr;
}
template <size_t... i>
constexpr std::array<FilterVolume, sizeof...(i)> makeFilterVolumes(std::index_sequence<i...>) {
  return {filterVolumeOf<static_cast<Q>(i + 1)>()...};
}
/// By layout, without None. Null for formats whose texels are decoded.
constexpr auto kFilterVolumes = makeFilterVolumes(std::make_index_sequence<static_cast<size_t>(Q::kCount) - 1>());

ETZEL_INLINE_LOOP bool findVolumeLevels(const LanesCall& call, SharedLevels& levels) {
  const F32x8 r[3] = {floats(call.args[0]), floats(call.args[1]), floats(call.args[2])};
  return findSharedLevels(call, plainInst(call, abi::TexDim::D3), r, 3, levels);
}

/// A sample of a 3D image. \returns false: lanes do not share their levels, the view or the sampler has no such way, or
/// some texels are no neighbours inside of the image; nothing happened
ETZEL_INLINE_LOOP bool sampleVolumeEight(const LanesCall& call) {
  const Sampler& s = *call.sampler;
  if (s.magFilter != VK_FILTER_LINEAR || s.minFilter != VK_FILTER_LINEAR || s.anisotropic || s.unnormalized)
    return false;
  const FilterVolume filter = kFilterVolumes[static_cast<size_t>(call.view->lanes.layout) - 1];
  SharedLevels levels;
  return filter && filterable(call) && findVolumeLevels(call, levels) && filter(call, levels);
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
