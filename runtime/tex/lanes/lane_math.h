// What the eight-lane paths do with vectors beyond runtime/simd/: masked stores, indices, tables, logarithms. Compiled
// per target.
#pragma once

#include "runtime/abi/level_of_detail.h"
#include "runtime/simd/vec.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

using namespace simd;
using simd::store;

/// -1 where 0 <= i < size.
ETZEL_INLINE_LOOP I32x8 inside(I32x8 i, int32_t size) { return asInt(less(asUnsigned(i), asUnsigned(splat(size)))); }

/// Writes the lanes of `lanes`.
ETZEL_INLINE_LOOP void store(LaneWords& to, F32x8 value, LaneMask lanes) {
  if (lanes != kAllLanes) value = select(fromLaneMask(lanes), value, floats(to));
  store(to, value);
}

/// The largest integers not above; anything out of range, NaN too, becomes an arbitrary index.
ETZEL_INLINE_LOOP I32x8 floorOf(F32x8 f) { return simd::floorToInt(clamp(f, -1073741824.0f, 1073741824.0f)); }

/// log2Exact() of eight numbers times powers of two, with its bytes.
ETZEL_INLINE_LOOP F32x8 log2Of(F32x8 f, F32x8 scale) {
  const I32x8 w = asInt(f);
  I32x8 exponent = shiftRightLogical(w, 23) - splat(127);
  F32x8 m = asFloat((w & splat(0x7FFFFF)) | splat(0x3F800000));
  const I32x8 upper = greater(m, splat(abi::kLog2Fold));
  m = select(upper, m * splat(0.5f), m);
  const I32x8 infinite = equal(exponent, splat(128));
  exponent -= upper;
  const F32x8 t = m - splat(1.0f), t2 = t * t;
  const auto c = [](int k) __attribute__((always_inline)) { return splat(abi::kLog2Curve[k]); };
  const F32x8 p01 = c(0) + t * c(1), p23 = c(2) + t * c(3), p45 = c(4) + t * c(5);
  const F32x8 p = (p01 + t2 * p23) + (t2 * t2) * (p45 + t2 * c(6));
  F32x8 r = convert<F32x8>(exponent) * scale + (t * scale) * p;
  r = select(infinite, splat(128.0f) * scale, r);
  return select(greater(f, splat(0.0f)), r, splat(-127.0f) * scale);
}
ETZEL_INLINE_LOOP F32x8 log2Of(F32x8 f, float scale) { return log2Of(f, splat(scale)); }

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
