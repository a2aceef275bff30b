// Native code for x86-64: AVX2 and FMA, AVX-512's masks and scaling where the host has them; else the psABI's level 2
// or 1, where LLVM takes vectors of eight lanes apart.
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>

#include "compiler/exec/native/emit/plain_forms.h"
#include "runtime/base/types.h"
#include "runtime/simd/cpu.h"

namespace etzel::native {
namespace {

bool isWide() { return simd::cpu().avx2 && simd::cpu().fma; }
bool hasMaskRegisters() { return simd::cpu().avx512vl && simd::cpu().avx512dq; }

llvm::Value* halfOf(IR& ir, llvm::Value* v, int first) {
  const int lanes[] = {first, first + 1, first + 2, first + 3};
  return ir.CreateShuffleVector(v, lanes);
}

}  // namespace

Host describeHost() {
  const simd::Cpu& cpu = simd::cpu();
  Host host;
  if (!isWide()) {
    host.cpu = cpu.sse42 ? "x86-64-v2" : "x86-64";
    return host;
  }
  llvm::SubtargetFeatures features;
  for (const auto& f : llvm::sys::getHostCPUFeatures())
    features.AddFeature(f.first(), f.second && (cpu.avx512f || !f.first().starts_with("avx512")));
  host.cpu = llvm::sys::getHostCPUName().str();
  host.features = features.getString();
  host.maskRegisters = hasMaskRegisters();
  return host;
}

llvm::Value* truncatedToWords(IR& ir, llvm::Value* floats) {
  if (isWide()) return ir.CreateIntrinsic(llvm::Intrinsic::x86_avx_cvtt_ps2dq_256, {}, {floats});
  const auto words = [&](int first) {
    return ir.CreateIntrinsic(llvm::Intrinsic::x86_sse2_cvttps2dq, {}, {halfOf(ir, floats, first)});
  };
  return ir.CreateShuffleVector(words(0), words(4), {0, 1, 2, 3, 4, 5, 6, 7});
}

llvm::Value* wordsOfLanes(IR& ir, llvm::Value* words, llvm::Value* index) {
  if (!isWide()) return plain::wordsOfLanes(ir, words, index);
  return ir.CreateIntrinsic(llvm::Intrinsic::x86_avx2_permd, {}, {words, index});
}

llvm::Value* halvesTowardZero(IR& ir, llvm::Value* floats) {
  if (!isWide()) return plain::halvesTowardZero(ir, floats);
  constexpr uint32_t kTowardZero = 3;
  return ir.CreateIntrinsic(llvm::Intrinsic::x86_vcvtps2ph_256, {}, {floats, ir.getInt32(kTowardZero)});
}

llvm::Value* scaledByPowers(IR& ir, llvm::Value* floats, llvm::Value* powers) {
  if (!hasMaskRegisters()) return nullptr;
  return ir.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_256, {},
                            {floats, powers, llvm::PoisonValue::get(floats->getType()), ir.getInt8(0xFF)});
}

llvm::Value* fused(IR& ir, llvm::Value* a, llvm::Value* b, llvm::Value* c) {
  if (!isWide() && a->getType()->getScalarType()->isFloatTy()) return plain::fused(ir, a, b, c);
  return ir.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

}  // namespace etzel::native
