// Samples of multisampled images: where the texel lies that a sample shows, and which samples show the same one.
// Compiled per target.
#pragma once

#include <bit>

#include "runtime/msaa/fragment_surface.h"
#include "runtime/tex/lanes/address.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// The texel that each lane names, and whether it exists.
struct Named {
  I32x8 x, y, layer, sample, valid;
  U32x8 same;  ///< samples that are known to show the same texel of a multisampled image, a bit each
};

ETZEL_INLINE_LOOP I32x8 systemValue(const LanesCall& call, abi::SysValue v) {
  return ints(call.warp->sys[static_cast<uint32_t>(v)]);
}

/// The fragments that sample `k` of a fragment warp's pixels shows, pixels `group` * 8 and on of a general tile:
/// numbers of planes. `words`, `indexBits`: as msaa::maskIn() has them; `edges`: the lanes that have several fragments.
ETZEL_INLINE_LOOP I32x8 fragmentsOf(uint32_t k, const uint64_t* words, uint32_t samples, uint32_t indexBits,
                                    uint32_t group, LaneMask edges) {
  I32x8 fragment = splat(0);
  for (uint32_t i = 0; i < indexBits; ++i)
    fragment |= fromLaneMask(static_cast<LaneMask>(words[i * samples + k] >> group * 8) & edges) & (1 << i);
  return fragment;
}

/// Of each lane's own sample. Of `same` the samples stay that show the same fragment, if somebody `asks`.
/// \pre edges != 0
ETZEL_INLINE_LOOP I32x8 fragmentsShown(const uint64_t* words, uint32_t samples, uint32_t indexBits, uint32_t group,
                                       LaneMask edges, I32x8 sample, bool asks, U32x8& same) {
  if (!asks) {  // shaders that resolve want one sample after the other of all pixels
    const int32_t wanted = sample[std::countr_zero(edges) & 7];
    const bool one = (laneMask(sample == splat(wanted)) & edges) == edges;
    if (one && static_cast<uint32_t>(wanted) < samples)
      return fragmentsOf(static_cast<uint32_t>(wanted), words, samples, indexBits, group, edges);
  }
  I32x8 shown[msaa::kMaxSamples];
  I32x8 fragment = splat(0);
  for (uint32_t k = 0; k < samples; ++k) {
    shown[k] = fragmentsOf(k, words, samples, indexBits, group, edges);
    fragment |= (sample == splat(static_cast<int32_t>(k))) & shown[k];
  }
  U32x8 alike{};
  for (uint32_t k = 0; k < samples; ++k) alike |= asUnsigned(shown[k] == fragment) & (1u << k);
  same &= alike;
  return fragment;
}

/// The fragments that the lanes' samples show in a general tile: numbers of planes. Cuts down n.same, if somebody
/// `asks`.
ETZEL_INLINE_LOOP I32x8 fragmentsShown(const msaa::FragmentSurface& surface, uint32_t tile, bool asks, Named& n,
                                       LaneMask lanes) {
  const uint32_t samples = surface.samples;
  const uint64_t edges = surface.edges(tile);
  const I32x8 index = ((n.y & 6) << 3) | ((n.x & 4) << 1) | ((n.x & 2) << 1) | ((n.y & 1) << 1) | (n.x & 1);
  // The pixels of a fragment warp are eight whose masks lie together.
  const I32x8 start = index - I32x8{0, 1, 2, 3, 4, 5, 6, 7};
  const int32_t group = start[std::countr_zero(lanes) & 7];
  if (!(group & 7) && (laneMask(start == splat(group)) & lanes) == lanes) {
    const LaneMask edge = static_cast<LaneMask>(edges >> group & 255) & lanes;
    if (!edge) return splat(0);
    return fragmentsShown(surface.masks(tile), samples, msaa::maskBits(surface.state(tile), samples),
                          static_cast<uint32_t>(group) / 8, edge, n.sample, asks, n.same);
  }
  I32x8 fragment = splat(0);
  for (LaneMask rest = edges ? lanes : 0; rest; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    if (!(edges >> index[i] & 1)) continue;
    const msaa::FragmentMask mask = surface.loadMask(tile, static_cast<uint32_t>(index[i]));
    const uint32_t shown = msaa::fragmentOf(mask, static_cast<uint32_t>(n.sample[i]), samples);
    uint32_t same = 0;
    for (uint32_t k = 0; k < samples; ++k) same |= (msaa::fragmentOf(mask, k, samples) == shown ? 1u : 0u) << k;
    fragment[i] = static_cast<int32_t>(shown);
    n.same[i] &= same;
  }
  return fragment;
}

