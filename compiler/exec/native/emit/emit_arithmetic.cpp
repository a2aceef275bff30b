// Floating-point instructions, moves and constants.
#include <llvm/IR/Intrinsics.h>

#include "compiler/exec/native/emit/emitter.h"

namespace etzel::native {

using isa::Inst;
using isa::Opcode;
using isa::Type;

namespace {

llvm::CmpInst::Predicate predicateOf(isa::CmpF c) {
  using isa::CmpF;
  using P = llvm::CmpInst;
  switch (c) {
    case CmpF::OEq: return P::FCMP_OEQ;
    case CmpF::ONe: return P::FCMP_ONE;
    case CmpF::OLt: return P::FCMP_OLT;
    case CmpF::OLe: return P::FCMP_OLE;
    case CmpF::OGt: return P::FCMP_OGT;
    case CmpF::OGe: return P::FCMP_OGE;
    case CmpF::UEq: return P::FCMP_UEQ;
    case CmpF::UNe: return P::FCMP_UNE;
    case CmpF::ULt: return P::FCMP_ULT;
    case CmpF::ULe: return P::FCMP_ULE;
    case CmpF::UGt: return P::FCMP_UGT;
    case CmpF::UGe: return P::FCMP_UGE;
    case CmpF::Ord: return P::FCMP_ORD;
    case CmpF::Uno: return P::FCMP_UNO;
  }
  return P::FCMP_FALSE;
}

/// What is one intrinsic of LLVM.
llvm::Intrinsic::ID intrinsicOf(Opcode op) {
  switch (op) {
    case Opcode::FSqrt: return llvm::Intrinsic::sqrt;
    case Opcode::FFloor: return llvm::Intrinsic::floor;
    case Opcode::FCeil: return llvm::Intrinsic::ceil;
    case Opcode::FTrunc: return llvm::Intrinsic::trunc;
    case Opcode::FRoundE: return llvm::Intrinsic::rint;
    default: return llvm::Intrinsic::not_intrinsic;
  }
}

/// What is one instruction of LLVM.
std::optional<llvm::Instruction::BinaryOps> operatorOf(Opcode op) {
  switch (op) {
    case Opcode::FAdd: return llvm::Instruction::FAdd;
    case Opcode::FSub: return llvm::Instruction::FSub;
    case Opcode::FMul: return llvm::Instruction::FMul;
    case Opcode::FDiv: return llvm::Instruction::FDiv;
    default: return std::nullopt;
  }
}

llvm::Constant* number(llvm::Value* shape, double v) { return llvm::ConstantFP::get(shape->getType(), v); }

}  // namespace

bool Emitter::arithmetic(const Inst& inst) {
  switch (inst.op) {
    case Opcode::XMov: {
      // All words are read first: source and destination may overlap.
      std::vector<V> values;
      for (uint32_t w = 0; w < inst.count; ++w) {
        base_ = inst.dst.bank == isa::Bank::Temp && !shapeOf(inst.dst, w).varying();
        values.push_back(word(inst.src[0], w));
      }
      for (uint32_t w = 0; w < inst.count; ++w) setWord(inst, w, values[w]);
      return true;
    }
    case Opcode::LdImm: setWord(inst, 0, ir_.getInt32(inst.imm)); return true;
    case Opcode::Sel: {
      V condition = nonzero(word(inst.src[0]));
      std::vector<V> values;
      for (uint32_t w = 0; w < inst.count; ++w) {
        V c = condition, a = word(inst.src[1], w), b = word(inst.src[2], w);
        unify(ir_, a, b);
        if (isVector(c)) a = splat(a), b = splat(b);
        values.push_back(ir_.CreateSelect(c, a, b));
      }
      for (uint32_t w = 0; w < inst.count; ++w) setWord(inst, w, values[w]);
      return true;
    }
    default: return isFloat(inst.type) && (signBit(inst) || floatOfOne(inst) || floatOfTwo(inst));
  }
}

llvm::Value* Emitter::floatSource(const Inst& inst, uint32_t i, Type type) {
  V v = element(inst.src[i], type);
  return type == Type::F16 ? floatsOfHalves(ir_, v) : v;
}

bool Emitter::setFloat(const Inst& inst, V v) {
  if (inst.type == Type::F16) v = ir_.CreateFPTrunc(v, like(v, ir_.getHalfTy()));
  setElement(inst, v);
  return true;
}

/// Bits pass unchanged, those of NaNs too.
bool Emitter::signBit(const Inst& inst) {
  const bool flip = inst.op == Opcode::FNeg;
  if (!flip && inst.op != Opcode::FAbs) return false;
  const Type t = inst.type;
  const uint32_t last = isa::typeWords(t) - 1;
  V low = last ? word(inst.src[0], 0) : nullptr;
  if (flip && t != Type::F16) return setFloat(inst, ir_.CreateFNeg(floatSource(inst, 0, t)));
  V high = word(inst.src[0], last);
  const uint32_t bit = t == Type::F16 ? 0x8000u : 0x80000000u;
  high = flip ? ir_.CreateXor(high, llvm::ConstantInt::get(high->getType(), bit))
              : ir_.CreateAnd(high, llvm::ConstantInt::get(high->getType(), ~bit));
  if (last) setWord(inst, 0, low);
  setWord(inst, last, high);
  return true;
}

bool Emitter::floatOfOne(const Inst& inst) {
  const auto load = [&] { return floatSource(inst, 0, inst.type); };
  if (const auto id = intrinsicOf(inst.op)) return setFloat(inst, ir_.CreateUnaryIntrinsic(id, load()));
  switch (inst.op) {
    case Opcode::FRsq: {
      V root = ir_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, load());
      return setFloat(inst, ir_.CreateFDiv(number(root, 1), root));
    }
    case Opcode::FFract: {
      V a = load();
      return setFloat(inst, ir_.CreateFSub(a, ir_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, a)));
    }
    case Opcode::FSign: {
      V a = load(), zero = number(a, 0);
      V r = ir_.CreateSelect(ir_.CreateFCmpOGT(a, zero), number(a, 1), a);
      r = ir_.CreateSelect(ir_.CreateFCmpOLT(a, zero), number(a, -1), r);
      return setFloat(inst, ir_.CreateSelect(ir_.CreateFCmpUNO(a, a), zero, r));
    }
    case Opcode::FIsNan: {
      V a = load();
      setWord(inst, 0, toMask(ir_.CreateFCmpUNO(a, a)));
      return true;
    }
    case Opcode::FIsInf: {
      V a = load();
      V up = ir_.CreateFCmpOEQ(a, llvm::ConstantFP::getInfinity(a->getType()));
      V down = ir_.CreateFCmpOEQ(a, llvm::ConstantFP::getInfinity(a->getType(), true));
      setWord(inst, 0, toMask(ir_.CreateOr(up, down)));
      return true;
    }
    default: return false;
  }
}

