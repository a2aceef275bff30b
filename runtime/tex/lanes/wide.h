// Bilinear footprints of plain images of four bytes a texel, on hosts whose registers hold sixteen numbers: both axes,
// both levels' addresses or those of two probes are computed at once, and two components of eight lanes are weighted
// and added at once. The operations on each number are those of square.h in the same order, so either way gives the
// same bytes. Compiled per target, for those that such hosts run.
#pragma once

#include "runtime/simd/x64/wide_patch.h"
#include "runtime/tex/lanes/square.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

using simd::F32x16, simd::I32x16, simd::U32x16;
using simd::floorWide, simd::halvesOf, simd::joinWide, simd::lowerHalf, simd::lowerTwice, simd::numbersWide,
    simd::reordered, simd::splatWide, simd::upperHalf, simd::upperTwice;

/// Whether it is known where the view's levels lie, this host has such registers, and its texels are some that they
/// know.
ETZEL_INLINE_LOOP bool hasLevels(const ImageView& view) { return view.lanes.levels == LevelUse::Sixteen; }
/// The same of texels that this file knows.
ETZEL_INLINE_LOOP bool isWideView(const ImageView& view) { return hasLevels(view) && isBytes4(view.lanes.layout); }

/// `both`: of the horizontal axis in lanes 0 to 7, of the vertical one in lanes 8 to 15.
template <class T>
ETZEL_WIDE_INLINE I32x16 bothAxes(const T (&both)[2]) {
  return simd::eachTwice(load<uint64_t>(reinterpret_cast<const std::byte*>(both)));
}

/// How footprints are found in lanes that are all alike, or each in its own way.
struct WideRule {
  F32x16 scale;
  I32x16 keep, last;
};
/// squareAxis() of sixteen coordinates.
struct WideAxis {
  I32x16 at, bad;
  F32x16 w[2];
};
ETZEL_WIDE_INLINE WideAxis wideAxis(const WideRule& rule, F32x16 c) {
  const F32x16 x = c * rule.scale - splatWide(0.5f);
  const F32x16 whole = floorWide(x);
  WideAxis a;
  a.w[1] = x - whole, a.w[0] = splatWide(1.0f) - a.w[1];
  a.bad = splatWide(0x4A800000) - ((I32x16)x & splatWide(0x7FFFFFFF));
  a.at = simd::truncateWide(whole) & rule.keep;
  a.bad |= a.at | (I32x16)((U32x16)rule.last - (U32x16)a.at);
  return a;
}

/// sidesOf() of such an image, the horizontal axis in lanes 0 to 7.
struct WideSides {
  F32x16 dx, dy;
  F32x8 xx, yy;
};
ETZEL_WIDE_INLINE WideSides wideSides(const abi::LevelPlace& base, F32x8 u, F32x8 v) {
  const F32x16 at = joinWide(u, v), scale = (F32x16)bothAxes(base.scale), origin = simd::quadLaneWide<0>(at);
  WideSides s;
  s.dx = (simd::quadLaneWide<1>(at) - origin) * scale, s.dy = (simd::quadLaneWide<2>(at) - origin) * scale;
  const F32x16 xx = s.dx * s.dx, yy = s.dy * s.dy;
  s.xx = maximum(lowerHalf(xx) + upperHalf(xx), splat(0.0f));  // NaN coordinates
  s.yy = maximum(lowerHalf(yy) + upperHalf(yy), splat(0.0f));
  return s;
}

/// Sums of components 0 and 1 of texels' words, and of components 2 and 3.
struct WideSums {
  F32x16 sum[2];
};

/// Which bytes of a register of texels are byte 2 * pair of eight of them, and then the next byte: of each one, or of
/// the first or second one of each two.
constexpr simd::BytePattern bytesOfTexels(uint32_t first, uint32_t step, uint32_t pair) {
  simd::BytePattern p{};
  for (uint32_t lane = 0; lane < 16; ++lane)
    p.byte[4 * lane] = static_cast<uint8_t>(4 * (first + step * (lane & 7)) + 2 * pair + (lane >> 3));
  return p;
}
/// Codes of component 2 * pair of left or right texels, and of the next one.
ETZEL_WIDE_INLINE F32x16 codesOfPairs(U32x16 texels, int right, int pair) {
  static constexpr simd::BytePattern kOrder[2][2] = {{bytesOfTexels(0, 2, 0), bytesOfTexels(0, 2, 1)},
                                                     {bytesOfTexels(1, 2, 0), bytesOfTexels(1, 2, 1)}};
  return numbersWide(simd::bytesWide(texels, kOrder[right][pair]));
}

