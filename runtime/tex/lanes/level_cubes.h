// Seamless cubes of four bytes a texel on hosts whose registers hold eight numbers, as wide_cube.h has them where they
// hold sixteen: every lane on levels and a face of its own, since reflections differ from pixel to pixel. The
// operations on each number are those of address.h and square.h in the same order, so either way gives the same bytes.
// Compiled per target.
#pragma once

#include "runtime/simd/word_table.h"
#include "runtime/tex/lanes/level_squares.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// Where eight lanes sample a cube.
struct CubeLanes {
  F32x8 s, t;  ///< on their faces
  I32x8 face;
  I32x8 first;  ///< layer of the view that the cube begins with
};

/// Eight footprints of a cube.
struct CubeFootprints {
  I32x8 offset[4];  ///< of texels
  F32x8 weight[4];
  bool rows;  ///< right texels lie behind left ones, whose offsets alone are there
};

/// kBeyondEdges by face, the edges of which are bytes.
constexpr std::array<uint32_t, 8> kEdgesOfFaces = [] {
  std::array<uint32_t, 8> words{};
  for (uint32_t face = 0; face < 6; ++face)
    for (uint32_t edge = 0; edge < 4; ++edge) words[face] |= kBeyondEdges[face][edge].word << (8 * edge);
  return words;
}();

/// Eight faces on levels.
struct CubeLevels {
  I32x8 last;  ///< texel of a row, and row
  I32x8 pitch, start;
  F32x8 scale;
};
ETZEL_INLINE_LOOP CubeLevels cubeLevels(const ImageView& view, I32x8 level, I32x8 first) {
  const I32x8 size = maximum(splat(view.direct.level[0].size[0]) >> level, splat(1));
  CubeLevels l;
  l.last = size - splat(1), l.scale = convert<F32x8>(size);
  l.pitch = simd::wordsOf16(view.lanes.pitch, level);
  l.start = simd::wordsOf16(view.lanes.start, level) + first * splat(view.lanes.layerPitch);
  return l;
}

/// One axis. \returns the first texel; `bad` becomes negative where the coordinate is no number
ETZEL_INLINE_LOOP I32x8 cubeAxis(F32x8 scale, F32x8 c, F32x8 w[2], I32x8& bad) {
  const F32x8 x = c * scale - splat(0.5f), whole = floor(x);
  w[1] = x - whole, w[0] = splat(1.0f) - w[1];
  bad |= splat(0x4A800000) - (asInt(x) & splat(0x7FFFFFFF));
  return truncateToInt(whole);
}

/// crossEdges(), every lane on a level of its own.
__attribute__((noinline)) void crossCubeEdges(const CubeLevels& l, const I32x8& face, int32_t layerPitch,
                                              const I32x8& column, const I32x8& row, CubeFootprints& q) {
  const I32x8 zero = splat(0), last = l.last, edges = simd::wordsOf8(kEdgesOfFaces.data(), face);
  I32x8 corner[4], corners = zero;
  for (int k = 0; k < 4; ++k) {
    const I32x8 i = column + splat(k & 1), j = row + splat(k >> 1);
    const I32x8 outI = asInt(greater(asUnsigned(i), asUnsigned(last)));
    const I32x8 outJ = asInt(greater(asUnsigned(j), asUnsigned(last)));
    corner[k] = outI & outJ, corners += corner[k];
    const I32x8 beyond = outI ^ outJ;
    const I32x8 edge = (~outI & splat(2)) - atLeast(select(outI, i, j), zero);
    const I32x8 found = edges >> (edge << 3), along = select(outI, j, i);
    const auto place = [&](int shift) __attribute__((always_inline)) {
      const I32x8 way = found >> shift;
      const I32x8 forth = select(less(way << 30, zero), last, along);
      return select(less(way << 31, zero), last - forth, forth);
    };
    const I32x8 x = select(beyond, place(3), minimum(maximum(i, zero), last));
    const I32x8 y = select(beyond, place(5), minimum(maximum(j, zero), last));
    const I32x8 on = select(beyond, found & splat(7), face);
    q.offset[k] = l.start + y * l.pitch + (x << 2) + on * splat(layerPitch);
  }
  const I32x8 one = equal(corners, splat(-1));
  if (!laneMask(one)) return;
  F32x8 lost = splat(0.0f);
  for (int k = 0; k < 4; ++k) lost = select(corner[k], q.weight[k], lost);
  const F32x8 third = lost / splat(3.0f);
  for (int k = 0; k < 4; ++k)
    q.weight[k] = select(one, select(corner[k], splat(0.0f), q.weight[k] + third), q.weight[k]);
}

