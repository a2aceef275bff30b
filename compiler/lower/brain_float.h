// bfloat16 (SPV_KHR_bfloat16): the upper half of a float of 32 bits. Values are kept as 16 bits; conversions and dot
// products go through 32.
#pragma once

#include "compiler/lower/lower.h"

namespace etzel::lower {

/// Whether a type is bfloat16, or a vector of them.
inline bool isBrain(const Lowerer& l, uint32_t typeId) { return l.type(l.scalarTypeOf(typeId)).isBrain; }

/// Their values as floats of 32 bits, exactly.
std::vector<Operand> widenBrain(Lowerer& l, const std::vector<Operand>& values);

/// Floats of 32 bits rounded to the nearest, or the even one of two. NaN stays NaN.
std::vector<Operand> narrowToBrain(Lowerer& l, const std::vector<Operand>& floats);

}  // namespace etzel::lower
