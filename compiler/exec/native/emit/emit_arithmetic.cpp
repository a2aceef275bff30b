// Floating-point and integer instructions, moves and constants.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "compiler/exec/native/emit/emitter.h"

namespace etzel::native {

using isa::Inst;
using isa::Opcode;
using isa::Type;

namespace {

bool isFloat(Type t) { return t == Type::F16 || t == Type::F32 || t == Type::F64; }

llvm::CmpInst::Predicate predicateOf(isa::CmpF c) {
  using P = llvm::CmpInst;
  constexpr llvm::CmpInst::Predicate table[] = {P::FCMP_OEQ, P::FCMP_ONE, P::FCMP_OLT, P::FCMP_OLE, P::FCMP_OGT,
                                                P::FCMP_OGE, P::FCMP_UEQ, P::FCMP_UNE, P::FCMP_ULT, P::FCMP_ULE,
                                                P::FCMP_UGT, P::FCMP_UGE, P::FCMP_ORD, P::FCMP_UNO};
  return table[static_cast<uint32_t>(c)];
}
llvm::CmpInst::Predicate predicateOf(isa::CmpI c) {
  using P = llvm::CmpInst;
  constexpr llvm::CmpInst::Predicate table[] = {P::ICMP_EQ,  P::ICMP_NE,  P::ICMP_SLT, P::ICMP_SLE, P::ICMP_SGT,
                                                P::ICMP_SGE, P::ICMP_ULT, P::ICMP_ULE, P::ICMP_UGT, P::ICMP_UGE};
  return table[static_cast<uint32_t>(c)];
}

}  // namespace

bool Emitter::arithmetic(const Inst& inst) {
  const Type t = inst.type;
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
    default: break;
  }
  if (!isFloat(t)) return false;
  // binary16 arithmetic is done in f32 and rounded once.
  const auto load = [&](uint32_t i) {
    V v = element(inst.src[i], t);
    return t == Type::F16 ? ir_.CreateFPExt(v, like(v, ir_.getFloatTy())) : v;
  };
  const auto store = [&](V v) {
    if (t == Type::F16) v = ir_.CreateFPTrunc(v, like(v, ir_.getHalfTy()));
    setElement(inst, v);
    return true;
  };
  const auto unary = [&](llvm::Intrinsic::ID id) { return store(ir_.CreateUnaryIntrinsic(id, load(0))); };
  const auto number = [&](V shape, double v) -> V { return llvm::ConstantFP::get(shape->getType(), v); };
  const auto signBit = [&](bool flip) {
    const uint32_t last = isa::typeWords(t) - 1;
    V low = last ? word(inst.src[0], 0) : nullptr;
    if (flip && t != Type::F16) return store(ir_.CreateFNeg(load(0)));
    V high = word(inst.src[0], last);
    const uint32_t bit = t == Type::F16 ? 0x8000u : 0x80000000u;
    high = flip ? ir_.CreateXor(high, llvm::ConstantInt::get(high->getType(), bit))
                : ir_.CreateAnd(high, llvm::ConstantInt::get(high->getType(), ~bit));
    if (last) setWord(inst, 0, low);
    setWord(inst, last, high);
    return true;
  };
  switch (inst.op) {
    case Opcode::FNeg: return signBit(true);
    case Opcode::FAbs: return signBit(false);
    case Opcode::FSqrt: return unary(llvm::Intrinsic::sqrt);
    case Opcode::FFloor: return unary(llvm::Intrinsic::floor);
    case Opcode::FCeil: return unary(llvm::Intrinsic::ceil);
    case Opcode::FTrunc: return unary(llvm::Intrinsic::trunc);
    case Opcode::FRoundE: return unary(llvm::Intrinsic::rint);
    case Opcode::FRsq: {
      V root = ir_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, load(0));
      return store(ir_.CreateFDiv(number(root, 1), root));
    }
    case Opcode::FFract: {
      V a = load(0);
      return store(ir_.CreateFSub(a, ir_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, a)));
    }
    case Opcode::FSign: {
      V a = load(0), zero = number(a, 0);
      V r = ir_.CreateSelect(ir_.CreateFCmpOGT(a, zero), number(a, 1), a);
      r = ir_.CreateSelect(ir_.CreateFCmpOLT(a, zero), number(a, -1), r);
      return store(ir_.CreateSelect(ir_.CreateFCmpUNO(a, a), zero, r));
    }
    case Opcode::FIsNan: {
      V a = load(0);
      setWord(inst, 0, toMask(ir_.CreateFCmpUNO(a, a)));
      return true;
    }
    case Opcode::FIsInf: {
      V a = load(0);
      V up = ir_.CreateFCmpOEQ(a, llvm::ConstantFP::getInfinity(a->getType()));
      V down = ir_.CreateFCmpOEQ(a, llvm::ConstantFP::getInfinity(a->getType(), true));
      setWord(inst, 0, toMask(ir_.CreateOr(up, down)));
      return true;
    }
    case Opcode::FAdd:
    case Opcode::FSub:
    case Opcode::FMul:
    case Opcode::FDiv:
    case Opcode::FRem:
    case Opcode::FMod:
    case Opcode::FMin:
    case Opcode::FMax:
    case Opcode::FCmp:
    case Opcode::FFma: break;
    default: return false;
  }

  V a = load(0), b = load(1);
  unify(ir_, a, b);
  switch (inst.op) {
    case Opcode::FAdd: return store(ir_.CreateFAdd(a, b));
    case Opcode::FSub: return store(ir_.CreateFSub(a, b));
    case Opcode::FMul: return store(ir_.CreateFMul(a, b));
    case Opcode::FDiv: return store(ir_.CreateFDiv(a, b));
    case Opcode::FRem:
    case Opcode::FMod: {
      const auto round = inst.op == Opcode::FRem ? llvm::Intrinsic::trunc : llvm::Intrinsic::floor;
      V whole = ir_.CreateUnaryIntrinsic(round, ir_.CreateFDiv(a, b));
      return store(ir_.CreateFSub(a, ir_.CreateFMul(b, whole)));
    }
    case Opcode::FMin:
    case Opcode::FMax: {
      const bool min = inst.op == Opcode::FMin;
      V r = ir_.CreateSelect(min ? ir_.CreateFCmpOLT(a, b) : ir_.CreateFCmpOGT(a, b), a, b);
      llvm::Type* bits = like(a, ir_.getIntNTy(a->getType()->getScalarSizeInBits()));
      V x = ir_.CreateBitCast(a, bits), y = ir_.CreateBitCast(b, bits);
      V zero = ir_.CreateBitCast(min ? ir_.CreateOr(x, y) : ir_.CreateAnd(x, y), a->getType());
      r = ir_.CreateSelect(ir_.CreateFCmpOEQ(a, b), zero, r);
      return store(ir_.CreateSelect(ir_.CreateFCmpUNO(b, b), a, r));
    }
    case Opcode::FCmp:
      setWord(inst, 0, toMask(ir_.CreateFCmp(predicateOf(static_cast<isa::CmpF>(inst.sub)), a, b)));
      return true;
    case Opcode::FFma: {
      V c = load(2);
      if (isVector(a)) c = splat(c);
      if (isVector(c)) a = splat(a), b = splat(b);
      return store(ir_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c}));
    }
    default: return false;
  }
}

