#include "compiler/isa/info.h"
#include "compiler/opt/passes.h"

namespace etzel::opt {

// Backwards, counting readers per word: a removed instruction's own sources may die in the same sweep.
void removeDeadCode(isa::Program& program) {
  std::vector<uint32_t> readers(program.tempWords, 0);
  auto count = [&](const isa::Inst& inst, int change) {
    isa::forEachSource(inst, [&](isa::Operand o, uint32_t words) {
      if (o.bank != isa::Bank::Temp) return;
      for (uint32_t w = 0; w < words; ++w) readers[o.word + w] += static_cast<uint32_t>(change);
    });
  };
  for (const isa::Inst& inst : program.code) count(inst, 1);
  std::vector<bool> dead(program.code.size(), false);
  bool any = false;
  for (size_t i = program.code.size(); i-- > 0;) {
    isa::Inst& inst = program.code[i];
    if (inst.dst.bank != isa::Bank::Temp) continue;
    const uint32_t words = isa::dstWords(inst);
    bool read = false;
    for (uint32_t w = 0; w < words; ++w) read |= readers[inst.dst.word + w] != 0;
    if (read) continue;
    if (!isa::isPure(inst)) {
      if (inst.op == isa::Opcode::Atom) inst.dst = {};  // the atomic stays, its result goes
      continue;
    }
    count(inst, -1);
    dead[i] = any = true;
  }
  if (!any) return;
  size_t kept = 0;
  for (size_t i = 0; i < program.code.size(); ++i)
    if (!dead[i]) program.code[kept++] = program.code[i];
  program.code.resize(kept);
}

}  // namespace etzel::opt
