// The builder of math.h on the compiler's vector types: eight lanes at a time. Everything is inlined, so a caller that
// is compiled for AVX2 gets AVX2 code; the bits are the same for every target.
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
#undef ETZEL_LANES
};

}  // namespace etzel::math
