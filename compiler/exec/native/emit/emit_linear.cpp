// sRGB codes of texels as linear numbers: all at once where the host looks bytes up in registers, else by arithmetic
// where it has multiply-adds (runtime/format/srgb_curve.h), else by a load for each code.
#include <cstddef>

#include "compiler/exec/native/emit/emitter.h"
#include "compiler/exec/native/emit/host.h"
#include "runtime/abi/kernel.h"
#include "runtime/format/srgb_curve.h"

namespace etzel::native {

using abi::DirectView;

/// The three colours of the sRGB texels of a register, which has those of one sample or of two.
std::array<llvm::Value*, 3> Emitter::linearOf(const TexelFormat& format, V texels) {
  V planes = field(format.direct, offsetof(DirectView, planes), ir_.getPtrTy());
  V order = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), format.direct, offsetof(DirectView, order));
  const std::array<V, 3> found = wordsOfBytes(ir_, texels, planes, order);
  return found[0] ? found : linearApart(format, texels);
}

/// The same of each of two samples, all at once where that costs as much as one.
std::vector<llvm::Value*> Emitter::linearOfBoth(const TexelFormat& format, const V (&texels)[2]) {
  std::vector<V> linear;
  if (!looksBytesUp()) {
    for (V t : texels)
      for (V v : linearOf(format, t)) linear.push_back(v);
    return linear;
  }
  const std::array<V, 3> both = linearOf(format, joined(texels[0], texels[1]));
  for (uint32_t t = 0; t < 2; ++t)
    for (V v : both) linear.push_back(halfOf(v, t));
  return linear;
}

/// linearOf() by arithmetic, or by loads, of one sample alone.
std::array<llvm::Value*, 3> Emitter::linearApart(const TexelFormat& format, V texels) {
  if (!fusesAtOnce()) return callLinear(format, texels);
  std::array<V, 3> linear;
  for (uint32_t c = 0; c < 3; ++c)
    linear[c] =
        ir_.CreateBitCast(curveOf(codesOf(texels, format.component[c].shift, ir_.getInt32(255))), texels->getType());
  return linear;
}

/// The codes of a component, as numbers.
llvm::Value* Emitter::codesOf(V texels, V shift, V mask) {
  V codes = ir_.CreateAnd(ir_.CreateLShr(texels, splat(shift)), splat(mask));
  return ir_.CreateSIToFP(codes, lanes(ir_.getFloatTy()));
}
llvm::Value* Emitter::codesOf(V texels, uint32_t shift, uint32_t mask) {
  return codesOf(texels, ir_.getInt32(shift), ir_.getInt32(mask));
}

/// Of codes that are numbers: format::srgbToLinear().
llvm::Value* Emitter::curveOf(V codes) {
  const auto number = [&](float f) { return llvm::ConstantFP::get(codes->getType(), f); };
  V sum = number(format::kSrgbCurve[format::kSrgbDegree]);
  for (uint32_t k = format::kSrgbDegree; k-- > 0;) sum = fused(ir_, sum, codes, number(format::kSrgbCurve[k]));
  V curved = ir_.CreateFCmpOGT(codes, number(format::kSrgbLineEnd));
  return ir_.CreateSelect(curved, sum, ir_.CreateFMul(codes, number(format::kSrgbSlope)));
}

/// By one function for all instructions, which has a load for each code.
std::array<llvm::Value*, 3> Emitter::callLinear(const TexelFormat& format, V texels) {
  llvm::SmallVector<V> arguments = {texels, field(format.direct, offsetof(DirectView, linear), ir_.getPtrTy())};
  for (uint32_t c = 0; c < 3; ++c) arguments.push_back(format.component[c].shift);
  V all = ir_.CreateCall(linearFunction(), arguments);
  return {ir_.CreateExtractValue(all, 0), ir_.CreateExtractValue(all, 1), ir_.CreateExtractValue(all, 2)};
}

/// Of texels, a table and three shifts.
llvm::Function* Emitter::linearFunction() {
  if (linearFunction_) return linearFunction_;
  llvm::Type* i32 = ir_.getInt32Ty();
  llvm::Type* result = llvm::StructType::get(words8(), words8(), words8());
  auto* type = llvm::FunctionType::get(result, {words8(), ir_.getPtrTy(), i32, i32, i32}, false);
  llvm::Function* f = llvm::Function::Create(type, llvm::Function::InternalLinkage, "linear", module_);
  IR::InsertPointGuard guard(ir_);
  enter(block("entry", f));
  V all = llvm::PoisonValue::get(result);
  for (unsigned c = 0; c < 3; ++c) {
    V codes = ir_.CreateAnd(ir_.CreateLShr(f->getArg(0), splat(f->getArg(2 + c))), splat(ir_.getInt32(255)));
    all = ir_.CreateInsertValue(all, linearOfCodes(f->getArg(1), codes), c);
  }
  ir_.CreateRet(all);
  return linearFunction_ = f;
}

/// A load for each lane.
llvm::Value* Emitter::linearOfCodes(V table, V codes) {
  llvm::Type* i32 = ir_.getInt32Ty();
  V numbers = llvm::PoisonValue::get(words8());
  for (uint64_t i = 0; i < kWarpLanes; ++i) {
    V p = ir_.CreateInBoundsGEP(i32, table, ir_.CreateZExt(ir_.CreateExtractElement(codes, i), ir_.getInt64Ty()));
    numbers = ir_.CreateInsertElement(numbers, invariant(ir_.CreateLoad(i32, p)), i);
  }
  return numbers;
}

}  // namespace etzel::native