/// Offsets from view.lanes.base of samples of a multisampled image. Lanes outside of `valid` get 0.
ETZEL_INLINE_LOOP I32x8 sampleOffsets(const LanesCall& call, const abi::TexInst& inst, Named& n, LaneMask lanes) {
  const ImageView& view = *call.view;
  const mem::FragmentLayout& layout = view.plane->fragments;
  // One layer, one tile: the pixels of a fragment warp. One look at the tile's state serves all.
  const int first = std::countr_zero(lanes) & 7;
  const I32x8 tileX = n.x >> 3, tileY = n.y >> 3;
  const I32x8 together =
      (tileX == splat(tileX[first])) & (tileY == splat(tileY[first])) & (n.layer == splat(n.layer[first]));
  if (layout.offset && (laneMask(together) & lanes) != lanes) {
    I32x8 offset = splat(0);
    for (LaneMask rest = lanes; rest; rest &= rest - 1) {
      const int i = std::countr_zero(rest);
      const msaa::FragmentSurface surface(*view.layout, *view.plane, view.memory,
                                          view.baseLayer + static_cast<uint32_t>(n.layer[i]));
      const uint32_t x = static_cast<uint32_t>(n.x[i]), y = static_cast<uint32_t>(n.y[i]);
      const uint32_t sample = static_cast<uint32_t>(n.sample[i]);
      const std::byte* texel = inst.kind == abi::TexKind::FragmentFetch ? surface.fragmentTexel(x, y, sample)
                                                                        : surface.sampleTexel(x, y, sample);
      offset[i] = static_cast<int32_t>(texel - view.lanes.base);
    }
    return offset;
  }
  const Plane p = planeOf(view, 0);
  const int32_t planePitch = static_cast<int32_t>(view.plane->samplePitch);
  const I32x8 start = splat(static_cast<int32_t>(p.base - view.lanes.base));
  const I32x8 pixel = start + n.x * splat(p.texel) + n.y * splat(p.row) + n.layer * splat(p.layer);
  if (!layout.offset) return (pixel + n.sample * splat(planePitch)) & n.valid;

  const uint32_t layer = static_cast<uint32_t>(n.layer[first]), every = msaa::allSamples(view.samples);
  const uint32_t tile = static_cast<uint32_t>(tileY[first]) * layout.tilesX + static_cast<uint32_t>(tileX[first]);
  const msaa::TileStates states(layout, view.samples, view.memory, view.baseLayer + layer);
  const uint8_t state = states.state(tile);
  switch (msaa::kindOf(state)) {
    case msaa::TileKind::One: n.same = U32x8{} + every; return pixel & n.valid;
    case msaa::TileKind::Clear: {
      n.same = U32x8{} + every;
      const std::byte* color = states.clearColor(msaa::clearColorOf(state));
      return splat(static_cast<int32_t>(color - view.lanes.base)) & n.valid;
    }
    case msaa::TileKind::Expanded: return (pixel + n.sample * splat(planePitch)) & n.valid;
    default: break;
  }
  const msaa::FragmentSurface surface(*view.layout, *view.plane, view.memory, view.baseLayer + layer);
  if (inst.kind == abi::TexKind::FragmentFetch) {
    const uint64_t edges = surface.edges(tile);
    I32x8 fragment = splat(0);
    for (LaneMask rest = edges ? lanes : 0; rest; rest &= rest - 1) {
      const int i = std::countr_zero(rest);
      const uint32_t index = msaa::pixelIndex(static_cast<uint32_t>(n.x[i]), static_cast<uint32_t>(n.y[i]));
      if (edges >> index & 1) fragment[i] = n.sample[i];
    }
    return (pixel + fragment * splat(planePitch)) & n.valid;
  }
  n.same = U32x8{} + every;
  return (pixel + fragmentsShown(surface, tile, call.warp->sampleShare != nullptr, n, lanes) * splat(planePitch)) &
         n.valid;
}

