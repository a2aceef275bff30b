// Native code for AArch64, whose vectors have four lanes: LLVM takes those of eight apart.
#include <llvm/IR/IntrinsicsAArch64.h>

#include "compiler/exec/native/emit/plain_forms.h"
#include "runtime/base/types.h"
#include "runtime/simd/cpu.h"

namespace etzel::native {

Host describeHost() {
  Host host;
  host.cpu = "generic";
  if (simd::cpu().atomics) host.features = "+lse";
  return host;
}

/// The processor takes the nearest number where one does not fit, and 0 for NaN.
llvm::Value* truncatedToWords(IR& ir, llvm::Value* floats) {
  llvm::Type* words = llvm::FixedVectorType::get(ir.getInt32Ty(), kWarpLanes);
  llvm::Value* fits = ir.CreateFCmpOLT(floats, llvm::ConstantFP::get(floats->getType(), 0x1p31));
  llvm::Value* nearest = ir.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {words, floats->getType()}, {floats});
  return ir.CreateSelect(fits, nearest, llvm::ConstantInt::get(words, uint64_t{0x80000000}));
}

/// A table of 32 bytes, looked up for each half.
llvm::Value* wordsOfLanes(IR& ir, llvm::Value* words, llvm::Value* index) {
  const auto number = [&](uint64_t v) { return llvm::ConstantInt::get(index->getType(), v); };
  llvm::Type* bytes = llvm::FixedVectorType::get(ir.getInt8Ty(), 16);
  llvm::Value* places = ir.CreateMul(ir.CreateAnd(index, number(kWarpLanes - 1)), number(0x04040404));
  places = ir.CreateAdd(places, number(0x03020100));
  const auto half = [&](llvm::Value* v, int first) {
    const int lanes[] = {first, first + 1, first + 2, first + 3};
    return ir.CreateBitCast(ir.CreateShuffleVector(v, lanes), bytes);
  };
  const auto lookUp = [&](int first) {
    llvm::Value* found = ir.CreateIntrinsic(llvm::Intrinsic::aarch64_neon_tbl2, {bytes},
                                            {half(words, 0), half(words, 4), half(places, first)});
    return ir.CreateBitCast(found, llvm::FixedVectorType::get(ir.getInt32Ty(), 4));
  };
  return ir.CreateShuffleVector(lookUp(0), lookUp(4), {0, 1, 2, 3, 4, 5, 6, 7});
}

llvm::Value* floatsOfHalves(IR& ir, llvm::Value* halves) {
  return ir.CreateFPExt(halves, halves->getType()->getWithNewType(ir.getFloatTy()));
}

llvm::Value* halvesTowardZero(IR& ir, llvm::Value* floats) { return plain::halvesTowardZero(ir, floats); }

llvm::Value* scaledByPowers(IR&, llvm::Value*, llvm::Value*) { return nullptr; }

bool looksBytesUp() { return false; }
std::array<llvm::Value*, 3> wordsOfBytes(IR&, llvm::Value*, llvm::Value*, llvm::Value*) { return {}; }

bool hasWindow() { return false; }

llvm::Value* bytesOfWindow(IR&, llvm::Value*, llvm::Value*) { return nullptr; }

bool fusesAtOnce() { return true; }
llvm::Value* fused(IR& ir, llvm::Value* a, llvm::Value* b, llvm::Value* c) {
  return ir.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

}  // namespace etzel::native
