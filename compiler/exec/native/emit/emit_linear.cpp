// sRGB codes of texels as linear numbers: all at once where the host looks bytes up in registers, else by a load for
// each code, which one function has for all instructions. Codes of neighbours are read where they lie: taking them out
// of vectors costs more than the loads.
#include <cstddef>
#include <numeric>

#include "compiler/exec/native/emit/emitter.h"
#include "compiler/exec/native/emit/host.h"
#include "runtime/abi/kernel.h"

namespace etzel::native {

using abi::DirectView;

/// The three colours of the sRGB texels of one sample, or of each of two, all at once where the host can.
std::vector<llvm::Value*> Emitter::linearOf(const TexelFormat& format, llvm::ArrayRef<LoadedTexels> texels) {
  V planes = field(format.direct, offsetof(DirectView, planes), ir_.getPtrTy());
  V order = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), format.direct, offsetof(DirectView, order));
  V words = texels.size() == 1 ? texels[0].words : joined(texels[0].words, texels[1].words);
  const std::array<V, 3> found = wordsOfBytes(ir_, words, planes, order);
  if (!found[0]) return linearByLoads(format, texels);
  if (texels.size() == 1) return {found.begin(), found.end()};
  int all[2 * kWarpLanes];
  std::iota(std::begin(all), std::end(all), 0);
  std::vector<V> linear;
  for (uint32_t t = 0; t < 2; ++t)
    for (V both : found)
      linear.push_back(ir_.CreateShuffleVector(both, llvm::ArrayRef<int>(all + t * kWarpLanes, kWarpLanes)));
  return linear;
}

/// The same by loads.
std::vector<llvm::Value*> Emitter::linearByLoads(const TexelFormat& format, llvm::ArrayRef<LoadedTexels> texels) {
  const auto ofEach = [&](auto colors) {
    std::vector<V> linear;
    for (const LoadedTexels& t : texels)
      for (V v : colors(t)) linear.push_back(v);
    return linear;
  };
  const auto ofWords = [&](const LoadedTexels& t) { return callLinear(format, linearFunction(), t.words); };
  V asRows = texels[0].asRows;
  for (const LoadedTexels& t : texels.drop_front()) asRows = asRows ? ir_.CreateAnd(asRows, t.asRows) : nullptr;
  if (!asRows) return ofEach(ofWords);
  llvm::BasicBlock* rows = block("linearrows");
  llvm::BasicBlock* words = block("linearwords");
  llvm::BasicBlock* done = block("linear");
  ir_.CreateCondBr(asRows, rows, words);
  enter(rows);
  const std::vector<V> fromRows =
      ofEach([&](const LoadedTexels& t) { return callLinear(format, linearOfRowsFunction(), t.row); });
  ir_.CreateBr(done);
  enter(words);
  const std::vector<V> fromWords = ofEach(ofWords);
  ir_.CreateBr(done);
  enter(done);
  return eitherOf(fromRows, rows, fromWords, words);
}

/// `texels`: the function's first arguments
std::array<llvm::Value*, 3> Emitter::callLinear(const TexelFormat& format, llvm::Function* f,
                                                llvm::ArrayRef<V> texels) {
  llvm::SmallVector<V> arguments(texels.begin(), texels.end());
  arguments.push_back(field(format.direct, offsetof(DirectView, linear), ir_.getPtrTy()));
  for (uint32_t c = 0; c < 3; ++c) arguments.push_back(format.component[c].shift);
  V all = ir_.CreateCall(f, arguments);
  return {ir_.CreateExtractValue(all, 0), ir_.CreateExtractValue(all, 1), ir_.CreateExtractValue(all, 2)};
}

/// Of a vector of texels.
llvm::Function* Emitter::linearFunction() {
  if (linearFunction_) return linearFunction_;
  llvm::Function* f = beginLinear("linear", {words8()});
  IR::InsertPointGuard guard(ir_);
  enter(block("entry", f));
  std::array<V, 3> linear;
  for (uint32_t c = 0; c < 3; ++c) {
    V codes = ir_.CreateAnd(ir_.CreateLShr(f->getArg(0), splat(f->getArg(2 + c))), splat(ir_.getInt32(255)));
    linear[c] = linearOfCodes(f->getArg(1), [&](uint64_t lane) { return ir_.CreateExtractElement(codes, lane); });
  }
  endLinear(linear);
  return linearFunction_ = f;
}

/// Of LoadedTexels::row.
llvm::Function* Emitter::linearOfRowsFunction() {
  if (linearOfRowsFunction_) return linearOfRowsFunction_;
  llvm::Type* ptr = ir_.getPtrTy();
  llvm::Function* f = beginLinear("linearofrows", {ptr, ptr});
  IR::InsertPointGuard guard(ir_);
  enter(block("entry", f));
  std::array<V, kWarpLanes> texel;
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    const uint32_t row = inQuads() ? i / 2 % 2 : i / 4, column = inQuads() ? i % 2 + i / 4 * 2 : i % 4;
    texel[i] = ir_.CreateAlignedLoad(ir_.getInt32Ty(), ir_.CreateConstGEP1_64(ir_.getInt32Ty(), f->getArg(row), column),
                                     llvm::Align(4));
  }
  std::array<V, 3> linear;
  for (uint32_t c = 0; c < 3; ++c)
    linear[c] = linearOfCodes(f->getArg(2), [&](uint64_t lane) {
      return ir_.CreateAnd(ir_.CreateLShr(texel[lane], f->getArg(3 + c)), ir_.getInt32(255));
    });
  endLinear(linear);
  return linearOfRowsFunction_ = f;
}

/// A function without a body of such `texels`, a table and three shifts.
llvm::Function* Emitter::beginLinear(const char* name, llvm::ArrayRef<llvm::Type*> texels) {
  llvm::Type* i32 = ir_.getInt32Ty();
  llvm::SmallVector<llvm::Type*> arguments(texels.begin(), texels.end());
  arguments.append({ir_.getPtrTy(), i32, i32, i32});
  auto* type = llvm::FunctionType::get(llvm::StructType::get(words8(), words8(), words8()), arguments, false);
  return llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module_);
}
void Emitter::endLinear(const std::array<V, 3>& linear) {
  V all = llvm::PoisonValue::get(llvm::StructType::get(words8(), words8(), words8()));
  for (unsigned c = 0; c < 3; ++c) all = ir_.CreateInsertValue(all, linear[c], c);
  ir_.CreateRet(all);
}

/// A load for each lane. `codeOf`: a lane's code, which is below 256
llvm::Value* Emitter::linearOfCodes(V table, const std::function<V(uint64_t lane)>& codeOf) {
  llvm::Type* i32 = ir_.getInt32Ty();
  V numbers = llvm::PoisonValue::get(words8());
  for (uint64_t i = 0; i < kWarpLanes; ++i) {
    V p = ir_.CreateInBoundsGEP(i32, table, ir_.CreateZExt(codeOf(i), ir_.getInt64Ty()));
    numbers = ir_.CreateInsertElement(numbers, invariant(ir_.CreateLoad(i32, p)), i);
  }
  return numbers;
}

}  // namespace etzel::native