/// And of three: fused products and sums.
bool Emitter::floatOfTwo(const Inst& inst) {
  const auto both = [&] {
    V a = floatSource(inst, 0, inst.type), b = floatSource(inst, 1, inst.type);
    unify(ir_, a, b);
    return std::pair{a, b};
  };
  if (const auto op = operatorOf(inst.op)) {
    auto [a, b] = both();
    return setFloat(inst, ir_.CreateBinOp(*op, a, b));
  }
  switch (inst.op) {
    case Opcode::FRem:
    case Opcode::FMod: {
      auto [a, b] = both();
      const auto round = inst.op == Opcode::FRem ? llvm::Intrinsic::trunc : llvm::Intrinsic::floor;
      V whole = ir_.CreateUnaryIntrinsic(round, ir_.CreateFDiv(a, b));
      return setFloat(inst, ir_.CreateFSub(a, ir_.CreateFMul(b, whole)));
    }
    case Opcode::FMin:
    case Opcode::FMax: {
      auto [a, b] = both();
      const bool min = inst.op == Opcode::FMin;
      V r = ir_.CreateSelect(min ? ir_.CreateFCmpOLT(a, b) : ir_.CreateFCmpOGT(a, b), a, b);
      llvm::Type* bits = like(a, ir_.getIntNTy(a->getType()->getScalarSizeInBits()));
      V x = ir_.CreateBitCast(a, bits), y = ir_.CreateBitCast(b, bits);
      V zero = ir_.CreateBitCast(min ? ir_.CreateOr(x, y) : ir_.CreateAnd(x, y), a->getType());
      r = ir_.CreateSelect(ir_.CreateFCmpOEQ(a, b), zero, r);
      return setFloat(inst, ir_.CreateSelect(ir_.CreateFCmpUNO(b, b), a, r));
    }
    case Opcode::FCmp: {
      auto [a, b] = both();
      setWord(inst, 0, toMask(ir_.CreateFCmp(predicateOf(static_cast<isa::CmpF>(inst.sub)), a, b)));
      return true;
    }
    case Opcode::FFma: {
      auto [a, b] = both();
      V c = floatSource(inst, 2, inst.type);
      if (isVector(a)) c = splat(c);
      if (isVector(c)) a = splat(a), b = splat(b);
      return setFloat(inst, fused(ir_, a, b, c));
    }
    default: return false;
  }
}

}  // namespace etzel::native
