#include "compiler/exec/native/analysis/copies.h"

#include "compiler/isa/info.h"

namespace etzel::native {

using isa::Bank;
using isa::Inst;
using isa::Operand;

Copies::Copies(const Webs& webs, const std::vector<Constant>& constants)
    : webs_(webs), constants_(constants), writer_(webs.count) {
  const std::vector<Inst>& code = webs.program.code;
  for (uint32_t i = 0; i < code.size(); ++i)
    if (code[i].dst.bank == Bank::Temp)
      for (uint32_t w = 0, n = isa::dstWords(code[i]); w < n; ++w) writer_[webs_.webOf(code[i].dst, w)] = {i, w};
}

Operand Copies::original(Operand o) const {
  constexpr uint32_t kMostSteps = 16;
  for (uint32_t steps = kMostSteps; steps && o.bank == Bank::Temp && isKnown(webs_.webOf(o)); --steps) {
    const Writer w = writer_[webs_.webOf(o)];
    const Inst& inst = webs_.program.code[w.at];
    if (inst.op != isa::Opcode::XMov) break;
    o = wordOf(inst.src[0], w.word);
  }
  return o;
}

bool Copies::isBefore(Operand o, uint32_t at) const {
  return o.bank != Bank::Temp || (isKnown(webs_.webOf(o)) && writer_[webs_.webOf(o)].at < at);
}

}  // namespace etzel::native
