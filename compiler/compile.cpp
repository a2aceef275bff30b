// SPIR-V to a kernel: the list of steps, in order.
#include "compiler/compiler.h"
#include "compiler/isa/verify.h"
#include "compiler/lower/lower.h"
#include "compiler/regalloc/regalloc.h"
#include "compiler/spirv/module.h"

namespace etzel::compiler {

Result<isa::Program> compileProgram(const ShaderSource& source) {
  if (source.validate) ETZEL_TRY(spirv::validate(source.spirv));
  auto module = spirv::parse(source);
  if (!module) return module.error();
  auto program = lower::lowerModule(**module, source);
  if (!program) return program.error();
  ETZEL_TRY(regalloc::allocate(*program));
  ETZEL_TRY(isa::verify(*program, isa::VerifyMode::RealRegisters));
  return program;
}

Result<std::shared_ptr<abi::Kernel>> compileKernel(const ShaderSource& source) {
  auto program = compileProgram(source);
  if (!program) return program.error();
  return makeKernel(std::move(*program));
}

}  // namespace etzel::compiler
