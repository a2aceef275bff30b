// From coordinates to the offsets of texels: levels, wrapping, cube faces. Compiled per target.
#pragma once

#include "runtime/tex/lanes/kernels.h"
#include "runtime/tex/single/address.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// One mip level of a view. Texel (x, y, z) of layer l: base + x * texel + y * row + z * slice + l * layer. In
/// compressed images places are not bytes: 256 a block, plus 16 a row and 1 a texel inside of it (across(), down()).
struct Plane {
  const std::byte* base;
  int32_t width, height, depth;
  int32_t texel, row, slice, layer;
  int32_t blockWidth, blockHeight;  ///< 0: not compressed
};
/// The distance between two bytes of an image as places.
ETZEL_INLINE_LOOP int32_t distanceOf(const ImageView& v, const std::byte* from, const std::byte* to) {
  const auto bytes = static_cast<int32_t>(to - from);
  return v.lanes.layout == format::TexelLayout::Blocks ? bytes / v.info->blockBytes * 256 : bytes;
}
ETZEL_INLINE_LOOP Plane planeOf(const ImageView& v, uint32_t level) {
  const mem::MipLayout& m = v.plane->mip[v.baseMip + level];
  Plane p;
  p.base = v.lanes.base + m.offset;
  p.width = static_cast<int32_t>(m.width), p.height = static_cast<int32_t>(m.height);
  p.depth = v.type == VK_IMAGE_VIEW_TYPE_3D ? static_cast<int32_t>(v.depthCount ? v.depthCount : m.depth) : 1;
  p.texel = v.info->blockBytes;
  p.row = static_cast<int32_t>(m.rowPitch), p.slice = static_cast<int32_t>(m.slicePitch);
  p.layer = v.lanes.layerPitch;
  if (v.depthCount) p.base += v.baseDepth * m.slicePitch, p.layer = p.slice;  // some slices of a 3D image
  p.blockWidth = p.blockHeight = 0;
  if (v.lanes.layout == format::TexelLayout::Blocks) {
    p.blockWidth = v.info->blockWidth, p.blockHeight = v.info->blockHeight;
    for (int32_t* pitch : {&p.texel, &p.row, &p.slice, &p.layer}) *pitch = *pitch / v.info->blockBytes * 256;
  }
  return p;
}
/// i / n and the rest, for texels and sizes of blocks: 0 <= i < 2^14, n <= 12.
ETZEL_INLINE_LOOP I32x8 inBlocks(I32x8 i, int32_t n, int32_t perBlock, int32_t perTexel) {
  const I32x8 block = wrappingMul(i, (1 << 18) / n + 1) >> 18;
  return wrappingAdd(wrappingMul(block, perBlock), wrappingMul(wrappingSub(i, wrappingMul(block, n)), perTexel));
}
/// Places of columns and of rows; any number for those beyond the image.
ETZEL_INLINE_LOOP I32x8 across(const Plane& p, I32x8 x) {
  return p.blockWidth ? inBlocks(x, p.blockWidth, p.texel, 1) : wrappingMul(x, p.texel);
}
ETZEL_INLINE_LOOP I32x8 down(const Plane& p, I32x8 y) {
  return p.blockWidth ? inBlocks(y, p.blockHeight, p.row, 16) : wrappingMul(y, p.row);
}

/// i modulo `period`, in [0, period). Exact while |i| < 2^24; beyond that coordinates have no texel precision anyway.
ETZEL_INLINE_LOOP I32x8 modulo(I32x8 i, int32_t period) {
  if ((period & (period - 1)) == 0) return i & splat(period - 1);
  const I32x8 q = floorOf(convert<F32x8>(i) * splat(1.0f / static_cast<float>(period)));
  I32x8 r = wrappingSub(i, wrappingMul(q, period));
  r += less(r, splat(0)) & splat(period);
  r -= atLeast(r, splat(period)) & splat(period);
  return minimum(maximum(r, splat(0)), splat(period - 1));
}

