// The builder of math.h on the compiler's vector types: eight lanes at a time. Everything is inlined, so a caller that
// is compiled for AVX2 gets AVX2 code; the bits are the same for every target, with and without fused multiply-adds.
#pragma once

#include <cstdint>

namespace etzel::math {

struct VectorBuilder {
  typedef float F __attribute__((vector_size(32)));
  typedef int32_t I __attribute__((vector_size(32)));
  typedef double D __attribute__((vector_size(64)));
  typedef int64_t L __attribute__((vector_size(64)));

#define ETZEL_LANES [[gnu::always_inline]] static inline
  ETZEL_LANES F f(float v) { return F{v, v, v, v, v, v, v, v}; }
  ETZEL_LANES D d(double v) { return D{v, v, v, v, v, v, v, v}; }
  ETZEL_LANES I i(int32_t v) { return I{v, v, v, v, v, v, v, v}; }
  ETZEL_LANES I asInt(F v) { return (I)v; }
  ETZEL_LANES F asFloat(I v) { return (F)v; }
  ETZEL_LANES D toD(F v) { return __builtin_convertvector(v, D); }
  ETZEL_LANES F toF(D v) { return __builtin_convertvector(v, F); }
  ETZEL_LANES I toInt(D v) { return __builtin_convertvector(v, I); }
  ETZEL_LANES D toDouble(I v) { return __builtin_convertvector(v, D); }
  ETZEL_LANES F select(I m, F a, F b) { return (F)(((I)a & m) | ((I)b & ~m)); }
  ETZEL_LANES D select(L m, D a, D b) { return (D)(((L)a & m) | ((L)b & ~m)); }
  ETZEL_LANES F sqrt(F v) {
    F r;
    for (int k = 0; k < 8; ++k) r[k] = __builtin_sqrtf(v[k]);
    return r;
  }
  ETZEL_LANES F toFloat(I v) { return __builtin_convertvector(v, F); }
  /// In doubles: the product is exact, and a sum that is inexact becomes the neighbour whose last bit is odd, which
  /// rounds to the float that the exact sum rounds to.
  ETZEL_LANES F fma(F x, F y, F z) {
    const D p = toD(x) * toD(y), c = toD(z), sum = p + c;
    const D back = sum - p, error = (p - (sum - back)) + (c - back);
    const L inexact = (error < d(0.0)) | (error > d(0.0)), even = ((L)sum & 1) - 1;
    const L outward = ~((error < d(0.0)) ^ (sum < d(0.0)));  // the exact sum is farther from 0
    return toF((D)((L)sum + ((inexact & even) & (1 + 2 * ~outward))));
  }
  /// Two steps, because 2^k itself may not be a normal number. The first is exact, so only one rounds.
  ETZEL_LANES F scale(F p, I k) {
    const I k1 = k >> 1, k2 = k - k1;
    return p * asFloat((k1 + 127) << 23) * asFloat((k2 + 127) << 23);
  }
  template <class Other>
  ETZEL_LANES F rarely(I m, F usual, Other other) {
    typedef int64_t Pairs __attribute__((vector_size(32)));
    const Pairs pairs = (Pairs)m;
    if (((pairs[0] | pairs[1]) | (pairs[2] | pairs[3])) == 0) [[likely]]
      return usual;
    return select(m, other(), usual);
  }
};

/// For functions that are compiled for machines with FMA.
struct FmaVectorBuilder : VectorBuilder {
  ETZEL_LANES F fma(F x, F y, F z) {
    F r;
    for (int k = 0; k < 8; ++k) r[k] = __builtin_fmaf(x[k], y[k], z[k]);
    return r;
  }
};
#undef ETZEL_LANES

}  // namespace etzel::math
