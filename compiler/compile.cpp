// SPIR-V to a kernel: the list of steps, in order.
#include "compiler/compiler.h"

#include <cstdio>
#include <fstream>

#include "compiler/isa/disassemble.h"
#include "compiler/isa/verify.h"
#include "compiler/lower/lower.h"
#include "compiler/opt/pipeline.h"
#include "compiler/regalloc/regalloc.h"
#include "compiler/spirv/module.h"
#include "compiler/spirv/words.h"
#include "runtime/base/debug_flags.h"

namespace etzel::compiler {
namespace {

/// ETZEL_DEBUG=dump-spirv: the module as a file of the current folder, named by its contents.
void dumpModule(std::span<const uint32_t> words) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint32_t w : words) hash = (hash ^ w) * 0x100000001b3u;
  char name[40];
  std::snprintf(name, sizeof name, "etzel-%016llx.spv", static_cast<unsigned long long>(hash));
  std::ofstream(name, std::ios::binary)
      .write(reinterpret_cast<const char*>(words.data()), static_cast<std::streamsize>(words.size_bytes()));
}

}  // namespace

bool mayPrint(std::span<const uint32_t> spirv) { return spirv::imports(spirv, "NonSemantic.DebugPrintf"); }

Result<isa::Program> compileProgram(const ShaderSource& source) {
  if (debug(DebugFlag::DumpSpirv)) dumpModule(source.spirv);
  if (source.validate) ETZEL_TRY(spirv::validate(source.spirv));
  auto module = spirv::parse(source);
  if (!module) return module.error();
  auto program = lower::lowerModule(**module, source);
  if (!program) return program.error();
  opt::printAfter("lower", *program);
  ETZEL_TRY(isa::verify(*program, isa::VerifyMode::VirtualRegisters));
  ETZEL_TRY(opt::optimize(*program));
  ETZEL_TRY(regalloc::allocate(*program));
  opt::printAfter("allocate", *program);
  if (debug(DebugFlag::DumpIsa)) std::fprintf(stderr, "%s\n", isa::disassemble(*program).c_str());
  return program;  // makeKernel verifies the result
}

Result<std::shared_ptr<abi::Kernel>> compileKernel(const ShaderSource& source) {
  auto program = compileProgram(source);
  if (!program) return program.error();
  return makeKernel(std::move(*program));
}

}  // namespace etzel::compiler
