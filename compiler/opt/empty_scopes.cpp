#include "compiler/isa/info.h"
#include "compiler/isa/shadow.h"
#include "compiler/opt/passes.h"

namespace etzel::opt {

bool removeEmptyScopes(isa::Program& program) {
  using isa::Opcode;
  std::vector<isa::Inst> kept;
  kept.reserve(program.code.size());
  bool changed = false;
  // Behind an opener there is one. Shadows are no contents: they keep an if alive as shadows, blocks they do not need.
  const auto last = [&] {
    size_t i = kept.size() - 1;
    while (isa::isShadow(kept[i])) --i;
    return i;
  };
  for (isa::Inst inst : program.code) {
    if (!isa::isShadow(inst) && inst.op == Opcode::EndIf) {
      if (const size_t at = last(); kept[at].op == Opcode::Else) {
        changed = true;
        if (at + 1 == kept.size())
          kept.pop_back();
        else
          isa::makeShadow(kept[at]);
      }
      if (const size_t at = last(); kept[at].op == Opcode::If) {
        changed = true;
        if (at + 1 == kept.size()) {
          kept.pop_back();
          continue;
        }
        isa::makeShadow(kept[at]);
        isa::makeShadow(inst);
      }
    }
    if (!isa::isShadow(inst) && inst.op == Opcode::EndBlock && kept[last()].op == Opcode::Block) {
      changed = true;
      kept.erase(kept.begin() + static_cast<ptrdiff_t>(last()));
      continue;
    }
    kept.push_back(inst);
  }
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
