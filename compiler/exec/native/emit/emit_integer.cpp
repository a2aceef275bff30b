// Integer instructions.
#include <llvm/IR/Intrinsics.h>

#include "compiler/exec/native/emit/emitter.h"

namespace etzel::native {

using isa::Inst;
using isa::Opcode;

namespace {

llvm::CmpInst::Predicate predicateOf(isa::CmpI c) {
  using isa::CmpI;
  using P = llvm::CmpInst;
  switch (c) {
    case CmpI::Eq: return P::ICMP_EQ;
    case CmpI::Ne: return P::ICMP_NE;
    case CmpI::SLt: return P::ICMP_SLT;
    case CmpI::SLe: return P::ICMP_SLE;
    case CmpI::SGt: return P::ICMP_SGT;
    case CmpI::SGe: return P::ICMP_SGE;
    case CmpI::ULt: return P::ICMP_ULT;
    case CmpI::ULe: return P::ICMP_ULE;
    case CmpI::UGt: return P::ICMP_UGT;
    case CmpI::UGe: return P::ICMP_UGE;
  }
  return P::ICMP_EQ;
}

/// What is one instruction of LLVM.
std::optional<llvm::Instruction::BinaryOps> operatorOf(Opcode op) {
  switch (op) {
    case Opcode::IAdd: return llvm::Instruction::Add;
    case Opcode::ISub: return llvm::Instruction::Sub;
    case Opcode::IMul: return llvm::Instruction::Mul;
    case Opcode::And: return llvm::Instruction::And;
    case Opcode::Or: return llvm::Instruction::Or;
    case Opcode::Xor: return llvm::Instruction::Xor;
    default: return std::nullopt;
  }
}
/// What is one intrinsic of LLVM with two operands.
llvm::Intrinsic::ID intrinsicOf(Opcode op) {
  switch (op) {
    case Opcode::SMin: return llvm::Intrinsic::smin;
    case Opcode::SMax: return llvm::Intrinsic::smax;
    case Opcode::UMin: return llvm::Intrinsic::umin;
    case Opcode::UMax: return llvm::Intrinsic::umax;
    default: return llvm::Intrinsic::not_intrinsic;
  }
}

uint32_t bitsOfType(const Inst& inst) { return isa::typeBytes(inst.type) * 8; }

llvm::Constant* constant(llvm::Value* shape, uint64_t v) { return llvm::ConstantInt::get(shape->getType(), v); }

}  // namespace

bool Emitter::integer(const Inst& inst) {
  return !isFloat(inst.type) &&
         (integerOfOne(inst) || shift(inst) || bitField(inst) || integerOfTwo(inst) || division(inst));
}

bool Emitter::setInteger(const Inst& inst, V v) {
  setElement(inst, v);
  return true;
}

bool Emitter::integerOfOne(const Inst& inst) {
  const auto load = [&] { return element(inst.src[0], inst.type); };
  const auto toWord = [&](V n) { return ir_.CreateZExtOrTrunc(n, like(n, ir_.getInt32Ty())); };
  switch (inst.op) {
    case Opcode::INeg: return setInteger(inst, ir_.CreateNeg(load()));
    case Opcode::Not: return setInteger(inst, ir_.CreateNot(load()));
    case Opcode::IAbs:
      return setInteger(inst, ir_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, load(), ir_.getInt1(false)));
    case Opcode::BRev: return setInteger(inst, ir_.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, load()));
    case Opcode::BCnt: setWord(inst, 0, toWord(ir_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, load()))); return true;
    case Opcode::Flsb: {
      V a = load();
      V n = toWord(ir_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, a, ir_.getInt1(false)));
      setWord(inst, 0, ir_.CreateSelect(nonzero(a), n, constant(n, ~0u)));
      return true;
    }
    case Opcode::Fmsbu:
    case Opcode::Fmsbs: {
      const uint32_t last = bitsOfType(inst) - 1;
      V a = load();
      if (inst.op == Opcode::Fmsbs) a = ir_.CreateXor(a, ir_.CreateAShr(a, constant(a, last)));
      V n = toWord(ir_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, a, ir_.getInt1(false)));
      setWord(inst, 0, ir_.CreateSelect(nonzero(a), ir_.CreateSub(constant(n, last), n), constant(n, ~0u)));
      return true;
    }
    default: return false;
  }
}

