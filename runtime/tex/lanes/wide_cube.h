// Bilinear footprints on the faces of seamless cubes, as wide.h has those of plain images: every lane on a level and a
// face of its own, since reflections differ from pixel to pixel. Footprints that leave their face are read texel by
// texel, with the arithmetic of crossEdges(). Compiled per target, for those that such hosts run.
#pragma once

#include "runtime/tex/lanes/wide_anywhere.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// Where eight lanes sample: on the face, on two levels.
struct CubePlaces {
  F32x8 c[2];  ///< s and t
  I32x8 face;
  I32x8 first;  ///< layer of the view that the cube begins with
  I32x8 level[2];
  F32x8 upper;  ///< the second level's weight
  bool two;     ///< whether it counts
};

/// Sixteen footprints: lanes 0 to 7 are on the first level.
struct CubeSquares {
  I32x16 size, pitch, start, face;
  I32x16 i, j;  ///< the first texel
  F32x16 wx[2], wy[2];
};
/// One axis. \returns the first texel; `bad` becomes negative where the coordinate is no number
ETZEL_WIDE_INLINE I32x16 cubeAxis(F32x16 scale, F32x8 c, F32x16 w[2], I32x16& bad) {
  const F32x16 x = joinWide(c, c) * scale - splatWide(0.5f), whole = floorWide(x);
  w[1] = x - whole, w[0] = splatWide(1.0f) - w[1];
  bad |= splatWide(0x4A800000) - ((I32x16)x & splatWide(0x7FFFFFFF));
  return simd::truncateWide(whole);
}
/// \returns a bit for each lane whose coordinates are no numbers
ETZEL_WIDE_INLINE uint32_t cubeSquares(const ImageView& view, const CubePlaces& p, CubeSquares& q) {
  const LevelPlace* const level = view.lanes.level;
  const I32x16 number = joinWide(p.level[0], p.level[1]);
  q.size = simd::maximumWide(splatWide(level[0].size[0]) >> number, splatWide(1));
  q.pitch = simd::wordsOf16(view.lanes.pitch, number), q.start = simd::wordsOf16(view.lanes.start, number);
  q.start += joinWide(p.first, p.first) * splatWide(view.lanes.layerPitch);
  q.face = joinWide(p.face, p.face);
  const F32x16 scale = numbersWide(q.size);
  I32x16 bad = splatWide(0);
  q.i = cubeAxis(scale, p.c[0], q.wx, bad), q.j = cubeAxis(scale, p.c[1], q.wy, bad);
  if (p.two) {
    const F32x16 share = joinWide(splat(1.0f) - p.upper, p.upper);
    for (F32x16& w : q.wx) w *= share;
  }
  return simd::signsWide(bad);
}

/// Where `found`, a word of kBeyondEdges shifted, says that a texel lies along an axis.
ETZEL_WIDE_INLINE I32x16 alongWide(I32x16 found, I32x16 along, I32x16 last) {
  const I32x16 way = found & splatWide(3);
  const I32x16 forth = way >= splatWide(2) ? last : along;
  return (way & splatWide(1)) != splatWide(0) ? last - forth : forth;
}
/// crossEdges(): where all texels lie, and their weights.
ETZEL_WIDE_INLINE void crossEdgesWide(const CubeSquares& q, int32_t layerPitch, I32x16 offset[4], F32x16 weight[4]) {
  const I32x16 zero = splatWide(0), last = q.size - splatWide(1);
  I32x16 corner[4], corners = zero;
  F32x16 lost = splatWide(0.0f);
  for (int k = 0; k < 4; ++k) {
    const I32x16 i = q.i + splatWide(k & 1), j = q.j + splatWide(k >> 1);
    const auto outI = (I32x16)((U32x16)i > (U32x16)last), outJ = (I32x16)((U32x16)j > (U32x16)last);
    corner[k] = outI & outJ, corners += corner[k];
    const I32x16 beyond = outI ^ outJ;
    const I32x16 edge = (outI ? zero : splatWide(2)) - ((outI ? i : j) >= zero);
    const I32x16 found = simd::wordsOf24(kBeyondEdges, (q.face << 2) + edge);
    const I32x16 along = outI ? j : i;
    const I32x16 x = beyond ? alongWide(found >> 3, along, last) : simd::minimumWide(simd::maximumWide(i, zero), last);
    const I32x16 y = beyond ? alongWide(found >> 5, along, last) : simd::minimumWide(simd::maximumWide(j, zero), last);
    const I32x16 face = beyond ? found & splatWide(7) : q.face;
    offset[k] = q.start + y * q.pitch + (x << 2) + face * splatWide(layerPitch);
    weight[k] = q.wx[k & 1] * q.wy[k >> 1];
    lost = corner[k] ? weight[k] : lost;
  }
  const I32x16 one = corners == splatWide(-1);
  const F32x16 third = lost / splatWide(3.0f);
  for (int k = 0; k < 4; ++k) {
    const F32x16 more = corner[k] ? splatWide(0.0f) : weight[k] + third;
    weight[k] = one ? more : weight[k];
  }
}

/// Adds what lies there.
template <bool srgb>
ETZEL_WIDE_INLINE void addCube(const ImageView& view, const CubeSquares& q, bool two, WideSums& sums) {
  const int32_t layerPitch = view.lanes.layerPitch;
  const I32x16 last = q.size - splatWide(2);
  F32x16 weight[4];
  if (simd::signsWide(q.i | q.j | (last - q.i) | (last - q.j))) {
    I32x16 offset[4];
    crossEdgesWide(q, layerPitch, offset, weight);
    return addTexelsWide<srgb>(view.lanes.base, offset, weight, two, sums);
  }
  const I32x16 first = q.start + q.j * q.pitch + (q.i << 2) + q.face * splatWide(layerPitch);
  for (int k = 0; k < 4; ++k) weight[k] = q.wx[k & 1] * q.wy[k >> 1];
  addRowsApart<srgb>(view.lanes.base, first, first + q.pitch, weight, nullptr, two, sums);
}

/// \returns false: some coordinates are no numbers, nothing happened
template <bool srgb>
ETZEL_WIDE_INLINE bool filterCubeWide(const Target& to, const CubePlaces& p) {
  CubeSquares q;
  const uint32_t bad = cubeSquares(to.view, p, q);
  if ((bad | bad >> 8) & to.lanes) return false;
  WideSums sums = {{splatWide(0.0f), splatWide(0.0f)}};
  addCube<srgb>(to.view, q, p.two, sums);
  finishWide<srgb>(to, sums);
  return true;
}

/// The same with the probes of a line, whose middle is at `p`.
template <bool srgb>
ETZEL_WIDE_BYTES __attribute__((noinline)) bool filterCubeProbesWide(const Target& to, const CubePlaces& p,
                                                                     const ProbeLine& line) {
  WideSums sums = {{splatWide(0.0f), splatWide(0.0f)}};
  CubePlaces places = p;
  for (uint32_t i = 1; i <= line.most; ++i) {
    const Probe probe = probeOf(line, i);
    places.c[0] = probe.c[0], places.c[1] = probe.c[1];
    CubeSquares q;
    const uint32_t bad = cubeSquares(to.view, places, q);
    if ((bad | bad >> 8) & to.lanes) return false;
    for (F32x16& w : q.wx) w *= joinWide(probe.share, probe.share);
    addCube<srgb>(to.view, q, p.two, sums);
  }
  for (F32x16& sum : sums.sum) sum /= joinWide(line.probes, line.probes);
  finishWide<srgb>(to, sums);
  return true;
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