/// A row of eight squares: their left texels lie at `offset` bytes from `base`.
struct WideRow {
  const std::byte* base;
  const int32_t* offset;
};
/// addSquare(): eight squares of one level. `w`: each texel's weights, twice. `order`: where the sixteen texels of a
/// row are among those that lie at its offsets and behind them; null: as they lie.
template <bool srgb>
ETZEL_WIDE_INLINE void addWide(const WideRow row[2], const F32x16 w[4], WideSums& s, const U32x16* order = nullptr) {
  const U32x16 left = {0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4, 6, 8, 10, 12, 14};
  const U32x16 ofSecond = {0, 0, 0, 0, 0, 0, 0, 0, 16, 16, 16, 16, 16, 16, 16, 16};
#pragma GCC unroll 2
  for (int y = 0; y < 2; ++y) {
    U32x16 texels = simd::gatherPairsWide(row[y].base, row[y].offset);
    if (order) texels = reordered(texels, *order);
    if constexpr (srgb) {
      F32x16 linear[3];
      simd::lookUpWide(format::kSrgbBytes, texels, linear);
      const F32x16 alpha = numbersWide(texels >> 24);
#pragma GCC unroll 2
      for (uint32_t x = 0; x < 2; ++x) {
        const U32x16 both = left + x + ofSecond;
        s.sum[0] += reordered(linear[0], linear[1], both) * w[2 * y + x];
        s.sum[1] += reordered(linear[2], alpha, both) * w[2 * y + x];
      }
    } else {
#pragma GCC unroll 2
      for (int x = 0; x < 2; ++x)
#pragma GCC unroll 2
        for (int pair = 0; pair < 2; ++pair) s.sum[pair] += codesOfPairs(texels, x, pair) * w[2 * y + x];
    }
  }
}
/// The same out of a patch.
ETZEL_WIDE_INLINE void addPatch(const simd::WordPatch& patch, const F32x16 w[4], WideSums& s) {
  const U32x16 ofSecond = {0, 0, 0, 0, 0, 0, 0, 0, 16, 16, 16, 16, 16, 16, 16, 16};
  F32x16 linear[3];
  simd::lookUpWide(format::kSrgbBytes, patch.words, linear);
  const F32x16 alpha = numbersWide(patch.words >> 24);
  const U32x16 place = patch.place + ofSecond;
#pragma GCC unroll 4
  for (uint32_t k = 0; k < 4; ++k) {
    const U32x16 order = place + (k & 1) + 4 * (k >> 1);
    s.sum[0] += reordered(linear[0], linear[1], order) * w[k];
    s.sum[1] += reordered(linear[2], alpha, order) * w[k];
  }
}
/// prefetchRight(), for some lanes.
ETZEL_WIDE_INLINE void prefetchWide(const WideRow& row, std::initializer_list<int> lanes = {0, 2, 5, 7}) {
  const std::byte* next = row.base + 4 * (int64_t{row.offset[4]} - row.offset[0]);
  for (int lane : lanes) __builtin_prefetch(next + row.offset[lane]);
}

/// addSquare() on one level. Texels that several lanes read, as of magnified images, are decoded once.
template <bool srgb>
ETZEL_WIDE_INLINE void addSquares(const std::byte* const base[2], const int32_t offset[8], const F32x16 w[4],
                                  WideSums& s) {
  const WideRow row[2] = {{base[0], offset}, {base[1], offset}};
  prefetchWide(row[0]);
  if constexpr (srgb) {
    simd::WordPatch patch;
    if (simd::loadPatch(base[0], base[1] - base[0], load<I32x8>(offset), patch)) return addPatch(patch, w, s);
  }
  addWide<srgb>(row, w, s);
}

/// fixed<8>(), of sixteen codes: their product with one, and with the other.
inline constexpr float kFixed8Power = 1.0f / 256, kFixed8Rest = static_cast<float>(1.0 / 255 - 1.0 / 256);

/// finishFiltered().
template <bool srgb>
ETZEL_WIDE_INLINE void finishWide(const Target& to, WideSums& s) {
  F32x16 fixed[2];
  for (int pair = 0; pair < 2; ++pair)
    fixed[pair] = s.sum[pair] * splatWide(kFixed8Power) + s.sum[pair] * splatWide(kFixed8Rest);
  F32x16 first = srgb ? s.sum[0] : fixed[0], second = srgb ? halvesOf(s.sum[1], fixed[1]) : fixed[1];
  if (isBlueFirst(to.view.lanes.layout)) {
    const F32x16 blue = first;
    first = halvesOf(second, first), second = halvesOf(blue, second);
  }
  if (to.lanes == kAllLanes && to.view.identitySwizzle) {
    simd::storeWide(&to.result[0], first), simd::storeWide(&to.result[2], second);
    return;
  }
  put(to, {{lowerHalf(first), upperHalf(first), lowerHalf(second), upperHalf(second)}});
}

