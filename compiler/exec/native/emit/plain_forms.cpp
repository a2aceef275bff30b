#include "compiler/exec/native/emit/plain_forms.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

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

/// The exponents' bias is made up for by a product, which makes denormal halves normal, too.
llvm::Value* floatsOfHalves(IR& ir, llvm::Value* halves) {
  constexpr uint32_t kInfinity = 0x7C00 << 13;  // where a float has the bits of a half
  llvm::Type* type = shaped(halves, ir.getInt32Ty());
  const auto number = [&](uint64_t v) { return llvm::ConstantInt::get(type, v); };
  llvm::Value* bits = ir.CreateZExt(ir.CreateBitCast(halves, shaped(halves, ir.getInt16Ty())), type);
  llvm::Value* sign = ir.CreateShl(ir.CreateAnd(bits, number(0x8000)), number(16));
  llvm::Value* placed = ir.CreateShl(ir.CreateAnd(bits, number(0x7FFF)), number(13));
  llvm::Type* floats = shaped(halves, ir.getFloatTy());
  llvm::Value* product = ir.CreateFMul(ir.CreateBitCast(placed, floats), llvm::ConstantFP::get(floats, 0x1p112));
  llvm::Value* quiet =
      ir.CreateSelect(ir.CreateICmpUGT(placed, number(kInfinity)), number(0x7FC00000), number(0x7F800000));
  llvm::Value* r = ir.CreateSelect(ir.CreateICmpUGE(placed, number(kInfinity)), ir.CreateOr(placed, quiet),
                                   ir.CreateBitCast(product, type));
  return ir.CreateBitCast(ir.CreateOr(r, sign), floats);
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

namespace {

struct Sum {
  llvm::Value *product, *addend, *sum;
};

/// In doubles, where the product is exact.
Sum sumInDoubles(IR& ir, llvm::Value* a, llvm::Value* b, llvm::Value* c) {
  llvm::Type* wide = shaped(a, ir.getDoubleTy());
  llvm::Value* product = ir.CreateFMul(ir.CreateFPExt(a, wide), ir.CreateFPExt(b, wide));
  llvm::Value* addend = ir.CreateFPExt(c, wide);
  return {product, addend, ir.CreateFAdd(product, addend)};
}

/// A sum that is inexact becomes the neighbour whose last bit is odd, which rounds to the float that the exact sum
/// rounds to.
llvm::Value* fusedByOdd(IR& ir, llvm::Value* a, llvm::Value* b, llvm::Value* c) {
  llvm::Type *wide = shaped(a, ir.getDoubleTy()), *bits = shaped(a, ir.getInt64Ty());
  const auto number = [&](uint64_t v) { return llvm::ConstantInt::get(bits, v); };
  llvm::Value* zero = llvm::Constant::getNullValue(wide);
  const auto [product, addend, sum] = sumInDoubles(ir, a, b, c);
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

/// A function of the module that stores fusedByOdd() where its first argument says, made when it is first asked for. It
/// keeps all registers (what it returned would not be kept): those around the call are busy with what is done almost
/// always.
llvm::Function* functionByOdd(llvm::Module& module, llvm::Type* type) {
  const char* name = type->isVectorTy() ? "fused_lanes" : "fused";
  if (llvm::Function* known = module.getFunction(name)) return known;
  llvm::Type* nothing = llvm::Type::getVoidTy(module.getContext());
  llvm::Type* pointer = llvm::PointerType::get(module.getContext(), 0);
  auto* made = llvm::Function::Create(llvm::FunctionType::get(nothing, {pointer, type, type, type}, false),
                                      llvm::GlobalValue::InternalLinkage, name, module);
  for (const auto attribute : {llvm::Attribute::NoInline, llvm::Attribute::NoUnwind, llvm::Attribute::Cold})
    made->addFnAttr(attribute);
  made->setCallingConv(llvm::CallingConv::PreserveAll);
  IR body(llvm::BasicBlock::Create(module.getContext(), "", made));
  body.CreateStore(fusedByOdd(body, made->getArg(1), made->getArg(2), made->getArg(3)), made->getArg(0));
  body.CreateRetVoid();
  return made;
}

/// Where rounding twice, to a double and to a float, may give another float than rounding once (i1 of each lane): the
/// double lies in the middle of two floats, or among those that are denormal.
llvm::Value* roundsTwice(IR& ir, llvm::Value* sum) {
  constexpr uint32_t kDroppedBits = 29, kHalf = 1u << (kDroppedBits - 1), kSmallestNormal = 0x38100000;
  llvm::Type* words = shaped(sum, ir.getInt32Ty());
  const auto number = [&](uint32_t v) { return llvm::ConstantInt::get(words, v); };
  llvm::Value *low = nullptr, *high = nullptr;
  if (sum->getType()->isVectorTy()) {
    int even[kWarpLanes], odd[kWarpLanes];
    for (int i = 0; i < int(kWarpLanes); ++i) even[i] = 2 * i, odd[i] = 2 * i + 1;
    llvm::Value* halves = ir.CreateBitCast(sum, llvm::FixedVectorType::get(ir.getInt32Ty(), 2 * kWarpLanes));
    low = ir.CreateShuffleVector(halves, even), high = ir.CreateShuffleVector(halves, odd);
  } else {
    llvm::Value* bits = ir.CreateBitCast(sum, ir.getInt64Ty());
    low = ir.CreateTrunc(bits, words), high = ir.CreateTrunc(ir.CreateLShr(bits, 32), words);
  }
  llvm::Value* middle = ir.CreateICmpEQ(ir.CreateAnd(low, number((1u << kDroppedBits) - 1)), number(kHalf));
  llvm::Value* magnitude = ir.CreateAdd(high, high);  // without the sign; 0: the sum is 0
  llvm::Value* small = ir.CreateICmpULT(ir.CreateSub(magnitude, number(1)), number(2 * kSmallestNormal - 1));
  return ir.CreateOr(middle, small);
}

}  // namespace

/// Almost always the float next to the double is the right one.
llvm::Value* fused(IR& ir, llvm::Value* a, llvm::Value* b, llvm::Value* c) {
  // Without an end there is a block to go on in.
  if (ir.GetInsertPoint() != ir.GetInsertBlock()->end()) return fusedByOdd(ir, a, b, c);
  llvm::Function* function = ir.GetInsertBlock()->getParent();
  llvm::Value* sum = sumInDoubles(ir, a, b, c).sum;
  llvm::Value* once = ir.CreateFPTrunc(sum, a->getType());
  llvm::Value* doubtful = roundsTwice(ir, sum);
  if (doubtful->getType()->isVectorTy()) {
    doubtful = ir.CreateBitCast(doubtful, ir.getIntNTy(kWarpLanes));
    doubtful = ir.CreateICmpNE(doubtful, llvm::Constant::getNullValue(doubtful->getType()));
  }
  llvm::BasicBlock* before = ir.GetInsertBlock();
  llvm::BasicBlock* again = llvm::BasicBlock::Create(ir.getContext(), "fused_again", function);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(ir.getContext(), "fused", function);
  llvm::MDNode* rarely = llvm::MDBuilder(ir.getContext()).createBranchWeights(1, 1 << 16);
  ir.CreateCondBr(doubtful, again, done, rarely);
  ir.SetInsertPoint(again);
  IR entry(&function->getEntryBlock(), function->getEntryBlock().begin());
  llvm::Value* slot = entry.CreateAlloca(a->getType());
  ir.CreateCall(functionByOdd(*function->getParent(), a->getType()), {slot, a, b, c})
      ->setCallingConv(llvm::CallingConv::PreserveAll);
  llvm::Value* odd = ir.CreateLoad(a->getType(), slot);
  ir.CreateBr(done);
  ir.SetInsertPoint(done);
  llvm::PHINode* result = ir.CreatePHI(a->getType(), 2);
  result->addIncoming(once, before), result->addIncoming(odd, again);
  return result;
}

}  // namespace etzel::native::plain
