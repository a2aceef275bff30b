// Bilinear footprints on the faces of seamless cubes, as wide.h has those of plain images: every lane on a level and a
// face of its own, since reflections differ from pixel to pixel. Footprints that leave their face are read texel by
// texel, with the arithmetic of crossEdges(). Compiled per target, for those that such hosts run.
#pragma once

#include "runtime/tex/lanes/wide_anywhere.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// Which parts of a cube eight lanes sample.
struct CubePlaces {
  I32x8 face;
  I32x8 first;  ///< layer of the view that the cube begins with
  I32x8 level;  ///< the lower one
};

/// Faces of sixteen lanes: lanes 0 to 7 are on the first level.
struct CubeFaces {
  I32x16 size, pitch, start, face;
  F32x16 scale;
};
/// Lanes 8 to 15 are on the first level as well, or with `two` on the one above.
ETZEL_WIDE_INLINE CubeFaces cubeFaces(const ImageView& view, const CubePlaces& p, bool two) {
  const I32x16 number = joinWide(p.level, two ? levelAbove(view, p.level) : p.level);
  CubeFaces f;
  f.size = simd::maximumWide(splatWide(view.direct.level[0].size[0]) >> number, splatWide(1));
  f.pitch = simd::wordsOf16(view.lanes.pitch, number), f.start = simd::wordsOf16(view.lanes.start, number);
  f.start += joinWide(p.first, p.first) * splatWide(view.lanes.layerPitch);
  f.face = joinWide(p.face, p.face);
  f.scale = numbersWide(f.size);
  return f;
}

/// Sixteen footprints.
struct CubeSquares {
  I32x16 i, j;  ///< the first texel
  F32x16 wx[2], wy[2];
};
/// One axis. \returns the first texel; `bad` becomes negative where the coordinate is no number
ETZEL_WIDE_INLINE I32x16 cubeAxis(F32x16 scale, F32x16 c, F32x16 w[2], I32x16& bad) {
  const F32x16 x = c * scale - splatWide(0.5f), whole = floorWide(x);
  w[1] = x - whole, w[0] = splatWide(1.0f) - w[1];
  bad |= splatWide(0x4A800000) - ((I32x16)x & splatWide(0x7FFFFFFF));
  return simd::truncateWide(whole);
}
/// \returns a bit for each lane whose coordinates are no numbers
ETZEL_WIDE_INLINE uint32_t cubeSquares(const CubeFaces& f, const WideProbe& p, CubeSquares& q) {
  I32x16 bad = splatWide(0);
  q.i = cubeAxis(f.scale, p.c[0], q.wx, bad), q.j = cubeAxis(f.scale, p.c[1], q.wy, bad);
  for (F32x16& w : q.wx) w *= p.share;
  return simd::signsWide(bad);
}

/// Where `found`, a word of kBeyondEdges shifted, says that a texel lies along an axis.
ETZEL_WIDE_INLINE I32x16 alongWide(I32x16 found, I32x16 along, I32x16 last) {
  const I32x16 way = found & splatWide(3);
  const I32x16 forth = way >= splatWide(2) ? last : along;
  return (way & splatWide(1)) != splatWide(0) ? last - forth : forth;
}
/// crossEdges(): where all texels of 1 << `shift` bytes lie, and their weights.
ETZEL_WIDE_INLINE void crossEdgesWide(const CubeFaces& f, const CubeSquares& q, int32_t layerPitch, int shift,
                                      I32x16 offset[4], F32x16 weight[4]) {
  const I32x16 zero = splatWide(0), last = f.size - splatWide(1);
  I32x16 corner[4], corners = zero;
  F32x16 lost = splatWide(0.0f);
  for (int k = 0; k < 4; ++k) {
    const I32x16 i = q.i + splatWide(k & 1), j = q.j + splatWide(k >> 1);
    const auto outI = (I32x16)((U32x16)i > (U32x16)last), outJ = (I32x16)((U32x16)j > (U32x16)last);
    corner[k] = outI & outJ, corners += corner[k];
    const I32x16 beyond = outI ^ outJ;
    const I32x16 edge = (outI ? zero : splatWide(2)) - ((outI ? i : j) >= zero);
    const I32x16 found = simd::wordsOf24(kBeyondEdges, (f.face << 2) + edge);
    const I32x16 along = outI ? j : i;
    const I32x16 x = beyond ? alongWide(found >> 3, along, last) : simd::minimumWide(simd::maximumWide(i, zero), last);
    const I32x16 y = beyond ? alongWide(found >> 5, along, last) : simd::minimumWide(simd::maximumWide(j, zero), last);
    const I32x16 face = beyond ? found & splatWide(7) : f.face;
    offset[k] = f.start + y * f.pitch + (x << shift) + face * splatWide(layerPitch);
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
template <Q t>
ETZEL_WIDE_INLINE void addCube(const ImageView& view, const CubeFaces& f, const CubeSquares& q, bool two,
                               SumsOf<t>& sums) {
  constexpr int bytes = texelBytes(t), shift = std::countr_zero(static_cast<uint32_t>(bytes));
  const int32_t layerPitch = view.lanes.layerPitch;
  const I32x16 last = f.size - splatWide(2);
  const bool within = !simd::signsWide(q.i | q.j | (last - q.i) | (last - q.j));
  I32x16 offset[4];
  F32x16 weight[4];
  if (within) {
    offset[0] = f.start + q.j * f.pitch + (q.i << shift) + f.face * splatWide(layerPitch);
    offset[2] = offset[0] + f.pitch;
    for (int k = 0; k < 2; ++k) offset[2 * k + 1] = offset[2 * k] + splatWide(bytes);
    for (int k = 0; k < 4; ++k) weight[k] = q.wx[k & 1] * q.wy[k >> 1];
  } else {
    crossEdgesWide(f, q, layerPitch, shift, offset, weight);
  }
  if constexpr (!isBytes4(t)) {
    addNumbers<t>(view.lanes.base, offset, weight, within, two, sums);
  } else if (within) {
    addRowsApart<isSrgb(t)>(view.lanes.base, offset[0], offset[2], weight, nullptr, two, sums);
  } else {
    addTexelsWide<isSrgb(t)>(view.lanes.base, offset, weight, two, sums);
  }
}

/// All probes of a line, whose middle lies on the faces. \returns false: some coordinates are no numbers, nothing
/// happened
template <Q f>
ETZEL_WIDE_BYTES __attribute__((noinline)) bool filterCubeWide(const Target& to, const CubePlaces& p,
                                                               const ProbeLine& line) {
  const CubeFaces faces = cubeFaces(to.view, p, line.two);
  const WideProbeLine wide = wideProbeLine(line);
  const uint32_t step = line.two ? 1 : 2;
  SumsOf<f> sums;
  for (uint32_t i = 1; i <= line.most; i += step) {
    const bool both = line.two || i < line.most;
    const WideProbe probe = probesFrom(line, wide, i, both);
    CubeSquares q;
    const uint32_t bad = cubeSquares(faces, probe, q);
    if ((bad | bad >> 8) & to.lanes) return false;
    addCube<f>(to.view, faces, q, both, sums);
  }
  averageOfProbes<f>(line, sums);
  finishTexels<f>(to, sums);
  return true;
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
