// Bilinear footprints of plain images of four bytes a texel, on hosts whose registers hold sixteen numbers: two levels'
// addresses are computed at once, and two components of eight lanes are weighted and added at once. The operations on
// each number are those of square.h in the same order, so either way gives the same bytes. Compiled per target, for
// those that such hosts run.
#pragma once

#include "runtime/simd/x64/wide.h"
#include "runtime/tex/lanes/square.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

using simd::F32x16, simd::I32x16, simd::U32x16;
using simd::floorWide, simd::halvesOf, simd::joinWide, simd::lowerHalf, simd::lowerTwice, simd::numbersWide,
    simd::reordered, simd::splatWide, simd::upperHalf, simd::upperTwice;

/// Whether the view has LanesView::level: this host has such registers, and its texels are some that this file knows.
ETZEL_INLINE_LOOP bool isWideView(const ImageView& view) { return view.lanes.level[0].pitch != 0; }

/// Two levels of a view: lanes 0 to 7 are of the lower one, 8 to 15 of the upper one, which may be the same.
struct WideLevels {
  F32x16 scale[2];
  I32x16 keep[2], last[2], pitch, start;
  int32_t rowBytes[2];  ///< pitch, of each
};
ETZEL_WIDE_INLINE I32x16 placeWord(I32x16 places, uint32_t k) {
  const U32x16 order = {k, k, k, k, k, k, k, k, 8 + k, 8 + k, 8 + k, 8 + k, 8 + k, 8 + k, 8 + k, 8 + k};
  return (I32x16)reordered((U32x16)places, order);
}
ETZEL_WIDE_INLINE WideLevels wideLevels(const ImageView& view, const Sampler& s, uint32_t low, uint32_t high) {
  const LevelPlace* const level = view.lanes.level;
  const I32x16 places = joinWide(load<I32x8>(&level[low]), load<I32x8>(&level[high]));
  WideLevels l;
  for (uint32_t d = 0; d < 2; ++d) {
    const I32x16 size = placeWord(places, d);
    l.scale[d] = numbersWide(size), l.last[d] = size - splatWide(2);
    l.keep[d] = placeWord(places, 2 + d) | splatWide(static_cast<int32_t>(~s.direct.repeats[d]));
  }
  l.pitch = placeWord(places, 4), l.start = placeWord(places, 5);
  l.rowBytes[0] = level[low].pitch, l.rowBytes[1] = level[high].pitch;
  return l;
}

struct WideAxis {
  I32x16 at, bad;
  F32x16 w[2];
};
/// squareAxis().
ETZEL_WIDE_INLINE WideAxis wideAxis(const WideLevels& l, int d, F32x16 c) {
  const F32x16 x = c * l.scale[d] - splatWide(0.5f);
  const F32x16 whole = floorWide(x);
  WideAxis a;
  a.w[1] = x - whole, a.w[0] = splatWide(1.0f) - a.w[1];
  a.bad = splatWide(0x4A800000) - ((I32x16)x & splatWide(0x7FFFFFFF));
  a.at = simd::truncateWide(whole) & l.keep[d];
  a.bad |= a.at | (I32x16)((U32x16)l.last[d] - (U32x16)a.at);
  return a;
}
/// squareOf() on both levels.
struct WideSquares {
  alignas(64) int32_t offset[16];  ///< bytes from the view's first texel
  F32x16 wx[2], wy[2];
};
ETZEL_WIDE_INLINE bool wideSquares(const WideLevels& l, F32x8 u, F32x8 v, WideSquares& q) {
  const WideAxis x = wideAxis(l, 0, joinWide(u, u)), y = wideAxis(l, 1, joinWide(v, v));
  const U32x16 rows = (U32x16)y.at * (U32x16)l.pitch, columns = (U32x16)x.at << 2;
  simd::storeWide(q.offset, (F32x16)(rows + columns + (U32x16)l.start));
  for (int k = 0; k < 2; ++k) q.wx[k] = x.w[k], q.wy[k] = y.w[k];
  return simd::signsWide(x.bad | y.bad) == 0;
}

/// Sums of the numbers of bytes 0 and 1 of texels, and of bytes 2 and 3. Codes of linear bytes stay in their place of
/// the word.
struct WideSums {
  F32x16 sum[2];
};
ETZEL_WIDE_INLINE F32x16 placeOfCodes(int pair) {
  return pair ? joinWide(splat(0x1p16f), splat(0x1p24f)) : joinWide(splat(1.0f), splat(0x1p8f));
}
ETZEL_WIDE_INLINE F32x16 perCode(int pair) {
  return pair ? joinWide(splat(0x1p-16f), splat(0x1p-24f)) : joinWide(splat(1.0f), splat(0x1p-8f));
}

/// Bits of two components, in texels that are there twice.
ETZEL_WIDE_INLINE U32x16 masksOf(int pair) {
  constexpr auto kAlpha = static_cast<int32_t>(0xFF000000u);
  return (U32x16)(pair ? joinWide(splat(0xFF0000), splat(kAlpha)) : joinWide(splat(0xFF), splat(0xFF00)));
}