/// Warp::sampleShare after a fetch of `sample`: `same` are the samples that show the same texel, a bit each.
ETZEL_INLINE_LOOP void shareSamples(const LanesCall& call, I32x8 sample, U32x8 same) {
  LaneWords& words = *call.warp->sampleShare;
  const U32x8 id = asUnsigned(systemValue(call, abi::SysValue::SampleId)), own = 1u << (id & 15);
  const I32x8 chosen = (sample == asInt(id)) & fromLaneMask(call.lanes);
  same |= own | ~asUnsigned(chosen);
  store(words, asFloat(ints(words) & asInt(same)), kAllLanes);
}

/// The texels of a fragment warp's pixels, of one or two words each.
template <int words>
struct Group {
  I32x8 word[words];
};
/// Those in a plane, the first of which is at `texels`.
template <int words>
ETZEL_INLINE_LOOP Group<words> loadGroup(const std::byte* texels, int32_t row) {
  if constexpr (words == 1) {
    typedef int32_t I32x4 __attribute__((vector_size(16)));
    return {__builtin_shufflevector(load<I32x4>(texels), load<I32x4>(texels + row), 0, 1, 4, 5, 2, 3, 6, 7)};
  } else {
    const auto a = load<F32x8>(texels), b = load<F32x8>(texels + row);
    return {asInt(shuffleHalves<0, 2, 4, 6>(a, b)), asInt(shuffleHalves<1, 3, 5, 7>(a, b))};
  }
}

/// The samples of each pixel of a fragment warp that show its texel of `group`, in an expanded tile. Triangles smaller
/// than pixels fill tiles with more edges than masks pay for, but seldom with a colour for every sample.
template <int words>
ETZEL_INLINE_LOOP U32x8 samplesOfTexels(const std::byte* texels, int32_t row, int64_t planePitch, uint32_t samples,
                                        const Group<words>& group) {
  U32x8 same{};
  for (uint32_t s = 0; s < samples; ++s, texels += planePitch) {
    const Group<words> other = loadGroup<words>(texels, row);
    I32x8 equal = other.word[0] == group.word[0];
    for (int w = 1; w < words; ++w) equal &= other.word[w] == group.word[w];
    same |= asUnsigned(equal) & (1u << s);
  }
  return same;
}

/// Asks for the lines to the right of a fragment warp's pixels, which warps of the next tiles will want: planes of
/// pictures are larger than caches, and rows of tiles are no streams that a processor would foresee.
ETZEL_INLINE_LOOP void prefetchRight(const std::byte* texels, int32_t row) {
  __builtin_prefetch(texels + 64), __builtin_prefetch(texels + row + 64);
}