bool Emitter::shift(const Inst& inst) {
  if (inst.op != Opcode::Shl && inst.op != Opcode::Shr && inst.op != Opcode::Sar) return false;
  // The count is the low word, taken modulo the width.
  const uint32_t bits = bitsOfType(inst);
  V a = element(inst.src[0], inst.type), c = word(inst.src[1]);
  c = ir_.CreateAnd(c, constant(c, bits - 1));
  if (isVector(a)) c = splat(c);
  c = ir_.CreateZExtOrTrunc(c, like(c, ir_.getIntNTy(bits)));
  if (isVector(c)) a = splat(a);
  if (inst.op == Opcode::Shl) return setInteger(inst, ir_.CreateShl(a, c, "", /*HasNUW=*/staysWord(inst, a)));
  return setInteger(inst, inst.op == Opcode::Shr ? ir_.CreateLShr(a, c) : ir_.CreateAShr(a, c));
}

bool Emitter::bitField(const Inst& inst) {
  if (inst.op != Opcode::UBfe && inst.op != Opcode::SBfe && inst.op != Opcode::Bfm) return false;
  const uint32_t bits = bitsOfType(inst);
  V a = inst.op == Opcode::Bfm ? nullptr : element(inst.src[0], inst.type);
  V offset = word(inst.src[a ? 1 : 0]), n = word(inst.src[a ? 2 : 1]);
  if (a) unify(ir_, a, offset), unify(ir_, a, n);
  unify(ir_, offset, n);
  if (a) unify(ir_, a, n);
  llvm::Type* type = like(n, ir_.getIntNTy(bits));
  offset = ir_.CreateAnd(ir_.CreateZExt(offset, type), llvm::ConstantInt::get(type, bits - 1));
  n = ir_.CreateZExt(n, type);
  const auto number = [&](uint64_t v) -> V { return llvm::ConstantInt::get(type, v); };
  if (inst.op == Opcode::SBfe) {
    V by = ir_.CreateAnd(ir_.CreateSub(number(bits), n), number(bits - 1));
    V r = ir_.CreateAShr(ir_.CreateShl(ir_.CreateLShr(a, offset), by), by);
    return setInteger(inst, ir_.CreateSelect(ir_.CreateICmpEQ(n, number(0)), number(0), r));
  }
  V mask = ir_.CreateSub(ir_.CreateShl(number(1), ir_.CreateAnd(n, number(bits - 1))), number(1));
  mask = ir_.CreateSelect(ir_.CreateICmpUGE(n, number(bits)), llvm::Constant::getAllOnesValue(type), mask);
  return setInteger(inst, a ? ir_.CreateAnd(ir_.CreateLShr(a, offset), mask) : ir_.CreateShl(mask, offset));
}

/// Whether a sum or a shift of words that do not vary freely loses no bit: addresses are made of such, and LLVM lets
/// loads add what it knows does not wrap.
bool Emitter::staysWord(const Inst& inst, V a) const {
  if (inst.type != isa::Type::I32 || isVector(a) || !allActive()) return false;
  const uint64_t x = bounds_.most(inst.src[0], index_), y = bounds_.most(inst.src[1], index_);
  if (inst.op == Opcode::Shl && inst.src[1].bank != isa::Bank::Param) return false;
  return x < Bounds::kNone && (inst.op == Opcode::Shl ? x << (y & 31) : x + y) < Bounds::kNone;
}

std::pair<llvm::Value*, llvm::Value*> Emitter::integerSources(const Inst& inst) {
  V a = element(inst.src[0], inst.type), b = element(inst.src[1], inst.type);
  unify(ir_, a, b);
  return {a, b};
}

