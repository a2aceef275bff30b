// Native code for programs, optimized by LLVM. The only folder that includes LLVM; a build without it has a compiler
// that never exists (without_llvm.cpp). One Compiler per process is enough; compile() may be called from any thread,
// one at a time.
#pragma once

#include <memory>
#include <string>

#include "compiler/exec/machine_code.h"
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
  /// The LLVM assembly and the optimized machine code of a program as text, for listings and debugging. Unsupported: it
  /// has base instructions.
  virtual Result<std::string> listing(const isa::Program& program) = 0;
};

}  // namespace etzel::native