bool Emitter::integer(const Inst& inst) {
  const Type t = inst.type;
  if (isFloat(t)) return false;
  const uint32_t bits = isa::typeBytes(t) * 8;
  const auto load = [&](uint32_t i) { return element(inst.src[i], t); };
  const auto store = [&](V v) {
    setElement(inst, v);
    return true;
  };
  const auto constant = [&](V shape, uint64_t v) -> V { return llvm::ConstantInt::get(shape->getType(), v); };
  const auto intrinsic2 = [&](llvm::Intrinsic::ID id, V a, V b) { return ir_.CreateBinaryIntrinsic(id, a, b); };
  /// A count operand is the low word, taken modulo the width.
  const auto count = [&](uint32_t i, V shape) {
    V c = word(inst.src[i]);
    c = ir_.CreateAnd(c, constant(c, bits - 1));
    if (isVector(shape)) c = splat(c);
    llvm::Type* to = isVector(c) ? static_cast<llvm::Type*>(lanes(ir_.getIntNTy(bits))) : ir_.getIntNTy(bits);
    return ir_.CreateZExtOrTrunc(c, to);
  };

  switch (inst.op) {
    case Opcode::INeg: return store(ir_.CreateNeg(load(0)));
    case Opcode::Not: return store(ir_.CreateNot(load(0)));
    case Opcode::IAbs: return store(intrinsic2(llvm::Intrinsic::abs, load(0), ir_.getInt1(false)));
    case Opcode::BRev: return store(ir_.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, load(0)));
    case Opcode::BCnt: {
      V n = ir_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, load(0));
      setWord(inst, 0, ir_.CreateZExtOrTrunc(n, like(n, ir_.getInt32Ty())));
      return true;
    }
    case Opcode::Flsb: {
      V a = load(0);
      V n = intrinsic2(llvm::Intrinsic::cttz, a, ir_.getInt1(false));
      n = ir_.CreateZExtOrTrunc(n, like(n, ir_.getInt32Ty()));
      setWord(inst, 0, ir_.CreateSelect(nonzero(a), n, constant(n, ~0u)));
      return true;
    }
    case Opcode::Fmsbu:
    case Opcode::Fmsbs: {
      V a = load(0);
      if (inst.op == Opcode::Fmsbs) a = ir_.CreateXor(a, ir_.CreateAShr(a, constant(a, bits - 1)));
      V n = intrinsic2(llvm::Intrinsic::ctlz, a, ir_.getInt1(false));
      n = ir_.CreateZExtOrTrunc(n, like(n, ir_.getInt32Ty()));
      setWord(inst, 0, ir_.CreateSelect(nonzero(a), ir_.CreateSub(constant(n, bits - 1), n), constant(n, ~0u)));
      return true;
    }
    case Opcode::Shl:
    case Opcode::Shr:
    case Opcode::Sar: {
      V a = load(0), c = count(1, a);
      if (isVector(c)) a = splat(a);
      if (inst.op == Opcode::Shl) return store(ir_.CreateShl(a, c));
      return store(inst.op == Opcode::Shr ? ir_.CreateLShr(a, c) : ir_.CreateAShr(a, c));
    }
    case Opcode::UBfe:
    case Opcode::SBfe:
    case Opcode::Bfm: {
      V a = inst.op == Opcode::Bfm ? nullptr : load(0);
      V offset = word(inst.src[a ? 1 : 0]), n = word(inst.src[a ? 2 : 1]);
      if (a) unify(ir_, a, offset), unify(ir_, a, n);
      unify(ir_, offset, n);
      if (a) unify(ir_, a, n);
      llvm::Type* type = like(n, ir_.getIntNTy(bits));
      offset = ir_.CreateAnd(ir_.CreateZExt(offset, type), llvm::ConstantInt::get(type, bits - 1));
      n = ir_.CreateZExt(n, type);
      const auto number = [&](uint64_t v) -> V { return llvm::ConstantInt::get(type, v); };
      if (inst.op == Opcode::SBfe) {
        V shift = ir_.CreateAnd(ir_.CreateSub(number(bits), n), number(bits - 1));
        V r = ir_.CreateAShr(ir_.CreateShl(ir_.CreateLShr(a, offset), shift), shift);
        return store(ir_.CreateSelect(ir_.CreateICmpEQ(n, number(0)), number(0), r));
      }
      V mask = ir_.CreateSub(ir_.CreateShl(number(1), ir_.CreateAnd(n, number(bits - 1))), number(1));
      mask = ir_.CreateSelect(ir_.CreateICmpUGE(n, number(bits)), llvm::Constant::getAllOnesValue(type), mask);
      return store(a ? ir_.CreateAnd(ir_.CreateLShr(a, offset), mask) : ir_.CreateShl(mask, offset));
    }
    case Opcode::IAdd:
    case Opcode::ISub:
    case Opcode::IMul:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::SMin:
    case Opcode::SMax:
    case Opcode::UMin:
    case Opcode::UMax:
    case Opcode::ICmp:
    case Opcode::UDiv:
    case Opcode::UMod:
    case Opcode::SDiv:
    case Opcode::SRem:
    case Opcode::SMod:
    case Opcode::UMulH:
    case Opcode::SMulH:
    case Opcode::AddC:
    case Opcode::SubB: break;
    default: return false;
  }

  V a = load(0), b = load(1);
  unify(ir_, a, b);
  switch (inst.op) {
    case Opcode::IAdd: return store(ir_.CreateAdd(a, b));
    case Opcode::ISub: return store(ir_.CreateSub(a, b));
    case Opcode::IMul: return store(ir_.CreateMul(a, b));
    case Opcode::And: return store(ir_.CreateAnd(a, b));
    case Opcode::Or: return store(ir_.CreateOr(a, b));
    case Opcode::Xor: return store(ir_.CreateXor(a, b));
    case Opcode::SMin: return store(intrinsic2(llvm::Intrinsic::smin, a, b));
    case Opcode::SMax: return store(intrinsic2(llvm::Intrinsic::smax, a, b));
    case Opcode::UMin: return store(intrinsic2(llvm::Intrinsic::umin, a, b));
    case Opcode::UMax: return store(intrinsic2(llvm::Intrinsic::umax, a, b));
    case Opcode::ICmp:
      setWord(inst, 0, toMask(ir_.CreateICmp(predicateOf(static_cast<isa::CmpI>(inst.sub)), a, b)));
      return true;
    case Opcode::AddC: {
      V r = ir_.CreateICmpULT(ir_.CreateAdd(a, b), a);
      setWord(inst, 0, ir_.CreateZExt(r, like(r, ir_.getInt32Ty())));
      return true;
    }
    case Opcode::SubB: {
      V r = ir_.CreateICmpULT(a, b);
      setWord(inst, 0, ir_.CreateZExt(r, like(r, ir_.getInt32Ty())));
      return true;
    }
    case Opcode::UMulH:
    case Opcode::SMulH: {
      const bool isSigned = inst.op == Opcode::SMulH;
      llvm::Type* wide = like(a, ir_.getIntNTy(bits * 2));
      const auto widen = [&](V v) { return isSigned ? ir_.CreateSExt(v, wide) : ir_.CreateZExt(v, wide); };
      V product = ir_.CreateLShr(ir_.CreateMul(widen(a), widen(b)), bits);
      return store(ir_.CreateTrunc(product, a->getType()));
    }
    default: break;
  }
  // Quotients of 32 bits are exact in double: a rounded quotient is off by less than its distance to the next integer.
  // Vectors have no other division; constants have better ones.
  const auto divide = [&](V x, V y, bool isSigned) -> V {
    if (!isVector(x) || bits > 32 || llvm::isa<llvm::Constant>(y))
      return isSigned ? ir_.CreateSDiv(x, y) : ir_.CreateUDiv(x, y);
    llvm::Type* wide = lanes(ir_.getDoubleTy());
    const auto number = [&](V v) { return isSigned ? ir_.CreateSIToFP(v, wide) : ir_.CreateUIToFP(v, wide); };
    V q = ir_.CreateFDiv(number(x), number(y));
    return isSigned ? ir_.CreateFPToSI(q, x->getType()) : ir_.CreateFPToUI(q, x->getType());
  };
  const auto remainder = [&](V x, V y, bool isSigned) -> V {
    if (!isVector(x) || bits > 32 || llvm::isa<llvm::Constant>(y))
      return isSigned ? ir_.CreateSRem(x, y) : ir_.CreateURem(x, y);
    return ir_.CreateSub(x, ir_.CreateMul(divide(x, y, isSigned), y));
  };
  // Division: the cases that trap on the host get a divisor of 1 and then the result that isa.def promises.
  V zero = constant(b, 0), one = constant(b, 1);
  V byZero = ir_.CreateICmpEQ(b, zero);
  if (inst.op == Opcode::UDiv || inst.op == Opcode::UMod) {
    V safe = ir_.CreateSelect(byZero, one, b);
    if (inst.op == Opcode::UDiv) return store(ir_.CreateSelect(byZero, constant(b, ~0ull), divide(a, safe, false)));
    return store(ir_.CreateSelect(byZero, a, remainder(a, safe, false)));
  }
  V minusOne = ir_.CreateICmpEQ(b, constant(b, ~0ull));
  V safe = ir_.CreateSelect(ir_.CreateOr(byZero, minusOne), one, b);
  if (inst.op == Opcode::SDiv) {
    V q = ir_.CreateSelect(minusOne, ir_.CreateNeg(a), divide(a, safe, true));
    return store(ir_.CreateSelect(byZero, constant(b, ~0ull), q));
  }
  V r = remainder(a, safe, true);  // with divisor 1: 0, right for -1 too
  if (inst.op == Opcode::SMod) {
    V wrongSign = ir_.CreateAnd(nonzero(r), ir_.CreateICmpSLT(ir_.CreateXor(r, b), zero));
    r = ir_.CreateSelect(wrongSign, ir_.CreateAdd(r, b), r);
  }
  return store(ir_.CreateSelect(byZero, a, r));
}

