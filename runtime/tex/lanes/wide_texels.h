// Texels of bilinear footprints that lie anywhere, loaded, weighed and added: of four bytes, of one, of four halves or
// floats, of one float. Lanes 0 to 7 are footprints of eight lanes on one level, or of one probe; lanes 8 to 15 those
// on the next level, or of the next probe, and are added after them. The operations on each number are those of
// address.h and kernels.h in the same order. Compiled per target, for those that have such registers.
#pragma once

#include "runtime/tex/lanes/wide.h"
#include "runtime/tex/lanes/wide_floats.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// What the functions of this file are compiled for, of a layout that wide registers know: blue first or not is one.
constexpr Q wideLayout(Q f) {
  if (isBytes4(f)) return isSrgb(f) ? Q::Rgba8Srgb : Q::Rgba8;
  return f == Q::R8 || f == Q::R32 || f == Q::Rgba16F || f == Q::Rgba32 ? f : Q::None;
}

/// Sums of weighted texels: components 0 and 1 of eight lanes, then 2 and 3. Of R8 and R32, which have no others:
/// components 0 and 3.
template <Q f>
struct SumsOf : WideFloatSums {
  ETZEL_WIDE_INLINE SumsOf() {
    const F32x16 infinity = splatWide(INFINITY), none = splatWide(0.0f);
    for (int pair = 0; pair < 2; ++pair) sum[pair] = none, low[pair] = infinity, high[pair] = -infinity;
  }
};
template <Q f>
requires(isBytes4(f) || f == Q::R8) struct SumsOf<f> : WideSums {
  ETZEL_WIDE_INLINE SumsOf() : WideSums{{splatWide(0.0f), splatWide(0.0f)}} {}
};

/// Codes of component 2 * pair of one level's texels, and of the next one.
ETZEL_WIDE_INLINE F32x16 codesOfLevel(U32x16 texels, int level, int pair) {
  static constexpr simd::BytePattern kOrder[2][2] = {{bytesOfTexels(0, 1, 0), bytesOfTexels(0, 1, 1)},
                                                     {bytesOfTexels(8, 1, 0), bytesOfTexels(8, 1, 1)}};
  return numbersWide(simd::bytesWide(texels, kOrder[level][pair]));
}
/// What stands for texels beyond a border: their word, and which texels of a footprint exist, -1 or 0.
struct WideBorder {
  I32x16 word, exists[4];
};
/// Adds texels of lanes 0 to 7, and with `two` those of the other lanes, with their weights. `border`: null where all
/// texels exist
template <bool srgb>
ETZEL_WIDE_INLINE void addTexelsWide(const std::byte* base, const I32x16 offset[4], const F32x16 weight[4], bool two,
                                     WideSums& s, const WideBorder* border = nullptr) {
  F32x16 number[4][4];  // of each texel: components, or the word
  for (int k = 0; k < 4; ++k) {
    auto words = (U32x16)simd::gatherWide(base, offset[k]);
    if (border) words = (U32x16)(border->exists[k] ? (I32x16)words : border->word);
    number[k][0] = (F32x16)words;
    if constexpr (srgb) {
      simd::lookUpWide(format::kSrgbBytes, words, number[k]);
      number[k][3] = numbersWide(words >> 24);
    }
  }
  for (int level = 0; level < (two ? 2 : 1); ++level)
    for (int k = 0; k < 4; ++k) {
      const F32x16 w = level ? upperTwice(weight[k]) : lowerTwice(weight[k]);
      for (int pair = 0; pair < 2; ++pair) {
        if constexpr (srgb) {
          const F32x16 a = number[k][2 * pair], b = number[k][2 * pair + 1];
          s.sum[pair] += (level ? simd::upperHalves(a, b) : simd::lowerHalves(a, b)) * w;
        } else {
          s.sum[pair] += codesOfLevel((U32x16)number[k][0], level, pair) * w;
        }
      }
    }
}

/// Rows of two texels of each lane: those of lanes 0 to 7, and with `two` those of the other lanes. `order`: as
/// addWide() has it, for each half; null: as they lie.
template <bool srgb>
ETZEL_WIDE_INLINE void addRowsApart(const std::byte* base, I32x16 upper, I32x16 lower, const F32x16 weight[4],
                                    const U32x16* order, bool two, WideSums& s) {
  alignas(64) int32_t offset[2][16];
  simd::storeApart(offset[0], upper), simd::storeApart(offset[1], lower);
  for (int level = 0; level < (two ? 2 : 1); ++level) {
    F32x16 w[4];
    for (int k = 0; k < 4; ++k) w[k] = level ? upperTwice(weight[k]) : lowerTwice(weight[k]);
    const WideRow row[2] = {{base, offset[0] + 8 * level}, {base, offset[1] + 8 * level}};
    prefetchWide(row[0]);
    addWide<srgb>(row, w, s, order ? order + level : nullptr);
  }
}

