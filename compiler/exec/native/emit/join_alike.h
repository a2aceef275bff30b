// Code that does the same to two vectors of eight numbers, which do not wait for one another, and then takes both
// results: the halves of a block of quantized numbers, say, which are unpacked, multiplied, and their sums added. Where
// registers hold sixteen numbers one instruction does it for both.
#pragma once

#include <llvm/IR/Function.h>

namespace etzel::native {

/// Joins what is alike within each block of the function, where that leaves clearly fewer instructions. Chains of what
/// is joined take turns then (in_turns.h). Every number is computed as before. For hosts with registers of sixteen
/// words.
void joinAlike(llvm::Function& function);

}  // namespace etzel::native
