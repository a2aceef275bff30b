#include "compiler/exec/native/analysis/agreement.h"

#include "compiler/isa/info.h"

namespace etzel::native {

using isa::Bank;
using isa::Inst;
using isa::Opcode;
using isa::Operand;

/// All are alike until something says otherwise.
Agreement::Agreement(const Webs& webs, const Bounds& bounds, std::function<bool(uint32_t instruction)> given)
    : webs_(webs),
      bounds_(bounds),
      given_(std::move(given)),
      alike_(webs.count, true),
      parted_(webs.program.code.size()) {
  for (uint32_t web = 0; web < webs.count; ++web) alike_[web] = !webs.undefined[web];
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < webs.program.code.size(); ++i) changed |= look(i);
  }
}

bool Agreement::isAlike(Operand o, uint32_t w) const {
  if (o.bank == Bank::Temp) return alike_[webs_.webOf(o, w)];
  return o.bank == Bank::Param || o.bank == Bank::Param2 || o.bank == Bank::None;
}

bool Agreement::comesBy(uint32_t instruction) const {
  if (ended_) return false;
  for (uint32_t scope = bounds_.opener(instruction); scope != kNoScope; scope = bounds_.opener(scope))
    if (parted_[scope]) return false;
  return true;
}

/// Whether a result is the same, of an instruction that all come by.
bool Agreement::looksAlike(uint32_t instruction) const {
  const Inst& inst = webs_.program.code[instruction];
  if (!isa::isArithmetic(inst.op) && inst.op != Opcode::XMov && !given_(instruction)) return false;
  bool all = true;
  isa::forEachSource(inst, [&](Operand o, uint32_t words) {
    for (uint32_t w = 0; w < words; ++w) all = all && isAlike(o, w);
  });
  return all;
}

/// Some go another way from an instruction on, as far as it leads. \returns whether that is new
bool Agreement::part(uint32_t instruction) {
  const Inst& inst = webs_.program.code[instruction];
  bool changed = false;
  const auto mark = [&](uint32_t scope) { changed |= !parted_[scope], parted_[scope] = true; };
  if (inst.op == Opcode::If) return mark(instruction), changed;
  uint32_t depth = inst.imm;
  const bool ends = inst.op == Opcode::Ret || inst.op == Opcode::Kill;
  for (uint32_t scope = bounds_.opener(instruction); scope != kNoScope; scope = bounds_.opener(scope)) {
    mark(scope);
    if (!ends && webs_.program.code[scope].op == Opcode::Block && depth-- == 0) return changed;
  }
  changed |= !ended_;
  ended_ = true;
  return changed;
}

/// \returns whether something turned out not to be alike
bool Agreement::look(uint32_t instruction) {
  const Inst& inst = webs_.program.code[instruction];
  const bool together = comesBy(instruction);
  switch (inst.op) {
    case Opcode::If: return isAlike(inst.src[0]) ? false : part(instruction);
    case Opcode::BrC: return isAlike(inst.src[0]) && together ? false : part(instruction);
    case Opcode::Br:
    case Opcode::Ret:
    case Opcode::Kill: return together ? false : part(instruction);
    default: break;
  }
  if (inst.dst.bank != Bank::Temp || (together && looksAlike(instruction))) return false;
  bool changed = false;
  for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) {
    changed |= alike_[webs_.webOf(inst.dst, w)];
    alike_[webs_.webOf(inst.dst, w)] = false;
  }
  return changed;
}

}  // namespace etzel::native
