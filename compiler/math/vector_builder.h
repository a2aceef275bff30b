// The builder of math.h on vectors of eight lanes, for code that is compiled per target. The bits are the same for
// every target, with and without instructions for fused multiply-adds.
#pragma once

#include "runtime/simd/vec.h"

namespace etzel::math::ETZEL_TARGET {

struct VectorBuilder {
  using F = simd::F32x8;
  using I = simd::I32x8;
  using D = simd::F64x8;
  using L = simd::I64x8;

  static ETZEL_INLINE F f(float v) { return simd::splat<F>(v); }
  static ETZEL_INLINE D d(double v) { return simd::splat<D>(v); }
  static ETZEL_INLINE I i(int32_t v) { return simd::splat<I>(v); }
  static ETZEL_INLINE I asInt(F v) { return simd::asInt(v); }
  static ETZEL_INLINE F asFloat(I v) { return simd::asFloat(v); }
  static ETZEL_INLINE D toD(F v) { return simd::convert<D>(v); }
  static ETZEL_INLINE F toF(D v) { return simd::convert<F>(v); }
  static ETZEL_INLINE I toInt(D v) { return simd::convert<I>(v); }
  static ETZEL_INLINE F toFloat(I v) { return simd::convert<F>(v); }
  static ETZEL_INLINE F select(I m, F a, F b) { return simd::select(m, a, b); }
  static ETZEL_INLINE D select(L m, D a, D b) { return simd::select(m, a, b); }
  static ETZEL_INLINE F sqrt(F v) { return simd::sqrt(v); }
  static ETZEL_INLINE F fma(F x, F y, F z) { return simd::fma(x, y, z); }
  /// Two steps, because 2^k itself may not be a normal number. The first is exact, so only one rounds.
  static ETZEL_INLINE F scale(F p, I k) {
    const I k1 = k >> 1, k2 = k - k1;
    return p * asFloat((k1 + 127) << 23) * asFloat((k2 + 127) << 23);
  }
  template <class Other>
  static ETZEL_INLINE F rarely(I m, F usual, Other other) {
    if (!simd::anyBit(simd::bitCast<simd::I64x4>(m))) [[likely]]
      return usual;
    return select(m, other(), usual);
  }
};

}  // namespace etzel::math::ETZEL_TARGET
