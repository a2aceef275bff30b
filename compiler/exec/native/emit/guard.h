// What stands before code for what is bound: a look whether that is bound.
#pragma once

#include <llvm/IR/Module.h>

#include "compiler/exec/native/analysis/bound.h"

namespace etzel::native {

/// Puts such a function in place of each that abi::Executable may have, all that the module defines under `name` and
/// its suffixes: where something else is bound, CodeHeader::otherwise runs. It reads no descriptor's object that is not
/// in `kinds`.
void guard(llvm::Module& module, const std::string& name, const BoundKinds& kinds);

}  // namespace etzel::native
