// Bilinear footprints of four floats or halves a texel, on hosts whose registers hold sixteen numbers. The operations
// on each number are those of WeightedSum (kernels.h) in the same order, so either way gives the same bytes. Compiled
// per target, for those that such hosts run.
#pragma once

#include "runtime/simd/x64/wide_loads.h"
#include "runtime/tex/lanes/square.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// Components 0 and 1 of eight lanes, then 2 and 3.
struct WideFloatSums {
  __m512 sum[2], low[2], high[2];
};

/// Adds a texel to what it is part of. `weight`: of each lane, twice; not 0 in the lanes of `has`.
template <Q f>
ETZEL_WIDE_INLINE void addFloats(const simd::F32x16 texel[2], __m512 weight, __mmask16 has, WideFloatSums& s) {
  for (int pair = 0; pair < 2; ++pair) {
    const auto t = (__m512)texel[pair];
    s.sum[pair] = (__m512)((simd::F32x16)s.sum[pair] + (simd::F32x16)_mm512_maskz_mul_ps(has, t, weight));
    if constexpr (format::showsFloats(f)) {
      s.low[pair] = _mm512_mask_min_ps(s.low[pair], has, t, s.low[pair]);
      s.high[pair] = _mm512_mask_max_ps(s.high[pair], has, t, s.high[pair]);
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
    __m512 weight[2];
    __mmask16 has[2];
    for (int x = 0; x < 2; ++x) {
      const F32x8 w = q.wx[x] * q.wy[y];
      weight[x] = (__m512)simd::joinWide(w, w);
      has[x] = _mm512_cmp_ps_mask(weight[x], _mm512_setzero_ps(), _CMP_NEQ_UQ);
    }
    simd::F32x16 texel[2][2];
    if constexpr (f == Q::Rgba16F) {
      simd::loadHalvesWide(q.row[y], offset, texel[0], texel[1]);
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

/// filterSquare().
template <Q f>
ETZEL_WIDE_BYTES void filterSquareWide(const Target& to, const Square& low, const Square* high) {
  const __m512 infinity = _mm512_set1_ps(INFINITY), none = _mm512_setzero_ps();
  const __m512 least = _mm512_sub_ps(none, infinity);
  WideFloatSums s = {{none, none}, {infinity, infinity}, {least, least}};
  addSquareWide<f>(low, s);
  if (high) addSquareWide<f>(*high, s);
  if constexpr (format::showsFloats(f))
    for (int pair = 0; pair < 2; ++pair) {
      const __m512 sum = s.sum[pair];
      const __mmask16 above = _mm512_cmp_ps_mask(sum, s.high[pair], _CMP_GT_OQ);
      const __mmask16 below = _mm512_cmp_ps_mask(sum, s.low[pair], _CMP_LT_OQ);
      s.sum[pair] = _mm512_mask_mov_ps(_mm512_mask_mov_ps(sum, above, s.high[pair]), below, s.low[pair]);
    }
  if (to.lanes == kAllLanes && to.view.identitySwizzle) {
    for (int pair = 0; pair < 2; ++pair) _mm512_storeu_ps(&to.result[2 * pair], s.sum[pair]);
    return;
  }
  const auto a = (simd::F32x16)s.sum[0], b = (simd::F32x16)s.sum[1];
  put(to, {{simd::lowerHalf(a), simd::upperHalf(a), simd::lowerHalf(b), simd::upperHalf(b)}});
}

/// readBilinear().
template <Q f>
ETZEL_WIDE_BYTES void readFloatsWide(const ImageView* view, const abi::Footprints* from, LaneWords* result) {
  filterSquareWide<f>({*view, result, kAllLanes}, *reinterpret_cast<const Square*>(from), nullptr);
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
