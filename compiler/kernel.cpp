// Kernels: a verified program together with the executable that runs it.
#include <algorithm>
#include <utility>

#include "compiler/compiler.h"
#include "compiler/exec/interp/interp.h"
#include "compiler/isa/info.h"
#include "compiler/isa/verify.h"
#include "compiler/opt/one_color.h"

namespace etzel::compiler {
namespace {

struct ProgramKernel final : abi::Kernel {
  isa::Program program;
  interp::CodePtr code;
  abi::Executable interpreted;
};

/// Native code keeps its masks across barriers: the execution mask, and two words of lanes for every open scope.
uint32_t nativeStateBytes(const isa::Program& program) {
  if (!program.info.usesBarrier) return 0;
  uint32_t depth = 0, deepest = 0;
  for (const isa::Inst& inst : program.code) {
    if (isa::opensScope(inst.op)) deepest = std::max(deepest, ++depth);
    if (isa::closesScope(inst.op)) --depth;
  }
  return static_cast<uint32_t>(sizeof(LaneWords)) * (1 + 2 * deepest);
}

/// Mentions what a fragment program interpolates: vertices' records are as long as that, and a forged program may say
/// less.
void mentionInputs(isa::Program& p) {
  if (p.info.stage != abi::Stage::Fragment) return;
  for (const isa::Inst& inst : p.code)
    if ((inst.op == isa::Opcode::Intrp || inst.op == isa::Opcode::Flat) && inst.imm >= abi::kWordGeneric &&
        inst.imm < abi::kRecordWords)
      p.info.inputLocations |= uint64_t{1} << (inst.imm - abi::kWordGeneric) / 4;
}

}  // namespace

Result<std::shared_ptr<abi::Kernel>> makeKernel(isa::Program program) {
  ETZEL_TRY(isa::verify(program, isa::VerifyMode::RealRegisters));
  mentionInputs(program);
  auto kernel = std::make_shared<ProgramKernel>();
  auto code = interp::decode(program);
  if (!code) return code.error();
  kernel->info = program.info;
  kernel->registerWords = program.tempWords;
  kernel->scratchBytes = program.scratchBytes;
  kernel->sharedBytes = program.info.sharedBytes;
  kernel->stateBytes = std::max(interp::stateBytes(**code), nativeStateBytes(program));
  kernel->oneColor = opt::givesOneColor(program);
  kernel->code = std::move(*code);
  kernel->program = std::move(program);
  kernel->interpreted = {interp::run, kernel->code.get()};
  kernel->executable.store(&kernel->interpreted, std::memory_order_release);
  return std::shared_ptr<abi::Kernel>(std::move(kernel));
}

const isa::Program& programOf(const abi::Kernel& kernel) { return static_cast<const ProgramKernel&>(kernel).program; }

}  // namespace etzel::compiler
