#include "compiler/isa/info.h"
#include "compiler/opt/passes.h"
#include "runtime/abi/shader_io.h"

namespace etzel::opt {

void forgetUnusedInputs(isa::Program& program) {
  using abi::sysBit;
  using abi::SysValue;
  uint64_t read = 0;
  for (const isa::Inst& inst : program.code) {
    if (!isa::isExtension(inst.op)) return;  // may read the position as an input register
    if (inst.op == isa::Opcode::Sys) read |= sysBit(static_cast<SysValue>(inst.imm));
  }
  constexpr uint64_t kFragCoord = sysBit(SysValue::FragCoordX) | sysBit(SysValue::FragCoordY) |
                                  sysBit(SysValue::FragCoordZ) | sysBit(SysValue::FragCoordW);
  program.info.sysValues &= ~kFragCoord | read;
}

}  // namespace etzel::opt
