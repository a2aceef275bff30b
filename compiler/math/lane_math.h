// The functions of math.h for one warp at a time: what the interpreter calls. One table per target, chosen for the
// machine; every table gives the same bits. Any thread. In and out may be the same array.
#pragma once

#include "runtime/base/types.h"
#include "runtime/simd/cpu.h"

namespace etzel::math {

struct LaneMath {
  using Unary = void (*)(const LaneWords* x, LaneWords* result);
  using Binary = void (*)(const LaneWords* x, const LaneWords* y, LaneWords* result);
  Unary sin, cos, tan, asin, acos, atan, exp2, log2, exp, log;
  Binary atan2;  ///< (y, x)
  Binary pow;
};

ETZEL_PER_TARGET(extern const LaneMath kLaneMath;)
inline const LaneMath& laneMath() { return ETZEL_CHOOSE(kLaneMath); }

}  // namespace etzel::math
