// Native code for x86-64 with AVX2 and FMA; AVX-512's masks and scaling where the host has them.
#include "compiler/exec/native/emit/host.h"

#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>

#include "runtime/base/assert.h"
#include "runtime/simd/cpu.h"

namespace etzel::native {

bool hasNativeCode() { return simd::cpu().avx2 && simd::cpu().fma; }

Host describeHost() {
  ETZEL_ASSERT(hasNativeCode());
  const simd::Cpu& cpu = simd::cpu();
  llvm::SubtargetFeatures features;
  for (const auto& f : llvm::sys::getHostCPUFeatures())
    features.AddFeature(f.first(), f.second && (cpu.avx512f || !f.first().starts_with("avx512")));
  Host host;
  host.cpu = llvm::sys::getHostCPUName().str();
  host.features = features.getString();
  host.maskRegisters = host.scales = cpu.avx512vl && cpu.avx512dq;
  return host;
}

llvm::Value* truncatedToWords(IR& ir, llvm::Value* floats) {
  return ir.CreateIntrinsic(llvm::Intrinsic::x86_avx_cvtt_ps2dq_256, {}, {floats});
}

llvm::Value* wordsOfLanes(IR& ir, llvm::Value* words, llvm::Value* index) {
  return ir.CreateIntrinsic(llvm::Intrinsic::x86_avx2_permd, {}, {words, index});
}

llvm::Value* halvesTowardZero(IR& ir, llvm::Value* floats) {
  constexpr uint32_t kTowardZero = 3;
  return ir.CreateIntrinsic(llvm::Intrinsic::x86_vcvtps2ph_256, {}, {floats, ir.getInt32(kTowardZero)});
}

llvm::Value* scaledByPowers(IR& ir, llvm::Value* floats, llvm::Value* powers) {
  return ir.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_256, {},
                            {floats, powers, llvm::PoisonValue::get(floats->getType()), ir.getInt8(0xFF)});
}

}  // namespace etzel::native
