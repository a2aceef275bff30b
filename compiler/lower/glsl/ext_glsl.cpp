// GLSL.std.450: the instructions that are one ISA operation per component or a few, and the dispatch to the others.
#include "compiler/lower/glsl/ext_glsl.h"

#include "compiler/lower/instructions.h"

namespace etzel::lower {

using isa::Type;

GlslInst::GlslInst(Lowerer& lowerer, const spirv::Instruction& instruction)
    : l(lowerer), inst(instruction), code(instruction.operand(1)) {
  const auto& t = l.type(inst.type);
  // Struct results (ModfStruct, FrexpStruct): the first member's type.
  const uint32_t typeId = t.kind == TypeKind::Struct && !t.members.empty() ? t.members[0] : inst.type;
  type = l.isaType(l.scalarTypeOf(typeId));
  compute = type == Type::F16 ? Type::F32 : type;
}

Components GlslInst::toCompute(uint32_t valueId) {
  Components c = l.components(valueId);
  const Type from = l.isaType(l.scalarTypeOf(l.typeOf(valueId)));
  if (from != compute)
    for (Operand& o : c) o = l.b.convert(Opcode::CvtFF, compute, from, o);
  return c;
}

void GlslInst::result(Components c) {
  if (type != compute)
    for (Operand& o : c) o = l.b.convert(Opcode::CvtFF, type, compute, o);
  l.setResult(inst, std::move(c));
}

Operand GlslInst::dot(const Components& a, const Components& b) {
  Operand sum = mul(a[0], b[0]);
  for (size_t i = 1; i < a.size(); ++i) sum = add(sum, mul(a[i], b[i]));
  return sum;
}

namespace {

/// Instructions that are one opcode per component.
struct Direct {
  uint32_t code;
  Opcode op;
  uint8_t arity;
  bool operandType;  ///< the opcode's type is the operand's (the result is an int32 in every case)
};
constexpr Direct kDirect[] = {
    {GLSLstd450Round, Opcode::FRoundE, 1, false},  // "rounding direction of .5 is the implementation's choice"
    {GLSLstd450RoundEven, Opcode::FRoundE, 1, false}, {GLSLstd450Trunc, Opcode::FTrunc, 1, false},
    {GLSLstd450FAbs, Opcode::FAbs, 1, false},         {GLSLstd450SAbs, Opcode::IAbs, 1, false},
    {GLSLstd450FSign, Opcode::FSign, 1, false},       {GLSLstd450Floor, Opcode::FFloor, 1, false},
    {GLSLstd450Ceil, Opcode::FCeil, 1, false},        {GLSLstd450Fract, Opcode::FFract, 1, false},
    {GLSLstd450Sqrt, Opcode::FSqrt, 1, false},        {GLSLstd450InverseSqrt, Opcode::FRsq, 1, false},
    {GLSLstd450FMin, Opcode::FMin, 2, false},         {GLSLstd450UMin, Opcode::UMin, 2, false},
    {GLSLstd450SMin, Opcode::SMin, 2, false},         {GLSLstd450FMax, Opcode::FMax, 2, false},
    {GLSLstd450UMax, Opcode::UMax, 2, false},         {GLSLstd450SMax, Opcode::SMax, 2, false},
    {GLSLstd450NMin, Opcode::FMin, 2, false},         {GLSLstd450NMax, Opcode::FMax, 2, false},
    {GLSLstd450Fma, Opcode::FFma, 3, false},          {GLSLstd450FindILsb, Opcode::Flsb, 1, true},
    {GLSLstd450FindSMsb, Opcode::Fmsbs, 1, true},     {GLSLstd450FindUMsb, Opcode::Fmsbu, 1, true},
};

void lowerDirect(GlslInst& g, const Direct& d) {
  Lowerer& l = g.l;
  const Components a = g.raw(0);
  const Components b = d.arity > 1 ? g.raw(1) : Components{};
  const Components c = d.arity > 2 ? g.raw(2) : Components{};
  const Type t = d.operandType ? l.isaType(l.scalarTypeOf(l.typeOf(g.id(0)))) : g.type;
  Components r = l.map(d.op, t, a, b, c);
  if (d.operandType && g.type != Type::I32)
    for (Operand& o : r) o = l.b.convert(Opcode::CvtSS, g.type, Type::I32, o);
  l.setResult(g.inst, std::move(r));
}

void lowerClamp(GlslInst& g, Opcode min, Opcode max) {
  const Components x = g.raw(0), low = g.raw(1), high = g.raw(2);
  g.l.setResult(g.inst, g.l.map(min, g.type, g.l.map(max, g.type, x, low), high));
}

void lowerModf(GlslInst& g, bool structResult) {
  Lowerer& l = g.l;
  const Components x = g.raw(0);
  const Components whole = l.map(Opcode::FTrunc, g.type, x);
  Components fraction;
  const uint32_t words = isa::typeWords(g.type);
  for (size_t i = 0; i < x.size(); ++i) {
    // An infinity has the fraction 0, but inf - inf is NaN.
    const Operand infinite = l.b.value(Opcode::FIsInf, g.type, x[i]);
    const Operand f = l.b.value(Opcode::FSub, g.type, x[i], whole[i]);
    const Operand part = l.b.select(infinite, words == 2 ? l.imm64(0) : l.imm(0), f, words);
    // "Both parts have the same sign as x": the difference of equal numbers is 0, never -0.
    const Type bits = words == 2 ? Type::I64 : Type::I32;
    const Operand signBit = words == 2 ? l.imm64(1ull << 63) : l.imm(g.type == Type::F16 ? 0x8000u : 0x80000000u);
    fraction.push_back(l.b.value(Opcode::Or, bits, part, l.b.value(Opcode::And, bits, x[i], signBit)));
  }
  if (structResult) {
    fraction.insert(fraction.end(), whole.begin(), whole.end());
  } else {
    l.store(l.pointer(g.id(1)), whole);
  }
  l.setResult(g.inst, std::move(fraction));
}

void lowerFrexp(GlslInst& g, bool structResult) {
  Lowerer& l = g.l;
  const Components x = g.raw(0);
  Components significand = l.map(Opcode::FFrexpM, g.type, x);
  Components exponent = l.map(Opcode::FFrexpE, g.type, x);
  const Pointer target = structResult ? Pointer{} : l.pointer(g.id(1));
  const auto& t = l.type(g.inst.type);
  const uint32_t exponentType = !structResult ? target.type : t.members.size() > 1 ? t.members[1] : g.inst.type;
  const Type width = l.isaType(l.scalarTypeOf(exponentType));
  if (width != Type::I32)
    for (Operand& o : exponent) o = l.b.convert(Opcode::CvtSS, width, Type::I32, o);
  if (structResult)
    significand.insert(significand.end(), exponent.begin(), exponent.end());
  else
    l.store(target, exponent);
  l.setResult(g.inst, std::move(significand));
}

void lowerLdexp(GlslInst& g) {
  Lowerer& l = g.l;
  const Components x = g.raw(0), e = g.raw(1);
  const uint32_t exponentType = l.scalarTypeOf(l.typeOf(g.id(1)));
  const bool isWide = l.isaType(exponentType) == Type::I64;
  Components r;
  for (size_t i = 0; i < x.size(); ++i) {
    Operand n = e[std::min(i, e.size() - 1)];
    if (isWide) {  // beyond +-4096 every result is the same, and this fits the low word
      n = l.b.value(Opcode::SMin, Type::I64, n, l.imm64(4096));
      n = l.b.value(Opcode::SMax, Type::I64, n, l.imm64(uint64_t(-4096)));
    }
    r.push_back(l.b.value(Opcode::FLdexp, g.type, x[i], l.toWord(n, exponentType)));
  }
  l.setResult(g.inst, std::move(r));
}

/// InterpolateAtCentroid, -Sample, -Offset. "Shader Interfaces", interpolation functions.
void lowerInterpolate(GlslInst& g) {
  Lowerer& l = g.l;
  const Pointer p = l.pointer(g.id(0));
  Components r;
  if (g.code == GLSLstd450InterpolateAtCentroid) {
    r = l.interpolate(p, [&](bool linear) { return l.barycentrics(isa::BaryMode::Centroid, linear); });
  } else {
    const bool sample = g.code == GLSLstd450InterpolateAtSample;
    Components offset = g.raw(1);
    const uint32_t argType = l.scalarTypeOf(l.typeOf(g.id(1)));
    if (sample) {
      // A sample's position is an offset from the pixel's centre like any other.
      const Operand at = l.b.value(Opcode::SmpPos, Type::I32, l.toWord(offset[0], argType));
      const Operand half = l.immF(0.5f);
      offset = {l.b.value(Opcode::FSub, Type::F32, at, half),
                l.b.value(Opcode::FSub, Type::F32, Lowerer::word(at, 1), half)};
    } else if (const Type t = l.isaType(argType); t != Type::F32) {
      for (Operand& o : offset) o = l.b.convert(Opcode::CvtFF, Type::F32, t, o);
    }
    for (abi::SysValue v : {abi::SysValue::PosX, abi::SysValue::PosY}) l.info().sysValues |= uint64_t(1) << uint32_t(v);
    r = l.interpolate(p, [&](bool linear) {
      const uint8_t sub = uint8_t(isa::BaryMode::Offset) | (linear ? uint8_t(isa::BaryMode::Linear) : 0);
      return l.b.value(Opcode::Bary, Type::I32, offset[0], offset[1], {}, sub);
    });
  }
  l.setResult(g.inst, std::move(r));
}

void lowerExtended(Lowerer& l, const spirv::Instruction& inst) {
  if (l.module.printSet && inst.operand(0) == l.module.printSet) return lowerPrint(l, inst);
  const auto set = l.module.extendedSets.find(inst.operand(0));
  if (set == l.module.extendedSets.end() || set->second != "GLSL.std.450") return l.unsupported(inst);
  GlslInst g(l, inst);
  for (const Direct& d : kDirect)
    if (d.code == g.code) {
      lowerDirect(g, d);
      return;
    }
  switch (g.code) {
    case GLSLstd450SSign: {
      const uint32_t scalarType = l.scalarTypeOf(inst.type);
      const uint64_t minusOne = g.type == Type::I64 ? ~0ull : (1ull << 8 * isa::typeBytes(g.type)) - 1;
      const Operand one = l.immOf(scalarType, 1), negative = l.immOf(scalarType, minusOne);
      Components r;
      for (Operand x : g.raw(0))
        r.push_back(l.b.value(Opcode::SMax, g.type, l.b.value(Opcode::SMin, g.type, x, one), negative));
      l.setResult(inst, std::move(r));
      return;
    }
    case GLSLstd450FClamp:
    case GLSLstd450NClamp: lowerClamp(g, Opcode::FMin, Opcode::FMax); return;
    case GLSLstd450UClamp: lowerClamp(g, Opcode::UMin, Opcode::UMax); return;
    case GLSLstd450SClamp: lowerClamp(g, Opcode::SMin, Opcode::SMax); return;
    case GLSLstd450FMix:
      g.each(3, [&](Operand x, Operand y, Operand a) { return g.add(g.mul(x, g.sub(g.k(1), a)), g.mul(y, a)); });
      return;
    case GLSLstd450Step:
      g.each(2, [&](Operand edge, Operand x, Operand) { return g.select(g.less(x, edge), g.k(0), g.k(1)); });
      return;
    case GLSLstd450SmoothStep:
      g.each(3, [&](Operand low, Operand high, Operand x) {
        Operand t = g.div(g.sub(x, low), g.sub(high, low));
        t = g.op(Opcode::FMin, g.op(Opcode::FMax, t, g.k(0)), g.k(1));
        return g.mul(g.mul(t, t), g.sub(g.k(3), g.mul(g.k(2), t)));
      });
      return;
    case GLSLstd450Modf: lowerModf(g, false); return;
    case GLSLstd450ModfStruct: lowerModf(g, true); return;
    case GLSLstd450Frexp: lowerFrexp(g, false); return;
    case GLSLstd450FrexpStruct: lowerFrexp(g, true); return;
    case GLSLstd450Ldexp: lowerLdexp(g); return;
    case GLSLstd450InterpolateAtCentroid:
    case GLSLstd450InterpolateAtSample:
    case GLSLstd450InterpolateAtOffset: lowerInterpolate(g); return;
    default: break;
  }
  if (lowerGlslMath(g) || lowerGlslVector(g) || lowerGlslPack(g)) return;
  l.unsupported(inst, "unknown GLSL.std.450 instruction");
}

}  // namespace

void addExtended(LoweringTable& table) { table.add(spv::Op::OpExtInst, lowerExtended); }

}  // namespace etzel::lower
