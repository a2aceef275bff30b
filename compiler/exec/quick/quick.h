// Quick code: what the interpreter's decoder made, as machine code. Every instruction reads its operands from memory
// and writes its result there; simple ones are a few vector instructions, all others call the interpreter's handler.
// Making it takes a fraction of a microsecond per instruction, so every kernel starts on it; what runs long is compiled
// by LLVM (exec/native). Any program of the instruction set has quick code.
#pragma once

#include <memory>

#include "compiler/exec/machine_code.h"
#include "compiler/isa/program.h"
#include "runtime/base/result.h"

namespace etzel::quick {

/// Whether there is a generator for this kind of host, and the host has the vector instructions that it uses.
bool available();

/// Requires a verified program over real registers. Errors: Unsupported where it is not available; OutOfHostMemory when
/// the system gives no memory to run code from.
Result<std::shared_ptr<exec::MachineCode>> make(const isa::Program& program);

}  // namespace etzel::quick
