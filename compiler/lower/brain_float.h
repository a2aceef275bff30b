// bfloat16 (SPV_KHR_bfloat16): the upper half of a float of 32 bits. Values are kept as 16 bits; conversions, dot
// products and products of cooperative matrices go through 32.
#pragma once

#include "compiler/lower/lower.h"

namespace etzel::lower {

/// Whether a type is bfloat16, or a vector or cooperative matrix of them.
inline bool isBrain(const Lowerer& l, uint32_t typeId) { return l.type(l.scalarTypeOf(typeId)).isBrain; }

/// Their values as floats of 32 bits, exactly.
std::vector<Operand> widenBrain(Lowerer& l, const std::vector<Operand>& values);

/// Floats of 32 bits rounded to the nearest, or the even one of two. NaN stays NaN.
std::vector<Operand> narrowToBrain(Lowerer& l, const std::vector<Operand>& floats);

/// Numbers of one type as those of another, by OpFConvert's instruction or that of its kin, where one type or both are
/// bfloat16: through floats of 32 bits.
std::vector<Operand> convertBrain(Lowerer& l, Opcode op, uint32_t fromType, uint32_t toType,
                                  std::vector<Operand> values);

}  // namespace etzel::lower