/// Texel indices in [0, size) of `n` neighbours, the first is i; `valid` becomes 0 where the border is meant.
template <int n>
ETZEL_INLINE_LOOP void wrap(VkSamplerAddressMode mode, I32x8 i, int32_t size, I32x8 at[n], I32x8 valid[n]) {
  const I32x8 last = splat(size - 1);
  for (int k = 0; k < n; ++k) valid[k] = splat(-1);
  switch (mode) {
    case VK_SAMPLER_ADDRESS_MODE_REPEAT:
      at[0] = modulo(i, size);
      if constexpr (n > 1) at[1] = (at[0] + splat(1)) & less(at[0], last);
      return;
    case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT:
      for (int k = 0; k < n; ++k) {
        const I32x8 m = modulo(wrappingAdd(i, splat(k)), 2 * size);
        at[k] = minimum(m, splat(2 * size - 1) - m);
      }
      return;
    case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER:
      for (int k = 0; k < n; ++k)
        valid[k] = inside(wrappingAdd(i, splat(k)), size), at[k] = wrappingAdd(i, splat(k)) & valid[k];
      return;
    case VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE:
      for (int k = 0; k < n; ++k) at[k] = minimum(wrappingAdd(i, splat(k)) ^ (wrappingAdd(i, splat(k)) >> 31), last);
      return;
    default:
      for (int k = 0; k < n; ++k) at[k] = minimum(maximum(wrappingAdd(i, splat(k)), splat(0)), last);
  }
}

/// Where the lanes of one call sample.
struct Coordinates {
  F32x8 c[3];       ///< s, t, r; cubes: on the face
  I32x8 offset[3];  ///< texels
  I32x8 layer;      ///< of the view, in range; cubes: 6 * cube + face
  I32x8 face;       ///< of cubes
  uint32_t dims;    ///< coordinates that are filtered
  bool hasOffset, layered, seamless;
};

struct AxisTaps {
  I32x8 at[2], valid[2];
  F32x8 weight;  ///< of the second
};
ETZEL_INLINE_LOOP F32x8 scaled(const Sampler& s, F32x8 c, int32_t size) {
  return s.unnormalized ? c : c * splat(static_cast<float>(size));
}
ETZEL_INLINE_LOOP AxisTaps linearAxis(const Sampler& s, const Coordinates& co, uint32_t axis, int32_t size) {
  const F32x8 u = scaled(s, co.c[axis], size) - splat(0.5f);
  I32x8 i = floorOf(u);
  AxisTaps t;
  t.weight = u - convert<F32x8>(i);
  t.weight =
      asFloat(asInt(t.weight) & atLeast(t.weight, splat(0.0f)) & atMost(t.weight, splat(1.0f)));  // out of any range: 0
  if (co.hasOffset) i = wrappingAdd(i, co.offset[axis]);
  if (co.seamless) {
    t.at[0] = i, t.at[1] = wrappingAdd(i, splat(1));
  } else {
    wrap<2>(s.address[axis], i, size, t.at, t.valid);
  }
  return t;
}

/// Where texels beyond an edge of a face lie: on another face, at coordinates that count along the edge. By face and
/// edge: left, right, top, bottom (crossCubeEdge() of single/address.h).
enum class Along : uint8_t { Forth, Back, Last, First };
struct BeyondEdge {
  uint32_t word;
  constexpr BeyondEdge(uint32_t face, Along i, Along j)
      : word(face | static_cast<uint32_t>(i) << 3 | static_cast<uint32_t>(j) << 5) {}
};
using enum Along;
constexpr BeyondEdge kBeyondEdges[6][4] = {{{4, Last, Forth}, {5, First, Forth}, {2, Last, Back}, {3, Last, Forth}},
                                           {{5, Last, Forth}, {4, First, Forth}, {2, First, Forth}, {3, First, Back}},
                                           {{1, Forth, First}, {0, Back, First}, {5, Back, First}, {4, Forth, First}},
                                           {{1, Back, Last}, {0, Forth, Last}, {4, Forth, Last}, {5, Back, Last}},
                                           {{1, Last, Forth}, {0, First, Forth}, {2, Forth, Last}, {3, Forth, First}},
                                           {{0, Last, Forth}, {1, First, Forth}, {2, Back, First}, {3, Back, Last}}};

