// The builder of compiler/math/math.h on LLVM values: the same operations in the same order as the interpreter's
// vectors, so the same bits. Works on scalars (uniform operands) and on vectors of any number of lanes.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>

#include <functional>
#include <vector>

#include "compiler/exec/native/emit/host.h"
#include "runtime/base/types.h"

namespace etzel::native {

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
inline llvm::Value* fit(IR& ir, llvm::Value* v, const llvm::Value* like) {
  const auto* shape = llvm::dyn_cast<llvm::FixedVectorType>(like->getType());
  return shape && !v->getType()->isVectorTy() ? ir.CreateVectorSplat(shape->getNumElements(), v) : v;
}
template <class Op>
llvm::Value* binary(const Base& a, const Base& b, Op op) {
  return op(*a.ir, fit(*a.ir, a.v, b.v), fit(*a.ir, b.v, a.v));
}
/// i1 to a word of ~0 or 0.
inline I mask(const Base& a, llvm::Value* i1) {
  return {{a.ir, a.ir->CreateSExt(i1, i1->getType()->getWithNewType(a.ir->getInt32Ty()))}};
}

#define ETZEL_OP(T, op, make, call)                                                                     \
  inline T operator op(const T& a, const T& b) {                                                        \
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
#define ETZEL_COMPARE(T, op, call)                                                                      \
  inline I operator op(const T& a, const T& b) {                                                        \
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
  /// Something to be replaced in some lanes of `value`. One branch does it for all: where each has its own, what comes
  /// before is sunk behind the branches of others, and a processor works on one after the other.
  struct Rare {
    I lanes;
    F value;
    std::function<F()> other;
  };
  std::vector<Rare> rare = {};
  bool together = false;  ///< the caller calls replaceRare(), with values of the same shape

  F f(float v) { return {{&ir, llvm::ConstantFP::get(ir.getFloatTy(), v)}}; }
  D d(double v) { return {{&ir, llvm::ConstantFP::get(ir.getDoubleTy(), v)}}; }
  I i(int32_t v) { return {{&ir, ir.getInt32(static_cast<uint32_t>(v))}}; }
  I asInt(F v) { return {{&ir, ir.CreateBitCast(v.v, shaped(v.v, ir.getInt32Ty()))}}; }
  F asFloat(I v) { return {{&ir, ir.CreateBitCast(v.v, shaped(v.v, ir.getFloatTy()))}}; }
  D toD(F v) { return {{&ir, ir.CreateFPExt(v.v, shaped(v.v, ir.getDoubleTy()))}}; }
  F toF(D v) { return {{&ir, ir.CreateFPTrunc(v.v, shaped(v.v, ir.getFloatTy()))}}; }
  I toInt(D v) { return {{&ir, ir.CreateFPToSI(v.v, shaped(v.v, ir.getInt32Ty()))}}; }
  F toFloat(I v) { return {{&ir, ir.CreateSIToFP(v.v, shaped(v.v, ir.getFloatTy()))}}; }
  F sqrt(F v) { return {{&ir, ir.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, v.v)}}; }
  F fma(F x, F y, F z) {
    for (F* a : {&x, &y, &z})
      for (const F* b : {&x, &y, &z}) a->v = math_values::fit(ir, a->v, b->v);
    return {{&ir, fused(ir, x.v, y.v, z.v)}};
  }
  F scale(F p, I k) {
    if (p.v->getType()->isVectorTy())
      if (llvm::Value* scaled = scaledByPowers(ir, p.v, toFloat(k).v)) return {{&ir, scaled}};
    const I k1 = k >> 1, k2 = k - k1;
    return p * asFloat((k1 + i(127)) << 23) * asFloat((k2 + i(127)) << 23);
  }
  template <class Other>
  F rarely(I m, F usual, Other other) {
    if (!together) rare.clear();
    rare.push_back({m, usual, std::move(other)});
    if (!together) replaceRare();
    return rare.back().value;
  }
  /// Makes the values of `rare` whole.
  void replaceRare() {
    llvm::Value* some = nullptr;
    for (const Rare& r : rare) some = some ? ir.CreateOr(some, r.lanes.v) : r.lanes.v;
    some = ir.CreateICmpNE(some, llvm::Constant::getNullValue(some->getType()));
    if (const auto* shape = llvm::dyn_cast<llvm::FixedVectorType>(some->getType())) {
      llvm::Value* lanes = ir.CreateBitCast(some, ir.getIntNTy(shape->getNumElements()));
      some = ir.CreateICmpNE(lanes, llvm::Constant::getNullValue(lanes->getType()));
    }
    llvm::BasicBlock* here = ir.GetInsertBlock();
    llvm::BasicBlock* replace = llvm::BasicBlock::Create(ir.getContext(), "rare", here->getParent());
    llvm::BasicBlock* joined = llvm::BasicBlock::Create(ir.getContext(), "joined", here->getParent());
    ir.CreateCondBr(some, replace, joined, llvm::MDBuilder(ir.getContext()).createBranchWeights(1, 1000));
    ir.SetInsertPoint(replace);
    std::vector<llvm::Value*> mixed;
    for (const Rare& r : rare) mixed.push_back(choose(r.lanes.v, r.other().v, r.value.v));
    replace = ir.GetInsertBlock();
    ir.CreateBr(joined);
    ir.SetInsertPoint(joined);
    for (size_t i = 0; i < rare.size(); ++i) {
      llvm::PHINode* either = ir.CreatePHI(mixed[i]->getType(), 2);
      either->addIncoming(rare[i].value.v, here);
      either->addIncoming(mixed[i], replace);
      rare[i].value.v = either;
    }
  }
  F select(I m, F a, F b) { return {{&ir, choose(m.v, a.v, b.v)}}; }
  D select(I m, D a, D b) { return {{&ir, choose(m.v, a.v, b.v)}}; }

 private:
  llvm::Type* shaped(llvm::Value* like, llvm::Type* element) { return like->getType()->getWithNewType(element); }
  llvm::Value* choose(llvm::Value* m, llvm::Value* a, llvm::Value* b) {
    for (llvm::Value** v : {&m, &a, &b})
      for (const llvm::Value* like : {m, a, b}) *v = math_values::fit(ir, *v, like);
    llvm::Value* zero = llvm::Constant::getNullValue(m->getType());
    return ir.CreateSelect(ir.CreateICmpNE(m, zero), a, b);
  }
};

}  // namespace etzel::native
