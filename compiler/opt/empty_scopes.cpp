#include "compiler/isa/info.h"
#include "compiler/opt/passes.h"

namespace etzel::opt {

bool removeEmptyScopes(isa::Program& program) {
  using isa::Opcode;
  std::vector<isa::Inst> kept;
  kept.reserve(program.code.size());
  for (const isa::Inst& inst : program.code) {
    if (inst.op == Opcode::EndIf && kept.back().op == Opcode::Else) kept.pop_back();
    if (inst.op == Opcode::EndIf && kept.back().op == Opcode::If) {
      kept.pop_back();
      continue;
    }
    if (inst.op == Opcode::EndBlock && kept.back().op == Opcode::Block) {
      kept.pop_back();
      continue;
    }
    kept.push_back(inst);
  }
  const bool changed = kept.size() != program.code.size();
  program.code = std::move(kept);
  return changed;
}

}  // namespace etzel::opt