/// Two texels of each of eight lanes, of bytes, halves or single floats: the left ones lie at `left`, the right ones at
/// `right`, or with `pairs` behind them. Of those with one component in `texel[][0]` alone, components 0 and 3.
template <Q f>
ETZEL_WIDE_INLINE void loadBothWide(const std::byte* base, const int32_t* left, const int32_t* right, bool pairs,
                                    F32x16 texel[2][2]) {
  if constexpr (f == Q::Rgba16F) {
    if (pairs)
      simd::loadHalvesWide(base, left, texel[0], texel[1]);
    else
      simd::loadHalvesApart(base, left, right, texel[0], texel[1]);
  } else if constexpr (f == Q::R32) {
    if (pairs) {
      loadSinglesWide(base, left, texel[0][0], texel[1][0]);
    } else {
      texel[0][0] = joinWide(asFloat(gatherWords(base, load<I32x8>(left))), splat(1.0f));
      texel[1][0] = joinWide(asFloat(gatherWords(base, load<I32x8>(right))), splat(1.0f));
    }
  } else {
    static_assert(f == Q::R8);
    I32x8 both{};
    if (pairs) {
      for (int i = 0; i < 8; ++i) both[i] = load<uint16_t>(base + left[i]);
    } else {
      for (int i = 0; i < 8; ++i) both[i] = load<uint8_t>(base + left[i]) | load<uint8_t>(base + right[i]) << 8;
    }
    texel[0][0] = joinWide(convert<F32x8>(both & splat(255)), splat(1.0f));
    texel[1][0] = joinWide(convert<F32x8>(both >> 8), splat(1.0f));
  }
}

/// Adds them. `w`: their weights, of each lane twice.
template <Q f>
ETZEL_WIDE_INLINE void addBothWide(const std::byte* base, const int32_t* left, const int32_t* right, bool pairs,
                                   const F32x16 w[2], SumsOf<f>& s) {
  F32x16 texel[2][2];
  if constexpr (f != Q::Rgba32) loadBothWide<f>(base, left, right, pairs, texel);
  for (int x = 0; x < 2; ++x) {
    if constexpr (f == Q::R8) {
      s.sum[0] += texel[x][0] * w[x];
    } else {
      const simd::WideMask has = simd::notZeroWide(w[x]);
      if constexpr (f == Q::Rgba32) {
        if (!has) continue;
        simd::loadFloatsWide(base, x ? right : left, texel[x]);
      }
      addFloats<f>(texel[x], w[x], has, s);
    }
  }
}
/// addTexelsWide() of bytes, halves and floats. `pairs`: whether right texels lie behind the left ones.
template <Q f>
ETZEL_WIDE_INLINE void addNumbers(const std::byte* base, const I32x16 offset[4], const F32x16 weight[4], bool pairs,
                                  bool two, SumsOf<f>& s) {
  alignas(64) int32_t from[4][16];
  for (int k = 0; k < 4; ++k) simd::storeApart(from[k], offset[k]);
  for (int level = 0; level < (two ? 2 : 1); ++level) {
    prefetchWide({base, from[0] + 8 * level});
    for (int y = 0; y < 2; ++y) {
      F32x16 w[2];
      for (int x = 0; x < 2; ++x) w[x] = level ? upperTwice(weight[2 * y + x]) : lowerTwice(weight[2 * y + x]);
      addBothWide<f>(base, from[2 * y] + 8 * level, from[2 * y + 1] + 8 * level, pairs, w, s);
    }
  }
}

/// Sums of all probes become averages.
template <Q f>
ETZEL_WIDE_INLINE void averageOfProbes(const ProbeLine& line, SumsOf<f>& s) {
  if (line.most == 1) return;
  for (F32x16& sum : s.sum) sum /= joinWide(line.probes, line.probes);
}

/// The sums become the result.
template <Q f>
ETZEL_WIDE_INLINE void finishTexels(const Target& to, SumsOf<f>& s) {
  if constexpr (isBytes4(f)) {
    finishWide<isSrgb(f)>(to, s);
  } else if constexpr (f == Q::R8) {
    put(to, {{fixed<8>(lowerHalf(s.sum[0])), splat(0.0f), splat(0.0f), upperHalf(s.sum[0])}});
  } else {
    finishFloats<f>(to, s);
  }
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