/// squareOf() on a level, whose first texel is that of `offset` 0. \returns false: some texels are no neighbours inside
/// of the image
ETZEL_WIDE_INLINE bool neighboursWide(const abi::LevelPlace& level, const Sampler& s, F32x8 u, F32x8 v, WideAxis& both,
                                      int32_t (&offset)[8]) {
  const I32x16 keep = bothAxes(level.keep) | ~bothAxes(s.direct.repeats), size = bothAxes(level.size);
  both = wideAxis({(F32x16)bothAxes(level.scale), keep, size - splatWide(2)}, joinWide(u, v));
  if (simd::signsWide(both.bad)) return false;
  const auto at = (F32x16)both.at;
  const I32x8 x = asInt(lowerHalf(at)), y = asInt(upperHalf(at));
  simd::storeApart(offset, y * splat(level.pitch) + (x << 2));
  return true;
}

/// filterSquare() on one level. \returns false: some texels are no neighbours inside of the image, nothing happened
template <bool srgb>
ETZEL_WIDE_INLINE bool filterOneWide(const Target& to, const Sampler& s, F32x8 u, F32x8 v, uint32_t number) {
  const abi::LevelPlace& level = to.view.direct.level[number];
  alignas(32) int32_t offset[8];
  WideAxis both;
  if (!neighboursWide(level, s, u, v, both, offset)) return false;
  const std::byte* const base = to.view.lanes.base + level.start;
  const std::byte* const rows[2] = {base, base + level.pitch};
  F32x16 weight[4];
  for (int k = 0; k < 4; ++k) weight[k] = lowerTwice(both.w[k & 1]) * upperTwice(both.w[k >> 1]);
  WideSums sums = {{splatWide(0.0f), splatWide(0.0f)}};
  addSquares<srgb>(rows, offset, weight, sums);
  finishWide<srgb>(to, sums);
  return true;
}

/// readBilinear().
template <bool srgb>
ETZEL_WIDE_BYTES void readBilinearWide(const ImageView* view, const abi::Footprints* from, LaneWords* result) {
  F32x16 weight[4];
  for (int k = 0; k < 4; ++k) {
    const F32x8 x = floats(from->columns[k & 1]), y = floats(from->rows[k >> 1]);
    weight[k] = joinWide(x, x) * joinWide(y, y);
  }
  WideSums sums = {{splatWide(0.0f), splatWide(0.0f)}};
  addSquares<srgb>(from->row, reinterpret_cast<const int32_t*>(&from->offset), weight, sums);
  finishWide<srgb>({*view, result, kAllLanes}, sums);
}

/// Two levels of a view: lanes 0 to 7 are of the lower one, 8 to 15 of the upper one, which may be the same.
struct WideLevels {
  WideRule axis[2];
  I32x16 pitch, start;
  int32_t rowBytes[2];  ///< pitch, of each
};
ETZEL_WIDE_INLINE I32x16 placeWord(I32x16 places, uint32_t k) {
  const U32x16 order = {k, k, k, k, k, k, k, k, 8 + k, 8 + k, 8 + k, 8 + k, 8 + k, 8 + k, 8 + k, 8 + k};
  return (I32x16)reordered((U32x16)places, order);
}
ETZEL_WIDE_INLINE WideLevels wideLevels(const ImageView& view, const Sampler& s, uint32_t low, uint32_t high) {
  const abi::LevelPlace* const level = view.direct.level;
  const I32x16 places = joinWide(load<I32x8>(&level[low]), load<I32x8>(&level[high]));
  WideLevels l;
  for (uint32_t d = 0; d < 2; ++d) {
    const I32x16 keep = placeWord(places, 2 + d) | splatWide(static_cast<int32_t>(~s.direct.repeats[d]));
    l.axis[d] = {(F32x16)placeWord(places, 6 + d), keep, placeWord(places, d) - splatWide(2)};
  }
  l.pitch = placeWord(places, 4), l.start = placeWord(places, 5);
  l.rowBytes[0] = level[low].pitch, l.rowBytes[1] = level[high].pitch;
  return l;
}

