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

void removeUnusedBlocks(isa::Program& program) {
  using isa::Opcode;
  // Per block, in order of their beginnings: whether a br leaves it. Then the same walk again, without the others.
  std::vector<bool> used;
  std::vector<uint32_t> open;
  const auto walk = [&](auto&& visit) {
    uint32_t count = 0;
    open.clear();
    for (isa::Inst& inst : program.code) {
      if (inst.op == Opcode::Block) open.push_back(count++);
      visit(inst);
      if (inst.op == Opcode::EndBlock) open.pop_back();
    }
  };
  const auto isBranch = [](const isa::Inst& inst) { return inst.op == Opcode::Br || inst.op == Opcode::BrC; };
  walk([&](const isa::Inst& inst) {
    if (inst.op == Opcode::Block) used.push_back(false);
    if (isBranch(inst)) used[open[open.size() - 1 - inst.imm]] = true;
  });
  std::vector<isa::Inst> kept;
  kept.reserve(program.code.size());
  walk([&](isa::Inst inst) {
    if ((inst.op == Opcode::Block || inst.op == Opcode::EndBlock) && !used[open.back()]) return;
    if (isBranch(inst)) {
      uint32_t depth = 0;
      for (uint32_t k = 0; k < inst.imm; ++k) depth += used[open[open.size() - 1 - k]];
      inst.imm = depth;
    }
    kept.push_back(inst);
  });
  program.code = std::move(kept);
}

}  // namespace etzel::opt