/// A row of eight squares: their left texels lie at `offset` bytes from `base`.
struct WideRow {
  const std::byte* base;
  const int32_t* offset;
};
/// addSquare(): eight squares of one level. `w`: each texel's weights, twice.
template <bool srgb>
ETZEL_WIDE_INLINE void addWide(const WideRow row[2], const F32x16 w[4], WideSums& s) {
  const U32x16 left = {0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4, 6, 8, 10, 12, 14};
  const U32x16 ofSecond = {0, 0, 0, 0, 0, 0, 0, 0, 16, 16, 16, 16, 16, 16, 16, 16};
  const int32_t* const offset = row[0].offset;
  const std::byte* next = row[0].base + 4 * (int64_t{offset[4]} - offset[0]);  // as prefetchRight()
  for (int lane : {0, 2, 5, 7}) __builtin_prefetch(next + offset[lane]);
#pragma GCC unroll 2
  for (int y = 0; y < 2; ++y) {
    const U32x16 texels = simd::gatherPairsWide(row[y].base, row[y].offset);
    if constexpr (srgb) {
      F32x16 linear[3];
      simd::lookUpWide(format::kSrgbBytes, texels, linear);
      const F32x16 alpha = numbersWide(texels >> 24);
#pragma GCC unroll 2
      for (uint32_t x = 0; x < 2; ++x) {
        const U32x16 order = left + x + ofSecond;
        s.sum[0] += reordered(linear[0], linear[1], order) * w[2 * y + x];
        s.sum[1] += reordered(linear[2], alpha, order) * w[2 * y + x];
      }
    } else {
#pragma GCC unroll 2
      for (uint32_t x = 0; x < 2; ++x) {
        const U32x16 twice = reordered(texels, left + x);
#pragma GCC unroll 2
        for (int pair = 0; pair < 2; ++pair) s.sum[pair] += numbersWide(twice & masksOf(pair)) * w[2 * y + x];
      }
    }
  }
}
/// Both levels' squares, or those of the lower one.
template <bool srgb>
ETZEL_WIDE_INLINE void addWide(const WideLevels& l, const std::byte* base, const WideSquares& q, bool two,
                               WideSums& s) {
  F32x16 weight[4], low[4], high[4];
  for (int k = 0; k < 4; ++k) {
    weight[k] = q.wx[k & 1] * q.wy[k >> 1];
    low[k] = lowerTwice(weight[k]), high[k] = upperTwice(weight[k]);
  }
  const WideRow lower[2] = {{base, q.offset}, {base + l.rowBytes[0], q.offset}};
  addWide<srgb>(lower, low, s);
  if (!two) return;
  const WideRow upper[2] = {{base, q.offset + 8}, {base + l.rowBytes[1], q.offset + 8}};
  addWide<srgb>(upper, high, s);
}

/// finishFiltered() of sums without what placeOfCodes() says.
template <bool srgb>
ETZEL_WIDE_INLINE void finishWide(const Target& to, WideSums& s) {
  constexpr float power = 1.0f / 256, rest = static_cast<float>(1.0 / 255 - 1.0 / 256);  // fixed<8>()
  F32x16 fixed[2];
  for (int pair = 0; pair < 2; ++pair) fixed[pair] = s.sum[pair] * splatWide(power) + s.sum[pair] * splatWide(rest);
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

template <bool srgb>
ETZEL_WIDE_INLINE void unscaleWide(WideSums& s) {
  if constexpr (!srgb)
    for (int pair = 0; pair < 2; ++pair) s.sum[pair] = s.sum[pair] * perCode(pair);
}

/// filterSquare() on one or two levels. `upper`: the weights of the second one. \returns false: some texels are no
/// neighbours inside of the image, nothing happened
template <bool srgb>
ETZEL_WIDE_INLINE bool filterWide(const Target& to, const Sampler& s, F32x8 u, F32x8 v, uint32_t level, bool two,
                                  F32x8 upper) {
  const WideLevels levels = wideLevels(to.view, s, level, level + two);
  WideSquares q;
  if (!wideSquares(levels, u, v, q)) return false;
  if (two) {
    const F32x16 share = joinWide(splat(1.0f) - upper, upper);
    for (F32x16& w : q.wx) w *= share;
  }
  WideSums sums = {{splatWide(0.0f), splatWide(0.0f)}};
  addWide<srgb>(levels, to.view.lanes.base, q, two, sums);
  unscaleWide<srgb>(sums);
  finishWide<srgb>(to, sums);
  return true;
}

/// addProbes(), without what placeOfCodes() says of sums.
template <bool srgb>
ETZEL_WIDE_INLINE uint32_t addProbesWide(const ImageView& view, const WideLevels& levels, const ProbeLine& line,
                                         uint32_t first, WideSums& sums) {
  uint32_t i = first;
  for (; i <= line.most; ++i) {
    const Probe probe = probeOf(line, i);
    WideSquares q;
    if (!wideSquares(levels, probe.c[0], probe.c[1], q)) break;
    const F32x8 lower = line.two ? probe.share * (splat(1.0f) - line.upper) : probe.share;
    const F32x16 share = joinWide(lower, probe.share * line.upper);
    for (F32x16& w : q.wx) w *= share;
    addWide<srgb>(levels, view.lanes.base, q, line.two, sums);
  }
  return i;
}
/// addProbes().
template <bool srgb>
ETZEL_WIDE_BYTES uint32_t probesWide(const Target& to, const Sampler& s, uint32_t level, const ProbeLine& line,
                                     uint32_t first, F32x8 out[4]) {
  const WideLevels levels = wideLevels(to.view, s, level, level + line.two);
  const int red = isBlueFirst(to.view.lanes.layout) ? 2 : 0;  // which component the first byte is
  WideSums sums = {{joinWide(out[red], out[1]), joinWide(out[2 - red], out[3])}};
  if constexpr (!srgb)
    for (int pair = 0; pair < 2; ++pair) sums.sum[pair] = sums.sum[pair] * placeOfCodes(pair);
  const uint32_t behind = addProbesWide<srgb>(to.view, levels, line, first, sums);
  unscaleWide<srgb>(sums);
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
  unscaleWide<srgb>(sums);
  for (F32x16& sum : sums.sum) sum /= joinWide(line.probes, line.probes);
  finishWide<srgb>(to, sums);
  return true;
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