/// squareOf() on both levels.
struct WideSquares {
  F32x16 wx[2], wy[2];
};
/// `offset`: bytes from the view's first texel. \returns a bit for each lane whose texels are no neighbours inside of
/// the image
ETZEL_WIDE_INLINE uint32_t wideSquares(const WideLevels& l, F32x16 u, F32x16 v, WideSquares& q, int32_t (&offset)[16]) {
  const WideAxis x = wideAxis(l.axis[0], u), y = wideAxis(l.axis[1], v);
  const U32x16 rows = (U32x16)y.at * (U32x16)l.pitch, columns = (U32x16)x.at << 2;
  simd::storeApart(offset, (I32x16)(rows + columns + (U32x16)l.start));
  for (int k = 0; k < 2; ++k) q.wx[k] = x.w[k], q.wy[k] = y.w[k];
  return simd::signsWide(x.bad | y.bad);
}

/// Squares of lanes 0 to 7, and those of the other lanes.
template <bool srgb>
ETZEL_WIDE_INLINE void addWide(const WideLevels& l, const std::byte* base, const int32_t offset[16],
                               const F32x16 weight[4], bool two, WideSums& s) {
  F32x16 low[4], high[4];
  for (int k = 0; k < 4; ++k) low[k] = lowerTwice(weight[k]), high[k] = upperTwice(weight[k]);
  const WideRow lower[2] = {{base, offset}, {base + l.rowBytes[0], offset}};
  addWide<srgb>(lower, low, s);
  if (!two) return;
  const WideRow upper[2] = {{base, offset + 8}, {base + l.rowBytes[1], offset + 8}};
  addWide<srgb>(upper, high, s);
}

/// filterSquare() on two levels. `upper`: the weights of the second one. \returns false: some texels are no neighbours
/// inside of the image, nothing happened
template <bool srgb>
ETZEL_WIDE_INLINE bool filterTwoWide(const Target& to, const Sampler& s, F32x8 u, F32x8 v, uint32_t level,
                                     F32x8 upper) {
  const WideLevels levels = wideLevels(to.view, s, level, level + 1);
  WideSquares q;
  alignas(64) int32_t offset[16];
  if (wideSquares(levels, joinWide(u, u), joinWide(v, v), q, offset)) return false;
  const F32x16 share = joinWide(splat(1.0f) - upper, upper);
  for (F32x16& w : q.wx) w *= share;
  const std::byte* const base = to.view.lanes.base;
  prefetchWide({base, offset}), prefetchWide({base, offset + 8});
  F32x16 weight[4];
  for (int k = 0; k < 4; ++k) weight[k] = q.wx[k & 1] * q.wy[k >> 1];
  WideSums sums = {{splatWide(0.0f), splatWide(0.0f)}};
  addWide<srgb>(levels, base, offset, weight, true, sums);
  finishWide<srgb>(to, sums);
  return true;
}

/// The steps of probeOf() from a line's middle: by the probe's number, then by how many there are, from 1 on.
struct alignas(64) ProbeSteps {
  float step[16][16];
};
constexpr ProbeSteps makeProbeSteps() {
  ProbeSteps s{};
  for (int i = 0; i < 16; ++i)
    for (int n = 0; n < 16; ++n) s.step[i][n] = static_cast<float>(i + 1) / static_cast<float>(n + 2) - 0.5f;
  return s;
}
inline constexpr ProbeSteps kProbeSteps = makeProbeSteps();

/// A line's probes, two at a time.
struct WideProbeLine {
  F32x16 at[2], along[2], probes, shares;
  I32x16 row;  ///< which column of kProbeSteps
};
ETZEL_WIDE_INLINE WideProbeLine wideProbeLine(const ProbeLine& line) {
  WideProbeLine w;
  for (int d = 0; d < 2; ++d)
    w.at[d] = joinWide(line.at[d], line.at[d]), w.along[d] = joinWide(line.along[d], line.along[d]);
  w.probes = joinWide(line.probes, line.probes);
  w.row = simd::truncateWide(w.probes) - splatWide(1);
  w.shares = line.two ? joinWide(splat(1.0f) - line.upper, line.upper) : splatWide(1.0f);
  return w;
}

