// Stands in for the whole folder in a build without LLVM.
#include "compiler/exec/native/native.h"

namespace etzel::native {

std::unique_ptr<Compiler> Compiler::create() { return nullptr; }

}  // namespace etzel::native
