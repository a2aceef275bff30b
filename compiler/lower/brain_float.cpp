#include "compiler/lower/brain_float.h"

#include "runtime/mutant/mutant.h"

namespace etzel::lower {

using isa::Type;

std::vector<Operand> widenBrain(Lowerer& l, const std::vector<Operand>& values) {
  return l.map(Opcode::Shl, Type::I32, values, {l.imm(16)});
}

std::vector<Operand> narrowToBrain(Lowerer& l, const std::vector<Operand>& floats) {
  std::vector<Operand> out;
  const auto value = [&](Opcode op, Operand a, Operand b) { return l.b.value(op, Type::I32, a, b); };
  for (const Operand f : floats) {
    const Operand upper = value(Opcode::Shr, f, l.imm(16));
    // Half of the last place, less where that must round down to an even number.
    const Operand half = value(Opcode::IAdd, value(Opcode::And, upper, l.imm(1)), l.imm(0x7fff));
    const Operand rounded = value(Opcode::Shr, value(Opcode::IAdd, f, half), l.imm(16));
    const Operand quiet = value(Opcode::Or, upper, l.imm(0x40));
    const Operand isNan = l.b.fcmp(isa::CmpF::Uno, Type::F32, f, f);
    out.push_back(l.b.select(isNan, quiet, mutated(Mutant::BrainRounding) ? upper : rounded));
  }
  return out;
}

std::vector<Operand> convertBrain(Lowerer& l, Opcode op, uint32_t fromType, uint32_t toType,
                                  std::vector<Operand> values) {
  const bool fromBrain = isBrain(l, fromType), toBrain = isBrain(l, toType);
  const Type from = fromBrain ? Type::F32 : l.isaType(fromType), to = toBrain ? Type::F32 : l.isaType(toType);
  if (fromBrain) values = widenBrain(l, values);
  if (from != to)
    for (Operand& o : values) o = l.b.convert(op == Opcode::CvtFFz ? Opcode::CvtFF : op, to, from, o);
  return toBrain ? narrowToBrain(l, values) : values;
}

}  // namespace etzel::lower
