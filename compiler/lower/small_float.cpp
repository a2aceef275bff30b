#include "compiler/lower/small_float.h"

#include "runtime/mutant/mutant.h"

namespace etzel::lower {

using isa::CmpF;
using isa::CmpI;
using isa::Type;

namespace {

constexpr uint32_t kNan = 0x7fc00000;

struct Format {
  uint32_t mantissaBits;
  uint32_t greatest;   ///< finite number, as bits of a float
  uint32_t overflow;   ///< what greater ones become
  uint32_t normal;     ///< the least normal number
  float roundingUnit;  ///< floats from here on are as far apart as the format's subnormal numbers
};
constexpr Format kFormats[] = {{3, 0x43e00000, kNan, 0x3c800000, 0x1p14f},        // 448, 2^-6, 2^-9 apart
                               {2, 0x47600000, 0x7f800000, 0x38800000, 0x1p7f}};  // 57344, 2^-14, 2^-16 apart

}  // namespace

Operand widenSmall(Lowerer& l, SmallFloat format, Operand byte) {
  const auto i32 = [&](Opcode op, Operand a, Operand b) { return l.b.value(op, Type::I32, a, b); };
  if (format == SmallFloat::E5M2)
    return l.b.convert(Opcode::CvtFF, Type::F32, Type::F16, i32(Opcode::Shl, byte, l.imm(8)));
  // The same digits in a binary16 are 2^-8 times the number, subnormals too.
  const Operand magnitude = i32(Opcode::And, byte, l.imm(0x7f)), sign = i32(Opcode::And, byte, l.imm(0x80));
  const Operand half = i32(Opcode::Or, i32(Opcode::Shl, magnitude, l.imm(7)), i32(Opcode::Shl, sign, l.imm(8)));
  const Operand scaled = l.b.convert(Opcode::CvtFF, Type::F32, Type::F16, half);
  const Operand number = l.b.value(Opcode::FMul, Type::F32, scaled, l.immF(256.0f));
  return l.b.select(l.b.icmp(CmpI::Eq, Type::I32, magnitude, l.imm(0x7f)), l.imm(kNan), number);
}

Operand roundToSmall(Lowerer& l, SmallFloat format, Operand f) {
  const Format& to = kFormats[static_cast<size_t>(format)];
  const auto i32 = [&](Opcode op, Operand a, Operand b) { return l.b.value(op, Type::I32, a, b); };
  const Operand sign = i32(Opcode::And, f, l.imm(0x80000000u)), magnitude = i32(Opcode::And, f, l.imm(0x7fffffff));
  // Half of the last place, less where that must round down to an even number.
  const uint32_t dropped = 23 - to.mantissaBits;
  const Operand odd = i32(Opcode::And, i32(Opcode::Shr, magnitude, l.imm(dropped)), l.imm(1));
  const Operand half = i32(Opcode::IAdd, odd, l.imm((1u << (dropped - 1)) - 1));
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

}  // namespace etzel::lower
