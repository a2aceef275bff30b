// Bilinear footprints of four floats or halves a texel, three small floats, or one float, on hosts whose registers hold
// sixteen numbers. The operations on each number are those of WeightedSum (kernels.h) in the same order, so either way
// gives the same bytes. Compiled per target, for those that such hosts run.
#pragma once

#include "runtime/simd/x64/wide_loads.h"
#include "runtime/tex/lanes/square.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// Components 0 and 1 of eight lanes, then 2 and 3; of texels of one component 0 and 3 alone.
struct WideFloatSums {
  simd::F32x16 sum[2], low[2], high[2];
};

/// How many pairs of components there are.
constexpr int pairsOf(Q f) { return ownComponents(f) == 1 ? 1 : 2; }

/// Adds a texel to what it is part of. `weight`: of each lane, twice; not 0 in the lanes of `has`.
template <Q f>
ETZEL_WIDE_INLINE void addFloats(const simd::F32x16 texel[2], simd::F32x16 weight, simd::WideMask has,
                                 WideFloatSums& s) {
  for (int pair = 0; pair < pairsOf(f); ++pair) {
    s.sum[pair] += simd::productWide(has, texel[pair], weight);
    if constexpr (format::showsFloats(f)) {
      s.low[pair] = simd::lowerWide(has, texel[pair], s.low[pair]);
      s.high[pair] = simd::higherWide(has, texel[pair], s.high[pair]);
    }
  }
}

/// A float and its right neighbour from each offset, and 1 as component 3.
ETZEL_WIDE_INLINE void loadSinglesWide(const std::byte* base, const int32_t* offset, simd::F32x16& left,
                                       simd::F32x16& right) {
  const auto both = (simd::F32x16)simd::gatherPairsWide(base, offset);
  left = simd::joinWide(__builtin_shufflevector(both, both, 0, 2, 4, 6, 8, 10, 12, 14), splat(1.0f));
  right = simd::joinWide(__builtin_shufflevector(both, both, 1, 3, 5, 7, 9, 11, 13, 15), splat(1.0f));
}

/// addSquare(). Texels of floats that have no weight in any lane are not read.
template <Q f>
ETZEL_WIDE_INLINE void addSquareWide(const Square& q, WideFloatSums& s) {
  prefetchRight(q);
  const auto* const offset = reinterpret_cast<const int32_t*>(&q.offset);
  const int rows = q.row[1] == q.row[0] ? 1 : 2;
  for (int y = 0; y < rows; ++y) {
    simd::F32x16 weight[2];
    simd::WideMask has[2];
    for (int x = 0; x < 2; ++x) {
      const F32x8 w = q.wx[x] * q.wy[y];
      weight[x] = simd::joinWide(w, w);
      has[x] = simd::notZeroWide(weight[x]);
    }
    simd::F32x16 texel[2][2];
    if constexpr (f != Q::Rgba32) {
      if constexpr (f == Q::Rgba16F)
        simd::loadHalvesWide(q.row[y], offset, texel[0], texel[1]);
      else if constexpr (f == Q::R32)
        loadSinglesWide(q.row[y], offset, texel[0][0], texel[1][0]);
      else
        simd::loadSmallFloatsWide(q.row[y], offset, texel[0], texel[1]);
      for (int x = 0; x < 2; ++x) addFloats<f>(texel[x], weight[x], has[x], s);
    } else {
      for (int x = 0; x < 2; ++x) {
        if (!has[x]) continue;
        simd::loadFloatsWide(q.row[y] + 16 * x, offset, texel[x]);
        addFloats<f>(texel[x], weight[x], has[x], s);
      }
    }
  }
}

/// put() of components 0 and 1, and 2 and 3.
ETZEL_WIDE_INLINE void putPairs(const Target& to, const simd::F32x16 pair[2]) {
  if (to.lanes == kAllLanes && to.view.identitySwizzle) {
    for (int k = 0; k < 2; ++k) simd::storeWide(&to.result[2 * k], pair[k]);
    return;
  }
  put(to, {{simd::lowerHalf(pair[0]), simd::upperHalf(pair[0]), simd::lowerHalf(pair[1]), simd::upperHalf(pair[1])}});
}

/// finishFiltered(): where the format shows floats, averages stay between the texels that have weight.
template <Q f>
ETZEL_WIDE_INLINE void finishFloats(const Target& to, WideFloatSums& s) {
  if constexpr (format::showsFloats(f))
    for (int pair = 0; pair < pairsOf(f); ++pair)
      s.sum[pair] = simd::betweenWide(s.sum[pair], s.low[pair], s.high[pair]);
  if constexpr (pairsOf(f) == 1)
    put(to, {{simd::lowerHalf(s.sum[0]), splat(0.0f), splat(0.0f), simd::upperHalf(s.sum[0])}});
  else
    putPairs(to, s.sum);
}

/// filterSquare().
template <Q f>
requires(hasWideFloats(f)) ETZEL_WIDE_BYTES
    void filterSquareWide(const Target& to, const Square& low, const Square* high) {
  const simd::F32x16 infinity = simd::splatWide(INFINITY), none = simd::splatWide(0.0f);
  WideFloatSums s = {{none, none}, {infinity, infinity}, {-infinity, -infinity}};
  addSquareWide<f>(low, s);
  if (high) addSquareWide<f>(*high, s);
  finishFloats<f>(to, s);
}

/// readFound() of four floats a texel.
ETZEL_WIDE_BYTES void readFloatsFound(const ImageView* view, const LaneWords* offset, LaneMask inside,
                                      LaneWords* result) {
  const std::byte* const base = view->direct.texels;
  const auto* const from = reinterpret_cast<const int32_t*>(offset);
  // prefetchRight(): four texels are a line, so that two lanes have both rows of two quads.
  const std::byte* const next = base + 4 * (int64_t{from[4]} - from[0]);
  for (int lane : {0, 7}) __builtin_prefetch(next + from[lane]);
  simd::F32x16 texel[2];
  simd::loadFloatsWide(base, from, texel);
  if (inside != kAllLanes) {
    const I32x8 lanes = fromLaneMask(inside);
    for (simd::F32x16& t : texel) t = (simd::F32x16)((simd::I32x16)t & simd::joinWide(lanes, lanes));
  }
  putPairs({*view, result, kAllLanes}, texel);
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
