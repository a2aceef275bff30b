// GLSL.std.450: packing and unpacking. "Fixed-Point Data Conversions": clamp, scale, round to nearest.
#include "compiler/lower/glsl/ext_glsl.h"

namespace etzel::lower {
namespace {

using isa::Type;

/// Floats to `bits`-wide normalized integers, component 0 lowest.
void packNormalized(GlslInst& g, uint32_t bits, bool isSigned) {
  Lowerer& l = g.l;
  auto f32 = [&](Opcode op, Operand a, Operand b = {}) { return l.b.value(op, Type::F32, a, b); };
  const Operand scale = l.immF(float((1u << (isSigned ? bits - 1 : bits)) - 1));
  const Operand low = l.immF(isSigned ? -1.0f : 0.0f), high = l.immF(1.0f);
  const Components x = g.raw(0);
  Operand packed;
  for (size_t i = 0; i < x.size(); ++i) {
    const Operand clamped = f32(Opcode::FMin, f32(Opcode::FMax, x[i], low), high);
    Operand n = f32(Opcode::FRoundE, f32(Opcode::FMul, clamped, scale));
    n = l.b.convert(Opcode::CvtFS, Type::I32, Type::F32, n);
    n = l.b.value(Opcode::And, Type::I32, n, l.imm((1u << bits) - 1));
    if (i) n = l.b.value(Opcode::Shl, Type::I32, n, l.imm(uint32_t(i) * bits));
    packed = i ? l.b.value(Opcode::Or, Type::I32, packed, n) : n;
  }
  l.setResult(g.inst, packed);
}

void unpackNormalized(GlslInst& g, uint32_t bits, bool isSigned) {
  Lowerer& l = g.l;
  const Operand scale = l.immF(float((1u << (isSigned ? bits - 1 : bits)) - 1));
  const Operand x = g.raw(0)[0];
  Components r;
  for (uint32_t i = 0; i < 32 / bits; ++i) {
    const Operand n = l.b.value(isSigned ? Opcode::SBfe : Opcode::UBfe, Type::I32, x, l.imm(i * bits), l.imm(bits));
    Operand f = l.b.convert(isSigned ? Opcode::CvtSF : Opcode::CvtUF, Type::F32, Type::I32, n);
    f = l.b.value(Opcode::FDiv, Type::F32, f, scale);
    // The most negative integer and its neighbour both mean -1.
    if (isSigned) f = l.b.value(Opcode::FMax, Type::F32, f, l.immF(-1.0f));
    r.push_back(f);
  }
  l.setResult(g.inst, std::move(r));
}

void packHalf(GlslInst& g) {
  Lowerer& l = g.l;
  const Components x = g.raw(0);
  const Operand low = l.b.convert(Opcode::CvtFF, Type::F16, Type::F32, x[0]);
  const Operand high = l.b.convert(Opcode::CvtFF, Type::F16, Type::F32, x[1]);
  l.setResult(g.inst, l.b.value(Opcode::Or, Type::I32, low, l.b.value(Opcode::Shl, Type::I32, high, l.imm(16))));
}

void unpackHalf(GlslInst& g) {
  Lowerer& l = g.l;
  const Operand x = g.raw(0)[0];
  const Operand low = l.b.value(Opcode::And, Type::I32, x, l.imm(0xFFFF));
  const Operand high = l.b.value(Opcode::Shr, Type::I32, x, l.imm(16));
  l.setResult(g.inst, Components{l.b.convert(Opcode::CvtFF, Type::F32, Type::F16, low),
                                 l.b.convert(Opcode::CvtFF, Type::F32, Type::F16, high)});
}

}  // namespace

bool lowerGlslPack(GlslInst& g) {
  switch (g.code) {
    case GLSLstd450PackSnorm4x8: packNormalized(g, 8, true); return true;
    case GLSLstd450PackUnorm4x8: packNormalized(g, 8, false); return true;
    case GLSLstd450PackSnorm2x16: packNormalized(g, 16, true); return true;
    case GLSLstd450PackUnorm2x16: packNormalized(g, 16, false); return true;
    case GLSLstd450UnpackSnorm4x8: unpackNormalized(g, 8, true); return true;
    case GLSLstd450UnpackUnorm4x8: unpackNormalized(g, 8, false); return true;
    case GLSLstd450UnpackSnorm2x16: unpackNormalized(g, 16, true); return true;
    case GLSLstd450UnpackUnorm2x16: unpackNormalized(g, 16, false); return true;
    case GLSLstd450PackHalf2x16: packHalf(g); return true;
    case GLSLstd450UnpackHalf2x16: unpackHalf(g); return true;
    case GLSLstd450PackDouble2x32: {
      const Components words = g.raw(0);
      g.l.setResult(g.inst, g.l.consecutive(words));
      return true;
    }
    case GLSLstd450UnpackDouble2x32: {
      const Operand x = g.raw(0)[0];
      g.l.setResult(g.inst, Components{x, Lowerer::word(x, 1)});
      return true;
    }
    default: return false;
  }
}

}  // namespace etzel::lower
