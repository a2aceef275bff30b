// Floats of other encodings than IEEE 754's: bfloat16 (SPV_KHR_bfloat16) and floats of 8 bits (SPV_EXT_float8). Values
// are kept as their bits; conversions, dot products and products of cooperative matrices go through floats of 32 bits.
#pragma once

#include "compiler/lower/lower.h"

namespace etzel::lower {

using format::FloatEncoding;

/// The encoding of a type's numbers, which may be a scalar, a vector or a cooperative matrix.
inline FloatEncoding encodingOf(const Lowerer& l, uint32_t typeId) { return l.type(l.scalarTypeOf(typeId)).encoding; }
inline bool isEncoded(const Lowerer& l, uint32_t typeId) { return encodingOf(l, typeId) != FloatEncoding::Ieee; }

/// Their values as floats of 32 bits, exactly.
/// \pre from is not IEEE 754's
std::vector<Operand> widenEncoded(Lowerer& l, FloatEncoding from, const std::vector<Operand>& values);

/// Floats of 32 bits rounded to the nearest, or the even one of two. NaN stays NaN.
/// \param saturates  what is too large for 8 bits becomes the largest number of its sign, not an infinity or NaN
/// \pre to is not IEEE 754's
std::vector<Operand> narrowEncoded(Lowerer& l, FloatEncoding to, const std::vector<Operand>& floats,
                                   bool saturates = false);

/// Numbers of one type as those of another, by OpFConvert's instruction or that of its kin, where one type or both are
/// encoded: through floats of 32 bits. What is of 64 is rounded once.
std::vector<Operand> convertEncoded(Lowerer& l, Opcode op, uint32_t fromType, uint32_t toType,
                                    std::vector<Operand> values, bool saturates = false);

}  // namespace etzel::lower
