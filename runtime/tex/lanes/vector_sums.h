// Weighted sums of texels of four halves or floats: those of two lanes are one register as they lie in memory, and are
// weighed at once. Only sums become a register for each component. The operations on each number are those of
// WeightedSum in the same order, so either way gives the same bytes. Compiled per target.
#pragma once

#include "runtime/tex/lanes/kernels.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// Whether there are such sums of a layout.
constexpr bool hasVectorSums(Q f) { return f == Q::Rgba16F || f == Q::Rgba32; }

/// Rows of two texels a lane and their weights; those without weight are left out.
struct WeighedRows {
  const std::byte* row[2];
  F32x8 weight[2][2];
  uint32_t count = 0;
  I32x8 all = splat(-1);  ///< whether all texels of a lane have weight

  ETZEL_INLINE_LOOP void add(const std::byte* from, F32x8 left, F32x8 right) {
    const I32x8 hasLeft = unequal(left, splat(0.0f)), hasRight = unequal(right, splat(0.0f));
    if (laneMask(hasLeft | hasRight) == 0) return;
    row[count] = from, weight[count][0] = left, weight[count][1] = right;
    ++count, all &= hasLeft & hasRight;
  }
};

/// WeightedSum of such a layout.
template <Q f>
struct VectorSums {
  static constexpr bool kBounded = format::showsFloats(f);  ///< averages stay between the texels that have weight
  F32x8 sum[4];                                             ///< of lanes i and i + 4
  F32x8 low[kBounded ? 4 : 1]{}, high[kBounded ? 4 : 1]{};

  ETZEL_INLINE_LOOP explicit VectorSums(const F32x8* before) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      sum[i] = before ? before[i] : splat(0.0f);
      if constexpr (kBounded) low[i] = splat(INFINITY), high[i] = splat(-INFINITY);
    }
    if (before) transposeHalves(sum[0], sum[1], sum[2], sum[3]);
  }

  ETZEL_INLINE_LOOP void add(const WeighedRows& rows, const I32x8& offset) {
    if (laneMask(rows.all) == kAllLanes)
      forEachPair([&]<int i>() __attribute__((always_inline)) { addPair<i, true>(rows, offset); });
    else
      forEachPair([&]<int i>() __attribute__((always_inline)) { addPair<i, false>(rows, offset); });
  }

  /// A register for each component.
  ETZEL_INLINE_LOOP Texels total() const {
    Texels t{{sum[0], sum[1], sum[2], sum[3]}};
    transposeHalves(t.c[0], t.c[1], t.c[2], t.c[3]);
    return t;
  }
  /// The same of averages.
  ETZEL_INLINE_LOOP Texels average() const {
    Texels t{{sum[0], sum[1], sum[2], sum[3]}};
    if constexpr (kBounded) {
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) t.c[i] = select(less(sum[i], low[i]), low[i], minimum(high[i], sum[i]));
    }
    transposeHalves(t.c[0], t.c[1], t.c[2], t.c[3]);
    return t;
  }

 private:
  template <class Body>
  static ETZEL_INLINE_LOOP void forEachPair(Body body) {
    body.template operator()<0>(), body.template operator()<1>(), body.template operator()<2>(),
        body.template operator()<3>();
  }
  /// Texels of lanes i and i + 4. `all`: they all have weight
  template <int i, bool all>
  ETZEL_INLINE_LOOP void addPair(const WeighedRows& rows, const I32x8& offset) {
    const auto* from = reinterpret_cast<const int32_t*>(&offset);
    F32x8 s = sum[i], least = low[kBounded ? i : 0], most = high[kBounded ? i : 0];
    for (uint32_t y = 0; y < rows.count; ++y) {
      F32x8 texel[2];
      load(rows.row[y] + from[i], rows.row[y] + from[i + 4], texel);
#pragma GCC unroll 2
      for (int x = 0; x < 2; ++x) {
        const F32x8 w = shuffleHalves<i, i, i, i>(rows.weight[y][x]);
        if constexpr (all) {
          s += texel[x] * w;
          if constexpr (kBounded) least = minimum(texel[x], least), most = maximum(texel[x], most);
        } else {
          // Texels without weight take no part: an infinity there must not become a NaN.
          const I32x8 has = unequal(w, splat(0.0f));
          s += select(has, texel[x] * w, splat(0.0f));
          if constexpr (kBounded) {
            least = minimum(select(has, texel[x], least), least);
            most = maximum(select(has, texel[x], most), most);
          }
        }
      }
    }
    sum[i] = s;
    if constexpr (kBounded) low[i] = least, high[i] = most;
  }
  /// The left and the right texels of two lanes.
  static ETZEL_INLINE_LOOP void load(const std::byte* first, const std::byte* second, F32x8 texel[2]) {
    if constexpr (f == Q::Rgba16F) {
      const F32x8 a = halfToFloatQuiet(simd::load<U16x8>(first)), b = halfToFloatQuiet(simd::load<U16x8>(second));
      texel[0] = join(lowHalf(a), lowHalf(b)), texel[1] = join(highHalf(a), highHalf(b));
    } else {
#pragma GCC unroll 2
      for (int x = 0; x < 2; ++x)
        texel[x] = join(simd::load<F32x4>(first + 16 * x), simd::load<F32x4>(second + 16 * x));
    }
  }
};

/// How texels of a layout are summed, where a host has no better way.
template <Q f>
using SumOf = std::conditional_t<hasVectorSums(f), VectorSums<f>, WeightedSum<f>>;

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
