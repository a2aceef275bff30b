// Bilinear footprints that lie anywhere, as wide.h has those of lanes that share their levels and stay inside of the
// image: every lane on levels of its own, since the two quads of a warp seldom agree where levels change, and over the
// edges of images that repeat, end or have a border there. Texels are read one by one where a row's two do not lie in
// one pair. The operations on each number are those of address.h and kernels.h in the same order. Compiled per target,
// for those that such hosts run.
#pragma once

#include "runtime/tex/lanes/wide_texels.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// Whether texels lie beyond every edge, and coordinates count images.
ETZEL_INLINE_LOOP bool isEndless(const Sampler& s) {
  constexpr auto kBorder = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
  return s.address[0] != kBorder && s.address[1] != kBorder && !s.unnormalized;
}

/// Whether texels of every other image lie the other way round.
ETZEL_INLINE_LOOP bool isMirrored(const Sampler& s) {
  constexpr auto kMirrored = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;
  return s.address[0] == kMirrored || s.address[1] == kMirrored;
}

/// The texel of four bytes that reads as a sampler's border colour. \returns false: there is none, but colours of 0 and
/// 1 have one in every format
ETZEL_INLINE_LOOP bool borderWord(const ImageView& view, const Sampler& s, int32_t& word) {
  const format::Texel border = borderTexel(view, s);
  word = 0;
  for (int c = 0; c < 4; ++c) {
    const float number = format::bitsToFloat(border.word[c]);
    if (number != 0 && number != 1) return false;
    const int byte = isBlueFirst(view.lanes.layout) && c != 3 ? 2 - c : c;
    word |= number != 0 ? static_cast<int32_t>(0xFFu << (8 * byte)) : 0;
  }
  return true;
}

/// The level above, where there is one.
ETZEL_INLINE_LOOP I32x8 levelAbove(const ImageView& view, I32x8 level) {
  return minimum(level + splat(1), splat(static_cast<int32_t>(view.mipCount) - 1));
}
/// Which part of an image eight lanes sample.
struct PlaceOfLanes {
  I32x8 level;  ///< the lower one
  I32x8 layer;  ///< of the view
};

/// Levels of sixteen lanes. WideRule::keep is that of images that repeat, whatever the sampler does.
struct LevelsOfLanes {
  WideRule axis[2];
  I32x16 pitch, start;
};
/// Lanes 8 to 15 are on the first level as well, or with `two` on the one above.
ETZEL_WIDE_INLINE LevelsOfLanes levelsOfLanes(const ImageView& view, const PlaceOfLanes& p, bool two) {
  const I32x16 number = joinWide(p.level, two ? levelAbove(view, p.level) : p.level);
  const abi::LevelPlace& base = view.direct.level[0];
  LevelsOfLanes l;
  for (int d = 0; d < 2; ++d) {
    const I32x16 size = simd::maximumWide(splatWide(base.size[d]) >> number, splatWide(1)), low = size - splatWide(1);
    l.axis[d] = {numbersWide(size), (size & low) != splatWide(0) ? splatWide(-1) : low, size - splatWide(2)};
  }
  l.pitch = simd::wordsOf16(view.lanes.pitch, number), l.start = simd::wordsOf16(view.lanes.start, number);
  l.start += joinWide(p.layer, p.layer) * splatWide(view.lanes.layerPitch);
  return l;
}

