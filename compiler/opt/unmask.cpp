#include "compiler/isa/info.h"
#include "compiler/opt/passes.h"

namespace etzel::opt {

void unmaskAtTop(isa::Program& program) {
  using isa::Opcode;
  uint32_t depth = 0;
  for (isa::Inst& inst : program.code) {
    if (inst.op == Opcode::Ret || inst.op == Opcode::Kill) return;  // some lanes are gone
    if (isa::closesScope(inst.op)) --depth;
    if (depth == 0) inst.masked = false;
    if (isa::opensScope(inst.op)) ++depth;
  }
}

}  // namespace etzel::opt
