// Encodings of floats that shaders have beside those of IEEE 754 ("FP Encoding"): bfloat16, the upper half of a float
// of 32 bits (SPV_KHR_bfloat16), and two of 8 bits (SPV_EXT_float8; small_float.h).
#pragma once

#include "runtime/base/types.h"

namespace etzel::format {

enum class FloatEncoding : uint8_t { Ieee, Brain, E4M3, E5M2 };

}  // namespace etzel::format