/// linearAxis() of sixteen coordinates.
struct TexelsOfAxis {
  I32x16 at[2];
  I32x16 bad;  ///< negative where the coordinate is no number, or too far from the image
  F32x16 w[2];
};
ETZEL_WIDE_INLINE I32x16 clampedWide(I32x16 v, I32x16 last) {
  return simd::minimumWide(simd::maximumWide(v, splatWide(0)), last);
}
/// `i` modulo a period, whose `keep` is that of a power of two, or else -1: then at most one period away. `bad` becomes
/// negative where it is further
ETZEL_WIDE_INLINE I32x16 moduloWide(I32x16 i, I32x16 keep, I32x16 period, I32x16& bad) {
  I32x16 at = i & keep;
  if (!simd::signsWide(keep)) return at;
  at += (at < splatWide(0)) & period;
  at -= (at >= period) & period;
  bad |= at | (period - splatWide(1) - at);
  return clampedWide(at, period - splatWide(1));
}
/// wrap() of two neighbours, the first is i.
ETZEL_WIDE_INLINE void wrapWide(VkSamplerAddressMode mode, const WideRule& rule, I32x16 i, I32x16 at[2], I32x16& bad) {
  const I32x16 one = splatWide(1), last = rule.last + one, size = last + one;
  const auto next = (I32x16)((U32x16)i + 1);
  switch (mode) {
    case VK_SAMPLER_ADDRESS_MODE_REPEAT:
      at[0] = moduloWide(i, rule.keep, size, bad);
      at[1] = (at[0] + one) & (at[0] < last);
      return;
    case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT: {
      const I32x16 twice = size + size, keep = rule.keep + rule.keep + one;  // of -1: -1
      at[0] = moduloWide(i, keep, twice, bad), at[1] = moduloWide(next, keep, twice, bad);
      for (int k = 0; k < 2; ++k) at[k] = simd::minimumWide(at[k], twice - one - at[k]);
      return;
    }
    case VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE:
      at[0] = simd::minimumWide(i ^ (i >> 31), last), at[1] = simd::minimumWide(next ^ (next >> 31), last);
      return;
    default: at[0] = clampedWide(i, last), at[1] = clampedWide(next, last);
  }
}
ETZEL_WIDE_INLINE TexelsOfAxis texelsOfAxis(const WideRule& rule, VkSamplerAddressMode mode, F32x16 c) {
  const F32x16 x = c * rule.scale - splatWide(0.5f), whole = floorWide(x);
  TexelsOfAxis a;
  a.w[1] = x - whole, a.w[0] = splatWide(1.0f) - a.w[1];
  a.bad = splatWide(0x4A800000) - ((I32x16)x & splatWide(0x7FFFFFFF));
  wrapWide(mode, rule, simd::truncateWide(whole), a.at, a.bad);
  return a;
}

/// Sixteen footprints.
struct FootprintsAnywhere {
  TexelsOfAxis x;
  I32x16 row[2];  ///< bytes from the view's first texel to the rows
  I32x16 last;    ///< the last column
  F32x16 weight[4];
  uint32_t bad;  ///< a bit for each lane whose texels are not known
};
/// `share`: what the texels of each lane count.
ETZEL_WIDE_INLINE FootprintsAnywhere footprintsAnywhere(const LevelsOfLanes& l, const Sampler& s, F32x16 u, F32x16 v,
                                                        F32x16 share) {
  FootprintsAnywhere f;
  f.x = texelsOfAxis(l.axis[0], s.address[0], u);
  const TexelsOfAxis y = texelsOfAxis(l.axis[1], s.address[1], v);
  f.last = l.axis[0].last + splatWide(1);
  for (int k = 0; k < 2; ++k) f.row[k] = l.start + (I32x16)((U32x16)y.at[k] * (U32x16)l.pitch);
  for (F32x16& w : f.x.w) w *= share;
  for (int k = 0; k < 4; ++k) f.weight[k] = f.x.w[k & 1] * y.w[k >> 1];
  f.bad = simd::signsWide(f.x.bad | y.bad);
  return f;
}

/// The rows of footprints as pairs of neighbours, of which an edge has one twice, and a mirrored image both the other
/// way round.
struct PairsAnywhere {
  I32x16 first;        ///< the column of the first of a pair
  I32x16 left, right;  ///< which of a pair the footprint's texels are, 0 or 1; other numbers: they are no pair
};
ETZEL_WIDE_INLINE PairsAnywhere pairsOf(const FootprintsAnywhere& f) {
  PairsAnywhere p;
  p.first = simd::minimumWide(simd::minimumWide(f.x.at[0], f.x.at[1]), f.last - splatWide(1));
  p.left = f.x.at[0] - p.first, p.right = f.x.at[1] - p.first;
  return p;
}
/// As addWide() has it, for lanes 0 to 7 and for the others.
ETZEL_WIDE_INLINE void orderOf(const PairsAnywhere& p, U32x16 order[2]) {
  const U32x16 pairs = {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23};
  const U32x16 even = {0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14};
  for (uint32_t h = 0; h < 2; ++h) order[h] = even + (U32x16)reordered((F32x16)p.left, (F32x16)p.right, pairs + 8 * h);
}