/// "Cube Map Edge Handling" of footprints that leave their face. The texel that a corner lacks is the average of
/// the three that meet there, which are the other three of the footprint: its weight goes to them.
__attribute__((noinline)) void crossEdges(const Plane& p, const Coordinates& co, const AxisTaps& x, const AxisTaps& y,
                                          I32x8 offset[4], F32x8 weight[4]) {
  const I32x8 zero = splat(0), last = splat(p.width - 1);
  I32x8 corner[4], corners = zero;
  F32x8 lost = splat(0.0f);
  for (uint32_t k = 0; k < 4; ++k) {
    I32x8 i = x.at[k & 1], j = y.at[k >> 1];
    const I32x8 outI = ~inside(i, p.width), outJ = ~inside(j, p.width);
    corner[k] = outI & outJ, corners += corner[k];
    const I32x8 beyond = outI ^ outJ;
    const I32x8 edge = (~outI & splat(2)) - atLeast(select(outI, i, j), zero);
    const I32x8 found = gatherWords(kBeyondEdges, ((co.face << 2) + edge) << 2);
    const I32x8 along = select(outI, j, i);
    const auto place = [&](int shift) __attribute__((always_inline)) {
      const I32x8 way = found >> shift & splat(3);
      const I32x8 forth = select(atLeast(way, splat(2)), last, along);
      return select(equal(way & splat(1), splat(1)), last - forth, forth);
    };
    i = select(beyond, place(3), minimum(maximum(i, zero), last));
    j = select(beyond, place(5), minimum(maximum(j, zero), last));
    const I32x8 face = select(beyond, found & splat(7), co.face);
    offset[k] = wrappingAdd(wrappingAdd(across(p, i), down(p, j)), wrappingMul(co.layer - co.face + face, p.layer));
    lost = select(corner[k], weight[k], lost);
  }
  const I32x8 one = equal(corners, splat(-1));
  const F32x8 third = lost / splat(3.0f);
  for (uint32_t k = 0; k < 4; ++k)
    weight[k] = select(one, select(corner[k], splat(0.0f), weight[k] + third), weight[k]);
}

/// Adds the footprint of one level to the taps, its weights times `share` where `shared`.
ETZEL_INLINE_LOOP void addLinear(const Sampler& s, const Coordinates& co, const Plane& p, bool shared, F32x8 share,
                                 Taps& taps) {
  const F32x8 one = splat(1.0f);
  const AxisTaps x = linearAxis(s, co, 0, p.width);
  F32x8 wx[2] = {one - x.weight, x.weight};
  if (shared) wx[0] *= share, wx[1] *= share;
  I32x8 ox[2] = {across(p, x.at[0]), across(p, x.at[1])};
  if (co.layered) {
    const I32x8 layer = co.layer * splat(p.layer);
    ox[0] = wrappingAdd(ox[0], layer), ox[1] = wrappingAdd(ox[1], layer);
  }
  const uint32_t first = taps.count;
  if (co.dims == 1) {
    for (uint32_t k = 0; k < 2; ++k) {
      taps.offset[first + k] = ox[k], taps.weight[first + k] = wx[k];
      if (taps.border) taps.valid[first + k] = x.valid[k];
    }
    taps.count += 2;
    return;
  }
  const AxisTaps y = linearAxis(s, co, 1, p.height);
  const F32x8 wy[2] = {one - y.weight, y.weight};
  const I32x8 oy[2] = {down(p, y.at[0]), down(p, y.at[1])};
  for (uint32_t k = 0; k < 4; ++k) {
    taps.offset[first + k] = wrappingAdd(ox[k & 1], oy[k >> 1]);
    taps.weight[first + k] = wx[k & 1] * wy[k >> 1];
    if (taps.border) taps.valid[first + k] = x.valid[k & 1] & y.valid[k >> 1];
  }
  taps.count += 4;
  if (co.seamless) {
    const I32x8 within =
        inside(x.at[0], p.width) & inside(x.at[1], p.width) & inside(y.at[0], p.width) & inside(y.at[1], p.width);
    if (laneMask(within) != kAllLanes) crossEdges(p, co, x, y, &taps.offset[first], &taps.weight[first]);
    return;
  }
  if (co.dims == 2) return;
  const AxisTaps z = linearAxis(s, co, 2, p.depth);
  for (uint32_t k = 0; k < 4; ++k) {
    const I32x8 offset = taps.offset[first + k];
    const F32x8 weight = taps.weight[first + k];
    taps.offset[first + 4 + k] = offset + z.at[1] * splat(p.slice), taps.weight[first + 4 + k] = weight * z.weight;
    taps.offset[first + k] = offset + z.at[0] * splat(p.slice), taps.weight[first + k] = weight * (one - z.weight);
    if (taps.border) {
      taps.valid[first + 4 + k] = taps.valid[first + k] & z.valid[1];
      taps.valid[first + k] &= z.valid[0];
    }
  }
  taps.count += 4;
}

