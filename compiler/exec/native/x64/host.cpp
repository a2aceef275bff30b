// Native code for x86-64: AVX2 and FMA, AVX-512's masks and scaling where the host has them; else the psABI's level 2
// or 1, where LLVM takes vectors of eight lanes apart.
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>

#include "compiler/exec/native/emit/plain_forms.h"
#include "runtime/base/types.h"
#include "runtime/simd/cpu.h"
#include "runtime/simd/x64/wide_bytes.h"

namespace etzel::native {
namespace {

bool isWide() { return simd::cpu().avx2 && simd::cpu().fma; }
bool hasMaskRegisters() { return simd::cpu().avx512vl && simd::cpu().avx512dq; }

llvm::Value* halfOf(IR& ir, llvm::Value* v, int first) {
  const int lanes[] = {first, first + 1, first + 2, first + 3};
  return ir.CreateShuffleVector(v, lanes);
}

/// What instructions for registers of sixteen numbers want to be told: to round as the state says.
llvm::Value* asUsual(IR& ir) { return ir.getInt32(4); }
bool isPair(llvm::Value* v) {
  return llvm::cast<llvm::FixedVectorType>(v->getType())->getNumElements() == 2 * kWarpLanes;
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
  host.registerBytes = host.maskRegisters && cpu.avx512bw ? 64 : 32;
  return host;
}

llvm::Value* truncatedToWords(IR& ir, llvm::Value* floats) {
  if (isPair(floats)) {
    llvm::Value* none = llvm::PoisonValue::get(floats->getType()->getWithNewType(ir.getInt32Ty()));
    return ir.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_cvttps2dq_512, {},
                              {floats, none, ir.getInt16(0xFFFF), asUsual(ir)});
  }
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
  return ir.CreateFPExt(halves, halves->getType()->getWithNewType(ir.getFloatTy()));
}

llvm::Value* halvesTowardZero(IR& ir, llvm::Value* floats) {
  if (!isWide()) return plain::halvesTowardZero(ir, floats);
  constexpr uint32_t kTowardZero = 3;
  if (isPair(floats)) {
    llvm::Value* none = llvm::PoisonValue::get(floats->getType()->getWithNewType(ir.getInt16Ty()));
    return ir.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_vcvtps2ph_512, {},
                              {floats, ir.getInt32(kTowardZero), none, ir.getInt16(0xFFFF)});
  }
  return ir.CreateIntrinsic(llvm::Intrinsic::x86_vcvtps2ph_256, {}, {floats, ir.getInt32(kTowardZero)});
}

llvm::Value* scaledByPowers(IR& ir, llvm::Value* floats, llvm::Value* powers) {
  if (!hasMaskRegisters()) return nullptr;
  if (isPair(floats))
    return ir.CreateIntrinsic(
        llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
        {floats, powers, llvm::PoisonValue::get(floats->getType()), ir.getInt16(0xFFFF), asUsual(ir)});
  return ir.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_256, {},
                            {floats, powers, llvm::PoisonValue::get(floats->getType()), ir.getInt8(0xFF)});
}

namespace {

/// Elements of both in turn: of each 16 bytes the lower half (`from` 0) or the upper one (1).
llvm::Value* interleaved(IR& ir, llvm::Value* a, llvm::Value* b, int from) {
  const auto* type = llvm::cast<llvm::FixedVectorType>(a->getType());
  const int count = static_cast<int>(type->getNumElements());
  const int part = 128 / static_cast<int>(type->getScalarSizeInBits());
  std::vector<int> order(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) order[i] = i / part * part + from * part / 2 + i % part / 2 + i % 2 * count;
  return ir.CreateShuffleVector(a, b, order);
}

}  // namespace

bool looksBytesUp() { return simd::hasWideBytes(); }
std::array<llvm::Value*, 3> wordsOfBytes(IR& ir, llvm::Value* words, llvm::Value* planes, llvm::Value* order) {
  if (!looksBytesUp()) return {};
  constexpr uint32_t kBytes = 64;  // of a register
  const uint32_t count = 4 * llvm::cast<llvm::FixedVectorType>(words->getType())->getNumElements();
  const auto bytes = [&](uint32_t n) { return llvm::FixedVectorType::get(ir.getInt8Ty(), n); };
  const auto load = [&](llvm::Value* from, uint32_t at, uint32_t n, uint64_t align) {
    llvm::Value* p = ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), from, at);
    llvm::LoadInst* l = ir.CreateAlignedLoad(bytes(n), p, llvm::Align(align));
    l->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(ir.getContext(), {}));
    return l;
  };
  // Of each four words the bytes of the first component, the second and the third, which `order` has at other places.
  constexpr int kPlace[4] = {0, 32, 8, 8};
  std::vector<int> bytesOfFour, wide;  // what is behind the words is not used
  for (int i = 0; i < static_cast<int>(count); ++i) bytesOfFour.push_back(kPlace[i % 16 / 4] + i % 4 * 2);
  for (uint32_t i = 0; i < kBytes; ++i) wide.push_back(i < count ? static_cast<int>(i) : -1);
  llvm::Value* from = load(order, 0, kBytes, 1);
  llvm::Value* control = ir.CreateShuffleVector(from, bytesOfFour);
  llvm::Value* index =
      ir.CreateIntrinsic(count == kBytes ? llvm::Intrinsic::x86_avx512_pshuf_b_512 : llvm::Intrinsic::x86_avx2_pshuf_b,
                         {}, {ir.CreateBitCast(words, bytes(count)), control});
  if (count < kBytes) index = ir.CreateShuffleVector(index, wide);
  llvm::Value* upper = ir.CreateICmpSLT(index, llvm::Constant::getNullValue(bytes(kBytes)));
  wide.resize(count);
  llvm::Value* byte[4];
  for (uint32_t k = 0; k < 4; ++k) {
    const auto part = [&](uint32_t i) { return load(planes, 256 * k + kBytes * i, kBytes, kBytes); };
    const auto found = [&](uint32_t i) {
      return ir.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_qi_512, {}, {part(i), index, part(i + 1)});
    };
    llvm::Value* low = found(0);
    byte[k] = ir.CreateSelect(upper, found(2), low);
    if (count < kBytes) byte[k] = ir.CreateShuffleVector(byte[k], wide);
  }
  const auto pairs = [&](uint32_t k, int from) {
    return ir.CreateBitCast(interleaved(ir, byte[k], byte[k + 1], from),
                            llvm::FixedVectorType::get(ir.getInt16Ty(), count / 2));
  };
  const auto whole = [&](llvm::Value* low, llvm::Value* high, int from) {
    return ir.CreateBitCast(interleaved(ir, low, high, from), words->getType());
  };
  llvm::Value *low = pairs(0, 0), *high = pairs(2, 0);
  return {whole(low, high, 0), whole(low, high, 1), whole(pairs(0, 1), pairs(2, 1), 0)};
}

bool hasWindow() { return simd::hasWideBytes(); }

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

bool fusesAtOnce() { return isWide(); }
llvm::Value* fused(IR& ir, llvm::Value* a, llvm::Value* b, llvm::Value* c) {
  if (!isWide() && a->getType()->getScalarType()->isFloatTy()) return plain::fused(ir, a, b, c);
  return ir.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

}  // namespace etzel::native
