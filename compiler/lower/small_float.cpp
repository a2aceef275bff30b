#include "compiler/lower/small_float.h"

#include "runtime/mutant/mutant.h"

namespace etzel::lower {

using format::FloatEncoding;
using isa::CmpF;
using isa::CmpI;
using isa::Type;

namespace {

constexpr uint32_t kNan = 0x7fc00000, kSmallNan = 0x7f;

struct Format {
  uint32_t mantissaBits;
  uint32_t greatest;   ///< finite number, as bits of a float
  uint32_t overflow;   ///< what greater ones become
  uint32_t normal;     ///< the least normal number
  float roundingUnit;  ///< floats from here on are as far apart as the format's subnormal numbers
  uint32_t bias;       ///< by which a float's exponent is larger
  uint32_t greatestCode, overflowCode;
};
constexpr Format kE4M3 = {3, 0x43e00000, kNan, 0x3c800000, 0x1p14f, 120, 0x7e, kSmallNan};  // 448, 2^-6, 2^-9 apart
constexpr Format kE5M2 = {2, 0x47600000, 0x7f800000, 0x38800000, 0x1p7f, 112, 0x7b, 0x7c};  // 57344, 2^-14, 2^-16 apart

const Format& formatOf(FloatEncoding encoding) { return encoding == FloatEncoding::E4M3 ? kE4M3 : kE5M2; }

/// Half of the last place, less where that must round down to an even number. `dropped`: bits that go.
Operand halfOfLastPlace(Lowerer& l, Operand magnitude, uint32_t dropped, uint32_t further = 0) {
  const auto i32 = [&](Opcode op, Operand a, Operand b) { return l.b.value(op, Type::I32, a, b); };
  const Operand odd = i32(Opcode::And, i32(Opcode::Shr, magnitude, l.imm(dropped)), l.imm(1));
  return i32(Opcode::IAdd, odd, l.imm((1u << (dropped - 1)) - 1 + further));
}

}  // namespace

Operand widenSmall(Lowerer& l, FloatEncoding format, Operand byte) {
  const auto i32 = [&](Opcode op, Operand a, Operand b) { return l.b.value(op, Type::I32, a, b); };
  if (format == FloatEncoding::E5M2)
    return l.b.convert(Opcode::CvtFF, Type::F32, Type::F16, i32(Opcode::Shl, byte, l.imm(8)));
  // The same digits in a binary16 are 2^-8 times the number, subnormals too.
  const Operand apart = i32(Opcode::IAdd, byte, i32(Opcode::And, byte, l.imm(0x80)));  // the sign is a place higher
  const Operand half = i32(Opcode::Shl, apart, l.imm(7));
  const Operand scaled = l.b.convert(Opcode::CvtFF, Type::F32, Type::F16, half);
  const Operand number = l.b.value(Opcode::FMul, Type::F32, scaled, l.immF(256.0f));
  const Operand isNan = l.b.icmp(CmpI::Eq, Type::I32, i32(Opcode::And, byte, l.imm(0x7f)), l.imm(kSmallNan));
  return l.b.select(isNan, l.imm(kNan), number);
}

Operand roundToSmall(Lowerer& l, FloatEncoding format, Operand f) {
  const Format& to = formatOf(format);
  const auto i32 = [&](Opcode op, Operand a, Operand b) { return l.b.value(op, Type::I32, a, b); };
  const Operand sign = i32(Opcode::And, f, l.imm(0x80000000u)), magnitude = i32(Opcode::And, f, l.imm(0x7fffffff));
  const uint32_t dropped = 23 - to.mantissaBits;
  const Operand half = halfOfLastPlace(l, magnitude, dropped);
  const Operand cut =
      i32(Opcode::And, mutated(Mutant::SmallFloatRounding) ? magnitude : i32(Opcode::IAdd, magnitude, half),
          l.imm(~0u << dropped));
  const Operand finite = l.b.select(l.b.icmp(CmpI::UGt, Type::I32, cut, l.imm(to.greatest)), l.imm(to.overflow), cut);
  const Operand unit = l.immF(to.roundingUnit);
  const Operand small = l.b.value(Opcode::FSub, Type::F32, l.b.value(Opcode::FAdd, Type::F32, magnitude, unit), unit);
  const Operand isNormal = l.b.icmp(CmpI::UGe, Type::I32, magnitude, l.imm(to.normal));
  const Operand rounded = i32(Opcode::Or, l.b.select(isNormal, finite, small), sign);
  return l.b.select(l.b.fcmp(CmpF::Uno, Type::F32, f, f), l.imm(kNan), rounded);
}

Operand narrowToSmall(Lowerer& l, FloatEncoding format, Operand f, bool saturates) {
  const Format& to = formatOf(format);
  const auto i32 = [&](Opcode op, Operand a, Operand b) { return l.b.value(op, Type::I32, a, b); };
  const Operand magnitude = i32(Opcode::And, f, l.imm(0x7fffffff));
  const uint32_t dropped = 23 - to.mantissaBits, rebias = 0u - (to.bias << 23);
  const Operand half = mutated(Mutant::Float8Rounding) ? l.imm(rebias) : halfOfLastPlace(l, magnitude, dropped, rebias);
  const Operand normal = i32(Opcode::Shr, i32(Opcode::IAdd, magnitude, half), l.imm(dropped));
  // The addition rounds: the digits of a subnormal number are the lowest of the sum.
  const Operand sum = l.b.value(Opcode::FAdd, Type::F32, magnitude, l.immF(to.roundingUnit));
  const Operand small = i32(Opcode::ISub, sum, l.immF(to.roundingUnit));
  const Operand code = l.b.select(l.b.icmp(CmpI::UGe, Type::I32, magnitude, l.imm(to.normal)), normal, small);
  const bool bounded = saturates && !mutated(Mutant::Float8Saturation);
  const Operand most = i32(Opcode::UMin, code, l.imm(bounded ? to.greatestCode : to.overflowCode));
  const Operand number = l.b.select(l.b.fcmp(CmpF::Uno, Type::F32, f, f), l.imm(kSmallNan), most);
  return i32(Opcode::Or, number, i32(Opcode::And, i32(Opcode::Shr, f, l.imm(24)), l.imm(0x80)));
}

}  // namespace etzel::lower