/// Adds the texels of lanes 0 to 7, and with `two` those of the other lanes.
template <Q f>
ETZEL_WIDE_INLINE void addFootprints(const std::byte* base, const FootprintsAnywhere& p, bool two, SumsOf<f>& s) {
  constexpr int shift = std::countr_zero(static_cast<uint32_t>(texelBytes(f)));
  const I32x16 one = splatWide(1);
  const PairsAnywhere pairs = pairsOf(p);
  const bool plain = simd::noneWide(pairs.left | (pairs.right ^ one));
  const bool apart = !simd::noneWide(((pairs.left | pairs.right) & splatWide(~1)) | (pairs.first >> 31));
  if (apart || !isBytes4(f)) {
    I32x16 offset[4];
    for (int k = 0; k < 4; ++k) offset[k] = p.row[k >> 1] + (p.x.at[k & 1] << shift);
    if constexpr (isBytes4(f))
      addTexelsWide<isSrgb(f)>(base, offset, p.weight, two, s);
    else
      addNumbers<f>(base, offset, p.weight, plain && !apart, two, s);
    return;
  }
  if constexpr (isBytes4(f)) {
    const I32x16 at = pairs.first << shift;
    U32x16 order[2];
    if (!plain) orderOf(pairs, order);
    addRowsApart<isSrgb(f)>(base, p.row[0] + at, p.row[1] + at, p.weight, plain ? nullptr : order, two, s);
  }
}

/// The same of footprints that lie inside of the image, as most do, with less to find out. \returns false: some do not,
/// nothing happened
template <Q f>
ETZEL_WIDE_INLINE bool addInside(const std::byte* base, const LevelsOfLanes& l, const Sampler& s, const WideProbe& p,
                                 bool two, SumsOf<f>& sums) {
  constexpr int bytes = texelBytes(f), shift = std::countr_zero(static_cast<uint32_t>(bytes));
  WideAxis axis[2];
  for (int d = 0; d < 2; ++d) {
    WideRule rule = l.axis[d];
    rule.keep |= splatWide(static_cast<int32_t>(~s.direct.repeats[d]));
    axis[d] = wideAxis(rule, p.c[d]);
  }
  if (simd::signsWide(axis[0].bad | axis[1].bad)) return false;
  I32x16 offset[4];
  offset[0] = (I32x16)((U32x16)axis[1].at * (U32x16)l.pitch) + (axis[0].at << shift) + l.start;
  offset[2] = offset[0] + l.pitch;
  F32x16 weight[4];
  for (F32x16& w : axis[0].w) w *= p.share;
  for (int k = 0; k < 4; ++k) weight[k] = axis[0].w[k & 1] * axis[1].w[k >> 1];
  if constexpr (isBytes4(f)) {
    addRowsApart<isSrgb(f)>(base, offset[0], offset[2], weight, nullptr, two, sums);
  } else {
    for (int k = 0; k < 2; ++k) offset[2 * k + 1] = offset[2 * k] + splatWide(bytes);
    addNumbers<f>(base, offset, weight, true, two, sums);
  }
  return true;
}
/// Of lanes wherever they are. \returns false: some lanes' texels are not known, nothing happened
template <Q f>
ETZEL_WIDE_INLINE bool addAnywhere(const Target& to, const LevelsOfLanes& l, const Sampler& s, const WideProbe& p,
                                   bool two, SumsOf<f>& sums) {
  const std::byte* const base = to.view.lanes.base;
  if (addInside<f>(base, l, s, p, two, sums)) return true;
  const FootprintsAnywhere found = footprintsAnywhere(l, s, p.c[0], p.c[1], p.share);
  if ((found.bad | found.bad >> 8) & to.lanes) return false;
  addFootprints<f>(base, found, two, sums);
  return true;
}

