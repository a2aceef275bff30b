// Integer dot products ("SPV_KHR_integer_dot_product").
#include "compiler/lower/instructions.h"

namespace etzel::lower {
namespace {

using O = spv::Op;
using isa::Type;

/// OpSDot and friends: exact products and sum in the result type (SPV_KHR_integer_dot_product).
std::vector<Operand> integerDot(Lowerer& l, const spirv::Instruction& inst) {
  const bool saturating = inst.op == O::OpSDotAccSat || inst.op == O::OpUDotAccSat || inst.op == O::OpSUDotAccSat;
  const bool firstSigned = inst.op != O::OpUDot && inst.op != O::OpUDotAccSat;
  const bool secondSigned = inst.op == O::OpSDot || inst.op == O::OpSDotAccSat;
  std::vector<Operand> x = l.components(inst.operand(0)), y = l.components(inst.operand(1));
  Type from = l.isaType(l.typeOf(inst.operand(0)));
  const Type result = l.isaType(inst.type);
  const spirv::Type& sourceType = l.typeOfValue(inst.operand(0));
  if (sourceType.isScalar()) {  // four packed 8-bit integers
    std::vector<Operand> px, py;
    for (uint32_t i = 0; i < 4; ++i) {
      px.push_back(l.b.value(Opcode::UBfe, Type::I32, x[0], l.imm(8 * i), l.imm(8)));
      py.push_back(l.b.value(Opcode::UBfe, Type::I32, y[0], l.imm(8 * i), l.imm(8)));
    }
    x = px, y = py, from = Type::I8;
  }
  // Wide enough for exact sums; wraps like the specification where it cannot be.
  const Type wide = Type::I64;
  auto widen = [&](Operand o, bool isSigned) {
    return from == wide ? o : l.b.convert(isSigned ? Opcode::CvtSS : Opcode::CvtUU, wide, from, o);
  };
  Operand sum;
  for (size_t i = 0; i < x.size() && i < y.size(); ++i) {
    const Operand product = l.b.value(Opcode::IMul, wide, widen(x[i], firstSigned), widen(y[i], secondSigned));
    sum = sum.present() ? l.b.value(Opcode::IAdd, wide, sum, product) : product;
  }
  auto narrow = [&](Operand o) { return result == wide ? o : l.b.convert(Opcode::CvtUU, result, wide, o); };
  if (!saturating) return {narrow(sum)};
  const Operand acc = l.scalar(inst.operand(2));
  const uint32_t bits = l.widthOf(inst.type);
  // Only the addition of the accumulator saturates: the product sum is first brought to the result type.
  const bool resultSigned = inst.op != O::OpUDotAccSat;
  if (result != wide) {
    const Opcode cvt = resultSigned ? Opcode::CvtSS : Opcode::CvtUU;
    const Operand total = l.b.value(Opcode::IAdd, wide, sum, l.b.convert(cvt, wide, result, acc));
    const uint64_t high = resultSigned ? (uint64_t(1) << (bits - 1)) - 1 : (uint64_t(1) << bits) - 1;
    Operand clamped = l.b.value(resultSigned ? Opcode::SMin : Opcode::UMin, wide, total, l.imm64(high));
    if (resultSigned) clamped = l.b.value(Opcode::SMax, wide, clamped, l.imm64(~high));
    return {narrow(clamped)};
  }
  const Operand total = l.b.value(Opcode::IAdd, wide, sum, acc);
  if (!resultSigned) {
    const Operand over = l.b.icmp(isa::CmpI::ULt, wide, total, acc);
    return {l.b.select(over, l.imm64(~uint64_t(0)), total, 2)};
  }
  // Signed overflow: both addends differ in sign from the sum.
  const Operand a = l.b.value(Opcode::Xor, wide, total, acc), c = l.b.value(Opcode::Xor, wide, total, sum);
  const Operand over = l.b.icmp(isa::CmpI::SLt, wide, l.b.value(Opcode::And, wide, a, c), l.imm64(0));
  const Operand limit =
      l.b.value(Opcode::Xor, wide, l.b.value(Opcode::Sar, wide, acc, l.imm(63)), l.imm64(~uint64_t(0) >> 1));
  return {l.b.select(over, limit, total, 2)};
}

/// OpSDot, OpUDot, OpSUDot, OpSDotAccSat, OpUDotAccSat, OpSUDotAccSat.
void lowerIntegerDot(Lowerer& l, const spirv::Instruction& inst) { l.setResult(inst, integerDot(l, inst)); }

}  // namespace

void addDotProducts(LoweringTable& table) {
  for (O op : {O::OpSDot, O::OpUDot, O::OpSUDot, O::OpSDotAccSat, O::OpUDotAccSat, O::OpSUDotAccSat})
    table.add(op, lowerIntegerDot);
}

}  // namespace etzel::lower
