// Bilinear footprints of four floats or halves a texel, or three small floats, on hosts whose registers hold sixteen
// numbers. The operations on each number are those of WeightedSum (kernels.h) in the same order, so either way gives
// the same bytes. Compiled per target, for those that such hosts run.
#pragma once

#include "runtime/simd/x64/wide_loads.h"
#include "runtime/tex/lanes/square.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// Components 0 and 1 of eight lanes, then 2 and 3.
struct WideFloatSums {
  simd::F32x16 sum[2], low[2], high[2];
};

/// Adds a texel to what it is part of. `weight`: of each lane, twice; not 0 in the lanes of `has`.
template <Q f>
ETZEL_WIDE_INLINE void addFloats(const simd::F32x16 texel[2], simd::F32x16 weight, simd::WideMask has,
                                 WideFloatSums& s) {
  for (int pair = 0; pair < 2; ++pair) {
    s.sum[pair] += simd::productWide(has, texel[pair], weight);
    if constexpr (format::showsFloats(f)) {
      s.low[pair] = simd::lowerWide(has, texel[pair], s.low[pair]);
      s.high[pair] = simd::higherWide(has, texel[pair], s.high[pair]);
    }
  }
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

/// finishFiltered(): where the format shows floats, averages stay between the texels that have weight.
template <Q f>
ETZEL_WIDE_INLINE void finishFloats(const Target& to, WideFloatSums& s) {
  if constexpr (format::showsFloats(f))
    for (int pair = 0; pair < 2; ++pair) s.sum[pair] = simd::betweenWide(s.sum[pair], s.low[pair], s.high[pair]);
  if (to.lanes == kAllLanes && to.view.identitySwizzle) {
    for (int pair = 0; pair < 2; ++pair) simd::storeWide(&to.result[2 * pair], s.sum[pair]);
    return;
  }
  put(to,
      {{simd::lowerHalf(s.sum[0]), simd::upperHalf(s.sum[0]), simd::lowerHalf(s.sum[1]), simd::upperHalf(s.sum[1])}});
}

/// filterSquare().
template <Q f>
ETZEL_WIDE_BYTES void filterSquareWide(const Target& to, const Square& low, const Square* high) {
  const simd::F32x16 infinity = simd::splatWide(INFINITY), none = simd::splatWide(0.0f);
  WideFloatSums s = {{none, none}, {infinity, infinity}, {-infinity, -infinity}};
  addSquareWide<f>(low, s);
  if (high) addSquareWide<f>(*high, s);
  finishFloats<f>(to, s);
}

/// readBilinear().
template <Q f>
ETZEL_WIDE_BYTES void readFloatsWide(const ImageView* view, const abi::Footprints* from, LaneWords* result) {
  filterSquareWide<f>({*view, result, kAllLanes}, *reinterpret_cast<const Square*>(from), nullptr);
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