/// Which of two texels along an axis exist, from the first on.
ETZEL_WIDE_INLINE void existingWide(VkSamplerAddressMode mode, I32x16 last, I32x16 first, I32x16 exist[2]) {
  const bool ends = mode == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
  for (int k = 0; k < 2; ++k) {
    const auto at = (U32x16)first + static_cast<uint32_t>(k);
    exist[k] = ends ? (I32x16)(at <= (U32x16)last) : splatWide(-1);
  }
}
/// addAnywhere() of a sampler whose border colour is `word`.
template <Q f>
ETZEL_WIDE_INLINE bool addBordered(const Target& to, const LevelsOfLanes& l, const Sampler& s, const WideProbe& p,
                                   bool two, int32_t word, SumsOf<f>& sums) {
  const std::byte* const base = to.view.lanes.base;
  if (addInside<f>(base, l, s, p, two, sums)) return true;
  const FootprintsAnywhere found = footprintsAnywhere(l, s, p.c[0], p.c[1], p.share);
  if ((found.bad | found.bad >> 8) & to.lanes) return false;
  I32x16 exist[2][2];
  for (int d = 0; d < 2; ++d) {
    const I32x16 first = simd::truncateWide(floorWide(p.c[d] * l.axis[d].scale - splatWide(0.5f)));
    existingWide(s.address[d], l.axis[d].last + splatWide(1), first, exist[d]);
  }
  I32x16 offset[4];
  WideBorder border{splatWide(word), {}};
  for (int k = 0; k < 4; ++k) {
    offset[k] = found.row[k >> 1] + (found.x.at[k & 1] << 2);
    border.exists[k] = exist[0][k & 1] & exist[1][k >> 1];
  }
  addTexelsWide<isSrgb(f)>(base, offset, found.weight, two, sums, &border);
  return true;
}
/// filterProbesAnywhere() of such a sampler.
template <bool srgb>
ETZEL_WIDE_BYTES __attribute__((noinline)) bool filterBordered(const Target& to, const Sampler& s,
                                                               const PlaceOfLanes& p, const ProbeLine& line) {
  constexpr Q f = srgb ? Q::Rgba8Srgb : Q::Rgba8;
  int32_t word;
  if (s.unnormalized || !borderWord(to.view, s, word)) return false;
  const LevelsOfLanes l = levelsOfLanes(to.view, p, line.two);
  const WideProbeLine wide = wideProbeLine(line);
  const uint32_t step = line.two ? 1 : 2;
  SumsOf<f> sums;
  for (uint32_t i = 1; i <= line.most; i += step) {
    const bool both = line.two || i < line.most;
    if (!addBordered<f>(to, l, s, probesFrom(line, wide, i, both), both, word, sums)) return false;
  }
  averageOfProbes<f>(line, sums);
  finishTexels<f>(to, sums);
  return true;
}

/// filterTwoWide() of lanes with levels of their own. `two`: whether some lane has weight on its second level. \returns
/// false: some lanes' texels are not known, nothing happened
template <bool srgb>
ETZEL_WIDE_BYTES __attribute__((noinline)) bool filterAnywhere(const Target& to, const Sampler& s, F32x8 u, F32x8 v,
                                                               const PlaceOfLanes& p, F32x8 upper, bool two) {
  constexpr Q f = srgb ? Q::Rgba8Srgb : Q::Rgba8;
  if (!isEndless(s))
    return filterBordered<srgb>(to, s, p, {{u, v}, {splat(0.0f), splat(0.0f)}, splat(1.0f), upper, 1, two});
  const LevelsOfLanes l = levelsOfLanes(to.view, p, two);
  const F32x16 share = two ? joinWide(splat(1.0f) - upper, upper) : splatWide(1.0f);
  SumsOf<f> sums;
  if (!addAnywhere<f>(to, l, s, {{joinWide(u, u), joinWide(v, v)}, share}, two, sums)) return false;
  finishTexels<f>(to, sums);
  return true;
}