/// Adds the nearest texel of a level.
ETZEL_INLINE_LOOP void addNearest(const Sampler& s, const Coordinates& co, const Plane& p, F32x8 share, Taps& taps) {
  const int32_t size[3] = {p.width, p.height, p.depth};
  I32x8 offset = co.layered ? co.layer * splat(p.layer) : splat(0), valid = splat(-1);
  for (uint32_t d = 0; d < co.dims; ++d) {
    I32x8 i = floorOf(scaled(s, co.c[d], size[d])), texel, in;
    if (co.hasOffset) i = wrappingAdd(i, co.offset[d]);
    const VkSamplerAddressMode mode = co.seamless ? VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE : s.address[d];
    wrap<1>(mode, i, size[d], &texel, &in);
    offset += d == 0 ? across(p, texel) : d == 1 ? down(p, texel) : texel * splat(p.slice);
    valid &= in;
  }
  taps.offset[taps.count] = offset, taps.weight[taps.count] = share;
  if (taps.border) taps.valid[taps.count] = valid;
  ++taps.count;
}

/// Cube faces of eight directions; s, t and what derivatives need.
struct Faces {
  I32x8 face, onZ, onY, negative;
  F32x8 sc, tc, ma, s, t;
};
/// sc, tc and the major axis of a vector on the faces, in the table's signs.
ETZEL_INLINE_LOOP void toFaces(const Faces& f, const F32x8 r[3], F32x8& sc, F32x8& tc, F32x8& ma) {
  const I32x8 sign = f.negative & splat(INT32_MIN);
  const auto flipped = [](F32x8 v, I32x8 bit) { return asFloat(asInt(v) ^ bit); };
  const I32x8 minus = splat(INT32_MIN);
  //          sc                  tc            ma
  // x:  -z (neg: z)         -y                x (neg: -x)
  // y:  x                   z (neg: -z)       y (neg: -y)
  // z:  x (neg: -x)         -y                z (neg: -z)
  sc = select(f.onZ, flipped(r[0], sign), select(f.onY, r[0], flipped(r[2], sign ^ minus)));
  tc = select(~f.onZ & f.onY, flipped(r[2], sign), flipped(r[1], minus));
  ma = flipped(select(f.onZ, r[2], select(f.onY, r[1], r[0])), sign);
}
ETZEL_INLINE_LOOP Faces facesOf(const F32x8 r[3]) {
  const F32x8 x = simd::abs(r[0]), y = simd::abs(r[1]), z = simd::abs(r[2]);
  Faces f;
  f.onZ = atLeast(z, x) & atLeast(z, y);
  f.onY = atLeast(y, x);
  f.negative = less(select(f.onZ, r[2], select(f.onY, r[1], r[0])), splat(0.0f));
  f.face = select(f.onZ, splat(4), f.onY & splat(2)) - f.negative;
  toFaces(f, r, f.sc, f.tc, f.ma);
  const I32x8 somewhere = greater(f.ma, splat(0.0f));
  f.s = select(somewhere, splat(0.5f) * (f.sc / f.ma) + splat(0.5f), splat(0.5f));
  f.t = select(somewhere, splat(0.5f) * (f.tc / f.ma) + splat(0.5f), splat(0.5f));
  return f;
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
