// Floats of 8 bits ("OCP 8-bit Floating Point Specification"): E5M2, a binary16 without its lower byte, and E4M3, which
// has no infinities and one NaN of each sign. They are numbers in memory and on the way into products, never values of
// a program.
#pragma once

#include "compiler/lower/lower.h"

namespace etzel::lower {

enum class SmallFloat : uint8_t { E4M3, E5M2 };

/// The number in the low 8 bits of a word, whose others are 0, as a float of 32 bits.
Operand widenSmall(Lowerer& l, SmallFloat format, Operand byte);

/// A float of 32 bits rounded to the nearest number of the format, or the even one of two; still a float of 32 bits.
/// What is too large becomes an infinity, or NaN in E4M3.
Operand roundToSmall(Lowerer& l, SmallFloat format, Operand f);

}  // namespace etzel::lower
