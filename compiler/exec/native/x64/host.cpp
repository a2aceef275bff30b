// Native code for x86-64: AVX2 and FMA, AVX-512's masks and scaling where the host has them; else the psABI's level 2
// or 1, where LLVM takes vectors of eight lanes apart.
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>

#include "compiler/exec/native/emit/plain_forms.h"
#include "runtime/base/types.h"
#include "runtime/simd/byte_table.h"
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

llvm::Value* floatsOfHalves(IR& ir, llvm::Value* halves) {
  if (!isWide()) return plain::floatsOfHalves(ir, halves);
  llvm::Type* one = ir.getFloatTy();
  llvm::Type* all = llvm::FixedVectorType::get(one, kWarpLanes);
  return ir.CreateFPExt(halves, halves->getType()->isVectorTy() ? all : one);
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

std::array<llvm::Value*, 3> wordsOfBytes(IR& ir, llvm::Value* words, llvm::Value* planes, llvm::Value* order) {
  if (!simd::lookUpBytes()) return {};
  constexpr uint32_t kBytes = 64;  // of a register
  llvm::Type* bytes = llvm::FixedVectorType::get(ir.getInt8Ty(), kBytes);
  const auto load = [&](llvm::Value* from, uint32_t at, uint64_t align) {
    llvm::Value* p = ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), from, at);
    llvm::LoadInst* l = ir.CreateAlignedLoad(bytes, p, llvm::Align(align));
    l->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(ir.getContext(), {}));
    return l;
  };
  const auto permuted = [&](llvm::Value* a, llvm::Value* index, llvm::Value* b) {
    return ir.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_qi_512, {}, {a, index, b});
  };
  int wide[kBytes];  // the upper half is not used
  for (int i = 0; i < static_cast<int>(kBytes); ++i) wide[i] = i < 32 ? i : -1;
  llvm::Type* half = llvm::FixedVectorType::get(ir.getInt8Ty(), kBytes / 2);
  llvm::Value* index = ir.CreateShuffleVector(ir.CreateBitCast(words, half), wide);
  llvm::Value* upper = ir.CreateICmpSLT(index, llvm::Constant::getNullValue(bytes));
  llvm::Value* byte[4];
  for (uint32_t k = 0; k < 4; ++k) {
    const auto part = [&](uint32_t i) { return load(planes, 256 * k + kBytes * i, kBytes); };
    llvm::Value* low = permuted(part(0), index, part(1));
    byte[k] = ir.CreateSelect(upper, permuted(part(2), index, part(3)), low);
  }
  llvm::Value* to = load(order, 0, 1);
  llvm::Type* shorts = llvm::FixedVectorType::get(ir.getInt16Ty(), kBytes / 2);
  llvm::Value* low = ir.CreateBitCast(permuted(byte[0], to, byte[1]), shorts);
  llvm::Value* high = ir.CreateBitCast(permuted(byte[2], to, byte[3]), shorts);
  const auto interleaved = [&](int first) {
    int pairs[32];
    for (int i = 0; i < 32; ++i) pairs[i] = i / 8 * 8 + first + i % 8 / 2 + i % 2 * 32;
    return ir.CreateBitCast(ir.CreateShuffleVector(low, high, pairs), llvm::FixedVectorType::get(ir.getInt32Ty(), 16));
  };
  llvm::Value* both = interleaved(0);
  const auto eight = [&](llvm::Value* v, int first) {
    int lanes[8];
    for (int i = 0; i < 8; ++i) lanes[i] = first + i;
    return ir.CreateShuffleVector(v, lanes);
  };
  return {eight(both, 0), eight(both, 8), eight(interleaved(4), 0)};
}

bool hasWindow() { return simd::lookUpBytes() != nullptr; }

llvm::Value* bytesOfWindow(IR& ir, llvm::Value* p, llvm::Value* index) {
  constexpr int kRegister = 64, kIndices = 32;
  llvm::Type* bytes = llvm::FixedVectorType::get(ir.getInt8Ty(), kRegister);
  const auto half = [&](uint64_t at) {
    return ir.CreateAlignedLoad(bytes, ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), p, at), llvm::Align(1));
  };
  int wide[kRegister], low[kIndices];
  for (int i = 0; i < kRegister; ++i) wide[i] = i < kIndices ? i : -1;
  for (int i = 0; i < kIndices; ++i) low[i] = i;
  llvm::Value* found = ir.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_qi_512, {},
                                          {half(0), ir.CreateShuffleVector(index, wide), half(kRegister)});
  return ir.CreateShuffleVector(found, low);
}

llvm::Value* fused(IR& ir, llvm::Value* a, llvm::Value* b, llvm::Value* c) {
  if (!isWide() && a->getType()->getScalarType()->isFloatTy()) return plain::fused(ir, a, b, c);
  return ir.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

}  // namespace etzel::native