bool Emitter::integerOfTwo(const Inst& inst) {
  if (const auto op = operatorOf(inst.op)) {
    auto [a, b] = integerSources(inst);
    if (inst.op == Opcode::IAdd) return setInteger(inst, ir_.CreateAdd(a, b, "", /*HasNUW=*/staysWord(inst, a)));
    return setInteger(inst, ir_.CreateBinOp(*op, a, b));
  }
  if (const auto id = intrinsicOf(inst.op)) {
    auto [a, b] = integerSources(inst);
    return setInteger(inst, ir_.CreateBinaryIntrinsic(id, a, b));
  }
  switch (inst.op) {
    case Opcode::ICmp: {
      auto [a, b] = integerSources(inst);
      setWord(inst, 0, toMask(ir_.CreateICmp(predicateOf(static_cast<isa::CmpI>(inst.sub)), a, b)));
      return true;
    }
    case Opcode::AddC:
    case Opcode::SubB: {
      auto [a, b] = integerSources(inst);
      V r = inst.op == Opcode::AddC ? ir_.CreateICmpULT(ir_.CreateAdd(a, b), a) : ir_.CreateICmpULT(a, b);
      setWord(inst, 0, ir_.CreateZExt(r, like(r, ir_.getInt32Ty())));
      return true;
    }
    case Opcode::UMulH:
    case Opcode::SMulH: {
      auto [a, b] = integerSources(inst);
      const bool isSigned = inst.op == Opcode::SMulH;
      const uint32_t bits = bitsOfType(inst);
      llvm::Type* wide = like(a, ir_.getIntNTy(bits * 2));
      const auto widen = [&](V v) { return isSigned ? ir_.CreateSExt(v, wide) : ir_.CreateZExt(v, wide); };
      V product = ir_.CreateLShr(ir_.CreateMul(widen(a), widen(b)), bits);
      return setInteger(inst, ir_.CreateTrunc(product, a->getType()));
    }
    default: return false;
  }
}

/// Quotients of 32 bits are exact in double: a rounded quotient is off by less than its distance to the next integer.
/// Vectors have no other division; constants have better ones.
static bool dividesInDouble(llvm::Value* x, llvm::Value* y) {
  return x->getType()->isVectorTy() && x->getType()->getScalarSizeInBits() <= 32 && !llvm::isa<llvm::Constant>(y);
}
llvm::Value* Emitter::quotient(V x, V y, bool isSigned) {
  if (!dividesInDouble(x, y)) return isSigned ? ir_.CreateSDiv(x, y) : ir_.CreateUDiv(x, y);
  llvm::Type* wide = lanes(ir_.getDoubleTy());
  const auto number = [&](V v) { return isSigned ? ir_.CreateSIToFP(v, wide) : ir_.CreateUIToFP(v, wide); };
  V q = ir_.CreateFDiv(number(x), number(y));
  return isSigned ? ir_.CreateFPToSI(q, x->getType()) : ir_.CreateFPToUI(q, x->getType());
}
llvm::Value* Emitter::remainder(V x, V y, bool isSigned) {
  if (!dividesInDouble(x, y)) return isSigned ? ir_.CreateSRem(x, y) : ir_.CreateURem(x, y);
  return ir_.CreateSub(x, ir_.CreateMul(quotient(x, y, isSigned), y));
}

/// The cases that trap on the host get a divisor of 1 and then the result that isa.def promises.
bool Emitter::division(const Inst& inst) {
  switch (inst.op) {
    case Opcode::UDiv:
    case Opcode::UMod:
    case Opcode::SDiv:
    case Opcode::SRem:
    case Opcode::SMod: break;
    default: return false;
  }
  auto [a, b] = integerSources(inst);
  V zero = constant(b, 0), one = constant(b, 1);
  V byZero = ir_.CreateICmpEQ(b, zero);
  if (inst.op == Opcode::UDiv || inst.op == Opcode::UMod) {
    V safe = ir_.CreateSelect(byZero, one, b);
    if (inst.op == Opcode::UDiv)
      return setInteger(inst, ir_.CreateSelect(byZero, constant(b, ~0ull), quotient(a, safe, false)));
    return setInteger(inst, ir_.CreateSelect(byZero, a, remainder(a, safe, false)));
  }
  V minusOne = ir_.CreateICmpEQ(b, constant(b, ~0ull));
  V safe = ir_.CreateSelect(ir_.CreateOr(byZero, minusOne), one, b);
  if (inst.op == Opcode::SDiv) {
    V q = ir_.CreateSelect(minusOne, ir_.CreateNeg(a), quotient(a, safe, true));
    return setInteger(inst, ir_.CreateSelect(byZero, constant(b, ~0ull), q));
  }
  V r = remainder(a, safe, true);  // with divisor 1: 0, right for -1 too
  if (inst.op == Opcode::SMod) {
    V wrongSign = ir_.CreateAnd(nonzero(r), ir_.CreateICmpSLT(ir_.CreateXor(r, b), zero));
    r = ir_.CreateSelect(wrongSign, ir_.CreateAdd(r, b), r);
  }
  return setInteger(inst, ir_.CreateSelect(byZero, a, r));
}

}  // namespace etzel::native
