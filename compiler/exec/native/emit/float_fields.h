// Floats of numbers that are a few bits of a word each, as in quantized matrices and packed colours.
#pragma once

#include <llvm/IR/Function.h>

namespace etzel::native {

/// Makes vectors of such floats without shifting each field to where it is a number: the bits stay where they are,
/// below an exponent that gives them their weight, and what that adds is taken away, which is exact. A constant that is
/// added next is taken away with it. For hosts that select bits of one value and flip those of another in one
/// instruction.
void unpackAsFloats(llvm::Function& function);

}  // namespace etzel::native
