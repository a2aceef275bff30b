// Trilinear footprints of 3D images of bytes and halves, on hosts whose registers hold sixteen numbers: two squares,
// one behind the other. The operations on each number are those of the taps of address.h and kernels.h in the same
// order, so either way gives the same bytes. Compiled per target, for those that such hosts run.
#pragma once

#include "runtime/tex/lanes/volume.h"
#include "runtime/tex/lanes/wide_texels.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// The middle of the last texel, where tables end: it is the second one of two then, the first one has no weight.
/// `last`: the first texel of the last two
ETZEL_WIDE_INLINE void endWide(WideAxis& a, I32x16 last) {
  const I32x16 end = (a.at == last + splatWide(1)) & (I32x16)(a.w[1] == splatWide(0.0f));
  a.at += end;
  a.bad = end ? a.at : a.bad;
  a.w[1] = end ? a.w[0] : a.w[1], a.w[0] = end ? splatWide(0.0f) : a.w[0];
}

/// addVolume() of a view that has LanesView::levels.
template <Q f>
ETZEL_WIDE_INLINE bool addVolumeWide(const LanesCall& call, uint32_t number, const F32x8* share, SumsOf<f>& sums) {
  const ImageView& view = *call.view;
  const Sampler& s = *call.sampler;
  const abi::LevelPlace& level = view.direct.level[number];
  const mem::MipLayout& m = view.plane->mip[view.baseMip + number];
  const auto depth = static_cast<int32_t>(m.depth), slice = static_cast<int32_t>(m.slicePitch);
  const bool repeats = s.address[2] == VK_SAMPLER_ADDRESS_MODE_REPEAT && (depth & (depth - 1)) == 0;
  const F32x16 one = splatWide(1.0f);
  const WideRule rule[2] = {{s.unnormalized ? one : (F32x16)bothAxes(level.scale),
                             bothAxes(level.keep) | ~bothAxes(s.direct.repeats), bothAxes(level.size) - splatWide(2)},
                            {s.unnormalized ? one : splatWide(static_cast<float>(depth)),
                             splatWide(repeats ? depth - 1 : -1), splatWide(depth - 2)}};
  const F32x8 r = floats(call.args[2]);
  WideAxis xy = wideAxis(rule[0], joinWide(floats(call.args[0]), floats(call.args[1])));
  WideAxis z = wideAxis(rule[1], joinWide(r, r));
  if (simd::signsWide(xy.bad | z.bad)) {
    for (const VkSamplerAddressMode mode : s.address)
      if (mode == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER) return false;
    endWide(xy, rule[0].last), endWide(z, rule[1].last);
  }
  const uint32_t bad = simd::signsWide(xy.bad | z.bad), outside = bad | bad >> 8;
  if (outside & call.lanes) return false;
  const auto at = (F32x16)xy.at;
  I32x8 offset = asInt(upperHalf(at)) * splat(level.pitch) + asInt(lowerHalf(at)) * splat(texelBytes(f));
  offset += asInt(lowerHalf((F32x16)z.at)) * splat(slice);
  alignas(32) int32_t from[8];
  simd::storeApart(from, offset & ~fromLaneMask(outside & kAllLanes));  // lanes that do not run may be anywhere
  F32x16 wx[2] = {lowerTwice(xy.w[0]), lowerTwice(xy.w[1])};
  if (share)
    for (F32x16& w : wx) w *= joinWide(*share, *share);
  for (int k = 0; k < 2; ++k) {
    const std::byte* const base = view.lanes.base + level.start + k * int64_t{slice};
    F32x16 weight[4];
    for (int i = 0; i < 4; ++i) weight[i] = wx[i & 1] * upperTwice(xy.w[i >> 1]) * z.w[k];
    if constexpr (isBytes4(f)) {
      const WideRow row[2] = {{base, from}, {base + level.pitch, from}};
      addWide<isSrgb(f)>(row, weight, sums);
    } else {
      for (int y = 0; y < 2; ++y) addBothWide<f>(base + y * level.pitch, from, from, true, weight + 2 * y, sums);
    }
  }
  return true;
}

/// filterVolume() of such a view.
template <Q f>
ETZEL_WIDE_BYTES __attribute__((noinline)) bool filterVolumeWide(const LanesCall& call, const SharedLevels& levels) {
  SumsOf<f> sums;
  const F32x8 lower = splat(1.0f) - levels.upper;
  if (!addVolumeWide<f>(call, levels.low, levels.two ? &lower : nullptr, sums)) return false;
  if (levels.two && !addVolumeWide<f>(call, levels.low + 1, &levels.upper, sums)) return false;
  finishTexels<f>({*call.view, call.result, call.lanes}, sums);
  return true;
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