/// \returns a bit for each lane whose coordinates are no numbers
ETZEL_INLINE_LOOP LaneMask cubeFootprints(const ImageView& view, const CubeLanes& c, I32x8 level, F32x8 share,
                                          CubeFootprints& q) {
  const CubeLevels l = cubeLevels(view, level, c.first);
  const int32_t layerPitch = view.lanes.layerPitch;
  I32x8 bad{};
  F32x8 wx[2], wy[2];
  const I32x8 i = cubeAxis(l.scale, c.s, wx, bad), j = cubeAxis(l.scale, c.t, wy, bad);
  for (F32x8& w : wx) w *= share;
  for (int k = 0; k < 4; ++k) q.weight[k] = wx[k & 1] * wy[k >> 1];
  q.rows = !laneMask(i | j | (l.last - splat(1) - i) | (l.last - splat(1) - j));
  if (q.rows) {
    q.offset[0] = l.start + j * l.pitch + (i << 2) + c.face * splat(layerPitch);
    q.offset[2] = q.offset[0] + l.pitch;
  } else {
    crossCubeEdges(l, c.face, layerPitch, i, j, q);
  }
  return laneMask(bad);
}

/// Adds the weighted texels, times codeScale().
template <Q f>
ETZEL_INLINE_LOOP void addFootprints(const ImageView& view, const CubeFootprints& q, WeightedSum<f>& sum) {
  const std::byte* const base = view.lanes.base;
  I32x8 bits[4][2];
  if (q.rows) {
    for (int k = 0; k < 4; k += 2) loadNeighbours<f>(base, q.offset[k], bits[k], bits[k + 1]);
  } else {
    for (int k = 0; k < 4; ++k) bits[k][0] = gatherWords(base, q.offset[k]);
  }
  addBits<f>(view, bits, q.weight, sum);
}
template <Q f>
ETZEL_INLINE_LOOP void addFootprints(const ImageView& view, const CubeFootprints& q, PixelSums<f>& sum) {
  const std::byte* const base = view.lanes.base;
  if (q.rows) return sum.addRows(base, q.offset[0], base, q.offset[2], q.weight);
  for (int k = 0; k < 4; ++k) sum.addTexels(base, q.offset[k], q.weight[k]);
}

/// The filtered colour. \returns false: some coordinates are no numbers, nothing happened
template <Q f>
__attribute__((noinline)) bool filterCube(const LanesCall& call, const CubeLanes& c, const Lods& lods) {
  const ImageView& view = *call.view;
  const bool two = laneMask(lods.weight > splat(0.0f)) & call.lanes;
  const F32x8 share[2] = {two ? splat(1.0f) - lods.weight : splat(1.0f), lods.weight};
  CubeFootprints q[2];
  for (int n = 0; n < (two ? 2 : 1); ++n) {
    const I32x8 level = minimum(lods.level + splat(n), splat(static_cast<int32_t>(view.mipCount) - 1));
    if (cubeFootprints(view, c, level, share[n], q[n]) & call.lanes) return false;
  }
  SumOfEight<f> sum(nullptr);
  for (int n = 0; n < (two ? 2 : 1); ++n) addFootprints<f>(view, q[n], sum);
  putAverage<f>({view, call.result, call.lanes}, sum);
  return true;
}

/// A sample of plainCube(). \returns false: the view or the sampler has no such way, or some coordinates are no
/// numbers; nothing happened
ETZEL_INLINE_LOOP bool sampleCubeEight(const LanesCall& call) {
  const ImageView& view = *call.view;
  const Sampler& s = *call.sampler;
  const bool bilinear = s.direct.filter == abi::DirectSampler::Filter::Bilinear;
  if (!hasEightLevels(view) || !bilinear || !s.seamlessCube || s.unnormalized) return false;
  F32x8 r[3] = {floats(call.args[0]), floats(call.args[1]), floats(call.args[2])};
  if (call.lanes != kAllLanes)
    for (F32x8& c : r) c = ofRunningQuads(c, call.lanes);
  const abi::TexInst inst = plainInst(call, abi::TexDim::Cube);
  const Faces faces = facesOf(r);
  Lods lods;
  lods.level = splat(0), lods.weight = splat(0.0f);
  if (view.mipCount > 1) findLods(call, inst, r, &faces, 2, lods);
  const CubeLanes lanes{faces.s, faces.t, faces.face, inst.arrayed ? layersOf(call, 3, true) * splat(6) : splat(0)};
  switch (view.lanes.layout) {
    case Q::Rgba8: return filterCube<Q::Rgba8>(call, lanes, lods);
    case Q::Bgra8: return filterCube<Q::Bgra8>(call, lanes, lods);
    case Q::Rgba8Srgb: return filterCube<Q::Rgba8Srgb>(call, lanes, lods);
    case Q::Bgra8Srgb: return filterCube<Q::Bgra8Srgb>(call, lanes, lods);
    default: return false;
  }
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
