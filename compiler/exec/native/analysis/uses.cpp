#include "compiler/exec/native/analysis/uses.h"

#include "compiler/isa/info.h"

namespace etzel::native {

using isa::Opcode;

Uses findUses(const Webs& webs, const std::vector<Constant>& constants) {
  Uses uses;
  uses.otherThanHalf.assign(webs.count, false);
  for (const isa::Inst& inst : webs.program.code) {
    const bool half = inst.op == Opcode::CvtFF && static_cast<isa::Type>(inst.sub) == isa::Type::F16;
    isa::forEachSource(inst, [&](isa::Operand o, uint32_t words) {
      for (uint32_t w = 0; w < words && !half && o.bank == isa::Bank::Temp; ++w)
        uses.otherThanHalf[webs.webOf(o, w)] = true;
    });
    if (inst.op != Opcode::St && inst.op != Opcode::Atom) continue;
    const auto space = static_cast<isa::Space>(inst.sub);
    if (space != isa::Space::Buffer && space != isa::Space::WideBuffer) continue;
    if (const std::optional<uint32_t> handle = constantOf(webs, constants, inst.src[0]))
      uses.written.insert(*handle);
    else
      uses.writesAnywhere = true;
  }
  return uses;
}

}  // namespace etzel::native