/// Eight floats to words within `bits` bits, as the interpreter does it: LLVM's own form is one lane at a time.
llvm::Value* Emitter::saturated(V a, bool isSigned, uint32_t bits) {
  const auto number = [&](double v) { return llvm::ConstantFP::get(a->getType(), v); };
  const auto integer = [&](uint32_t v) { return llvm::ConstantInt::get(words8(), v); };
  const auto truncate = [&](V v) { return ir_.CreateIntrinsic(llvm::Intrinsic::x86_avx_cvtt_ps2dq_256, {}, {v}); };
  const uint32_t high = isSigned ? (1u << (bits - 1)) - 1 : ~0u >> (32 - bits);
  if (isSigned) {  // what does not fit comes out as the lowest number
    V r = ir_.CreateSelect(ir_.CreateFCmpOGE(a, number(0x1p31)), integer(0x7FFFFFFF), truncate(a));
    r = ir_.CreateSelect(ir_.CreateFCmpORD(a, a), r, integer(0));
    if (bits == 32) return r;
    r = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, r, integer(high));
    return ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, r, integer(~high));
  }
  a = ir_.CreateSelect(ir_.CreateFCmpOGT(a, number(0)), a, number(0));  // NaN too
  V upper = ir_.CreateFCmpOGE(a, number(0x1p31));
  V r = truncate(ir_.CreateFSub(a, ir_.CreateSelect(upper, number(0x1p31), number(0))));
  r = ir_.CreateAdd(r, ir_.CreateSelect(upper, integer(0x80000000), integer(0)));
  r = ir_.CreateSelect(ir_.CreateFCmpOGE(a, number(0x1p32)), integer(~0u), r);
  return bits == 32 ? r : ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, r, integer(high));
}