/// A probe on both levels, or two on one level, whose rows are pairs.
struct ProbePairs {
  alignas(64) int32_t offset[2][16];  ///< of the pairs, by row
  F32x16 weight[4];
  U32x16 order[2];
};
/// \returns a bit for each lane whose rows are no pairs
ETZEL_WIDE_INLINE uint32_t findPairs(const LevelsOfLanes& l, const Sampler& s, const WideProbe& probe, ProbePairs& p) {
  const FootprintsAnywhere found = footprintsAnywhere(l, s, probe.c[0], probe.c[1], probe.share);
  const PairsAnywhere pairs = pairsOf(found);
  for (int y = 0; y < 2; ++y) simd::storeApart(p.offset[y], found.row[y] + (pairs.first << 2));
  for (int k = 0; k < 4; ++k) p.weight[k] = found.weight[k];
  orderOf(pairs, p.order);
  const I32x16 one = splatWide(1);
  return found.bad | simd::signsWide(pairs.first | (one - pairs.left) | (one - pairs.right));
}
/// addProbesWide() of footprints over edges and in mirrored images as well, each lane on levels of its own. \returns
/// the number of the next probe, one of whose rows is no pair; beyond the last one: there is none
template <bool srgb>
ETZEL_WIDE_INLINE uint32_t addProbePairs(const std::byte* base, const LevelsOfLanes& l, const Sampler& s,
                                         const ProbeLine& line, const WideProbeLine& wide, WideSums& sums) {
  const uint32_t step = line.two ? 1 : 2;
  ProbePairs probes[16];
  uint32_t behind = 1, found = 0;
  for (; behind <= line.most; behind += step, ++found) {
    const bool both = line.two || behind < line.most;
    ProbePairs& p = probes[found];
    if (findPairs(l, s, probesFrom(line, wide, behind, both), p) & (both ? 0xFFFF : 0xFF)) break;
    prefetchWide({base, p.offset[0]}, {0, 7});
    if (both) prefetchWide({base, p.offset[0] + 8}, {3, 4});
  }
  for (uint32_t i = 0; i < found; ++i) {
    const ProbePairs& p = probes[i];
    for (int level = 0; level < (line.two || 1 + step * i < line.most ? 2 : 1); ++level) {
      F32x16 w[4];
      for (int k = 0; k < 4; ++k) w[k] = level ? upperTwice(p.weight[k]) : lowerTwice(p.weight[k]);
      const WideRow row[2] = {{base, p.offset[0] + 8 * level}, {base, p.offset[1] + 8 * level}};
      addWide<srgb>(row, w, sums, p.order + level);
    }
  }
  return behind;
}

/// filterProbesWide() of lanes with levels of their own, or of one probe. \returns false: some lanes' texels are not
/// known, nothing happened
template <Q f>
ETZEL_WIDE_BYTES __attribute__((noinline)) bool filterProbesAnywhere(const Target& to, const Sampler& s,
                                                                     const PlaceOfLanes& p, const ProbeLine& line) {
  if (!isEndless(s)) {
    if constexpr (isBytes4(f)) return filterBordered<isSrgb(f)>(to, s, p, line);
    return false;
  }
  const LevelsOfLanes l = levelsOfLanes(to.view, p, line.two);
  const WideProbeLine wide = wideProbeLine(line);
  const uint32_t step = line.two ? 1 : 2;
  SumsOf<f> sums;
  uint32_t i = 1;
  if constexpr (isBytes4(f)) i = addProbePairs<isSrgb(f)>(to.view.lanes.base, l, s, line, wide, sums);
  for (; i <= line.most; i += step) {
    const bool both = line.two || i < line.most;
    if (!addAnywhere<f>(to, l, s, probesFrom(line, wide, i, both), both, sums)) return false;
  }
  averageOfProbes<f>(line, sums);
  finishTexels<f>(to, sums);
  return true;
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
