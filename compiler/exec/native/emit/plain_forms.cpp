#include "compiler/exec/native/emit/plain_forms.h"

#include "runtime/base/types.h"

namespace etzel::native::plain {
namespace {

/// `element` in the shape of a value.
llvm::Type* shaped(llvm::Value* like, llvm::Type* element) {
  return like->getType()->isVectorTy() ? llvm::FixedVectorType::get(element, kWarpLanes) : element;
}

}  // namespace

llvm::Value* wordsOfLanes(IR& ir, llvm::Value* words, llvm::Value* index) {
  const auto number = [&](uint64_t v) { return llvm::ConstantInt::get(index->getType(), v); };
  index = ir.CreateAnd(index, number(kWarpLanes - 1));
  llvm::Value* r = ir.CreateVectorSplat(kWarpLanes, ir.CreateExtractElement(words, uint64_t{0}));
  for (uint64_t i = 1; i < kWarpLanes; ++i) {
    llvm::Value* lane = ir.CreateVectorSplat(kWarpLanes, ir.CreateExtractElement(words, i));
    r = ir.CreateSelect(ir.CreateICmpEQ(index, number(i)), lane, r);
  }
  return r;
}

llvm::Value* halvesTowardZero(IR& ir, llvm::Value* floats) {
  llvm::Type* type = shaped(floats, ir.getInt32Ty());
  const auto number = [&](uint64_t v) { return llvm::ConstantInt::get(type, v); };
  llvm::Value* bits = ir.CreateBitCast(floats, type);
  llvm::Value* sign = ir.CreateAnd(bits, number(0x80000000));
  llvm::Value* a = ir.CreateXor(bits, sign);
  llvm::Value* normal = ir.CreateLShr(ir.CreateSub(a, number(0x38000000)), number(13));
  llvm::Value* magnitude = ir.CreateBitCast(a, floats->getType());
  llvm::Value* small =
      truncatedToWords(ir, ir.CreateFMul(magnitude, llvm::ConstantFP::get(magnitude->getType(), 0x1p24)));
  llvm::Value* r = ir.CreateSelect(ir.CreateICmpULT(a, number(0x38800000)), small, normal);
  r = ir.CreateSelect(ir.CreateICmpUGE(a, number(0x47800000)), number(0x7BFF), r);
  r = ir.CreateSelect(ir.CreateICmpEQ(a, number(0x7F800000)), number(0x7C00), r);
  llvm::Value* payload = ir.CreateAnd(ir.CreateLShr(a, number(13)), number(0x3FF));
  r = ir.CreateSelect(ir.CreateICmpUGT(a, number(0x7F800000)), ir.CreateOr(payload, number(0x7E00)), r);
  return ir.CreateTrunc(ir.CreateOr(r, ir.CreateLShr(sign, number(16))), shaped(floats, ir.getInt16Ty()));
}

/// In doubles: the product is exact, and a sum that is inexact becomes the neighbour whose last bit is odd, which
/// rounds to the float that the exact sum rounds to.
llvm::Value* fused(IR& ir, llvm::Value* a, llvm::Value* b, llvm::Value* c) {
  llvm::Type *wide = shaped(a, ir.getDoubleTy()), *bits = shaped(a, ir.getInt64Ty());
  const auto number = [&](uint64_t v) { return llvm::ConstantInt::get(bits, v); };
  llvm::Value* zero = llvm::Constant::getNullValue(wide);
  llvm::Value* product = ir.CreateFMul(ir.CreateFPExt(a, wide), ir.CreateFPExt(b, wide));
  llvm::Value* addend = ir.CreateFPExt(c, wide);
  llvm::Value* sum = ir.CreateFAdd(product, addend);
  llvm::Value* back = ir.CreateFSub(sum, product);
  llvm::Value* error = ir.CreateFAdd(ir.CreateFSub(product, ir.CreateFSub(sum, back)), ir.CreateFSub(addend, back));
  llvm::Value* sumBits = ir.CreateBitCast(sum, bits);
  llvm::Value* even = ir.CreateICmpEQ(ir.CreateAnd(sumBits, number(1)), number(0));
  llvm::Value* moves = ir.CreateAnd(ir.CreateFCmpONE(error, zero), even);
  llvm::Value* inward = ir.CreateXor(ir.CreateFCmpOLT(error, zero), ir.CreateFCmpOLT(sum, zero));
  llvm::Value* step = ir.CreateSelect(inward, number(~uint64_t{0}), number(1));
  llvm::Value* odd = ir.CreateAdd(sumBits, ir.CreateSelect(moves, step, number(0)));
  return ir.CreateFPTrunc(ir.CreateBitCast(odd, wide), a->getType());
}

}  // namespace etzel::native::plain
