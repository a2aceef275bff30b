// Conversions.
#include <llvm/IR/Intrinsics.h>

#include "compiler/exec/native/emit/emitter.h"

namespace etzel::native {

using isa::Inst;
using isa::Opcode;
using isa::Type;

/// Floats to words within `bits` bits, as the interpreter does it: LLVM's own form is one lane at a time.
llvm::Value* Emitter::saturated(V a, bool isSigned, uint32_t bits) {
  const auto number = [&](double v) { return llvm::ConstantFP::get(a->getType(), v); };
  const auto integer = [&](uint32_t v) { return llvm::ConstantInt::get(like(a, ir_.getInt32Ty()), v); };
  const auto truncate = [&](V v) { return truncatedToWords(ir_, v); };
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
  if (from == Type::F16) a = floatsOfHalves(ir_, a);
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
