#include "compiler/opt/passes.h"
#include "compiler/opt/values.h"

namespace etzel::opt {

// A word that is written once, by a copy, equals its original as long as no path from the copy to the reader writes
// the original again. That holds when the original is written once itself, in a scope open at the copy, and the copy's
// scope is open at the reader: a second write would need a round of a loop that passes the copy again.
void propagateCopies(isa::Program& program) {
  const WordTable table(program);
  constexpr uint32_t kNone = ~0u;
  struct Copy {
    isa::Operand source;
    uint32_t scope;
  };
  std::vector<Copy> copyOf(program.tempWords, {{}, 0});
  std::vector<uint32_t> definedIn(program.tempWords, kNone);
  ScopeTracker scopes;

  auto original = [&](isa::Operand o) -> isa::Operand {
    if (o.bank != isa::Bank::Temp) return o;
    const Copy& c = copyOf[o.word];
    return c.source.present() && scopes.isOpen(c.scope) ? c.source : o;
  };

  for (isa::Inst& inst : program.code) {
    scopes.step(inst.op);
    for (uint32_t i = 0; i < 3; ++i) {
      isa::Operand& s = inst.src[i];
      if (s.bank != isa::Bank::Temp) continue;
      const uint32_t words = isa::srcWords(inst, i);
      if (words == 0) continue;
      const isa::Operand first = original(s);
      if (first == s) continue;
      bool consecutive = true;
      for (uint32_t w = 1; w < words && consecutive; ++w) {
        const isa::Operand next = original({s.bank, s.word + w});
        consecutive = next.bank == first.bank && next.word == first.word + w &&
                      (first.bank != isa::Bank::Temp || table.groupOf[next.word] == table.groupOf[first.word]);
      }
      if (consecutive) s = first;
    }
    if (inst.dst.bank != isa::Bank::Temp) continue;
    const uint32_t words = isa::dstWords(inst);
    for (uint32_t w = 0; w < words; ++w) definedIn[inst.dst.word + w] = scopes.current();
    if (inst.op != isa::Opcode::XMov) continue;
    for (uint32_t w = 0; w < words; ++w) {
      const isa::Operand from{inst.src[0].bank, inst.src[0].word + w};
      const uint32_t to = inst.dst.word + w;
      if (table.writes[to] != 1) continue;
      const bool constant = from.bank == isa::Bank::Param || from.bank == isa::Bank::In;
      const bool stable = from.bank == isa::Bank::Temp && from.word != to && table.writes[from.word] == 1 &&
                          definedIn[from.word] != kNone && scopes.isOpen(definedIn[from.word]);
      if (constant || stable) copyOf[to] = {from, scopes.current()};
    }
  }
}

}  // namespace etzel::opt
