// What linear blits do with two numbers, for code that is compiled per target.
#pragma once

#include "runtime/simd/vec.h"

namespace etzel::transfer::ETZEL_TARGET {

using namespace simd;

/// a * keep + b * take, or the first product where it is NaN.
ETZEL_INLINE F32x8 mix(F32x8 a, F32x8 b, F32x8 keep, F32x8 take) {
  const F32x8 first = a * keep, both = first + b * take;
  return select(equal(first, first), both, first);
}

}  // namespace etzel::transfer::ETZEL_TARGET
