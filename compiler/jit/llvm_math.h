// The builder of compiler/math/math.h on LLVM values: the same operations in the same order as the interpreter's
// vectors, so the same bits. Works on scalars (uniform operands) and on 8-lane vectors.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "runtime/base/types.h"

namespace etzel::jit {

using IR = llvm::IRBuilder<>;

namespace math_values {

/// A value with the operators that math.h uses. The three types differ only in C++.
struct Base {
  IR* ir = nullptr;
  llvm::Value* v = nullptr;
};
struct I : Base {};
struct F : Base {};
struct D : Base {};

inline I makeI(const Base& like, llvm::Value* v) { return {{like.ir, v}}; }
inline F makeF(const Base& like, llvm::Value* v) { return {{like.ir, v}}; }
inline D makeD(const Base& like, llvm::Value* v) { return {{like.ir, v}}; }

/// A scalar constant to the shape of the other operand.
inline llvm::Value* fit(IR& ir, llvm::Value* v, llvm::Value* like) {
  if (like->getType()->isVectorTy() && !v->getType()->isVectorTy()) return ir.CreateVectorSplat(kWarpLanes, v);
  return v;
}
template <class Op>
llvm::Value* binary(const Base& a, const Base& b, Op op) {
  return op(*a.ir, fit(*a.ir, a.v, b.v), fit(*a.ir, b.v, a.v));
}
/// i1 to a word of ~0 or 0.
inline I mask(const Base& a, llvm::Value* i1) {
  llvm::Type* word = a.ir->getInt32Ty();
  if (i1->getType()->isVectorTy()) word = llvm::FixedVectorType::get(word, kWarpLanes);
  return {{a.ir, a.ir->CreateSExt(i1, word)}};
}

#define ETZEL_OP(T, op, make, call)                                                           \
  inline T operator op(const T& a, const T& b) {                                              \
    return make(a, binary(a, b, [](IR& ir, llvm::Value* x, llvm::Value* y) { return ir.call(x, y); })); \
  }
ETZEL_OP(I, +, makeI, CreateAdd)
ETZEL_OP(I, -, makeI, CreateSub)
ETZEL_OP(I, &, makeI, CreateAnd)
ETZEL_OP(I, |, makeI, CreateOr)
ETZEL_OP(I, ^, makeI, CreateXor)
ETZEL_OP(F, +, makeF, CreateFAdd)
ETZEL_OP(F, -, makeF, CreateFSub)
ETZEL_OP(F, *, makeF, CreateFMul)
ETZEL_OP(F, /, makeF, CreateFDiv)
ETZEL_OP(D, +, makeD, CreateFAdd)
ETZEL_OP(D, -, makeD, CreateFSub)
ETZEL_OP(D, *, makeD, CreateFMul)
ETZEL_OP(D, /, makeD, CreateFDiv)
#undef ETZEL_OP
#define ETZEL_COMPARE(T, op, call)                                                            \
  inline I operator op(const T& a, const T& b) {                                              \
    return mask(a, binary(a, b, [](IR& ir, llvm::Value* x, llvm::Value* y) { return ir.call(x, y); })); \
  }
ETZEL_COMPARE(F, <, CreateFCmpOLT)
ETZEL_COMPARE(F, >, CreateFCmpOGT)
ETZEL_COMPARE(F, >=, CreateFCmpOGE)
ETZEL_COMPARE(F, ==, CreateFCmpOEQ)
ETZEL_COMPARE(D, <, CreateFCmpOLT)
ETZEL_COMPARE(D, >, CreateFCmpOGT)
ETZEL_COMPARE(D, >=, CreateFCmpOGE)
ETZEL_COMPARE(D, ==, CreateFCmpOEQ)
ETZEL_COMPARE(I, <, CreateICmpSLT)
ETZEL_COMPARE(I, ==, CreateICmpEQ)
#undef ETZEL_COMPARE
inline I operator>>(const I& a, int n) { return makeI(a, a.ir->CreateAShr(a.v, n)); }
inline I operator<<(const I& a, int n) { return makeI(a, a.ir->CreateShl(a.v, n)); }
inline I operator~(const I& a) { return makeI(a, a.ir->CreateNot(a.v)); }

}  // namespace math_values

struct LlvmBuilder {
  using F = math_values::F;
  using I = math_values::I;
  using D = math_values::D;
  IR& ir;

  F f(float v) { return {{&ir, llvm::ConstantFP::get(ir.getFloatTy(), v)}}; }
  D d(double v) { return {{&ir, llvm::ConstantFP::get(ir.getDoubleTy(), v)}}; }
  I i(int32_t v) { return {{&ir, ir.getInt32(static_cast<uint32_t>(v))}}; }
  I asInt(F v) { return {{&ir, ir.CreateBitCast(v.v, shaped(v.v, ir.getInt32Ty()))}}; }
  F asFloat(I v) { return {{&ir, ir.CreateBitCast(v.v, shaped(v.v, ir.getFloatTy()))}}; }
  D toD(F v) { return {{&ir, ir.CreateFPExt(v.v, shaped(v.v, ir.getDoubleTy()))}}; }
  F toF(D v) { return {{&ir, ir.CreateFPTrunc(v.v, shaped(v.v, ir.getFloatTy()))}}; }
  I toInt(D v) { return {{&ir, ir.CreateFPToSI(v.v, shaped(v.v, ir.getInt32Ty()))}}; }
  D toDouble(I v) { return {{&ir, ir.CreateSIToFP(v.v, shaped(v.v, ir.getDoubleTy()))}}; }
  F sqrt(F v) { return {{&ir, ir.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, v.v)}}; }
  F select(I m, F a, F b) { return {{&ir, choose(m.v, a.v, b.v)}}; }
  D select(I m, D a, D b) { return {{&ir, choose(m.v, a.v, b.v)}}; }

 private:
  llvm::Type* shaped(llvm::Value* like, llvm::Type* element) {
    return like->getType()->isVectorTy() ? llvm::FixedVectorType::get(element, kWarpLanes) : element;
  }
  llvm::Value* choose(llvm::Value* m, llvm::Value* a, llvm::Value* b) {
    const bool vector = m->getType()->isVectorTy() || a->getType()->isVectorTy() || b->getType()->isVectorTy();
    if (vector) {
      for (llvm::Value** v : {&m, &a, &b})
        if (!(*v)->getType()->isVectorTy()) *v = ir.CreateVectorSplat(kWarpLanes, *v);
    }
    llvm::Value* zero = llvm::Constant::getNullValue(m->getType());
    return ir.CreateSelect(ir.CreateICmpNE(m, zero), a, b);
  }
};

}  // namespace etzel::jit
