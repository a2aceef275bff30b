// Native code for programs, optimized by LLVM. The only folder that includes LLVM; a build without it has a compiler
// that never exists (without_llvm.cpp). One Compiler per process is enough; compile() may be called from any thread,
// one at a time.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "compiler/exec/machine_code.h"
#include "compiler/exec/native/analysis/bound.h"
#include "compiler/isa/program.h"
#include "runtime/base/result.h"

namespace etzel::native {

class Compiler {
 public:
  /// Null when native code is not made for this host, or by this build.
  static std::unique_ptr<Compiler> create();
  virtual ~Compiler() = default;

  /// Requires a verified program over real registers. Unsupported: it has base instructions.
  virtual Result<std::shared_ptr<exec::MachineCode>> compile(const isa::Program& program) = 0;
  /// The same in half the time where the program samples much, for code that code for what is bound will follow:
  /// samples are left to the views' routines.
  virtual Result<std::shared_ptr<exec::MachineCode>> compileBriefly(const isa::Program& program) {
    return compile(program);
  }
  /// The same for what is bound. Where other kinds are bound, it calls `otherwise`, of the same program, which must
  /// live as long. It cannot be saved.
  virtual Result<std::shared_ptr<exec::MachineCode>> compileBound(const isa::Program& program, const BoundKinds& kinds,
                                                                  const abi::Executable& otherwise) = 0;
  /// The LLVM assembly and the optimized machine code of a program as text, for listings and debugging. Unsupported: it
  /// has base instructions.
  virtual Result<std::string> listing(const isa::Program& program) = 0;
};

/// Code that MachineCode::save() gave for the same program, in any process of this build on a host of this kind. Takes
/// microseconds and nothing of LLVM. The code runs as it is: its bytes must come from who is trusted. Errors: Io where
/// they are damaged as far as that shows; Unsupported by this build or host; OutOfHostMemory.
Result<std::shared_ptr<exec::MachineCode>> load(const isa::Program& program, std::span<const std::byte> saved);

}  // namespace etzel::native
