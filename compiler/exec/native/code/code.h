// Images that run: memory to run them from, and what they call. Needs nothing of LLVM.
#pragma once

#include "compiler/exec/machine_code.h"
#include "compiler/exec/native/code/image.h"
#include "compiler/isa/program.h"

namespace etzel::native {

/// Puts an image of `program` where it may run. `otherwise`: what guards of it call (header.h). Errors: Io where it is
/// none of this program; OutOfHostMemory.
Result<std::shared_ptr<exec::MachineCode>> loadImage(const Image& image, const isa::Program& program,
                                                     const abi::Executable* otherwise = nullptr);

}  // namespace etzel::native
