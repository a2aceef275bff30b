// Trilinear footprints of 3D images: two squares, one behind the other. The operations on each number are those of the
// taps of address.h and kernels.h in the same order, so either way gives the same bytes. Compiled per target.
#pragma once

#include "runtime/tex/lanes/sample.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// The middle of the last texel, where tables end: it is the second one of two then, the first one has no weight.
ETZEL_INLINE_LOOP void endAxis(SquareAxis& a, const AxisRule& rule) {
  const I32x8 end = equal(a.at, splat(rule.last + 1)) & ~unequal(a.w[1], splat(0.0f));
  a.at = wrappingAdd(a.at, end);
  a.bad = select(end, a.at, a.bad);
  a.w[1] = select(end, a.w[0], a.w[1]), a.w[0] = select(end, splat(0.0f), a.w[0]);
}

template <Q f>
ETZEL_INLINE_LOOP void filterVolumeByEight(const LanesCall& call, const SquareAxis& x, const SquareAxis& y,
                                           const SquareAxis& z, const Plane& p, I32x8 inside) {
  const Target to{*call.view, call.result, call.lanes};
  const I32x8 offset =
      wrappingAdd(wrappingAdd(wrappingMul(z.at, p.slice), wrappingMul(y.at, p.row)), wrappingMul(x.at, p.texel));
  WeighedSquare q;
  q.offset = offset & inside;
  SumOfEight<f> sum(nullptr);
  for (int k = 0; k < 2; ++k) {
    q.row[0] = p.base + k * int64_t{p.slice}, q.row[1] = q.row[0] + p.row;
    for (int i = 0; i < 4; ++i) q.weight[i] = x.w[i & 1] * y.w[i >> 1] * z.w[k];
    addSquare<f>(to, q, sum);
  }
  putAverage<f>(to, sum);
}

/// Samples the base level. \returns false: some texels are no neighbours inside of the image, nothing happened
template <Q f>
__attribute__((noinline)) bool filterVolume(const LanesCall& call) {
  const Sampler& s = *call.sampler;
  const Plane p = planeOf(*call.view, 0);
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
  filterVolumeByEight<f>(call, axis[0], axis[1], axis[2], p, inside);
  return true;
}

using FilterVolume = bool (*)(const LanesCall&);
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

/// A sample of a 3D image with one level. \returns false: the view or the sampler has no such way, or some texels are
/// no neighbours inside of the image; nothing happened
ETZEL_INLINE_LOOP bool sampleVolumeEight(const LanesCall& call) {
  const ImageView& view = *call.view;
  const Sampler& s = *call.sampler;
  if (s.magFilter != VK_FILTER_LINEAR || s.minFilter != VK_FILTER_LINEAR || s.anisotropic || s.unnormalized ||
      view.mipCount > 1)
    return false;
  const FilterVolume filter = kFilterVolumes[static_cast<size_t>(view.lanes.layout) - 1];
  return filter && filterable(call) && filter(call);
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
