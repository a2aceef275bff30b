// Barriers, geometry emission, discards that go on, clocks, integer dot products.
#include "compiler/lower/lower.h"
#include "runtime/debug/mutant.h"

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

}  // namespace

bool Lowerer::roundsTowardZero(uint32_t width) const {
  auto range = module.modes.equal_range(spv::ExecutionMode::RoundingModeRTZ);
  for (auto it = range.first; it != range.second; ++it)
    if (!it->second.empty() && it->second[0] == width) return true;
  return false;
}

bool lowerMisc(Lowerer& l, const spirv::Instruction& inst) {
  switch (inst.op) {
    case O::OpControlBarrier: {
      uint32_t scope = static_cast<uint32_t>(spv::Scope::Workgroup);
      l.constantU32(inst.operand(0), &scope);
      // The lanes of a subgroup run in step; only wider barriers wait.
      l.b.control(Opcode::MemBar);
      if (scope != static_cast<uint32_t>(spv::Scope::Subgroup) && !mutated(Mutant::Barrier))
        l.b.control(Opcode::Barrier);
      return true;
    }
    case O::OpMemoryBarrier: l.b.control(Opcode::MemBar); return true;
    case O::OpEmitVertex: l.b.control(Opcode::Emit, {}, 0); return true;
    case O::OpEndPrimitive:
      if (mutated(Mutant::GeometryCut)) return true;
      l.b.control(Opcode::Cut, {}, 0);
      return true;
    case O::OpEmitStreamVertex: l.b.control(Opcode::Emit, {}, l.constantOr(inst.operand(0), 0)); return true;
    case O::OpEndStreamPrimitive: l.b.control(Opcode::Cut, {}, l.constantOr(inst.operand(0), 0)); return true;
    case O::OpDemoteToHelperInvocation:
      l.info().discards = true;
      l.b.control(Opcode::Demote);
      return true;
    case O::OpIsHelperInvocationEXT: l.setResult(inst, l.b.value(Opcode::Helper, Type::I32)); return true;
    case O::OpBeginInvocationInterlockEXT:
    case O::OpEndInvocationInterlockEXT: return true;  // fragments of one pixel already run one after the other
    case O::OpAssumeTrueKHR: return true;
    case O::OpReadClockKHR: {
      const Operand ticks = l.b.value(Opcode::Clock, Type::I32);
      l.setResult(inst,
                  l.type(inst.type).kind == TypeKind::Vector ? Lowerer::split(ticks, 2) : std::vector<Operand>{ticks});
      return true;
    }
    case O::OpSDot:
    case O::OpUDot:
    case O::OpSUDot:
    case O::OpSDotAccSat:
    case O::OpUDotAccSat:
    case O::OpSUDotAccSat: l.setResult(inst, integerDot(l, inst)); return true;
    default: return false;
  }
}

}  // namespace etzel::lower
