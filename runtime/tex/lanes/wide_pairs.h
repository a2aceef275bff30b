// Bilinear footprints of two components a texel (chroma of video, fields of vectors) on hosts whose registers hold
// sixteen numbers: the first component of eight lanes, then the second one. The operations on each number are those of
// WeightedSum (kernels.h) in the same order, so either way gives the same bytes. Compiled per target, for those that
// such hosts run.
#pragma once

#include "runtime/simd/x64/wide_loads.h"
#include "runtime/tex/lanes/wide.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// Texels and their right neighbours, as numbers or codes.
template <Q f>
ETZEL_WIDE_INLINE void loadPairsWide(const std::byte* base, const I32x8& offset, F32x16 texel[2]) {
  const auto* const from = reinterpret_cast<const int32_t*>(&offset);
  if constexpr (f == Q::Rg8) {
    static constexpr simd::BytePattern kOrder[2] = {bytesOfTexels(0, 1, 0), bytesOfTexels(0, 1, 1)};
    const I32x8 both = gatherWords(base, offset);
    const auto words = (U32x16)joinWide(both, both);
    for (int x = 0; x < 2; ++x) texel[x] = numbersWide(simd::bytesWide(words, kOrder[x]));
  } else if constexpr (f == Q::Rg16) {
    const U32x16 both = simd::gatherPairsWide(base, from);
    for (uint32_t x = 0; x < 2; ++x) texel[x] = numbersWide(simd::halfWordsWide(both, x));
  } else {
    static_assert(f == Q::Rg16F);
    simd::loadHalfPairsWide(base, from, texel[0], texel[1]);
  }
}

/// The sums of both components, and of the weights, which is what becomes of an alpha of 1.
struct PairSums {
  F32x16 sum;
  F32x8 weights;
};
/// addSquare().
template <Q f>
ETZEL_WIDE_INLINE void addPairsWide(const Square& q, PairSums& s) {
  prefetchRight(q);
#pragma GCC unroll 2
  for (int y = 0; y < 2; ++y) {
    F32x16 texel[2];
    loadPairsWide<f>(q.row[y], q.offset, texel);
#pragma GCC unroll 2
    for (int x = 0; x < 2; ++x) {
      const F32x8 w = q.wx[x] * q.wy[y];
      const F32x16 weight = joinWide(w, w);
      if constexpr (f == Q::Rg16F)  // an infinity without weight must not become a NaN
        s.sum += simd::productWide(simd::notZeroWide(weight), texel[x], weight);
      else
        s.sum += texel[x] * weight;
      s.weights += w;
    }
  }
}

/// filterSquare().
template <Q f>
requires(hasWidePairs(f)) ETZEL_WIDE_BYTES
    void filterSquareWide(const Target& to, const Square& low, const Square* high) {
  PairSums s = {splatWide(0.0f), splat(0.0f)};
  addPairsWide<f>(low, s);
  if (high) addPairsWide<f>(*high, s);
  Texels t{{lowerHalf(s.sum), upperHalf(s.sum), splat(0.0f), s.weights}};
  finishFiltered<f>(to, t);
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
