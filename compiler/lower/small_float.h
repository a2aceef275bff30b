// Floats of 8 bits ("OCP 8-bit Floating Point Specification"): E5M2, a binary16 without its lower byte, and E4M3, which
// has no infinities and one NaN of each sign.
#pragma once

#include "compiler/lower/lower.h"

namespace etzel::lower {

/// The number in the low 8 bits of a word, whose others are 0, as a float of 32 bits.
/// \pre format is E4M3 or E5M2
Operand widenSmall(Lowerer& l, format::FloatEncoding format, Operand byte);

/// A float of 32 bits rounded to the nearest number of the format, or the even one of two; still a float of 32 bits.
/// What is too large becomes an infinity, or NaN in E4M3.
/// \pre format is E4M3 or E5M2
Operand roundToSmall(Lowerer& l, format::FloatEncoding format, Operand f);

/// The same as the number's 8 bits.
/// \param saturates  what is too large becomes the largest number of its sign
Operand narrowToSmall(Lowerer& l, format::FloatEncoding format, Operand f, bool saturates);

}  // namespace etzel::lower
