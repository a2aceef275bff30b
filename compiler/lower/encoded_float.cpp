#include "compiler/lower/encoded_float.h"

#include "compiler/lower/small_float.h"
#include "runtime/mutant/mutant.h"

namespace etzel::lower {

using isa::CmpF;
using isa::Type;

namespace {

/// The upper half of a float, rounded.
Operand narrowToBrain(Lowerer& l, Operand f) {
  const auto value = [&](Opcode op, Operand a, Operand b) { return l.b.value(op, Type::I32, a, b); };
  const Operand upper = value(Opcode::Shr, f, l.imm(16));
  // Half of the last place, less where that must round down to an even number.
  const Operand half = value(Opcode::IAdd, value(Opcode::And, upper, l.imm(1)), l.imm(0x7fff));
  const Operand rounded = value(Opcode::Shr, value(Opcode::IAdd, f, half), l.imm(16));
  const Operand quiet = value(Opcode::Or, upper, l.imm(0x40));
  const Operand isNan = l.b.fcmp(CmpF::Uno, Type::F32, f, f);
  if (mutated(Mutant::BrainRounding)) return l.b.select(isNan, quiet, value(Opcode::IAdd, upper, l.imm(1)));
  return l.b.select(isNan, quiet, rounded);
}

/// A double as a float that is odd where digits are lost: what is rounded next then knows of them.
Operand oddFloat(Lowerer& l, Operand d) {
  const Operand cut = l.b.convert(Opcode::CvtFFz, Type::F32, Type::F64, d);
  const Operand back = l.b.convert(Opcode::CvtFF, Type::F64, Type::F32, cut);
  const Operand isLess = l.b.fcmp(CmpF::ONe, Type::F64, back, d);
  return l.b.value(Opcode::Or, Type::I32, cut, l.b.value(Opcode::And, Type::I32, isLess, l.imm(1)));
}

}  // namespace

std::vector<Operand> widenEncoded(Lowerer& l, FloatEncoding from, const std::vector<Operand>& values) {
  if (from == FloatEncoding::Brain) return l.map(Opcode::Shl, Type::I32, values, {l.imm(16)});
  std::vector<Operand> out;
  out.reserve(values.size());
  for (const Operand v : values) out.push_back(widenSmall(l, from, v));
  return out;
}

std::vector<Operand> narrowEncoded(Lowerer& l, FloatEncoding to, const std::vector<Operand>& floats, bool saturates) {
  std::vector<Operand> out;
  out.reserve(floats.size());
  for (const Operand f : floats)
    out.push_back(to == FloatEncoding::Brain ? narrowToBrain(l, f) : narrowToSmall(l, to, f, saturates));
  return out;
}

std::vector<Operand> convertEncoded(Lowerer& l, Opcode op, uint32_t fromType, uint32_t toType,
                                    std::vector<Operand> values, bool saturates) {
  const FloatEncoding source = encodingOf(l, fromType), result = encodingOf(l, toType);
  const Type from = source != FloatEncoding::Ieee ? Type::F32 : l.isaType(fromType),
             to = result != FloatEncoding::Ieee ? Type::F32 : l.isaType(toType);
  if (source != FloatEncoding::Ieee) values = widenEncoded(l, source, values);
  if (from == Type::F64 && to == Type::F32)
    for (Operand& o : values) o = oddFloat(l, o);
  else if (from != to)
    for (Operand& o : values) o = l.b.convert(op == Opcode::CvtFFz ? Opcode::CvtFF : op, to, from, o);
  return result != FloatEncoding::Ieee ? narrowEncoded(l, result, values, saturates) : values;
}

}  // namespace etzel::lower