/// readGroup() of pixels that lie there: the first is at (x, y).
template <int words>
[[gnu::noinline]] void readGroupAt(const LanesCall& call, const Plane& p, int32_t x, int32_t y, I32x8 sample) {
  const ImageView& view = *call.view;
  const mem::FragmentLayout& layout = view.plane->fragments;
  const uint32_t tile = static_cast<uint32_t>(y >> 3) * layout.tilesX + static_cast<uint32_t>(x >> 3);
  const msaa::TileStates states(layout, view.samples, view.memory, view.baseLayer);
  const std::byte* texels = p.base + int64_t{y} * p.row + int64_t{x} * 4 * words;
  const uint8_t state = states.state(tile);
  const Target to{view, call.result, call.lanes};
  U32x8 same = U32x8{} + msaa::allSamples(view.samples);
  I32x8 fragment = splat(0);
  bool expanded = false;
  Group<words> group;
  switch (msaa::kindOf(state)) {
    case msaa::TileKind::One: break;
    case msaa::TileKind::Clear: {
      if (call.warp->sampleShare) shareSamples(call, sample, same);
      const std::byte* const color = states.clearColor(msaa::clearColorOf(state));
      for (int w = 0; w < words; ++w) group.word[w] = splat(load<int32_t>(color + 4 * w));
      return kernels(view).readBits(to, group.word[0], group.word[words - 1]);
    }
    case msaa::TileKind::Expanded: fragment = sample, expanded = true; break;
    case msaa::TileKind::General: {
      const uint32_t eight = static_cast<uint32_t>((y & 6) << 3 | (x & 4) << 1);
      const uint64_t edges = states.edges(tile) >> eight;
      if (edges & call.lanes) {
        fragment =
            fragmentsShown(states.masks(tile), view.samples, msaa::maskBits(state, view.samples), eight / 8,
                           static_cast<LaneMask>(edges) & call.lanes, sample, call.warp->sampleShare != nullptr, same);
      }
      break;
    }
  }
  group = loadGroup<words>(texels, p.row);
  constexpr int32_t line = 16 / words;  // texels of a line
  if ((x & (line - 4)) == line / 2) prefetchRight(texels, p.row);
  const int64_t planePitch = static_cast<int64_t>(view.plane->samplePitch);
  for (LaneMask rest = laneMask(fragment != splat(0)) & call.lanes; rest;) {
    const int32_t plane = fragment[std::countr_zero(rest) & 7];
    const I32x8 there = fragment == splat(plane);
    const std::byte* const other = texels + plane * planePitch;
    const Group<words> found = loadGroup<words>(other, p.row);
    for (int w = 0; w < words; ++w) group.word[w] = there ? found.word[w] : group.word[w];
    prefetchRight(other, p.row);
    rest &= ~laneMask(there);
  }
  if (call.warp->sampleShare) {
    if (expanded) same = samplesOfTexels<words>(texels, p.row, planePitch, view.samples, group);
    shareSamples(call, sample, same);
  }
  kernels(view).readBits(to, group.word[0], group.word[words - 1]);
}

/// Fetch, LodMode::Zero, of samples of a 2D image, where each lane wants its own pixel of a fragment warp: two loads
/// for all lanes. \returns false, and has done nothing, otherwise
ETZEL_INLINE_LOOP bool readGroup(const LanesCall& call) {
  const ImageView& view = *call.view;
  if (!kernels(view).readBits || view.samples == 1 || !view.layout || !view.plane->fragments.offset ||
      view.layout->storage)
    return false;
  const I32x8 startX = ints(call.args[0]) - I32x8{0, 1, 0, 1, 2, 3, 2, 3};
  const I32x8 startY = ints(call.args[1]) - I32x8{0, 0, 1, 1, 0, 0, 1, 1};
  const I32x8 sample = ints(call.args[2]);
  const int first = std::countr_zero(call.lanes) & 7;
  const int32_t x = startX[first], y = startY[first];
  const I32x8 fits = (startX == splat(x)) & (startY == splat(y)) & inside(sample, static_cast<int32_t>(view.samples));
  if ((laneMask(fits) & call.lanes) != call.lanes || (x & 3) || (y & 1)) return false;
  const Plane p = planeOf(view, 0);
  if (x < 0 || y < 0 || x > p.width - 4 || y > p.height - 2) return false;
  p.texel == 4 ? readGroupAt<1>(call, p, x, y, sample) : readGroupAt<2>(call, p, x, y, sample);
  return true;
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
