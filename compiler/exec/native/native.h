// Native code for programs: optimized by LLVM, or quick code (compiler/exec/quick/quick.h). One Compiler per process is
// enough; compile() may be called from any thread, one at a time. Native code gives the same bytes as the interpreter,
// which is the reference.
#pragma once

#include <memory>

#include "compiler/isa/program.h"
#include "runtime/base/result.h"

namespace etzel::native {

enum class Level {
  Quick,      ///< microseconds to make, no LLVM
  Optimized,  ///< LLVM's; programs with base instructions get quick code
};

/// Machine code and what it refers to. Kernels share it; it must outlive every call.
class NativeCode {
 public:
  virtual ~NativeCode() = default;
  virtual const abi::Executable* executable() const = 0;
};

class Compiler {
 public:
  /// Null when the host is not one that native code is made for (x86-64 with AVX2 and FMA).
  static std::unique_ptr<Compiler> create();
  virtual ~Compiler() = default;

  /// Requires a verified program over real registers.
  virtual Result<std::shared_ptr<NativeCode>> compile(const isa::Program& program, Level level) = 0;
  /// The LLVM assembly and the optimized machine code of a program as text, for listings and debugging. Unsupported: it
  /// has base instructions.
  virtual Result<std::string> listing(const isa::Program& program) = 0;
};

}  // namespace etzel::native
