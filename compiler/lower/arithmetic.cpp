// Scalar and vector arithmetic, comparisons, bit operations, conversions and derivatives: component by component.
#include <unordered_map>

#include "compiler/lower/encoded_float.h"
#include "compiler/lower/instructions.h"
#include "compiler/spirv/newer.h"

namespace etzel::lower {
namespace {

using O = spv::Op;
using isa::CmpF;
using isa::CmpI;
using isa::Type;

/// SPIR-V instructions that are one ISA instruction per component, typed by an operand.
struct Direct {
  Opcode op;
  uint8_t sub = 0;
};

const std::unordered_map<uint32_t, Direct>& directTable() {
  static const std::unordered_map<uint32_t, Direct>& table = *new std::unordered_map<uint32_t, Direct>{
#define ROW(spirv, ...)                                     \
  {                                                         \
    static_cast<uint32_t>(O::spirv), Direct { __VA_ARGS__ } \
  }
      ROW(OpFAdd, Opcode::FAdd),
      ROW(OpFSub, Opcode::FSub),
      ROW(OpFMul, Opcode::FMul),
      ROW(OpFDiv, Opcode::FDiv),
      ROW(OpFRem, Opcode::FRem),
      ROW(OpFMod, Opcode::FMod),
      ROW(OpFNegate, Opcode::FNeg),
      ROW(OpIAdd, Opcode::IAdd),
      ROW(OpISub, Opcode::ISub),
      ROW(OpIMul, Opcode::IMul),
      ROW(OpSDiv, Opcode::SDiv),
      ROW(OpUDiv, Opcode::UDiv),
      ROW(OpSRem, Opcode::SRem),
      ROW(OpSMod, Opcode::SMod),
      ROW(OpUMod, Opcode::UMod),
      ROW(OpSNegate, Opcode::INeg),
      ROW(OpNot, Opcode::Not),
      ROW(OpBitReverse, Opcode::BRev),
      ROW(OpIsNan, Opcode::FIsNan),
      ROW(OpIsInf, Opcode::FIsInf),
      ROW(OpFOrdEqual, Opcode::FCmp, uint8_t(CmpF::OEq)),
      ROW(OpFUnordEqual, Opcode::FCmp, uint8_t(CmpF::UEq)),
      ROW(OpFOrdNotEqual, Opcode::FCmp, uint8_t(CmpF::ONe)),
      ROW(OpFUnordNotEqual, Opcode::FCmp, uint8_t(CmpF::UNe)),
      ROW(OpFOrdLessThan, Opcode::FCmp, uint8_t(CmpF::OLt)),
      ROW(OpFUnordLessThan, Opcode::FCmp, uint8_t(CmpF::ULt)),
      ROW(OpFOrdGreaterThan, Opcode::FCmp, uint8_t(CmpF::OGt)),
      ROW(OpFUnordGreaterThan, Opcode::FCmp, uint8_t(CmpF::UGt)),
      ROW(OpFOrdLessThanEqual, Opcode::FCmp, uint8_t(CmpF::OLe)),
      ROW(OpFUnordLessThanEqual, Opcode::FCmp, uint8_t(CmpF::ULe)),
      ROW(OpFOrdGreaterThanEqual, Opcode::FCmp, uint8_t(CmpF::OGe)),
      ROW(OpFUnordGreaterThanEqual, Opcode::FCmp, uint8_t(CmpF::UGe)),
      ROW(OpLessOrGreater, Opcode::FCmp, uint8_t(CmpF::ONe)),
      ROW(OpOrdered, Opcode::FCmp, uint8_t(CmpF::Ord)),
      ROW(OpUnordered, Opcode::FCmp, uint8_t(CmpF::Uno)),
      ROW(OpIEqual, Opcode::ICmp, uint8_t(CmpI::Eq)),
      ROW(OpINotEqual, Opcode::ICmp, uint8_t(CmpI::Ne)),
      ROW(OpUGreaterThan, Opcode::ICmp, uint8_t(CmpI::UGt)),
      ROW(OpSGreaterThan, Opcode::ICmp, uint8_t(CmpI::SGt)),
      ROW(OpUGreaterThanEqual, Opcode::ICmp, uint8_t(CmpI::UGe)),
      ROW(OpSGreaterThanEqual, Opcode::ICmp, uint8_t(CmpI::SGe)),
      ROW(OpULessThan, Opcode::ICmp, uint8_t(CmpI::ULt)),
      ROW(OpSLessThan, Opcode::ICmp, uint8_t(CmpI::SLt)),
      ROW(OpULessThanEqual, Opcode::ICmp, uint8_t(CmpI::ULe)),
      ROW(OpSLessThanEqual, Opcode::ICmp, uint8_t(CmpI::SLe)),
      ROW(OpLogicalEqual, Opcode::ICmp, uint8_t(CmpI::Eq)),
      ROW(OpLogicalNotEqual, Opcode::ICmp, uint8_t(CmpI::Ne)),
      ROW(OpLogicalNot, Opcode::Not),
      ROW(OpDPdx, Opcode::DdxF),
      ROW(OpDPdy, Opcode::DdyF),
      ROW(OpDPdxFine, Opcode::DdxF),
      ROW(OpDPdyFine, Opcode::DdyF),
      ROW(OpDPdxCoarse, Opcode::DdxC),
      ROW(OpDPdyCoarse, Opcode::DdyC),
#undef ROW
  };
  return table;
}

/// And, Or and Xor exist for words only; narrow values are zero-extended words already.
Type wordType(Type t) { return isa::typeWords(t) == 2 ? Type::I64 : Type::I32; }

std::vector<Operand> bitcast(Lowerer& l, const spirv::Instruction& inst) {
  const uint32_t from = l.typeOf(inst.operand(0));
  std::vector<Operand> in = l.components(inst.operand(0));
  const std::vector<uint32_t> fromScalars = l.scalarsOf(from), toScalars = l.scalarsOf(inst.type);
  if (in.size() == toScalars.size()) return in;
  if (fromScalars.empty() || toScalars.empty()) return in;
  const uint32_t fromBits = l.widthOf(fromScalars[0]), toBits = l.widthOf(toScalars[0]);
  // Pieces of the narrower of 32 bits and the smaller width, low bits first; then glued together again.
  std::vector<Operand> words;  // 32-bit words of the whole value
  if (fromBits == 64) {
    for (Operand o : in) words.push_back(o), words.push_back(Lowerer::word(o, 1));
  } else if (fromBits == 32) {
    words = in;
  } else {
    const uint32_t perWord = 32 / fromBits;
    for (size_t i = 0; i < in.size(); i += perWord) {
      Operand w = in[i];
      for (uint32_t k = 1; k < perWord && i + k < in.size(); ++k)
        w = l.b.value(Opcode::Or, Type::I32, w, l.b.value(Opcode::Shl, Type::I32, in[i + k], l.imm(k * fromBits)));
      words.push_back(w);
    }
  }
  std::vector<Operand> out;
  if (toBits == 64) {
    for (size_t i = 0; i + 1 < words.size(); i += 2) out.push_back(l.consecutive(std::span(words).subspan(i, 2)));
  } else if (toBits == 32) {
    out = words;
  } else {
    const uint32_t perWord = 32 / toBits;
    for (size_t i = 0; out.size() < toScalars.size() && i / perWord < words.size(); ++i)
      out.push_back(l.b.value(Opcode::UBfe, Type::I32, words[i / perWord], l.imm(i % perWord * toBits), l.imm(toBits)));
  }
  return out;
}

/// Integer conversions of a shift count, a bit offset or a bit count: the low word.
std::vector<Operand> lowWords(Lowerer& l, uint32_t id) { return l.components(id); }

std::vector<Operand> insertBits(Lowerer& l, const spirv::Instruction& inst) {
  const std::vector<Operand> base = l.components(inst.operand(0)), value = l.components(inst.operand(1));
  const Operand offset = l.scalar(inst.operand(2)), count = l.scalar(inst.operand(3));
  const Type t = wordType(l.isaType(inst.type));
  const Operand mask = l.b.value(Opcode::Bfm, t, offset, count);
  const Operand keep = l.b.value(Opcode::Not, t, mask);
  std::vector<Operand> out;
  for (size_t i = 0; i < base.size() && i < value.size(); ++i) {
    const Operand moved = l.b.value(Opcode::Shl, t, value[i], offset);
    out.push_back(
        l.b.value(Opcode::Or, t, l.b.value(Opcode::And, t, base[i], keep), l.b.value(Opcode::And, t, moved, mask)));
  }
  return out;
}

/// OpUMulExtended and friends: {low, high} of the product; OpIAddCarry, OpISubBorrow: {result, carry}.
std::vector<Operand> extended(Lowerer& l, const spirv::Instruction& inst) {
  const std::vector<Operand> x = l.components(inst.operand(0)), y = l.components(inst.operand(1));
  const uint32_t operandType = l.typeOf(inst.operand(0));
  const Type t = l.isaType(operandType);
  const bool wide = t == Type::I64;
  std::vector<Operand> low, high;
  for (size_t i = 0; i < x.size() && i < y.size(); ++i) {
    switch (inst.op) {
      case O::OpIAddCarry:
      case O::OpISubBorrow: {
        const bool add = inst.op == O::OpIAddCarry;
        low.push_back(l.b.value(add ? Opcode::IAdd : Opcode::ISub, t, x[i], y[i]));
        if (t == Type::I32) {
          high.push_back(l.b.value(add ? Opcode::AddC : Opcode::SubB, t, x[i], y[i]));
          break;
        }
        const Operand lost = add ? l.b.icmp(CmpI::ULt, t, low.back(), x[i]) : l.b.icmp(CmpI::ULt, t, x[i], y[i]);
        const Operand bit = l.b.value(Opcode::And, Type::I32, lost, l.imm(1));
        high.push_back(wide ? l.b.convert(Opcode::CvtUU, Type::I64, Type::I32, bit) : bit);
        break;
      }
      default: {
        const bool isSigned = inst.op == O::OpSMulExtended;
        low.push_back(l.b.value(Opcode::IMul, t, x[i], y[i]));
        if (wide || t == Type::I32) {
          high.push_back(l.b.value(isSigned ? Opcode::SMulH : Opcode::UMulH, t, x[i], y[i]));
        } else {
          const Opcode cvt = isSigned ? Opcode::CvtSS : Opcode::CvtUU;
          const Operand product = l.b.value(Opcode::IMul, Type::I32, l.b.convert(cvt, Type::I32, t, x[i]),
                                            l.b.convert(cvt, Type::I32, t, y[i]));
          high.push_back(l.b.value(Opcode::UBfe, Type::I32, product, l.imm(l.widthOf(operandType)),
                                   l.imm(l.widthOf(operandType))));
        }
      }
    }
  }
  low.insert(low.end(), high.begin(), high.end());
  return low;
}

std::vector<Operand> convertAll(Lowerer& l, const spirv::Instruction& inst, Opcode op) {
  const uint32_t source = l.typeOf(inst.operand(0));
  std::vector<Operand> in = l.components(inst.operand(0));
  if (isEncoded(l, source) || isEncoded(l, inst.type)) {
    const bool saturates = l.module.decorationsOf(inst.result).has(spirv::kSaturatedToLargestFloat8);
    return convertEncoded(l, op, source, inst.type, in, saturates);
  }
  const Type from = l.isaType(source), to = l.isaType(inst.type);
  if (from == to && (op == Opcode::CvtSS || op == Opcode::CvtUU || op == Opcode::CvtFF)) return in;
  std::vector<Operand> out;
  out.reserve(in.size());
  for (Operand o : in) out.push_back(l.b.convert(op, to, from, o));
  return out;
}

/// OpQuantizeToF16: through binary16, subnormals to zero.
std::vector<Operand> quantize(Lowerer& l, const spirv::Instruction& inst) {
  std::vector<Operand> out;
  for (Operand o : std::vector<Operand>(l.components(inst.operand(0)))) {
    const Operand half = l.b.convert(Opcode::CvtFF, Type::F16, Type::F32, o);
    const Operand exponent = l.b.value(Opcode::And, Type::I32, half, l.imm(0x7c00));
    const Operand sign = l.b.value(Opcode::And, Type::I32, half, l.imm(0x8000));
    out.push_back(l.b.convert(Opcode::CvtFF, Type::F32, Type::F16, l.b.select(exponent, half, sign)));
  }
  return out;
}

std::vector<Operand> operands(Lowerer& l, const spirv::Instruction& inst, size_t i) {
  return i < inst.size() ? l.components(inst.operand(i)) : std::vector<Operand>{};
}

void lowerDirect(Lowerer& l, const spirv::Instruction& inst) {
  const Direct& direct = directTable().at(static_cast<uint32_t>(inst.op));
  const std::vector<Operand> x = operands(l, inst, 0), y = operands(l, inst, 1);
  l.setResult(inst, l.map(direct.op, l.isaType(l.typeOf(inst.operand(0))), x, y, {}, direct.sub));
}

/// "Correctly rounded": halves are numbers of doubles, where sums that are not exact lie far from where halves round.
void lowerFma(Lowerer& l, const spirv::Instruction& inst) {
  const Type type = l.isaType(inst.type);
  const bool halves = type == Type::F16;
  std::vector<Operand> in[3];
  for (uint32_t i = 0; i < 3; ++i) {
    in[i] = operands(l, inst, i);
    if (halves)
      for (Operand& o : in[i]) o = l.b.convert(Opcode::CvtFF, Type::F64, type, o);
  }
  std::vector<Operand> out = l.map(Opcode::FFma, halves ? Type::F64 : type, in[0], in[1], in[2]);
  if (halves)
    for (Operand& o : out) o = l.b.convert(Opcode::CvtFF, type, Type::F64, o);
  l.setResult(inst, std::move(out));
}

template <Opcode op>
void lowerBitwise(Lowerer& l, const spirv::Instruction& inst) {
  l.setResult(inst, l.map(op, wordType(l.isaType(inst.type)), operands(l, inst, 0), operands(l, inst, 1)));
}

template <Opcode op>
void lowerShift(Lowerer& l, const spirv::Instruction& inst) {
  l.setResult(inst, l.map(op, l.isaType(inst.type), operands(l, inst, 0), lowWords(l, inst.operand(1))));
}

template <Opcode op>
void lowerBitFieldExtract(Lowerer& l, const spirv::Instruction& inst) {
  l.setResult(inst, l.map(op, wordType(l.isaType(inst.type)), operands(l, inst, 0), {l.scalar(inst.operand(1))},
                          {l.scalar(inst.operand(2))}));
}

void lowerBitFieldInsert(Lowerer& l, const spirv::Instruction& inst) { l.setResult(inst, insertBits(l, inst)); }

void lowerBitCount(Lowerer& l, const spirv::Instruction& inst) {
  const Type t = l.isaType(inst.type), from = l.isaType(l.typeOf(inst.operand(0)));
  std::vector<Operand> out = l.map(Opcode::BCnt, from, operands(l, inst, 0));
  if (isa::typeWords(t) == 2)
    for (Operand& o : out) o = l.b.convert(Opcode::CvtUU, t, Type::I32, o);
  l.setResult(inst, out);
}

void lowerExtended(Lowerer& l, const spirv::Instruction& inst) { l.setResult(inst, extended(l, inst)); }

void lowerTimesScalar(Lowerer& l, const spirv::Instruction& inst) {
  const Type t = l.isaType(inst.type);  // cooperative matrices may have integers
  l.setResult(inst,
              l.map(isa::isFloatType(t) ? Opcode::FMul : Opcode::IMul, t, operands(l, inst, 0), operands(l, inst, 1)));
}

void lowerSelect(Lowerer& l, const spirv::Instruction& inst) {
  const std::vector<Operand> cond = operands(l, inst, 0), x = operands(l, inst, 1), y = operands(l, inst, 2);
  std::vector<Operand> out;
  const std::vector<uint32_t> scalars = l.scalarsOf(inst.type);
  for (size_t i = 0; i < scalars.size() && i < x.size() && i < y.size() && !cond.empty(); ++i)
    out.push_back(
        l.b.select(cond[cond.size() == 1 ? 0 : std::min(i, cond.size() - 1)], x[i], y[i], l.wordsOfScalar(scalars[i])));
  l.setResult(inst, out);
}

void lowerBitcast(Lowerer& l, const spirv::Instruction& inst) { l.setResult(inst, bitcast(l, inst)); }

template <Opcode op>
void lowerConversion(Lowerer& l, const spirv::Instruction& inst) {
  l.setResult(inst, convertAll(l, inst, op));
}

void lowerFloatConversion(Lowerer& l, const spirv::Instruction& inst) {
  const spirv::Decorations& d = l.module.decorationsOf(inst.result);
  const bool towardZero =
      (d.has(spv::Decoration::FPRoundingMode) &&
       static_cast<spv::FPRoundingMode>(d.get(spv::Decoration::FPRoundingMode)) == spv::FPRoundingMode::RTZ) ||
      (!d.has(spv::Decoration::FPRoundingMode) && l.roundsTowardZero(l.widthOf(inst.type)));
  l.setResult(inst, convertAll(l, inst, towardZero ? Opcode::CvtFFz : Opcode::CvtFF));
}

void lowerQuantize(Lowerer& l, const spirv::Instruction& inst) { l.setResult(inst, quantize(l, inst)); }

void lowerFwidth(Lowerer& l, const spirv::Instruction& inst) {
  const bool coarse = inst.op == O::OpFwidthCoarse;
  const Type t = l.isaType(inst.type);
  const std::vector<Operand> x = operands(l, inst, 0);
  const std::vector<Operand> dx = l.map(Opcode::FAbs, t, l.map(coarse ? Opcode::DdxC : Opcode::DdxF, t, x));
  const std::vector<Operand> dy = l.map(Opcode::FAbs, t, l.map(coarse ? Opcode::DdyC : Opcode::DdyF, t, x));
  l.setResult(inst, l.map(Opcode::FAdd, t, dx, dy));
}

/// OpAny, OpAll.
template <Opcode op>
void lowerReduction(Lowerer& l, const spirv::Instruction& inst) {
  Operand all;
  for (Operand o : operands(l, inst, 0)) all = all.present() ? l.b.value(op, Type::I32, all, o) : o;
  l.setResult(inst, all);
}

}  // namespace

bool Lowerer::roundsTowardZero(uint32_t width) const {
  auto range = module.modes.equal_range(spv::ExecutionMode::RoundingModeRTZ);
  for (auto it = range.first; it != range.second; ++it)
    if (!it->second.empty() && it->second[0] == width) return true;
  return false;
}

void addArithmetic(LoweringTable& table) {
  for (const auto& [op, direct] : directTable()) table.add(static_cast<O>(op), lowerDirect);
  table.add({
      {spirv::kOpFma, lowerFma},
      {O::OpBitwiseAnd, lowerBitwise<Opcode::And>},
      {O::OpLogicalAnd, lowerBitwise<Opcode::And>},
      {O::OpBitwiseOr, lowerBitwise<Opcode::Or>},
      {O::OpLogicalOr, lowerBitwise<Opcode::Or>},
      {O::OpBitwiseXor, lowerBitwise<Opcode::Xor>},
      {O::OpShiftLeftLogical, lowerShift<Opcode::Shl>},
      {O::OpShiftRightLogical, lowerShift<Opcode::Shr>},
      {O::OpShiftRightArithmetic, lowerShift<Opcode::Sar>},
      {O::OpBitFieldSExtract, lowerBitFieldExtract<Opcode::SBfe>},
      {O::OpBitFieldUExtract, lowerBitFieldExtract<Opcode::UBfe>},
      {O::OpBitFieldInsert, lowerBitFieldInsert},
      {O::OpBitCount, lowerBitCount},
      {O::OpUMulExtended, lowerExtended},
      {O::OpSMulExtended, lowerExtended},
      {O::OpIAddCarry, lowerExtended},
      {O::OpISubBorrow, lowerExtended},
      {O::OpVectorTimesScalar, lowerTimesScalar},
      {O::OpMatrixTimesScalar, lowerTimesScalar},
      {O::OpSelect, lowerSelect},
      {O::OpBitcast, lowerBitcast},
      {O::OpConvertFToU, lowerConversion<Opcode::CvtFU>},
      {O::OpConvertFToS, lowerConversion<Opcode::CvtFS>},
      {O::OpConvertSToF, lowerConversion<Opcode::CvtSF>},
      {O::OpConvertUToF, lowerConversion<Opcode::CvtUF>},
      {O::OpUConvert, lowerConversion<Opcode::CvtUU>},
      {O::OpSConvert, lowerConversion<Opcode::CvtSS>},
      {O::OpFConvert, lowerFloatConversion},
      {O::OpQuantizeToF16, lowerQuantize},
      {O::OpFwidth, lowerFwidth},
      {O::OpFwidthFine, lowerFwidth},
      {O::OpFwidthCoarse, lowerFwidth},
      {O::OpAny, lowerReduction<Opcode::Or>},
      {O::OpAll, lowerReduction<Opcode::And>},
  });
}

}  // namespace etzel::lower
