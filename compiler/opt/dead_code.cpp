#include "compiler/isa/info.h"
#include "compiler/isa/shadow.h"
#include "compiler/opt/passes.h"

namespace etzel::opt {

// Backwards, counting readers per word: a removed instruction's own sources may die in the same sweep. What only
// shadows read becomes a shadow (isa/shadow.h).
void removeDeadCode(isa::Program& program) {
  struct Readers {
    uint32_t plain = 0, shadows = 0;
  };
  std::vector<Readers> readers(program.tempWords);
  const auto count = [&](const isa::Inst& inst, uint32_t Readers::*which, uint32_t change) {
    isa::forEachSource(inst, [&](isa::Operand o, uint32_t words) {
      if (o.bank != isa::Bank::Temp) return;
      for (uint32_t w = 0; w < words; ++w) readers[o.word + w].*which += change;
    });
  };
  constexpr uint32_t kLess = ~0u;
  for (const isa::Inst& inst : program.code) count(inst, isa::isShadow(inst) ? &Readers::shadows : &Readers::plain, 1);
  std::vector<bool> dead(program.code.size(), false);
  bool any = false;
  for (size_t i = program.code.size(); i-- > 0;) {
    isa::Inst& inst = program.code[i];
    if (inst.dst.bank != isa::Bank::Temp) continue;
    const uint32_t words = isa::dstWords(inst);
    const bool shadow = isa::isShadow(inst);
    bool read = false, shown = false;
    for (uint32_t w = 0; w < words; ++w) {
      read |= readers[inst.dst.word + w].plain != 0;
      shown |= readers[inst.dst.word + w].shadows != 0;
    }
    if (shadow ? shown : read) continue;
    if (!isa::isPure(inst)) {
      if (inst.op == isa::Opcode::Atom && !shown) inst.dst = {};  // the atomic stays, its result goes
      continue;
    }
    count(inst, shadow ? &Readers::shadows : &Readers::plain, kLess);
    if (!shadow && shown) {
      isa::makeShadow(inst);
      count(inst, &Readers::shadows, 1);
      continue;
    }
    dead[i] = any = true;
  }
  if (!any) return;
  size_t kept = 0;
  for (size_t i = 0; i < program.code.size(); ++i)
    if (!dead[i]) program.code[kept++] = program.code[i];
  program.code.resize(kept);
}

}  // namespace etzel::opt
