// Quick code: what the interpreter's decoder made, as machine code. Every instruction reads its operands from memory
// and writes its result there; simple ones are a few AVX2 instructions, all others call the interpreter's handler.
// Making it takes a fraction of a microsecond per instruction, so every kernel starts on it; what runs long is compiled
// by LLVM (compiler/exec/native/). Any program of the instruction set has quick code.
#pragma once

#include <memory>

#include "compiler/isa/program.h"
#include "runtime/base/result.h"

namespace etzel::quick {

/// Machine code and what it refers to. Must outlive every call. Gives the same bytes as the interpreter.
class QuickCode {
 public:
  virtual ~QuickCode() = default;
  virtual const abi::Executable* executable() const = 0;
  virtual size_t bytes() const = 0;  ///< of machine code
};

/// Requires a verified program over real registers. Errors: Unsupported on hosts without AVX2 and FMA; OutOfHostMemory
/// when the system gives no memory to run code from.
Result<std::shared_ptr<QuickCode>> makeQuick(const isa::Program& program);

}  // namespace etzel::quick