/// Where the texels of a probe on both levels are, or of two on one level, and what they count.
struct ProbeSquares {
  alignas(64) int32_t offset[16];
  F32x16 weight[4];
};
/// probeOf() of two probes: `first` in lanes 0 to 7, `second` in the rest.
struct WideProbe {
  F32x16 c[2], share;
};
ETZEL_WIDE_INLINE WideProbe wideProbe(const WideProbeLine& line, uint32_t first, uint32_t second) {
  const F32x16 number = joinWide(splat(static_cast<float>(first)), splat(static_cast<float>(second)));
  const F32x16 step = halvesOf((F32x16)simd::wordsOf16(kProbeSteps.step[first - 1], line.row),
                               (F32x16)simd::wordsOf16(kProbeSteps.step[second - 1], line.row));
  return {{line.at[0] + line.along[0] * step, line.at[1] + line.along[1] * step},
          (F32x16)((I32x16)line.shares & (I32x16)(number <= line.probes))};
}
/// A probe on both levels, or two from `i` on, or with `both` false the last one. The one probe of a line is its
/// middle.
ETZEL_WIDE_INLINE WideProbe probesFrom(const ProbeLine& line, const WideProbeLine& wide, uint32_t i, bool both) {
  if (line.most == 1) return {{wide.at[0], wide.at[1]}, wide.shares};
  return wideProbe(wide, i, both && !line.two ? i + 1 : i);
}
/// probeOf() and squareOf(). \returns as wideSquares()
ETZEL_WIDE_INLINE uint32_t findSquares(const WideLevels& levels, const WideProbeLine& line, uint32_t first,
                                       uint32_t second, ProbeSquares& p) {
  const WideProbe probe = wideProbe(line, first, second);
  WideSquares q;
  const uint32_t bad = wideSquares(levels, probe.c[0], probe.c[1], q, p.offset);
  for (F32x16& w : q.wx) w *= probe.share;
  for (int k = 0; k < 4; ++k) p.weight[k] = q.wx[k & 1] * q.wy[k >> 1];
  return bad;
}
/// addProbes(): one probe on both levels at a time, or two on one level. All are found before the first texel is read:
/// what finds them is a long chain of few instructions each, which goes on while others wait.
template <bool srgb>
ETZEL_WIDE_INLINE uint32_t addProbesWide(const ImageView& view, const WideLevels& levels, const ProbeLine& line,
                                         uint32_t first, WideSums& sums) {
  const uint32_t step = line.two ? 1 : 2;
  const std::byte* const base = view.lanes.base;
  const WideProbeLine wide = wideProbeLine(line);
  ProbeSquares probes[16];
  uint32_t behind = first, found = 0;
  for (; behind <= line.most; behind += step, ++found) {
    const bool both = line.two || behind < line.most;
    ProbeSquares& p = probes[found];
    if (findSquares(levels, wide, behind, both ? behind + step - 1 : behind, p) & (both ? 0xFFFF : 0xFF)) break;
    // Footprints are long: every column of pixels counts, and neighbouring probes share lines.
    prefetchWide({base, p.offset}, {0, 7});
    if (both) prefetchWide({base, p.offset + 8}, {3, 4});
  }
  for (uint32_t i = 0; i < found; ++i)
    addWide<srgb>(levels, base, probes[i].offset, probes[i].weight, line.two || first + step * i < line.most, sums);
  return behind <= line.most ? behind : line.most + 1;
}
/// addProbes().
template <bool srgb>
ETZEL_WIDE_BYTES uint32_t probesWide(const Target& to, const Sampler& s, uint32_t level, const ProbeLine& line,
                                     uint32_t first, F32x8 out[4]) {
  const int red = isBlueFirst(to.view.lanes.layout) ? 2 : 0;  // which component the first byte is
  WideSums sums = {{joinWide(out[red], out[1]), joinWide(out[2 - red], out[3])}};
  const WideLevels levels = wideLevels(to.view, s, level, level + line.two);
  const uint32_t behind = addProbesWide<srgb>(to.view, levels, line, first, sums);
  out[red] = lowerHalf(sums.sum[0]), out[1] = upperHalf(sums.sum[0]);
  out[2 - red] = lowerHalf(sums.sum[1]), out[3] = upperHalf(sums.sum[1]);
  return behind;
}
/// All probes. \returns false: some texels are no neighbours inside of the image, nothing happened
template <bool srgb>
ETZEL_WIDE_INLINE bool filterProbesWide(const Target& to, const Sampler& s, uint32_t level, const ProbeLine& line) {
  WideSums sums = {{splatWide(0.0f), splatWide(0.0f)}};
  if (addProbesWide<srgb>(to.view, wideLevels(to.view, s, level, level + line.two), line, 1, sums) <= line.most)
    return false;
  for (F32x16& sum : sums.sum) sum /= joinWide(line.probes, line.probes);
  finishWide<srgb>(to, sums);
  return true;
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
