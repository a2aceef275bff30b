// Programs that are there twice: for push constants that are multiples of what analysis/multiples.h names, and for all.
#pragma once

#include <llvm/IR/Module.h>

#include <string>

#include "compiler/exec/native/analysis/multiples.h"

namespace etzel::native {

/// What the name of the program for multiples ends with; what Emitter ends names with comes after it.
inline constexpr const char* kMultiplesSuffix = "_multiples";

/// Puts in place of the functions of program `name` those that ask for the push constants, which are the same as long
/// as a dispatch runs, and call either the program for multiples or the other one.
void askForMultiples(llvm::Module& module, const std::string& name, const Multiples& multiples);

}  // namespace etzel::native