bool Emitter::convert(const Inst& inst) {
  const Type to = inst.type, from = static_cast<Type>(inst.sub);
  switch (inst.op) {
    case Opcode::CvtFF:
    case Opcode::CvtFFz:
    case Opcode::CvtFS:
    case Opcode::CvtFU:
    case Opcode::CvtSF:
    case Opcode::CvtUF:
    case Opcode::CvtSS:
    case Opcode::CvtUU: break;
    default: return false;
  }
  V a = element(inst.src[0], from);
  const auto scalarOf = [&](Type t) -> llvm::Type* {
    switch (t) {
      case Type::F16: return ir_.getHalfTy();
      case Type::F32: return ir_.getFloatTy();
      case Type::F64: return ir_.getDoubleTy();
      default: return ir_.getIntNTy(isa::typeBytes(t) * 8);
    }
  };
  llvm::Type* target = like(a, scalarOf(to));
  // f16 takes part as f32, as everywhere.
  const bool halfTarget = to == Type::F16;
  if (from == Type::F16) a = ir_.CreateFPExt(a, like(a, ir_.getFloatTy()));
  if (halfTarget) target = like(a, ir_.getFloatTy());
  V r = nullptr;
  switch (inst.op) {
    case Opcode::CvtFF:
    case Opcode::CvtFFz: {  // the inexact ones are scale()'s
      const unsigned have = a->getType()->getScalarSizeInBits(), want = target->getScalarSizeInBits();
      r = want > have ? ir_.CreateFPExt(a, target) : want < have ? ir_.CreateFPTrunc(a, target) : a;
      if (to == from) {  // bits stay as they are, NaNs included
        for (uint32_t w = 0; w < isa::typeWords(to); ++w) setWord(inst, w, word(inst.src[0], w));
        return true;
      }
      break;
    }
    case Opcode::CvtFS:
    case Opcode::CvtFU: {
      const bool isSigned = inst.op == Opcode::CvtFS;
      if (isVector(a) && from != Type::F64 && to != Type::I64) {
        r = ir_.CreateTrunc(saturated(a, isSigned, isa::typeBytes(to) * 8), target);
        break;
      }
      const auto id = isSigned ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
      r = ir_.CreateIntrinsic(id, {target, a->getType()}, {a});
      break;
    }
    case Opcode::CvtSF: r = ir_.CreateSIToFP(a, target); break;
    case Opcode::CvtUF: r = ir_.CreateUIToFP(a, target); break;
    case Opcode::CvtSS: r = ir_.CreateSExtOrTrunc(a, target); break;
    default: r = ir_.CreateZExtOrTrunc(a, target); break;
  }
  if (halfTarget) r = ir_.CreateFPTrunc(r, like(r, ir_.getHalfTy()));
  setElement(inst, r);
  return true;
}

}  // namespace etzel::native
