// Instructions that take floats apart: ldexp, frexp, and conversions that do not round to nearest. The same steps as
// the interpreter's (interp/vector).
#include "compiler/exec/native/emit/emitter.h"

namespace etzel::native {

using isa::Inst;
using isa::Opcode;
using isa::Type;

/// double to float toward zero: one step back where rounding went up.
llvm::Value* Emitter::narrowTowardZero(V a) {
  llvm::Type* bits = like(a, ir_.getInt32Ty());
  V nearest = ir_.CreateFPTrunc(a, like(a, ir_.getFloatTy()));
  V back = ir_.CreateFPExt(nearest, a->getType());
  V beyond = ir_.CreateFCmpOGT(ir_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                               ir_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a));
  V r = ir_.CreateAdd(ir_.CreateBitCast(nearest, bits), ir_.CreateSExt(beyond, bits));
  return ir_.CreateBitCast(r, nearest->getType());
}

bool Emitter::scale(const Inst& inst) {
  switch (inst.op) {
    case Opcode::FLdexp: return loadExponent(inst);
    case Opcode::FFrexpM:
    case Opcode::FFrexpE: return splitExponent(inst);
    case Opcode::CvtFF:
    case Opcode::CvtFFz: return convertInexactly(inst);
    default: return false;
  }
}

bool Emitter::loadExponent(const Inst& inst) {
  if (inst.type == Type::F64) return false;
  const auto number = [&](V shape, uint64_t v) -> V { return llvm::ConstantInt::get(shape->getType(), v); };
  V a = floatSource(inst, 0, inst.type), b = word(inst.src[1]);
  unify(ir_, a, b);
  // In double the scaling is exact, so the conversion rounds once.
  b = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b, number(b, static_cast<uint32_t>(-400)));
  b = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b, number(b, 400));
  V e = ir_.CreateZExt(ir_.CreateAdd(b, number(b, 1023)), like(b, ir_.getInt64Ty()));
  V factor = ir_.CreateBitCast(ir_.CreateShl(e, 52), like(b, ir_.getDoubleTy()));
  V exact = ir_.CreateFMul(ir_.CreateFPExt(a, like(a, ir_.getDoubleTy())), factor);
  return setFloat(inst, ir_.CreateFPTrunc(exact, like(a, ir_.getFloatTy())));
}

bool Emitter::splitExponent(const Inst& inst) {
  V a = floatSource(inst, 0, inst.type);
  const bool wide = inst.type == Type::F64;
  const uint32_t mantissa = wide ? 52 : 23, half = wide ? 1022 : 126, top = wide ? 0x7FF : 0xFF;
  llvm::Type* bits = like(a, ir_.getIntNTy(wide ? 64 : 32));
  const auto number = [&](uint64_t v) -> V { return llvm::ConstantInt::get(bits, v); };
  const auto exponentOf = [&](V v) {
    V field = ir_.CreateLShr(ir_.CreateBitCast(v, bits), mantissa);
    return ir_.CreateAnd(field, number(top));
  };
  V zero = number(0);
  V plain = exponentOf(a);
  // Denormals are scaled up first.
  V tiny = ir_.CreateICmpEQ(plain, zero);
  V normal = ir_.CreateSelect(tiny, ir_.CreateFMul(a, llvm::ConstantFP::get(a->getType(), wide ? 0x1p60 : 0x1p30)), a);
  V none = ir_.CreateOr(ir_.CreateICmpEQ(plain, number(top)),
                        ir_.CreateFCmpOEQ(a, llvm::Constant::getNullValue(a->getType())));
  if (inst.op == Opcode::FFrexpM) {
    const uint64_t keep = (uint64_t(1) << mantissa) - 1 + (wide ? uint64_t(1) << 63 : uint64_t(1) << 31);
    V m = ir_.CreateAnd(ir_.CreateBitCast(normal, bits), number(keep));
    m = ir_.CreateOr(m, number(uint64_t(half) << mantissa));
    return setFloat(inst, ir_.CreateSelect(none, a, ir_.CreateBitCast(m, a->getType())));
  }
  V e = ir_.CreateSub(exponentOf(normal), number(half));
  e = ir_.CreateSub(e, ir_.CreateSelect(tiny, number(wide ? 60 : 30), zero));
  e = ir_.CreateSelect(none, zero, e);
  setWord(inst, 0, ir_.CreateZExtOrTrunc(e, like(e, ir_.getInt32Ty())));
  return true;
}

bool Emitter::convertInexactly(const Inst& inst) {
  const Type t = inst.type, from = static_cast<Type>(inst.sub);
  if (t == Type::F16 && from == Type::F64 && inst.op == Opcode::CvtFF) {
    // Inexact results are made odd: rounding again to fewer bits then is correct.
    V a = element(inst.src[0], from), r = narrowTowardZero(a);
    V inexact = ir_.CreateFCmpONE(ir_.CreateFPExt(r, a->getType()), a);
    llvm::Type* bits = like(r, ir_.getInt32Ty());
    r = ir_.CreateOr(ir_.CreateBitCast(r, bits), ir_.CreateZExt(inexact, bits));
    return setFloat(inst, ir_.CreateBitCast(r, like(r, ir_.getFloatTy())));
  }
  if (inst.op == Opcode::CvtFF || t == Type::F64 || t == from || (t == Type::F32 && from == Type::F16)) return false;
  V a = floatSource(inst, 0, from);
  if (from == Type::F64) a = narrowTowardZero(a);
  if (t == Type::F32) return setFloat(inst, a);
  V half = halvesTowardZero(ir_, splat(a));
  setElement(inst, isVector(a) ? half : ir_.CreateExtractElement(half, uint64_t(0)));
  return true;
}

}  // namespace etzel::native
