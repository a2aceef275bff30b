// Texture instructions: calls of the texture units, and texels that compiled code reads itself.
#include <cstddef>

#include <llvm/IR/MDBuilder.h>

#include "compiler/exec/native/emit/emitter.h"
#include "runtime/abi/kernel.h"

namespace etzel::native {

using abi::TexInst;
using isa::Inst;

namespace {
isa::Operand levelOf(const Inst& inst) {
  isa::Operand level = inst.src[1];
  level.word += TexInst::unpack(inst.imm).argLod();
  return level;
}
}  // namespace

/// Fetches of one texel of a 2D image whose descriptor and level are the same in all lanes.
bool Emitter::fetchesDirectly(const Inst& inst) const {
  const TexInst tex = TexInst::unpack(inst.imm);
  if (tex.kind != abi::TexKind::Fetch || tex.dim != abi::TexDim::D2 || tex.type != abi::TexType::Float) return false;
  if (tex.arrayed || tex.multisampled || tex.offset || tex.sparse || tex.rule != abi::DimRule::Given) return false;
  if (!isUniform(inst.src[0])) return false;
  return tex.lod == abi::LodMode::Zero || (tex.lod == abi::LodMode::Explicit && isUniform(levelOf(inst)));
}

/// What descriptor.h says of the image; all zero for null descriptors.
llvm::Value* Emitter::directTexels(isa::Operand handle) {
  V view = viewOf(handle);
  V tables = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), dispatch_, offsetof(abi::DispatchContext, table));
  V nulls = invariant(
      ir_.CreateLoad(ir_.getPtrTy(), ir_.CreateConstInBoundsGEP1_64(ir_.getPtrTy(), tables, abi::kNullTable)));
  return ir_.CreateSelect(ir_.CreateIsNull(view), nulls, view);
}

/// Where the texels of all lanes lie. Fetches of neighbours share most of this, so it stands before their branches.
Emitter::TexelPlaces Emitter::placesOfTexels(const Inst& inst, V direct) {
  llvm::Type* i32 = ir_.getInt32Ty();
  V width = field(direct, offsetof(abi::DirectTexels, width), i32);
  V height = field(direct, offsetof(abi::DirectTexels, height), i32);
  TexelPlaces p;
  p.texels = field(direct, offsetof(abi::DirectTexels, texels), ir_.getPtrTy());
  p.pitch = field(direct, offsetof(abi::DirectTexels, rowPitch), i32);
  p.redShift = field(direct, offsetof(abi::DirectTexels, redShift), i32);
  V x = splat(word(inst.src[1])), y = splat(word(inst.src[1], 1));
  p.inside = ir_.CreateAnd(ir_.CreateICmpULT(x, splat(width)), ir_.CreateICmpULT(y, splat(height)));
  p.offset = ir_.CreateAdd(ir_.CreateMul(y, splat(p.pitch)), ir_.CreateShl(x, splat(ir_.getInt32(2))));
  return p;
}

/// Reads the texels of all lanes, as the texture unit does. \returns the four result words
std::array<llvm::Value*, 4> Emitter::fetchTexels(const TexelPlaces& places) {
  llvm::Type* i32 = ir_.getInt32Ty();
  llvm::Type* floats = lanes(ir_.getFloatTy());
  V texels = places.texels, pitch = places.pitch, redShift = places.redShift, inside = places.inside;
  V zero = llvm::Constant::getNullValue(words8());
  V offset = ir_.CreateSelect(inside, places.offset, zero);  // also in lanes that do not run: all addresses are texels
  // Lanes are neighbours often enough to look first: eight in a row, or in fragment programs, quads side by side.
  const bool quads = program_.info.stage == abi::Stage::Fragment;
  V first = ir_.CreateExtractElement(offset, uint64_t(0));
  V expected = steps(4);
  if (quads) {
    uint32_t across[8], down[8];
    for (uint32_t i = 0; i < kWarpLanes; ++i) across[i] = (i % 2 + i / 4 * 2) * 4, down[i] = i / 2 % 2 ? ~0u : 0;
    V rows = ir_.CreateAnd(splat(pitch), llvm::ConstantDataVector::get(context_, llvm::ArrayRef<uint32_t>(down)));
    expected = ir_.CreateAdd(rows, llvm::ConstantDataVector::get(context_, llvm::ArrayRef<uint32_t>(across)));
  }
  V differs = ir_.CreateICmpNE(ir_.CreateSub(offset, splat(first)), expected);
  V neighbours = ir_.CreateICmpEQ(ir_.CreateBitCast(differs, ir_.getInt8Ty()), ir_.getInt8(0));
  const auto texelAt = [&](V at) {
    return ir_.CreateGEP(ir_.getInt8Ty(), texels, ir_.CreateSExt(at, ir_.getInt64Ty()));
  };
  llvm::BasicBlock* together = block("fetchrow");
  llvm::BasicBlock* apart = block("fetchlanes");
  llvm::BasicBlock* loaded = block("fetched");
  ir_.CreateCondBr(neighbours, together, apart);
  enter(together);
  V row = nullptr;
  if (quads) {
    llvm::Type* four = llvm::FixedVectorType::get(i32, 4);
    V top = ir_.CreateAlignedLoad(four, texelAt(first), llvm::Align(4));
    V bottom = ir_.CreateAlignedLoad(four, texelAt(ir_.CreateAdd(first, pitch)), llvm::Align(4));
    const int order[8] = {0, 1, 4, 5, 2, 3, 6, 7};
    row = ir_.CreateShuffleVector(top, bottom, llvm::ArrayRef<int>(order, 8));
  } else {
    row = ir_.CreateAlignedLoad(words8(), texelAt(first), llvm::Align(4));
  }
  ir_.CreateBr(loaded);
  enter(apart);
  V each = llvm::PoisonValue::get(words8());
  for (uint64_t i = 0; i < kWarpLanes; ++i)
    each = ir_.CreateInsertElement(
        each, ir_.CreateAlignedLoad(i32, texelAt(ir_.CreateExtractElement(offset, i)), llvm::Align(4)), i);
  ir_.CreateBr(loaded);
  enter(loaded);
  llvm::PHINode* texel = ir_.CreatePHI(words8(), 2);
  texel->addIncoming(row, together);
  texel->addIncoming(each, apart);
  V texelOrZero = ir_.CreateSelect(inside, texel, zero);
  // code / 255, rounded once: code * 2^-8 is exact, and fused or not, the sum is the same for all 256 codes.
  V power = llvm::ConstantFP::get(floats, 0x1p-8), rest = llvm::ConstantFP::get(floats, 1.0 / 255 - 0x1p-8);
  V shift[4] = {redShift, ir_.getInt32(8), ir_.CreateSub(ir_.getInt32(16), redShift), ir_.getInt32(24)};
  std::array<V, 4> result;
  for (int c = 0; c < 4; ++c) {
    V code = ir_.CreateLShr(texelOrZero, splat(shift[c]));
    if (c < 3) code = ir_.CreateAnd(code, splat(ir_.getInt32(255)));
    V number = ir_.CreateSIToFP(code, floats);
    V whole = ir_.CreateFMul(number, power);
    V sum = fused(ir_, number, rest, whole);
    result[c] = ir_.CreateBitCast(sum, words8());
  }
  return result;
}

void Emitter::texture(const Inst& inst) {
  const uint32_t words = isa::dstWords(inst);
  if (!fetchesDirectly(inst)) {
    callTexture(inst);
    for (uint32_t w = 0; w < words; ++w) setWord(inst, w, textureResult(w));
    return;
  }
  V direct = directTexels(inst.src[0]);
  V format = field(direct, offsetof(abi::DirectTexels, format), ir_.getInt32Ty());
  V readable = ir_.CreateICmpEQ(format, ir_.getInt32(static_cast<uint32_t>(abi::DirectTexels::Format::Unorm8888)));
  if (TexInst::unpack(inst.imm).lod == abi::LodMode::Explicit) {
    V level = word(levelOf(inst));
    if (isVector(level)) level = ir_.CreateExtractElement(level, uint64_t(0));
    readable = ir_.CreateAnd(readable, ir_.CreateICmpEQ(level, ir_.getInt32(0)));
  }
  const TexelPlaces places = placesOfTexels(inst, direct);
  llvm::BasicBlock* here = block("fetch");
  llvm::BasicBlock* call = block("fetchcall");
  llvm::BasicBlock* done = block("fetchdone");
  ir_.CreateCondBr(readable, here, call, llvm::MDBuilder(context_).createBranchWeights(1000, 1));
  enter(here);
  const std::array<V, 4> fetched = fetchTexels(places);
  here = ir_.GetInsertBlock();
  ir_.CreateBr(done);
  enter(call);
  callTexture(inst);
  std::array<V, 4> called;
  for (uint32_t w = 0; w < 4; ++w) called[w] = textureResult(w);
  call = ir_.GetInsertBlock();
  ir_.CreateBr(done);
  enter(done);
  for (uint32_t w = 0; w < words; ++w) {
    llvm::PHINode* either = ir_.CreatePHI(words8(), 2);
    either->addIncoming(fetched[w], here);
    either->addIncoming(called[w], call);
    called[w] = either;
  }
  for (uint32_t w = 0; w < words; ++w) setWord(inst, w, called[w]);
}

llvm::Value* Emitter::textureResult(uint32_t w) {
  return ir_.CreateAlignedLoad(words8(), ir_.CreateConstInBoundsGEP1_64(words8(), resultBlock_, w), llvm::Align(32));
}

/// Leaves the result in resultBlock_.
void Emitter::callTexture(const Inst& inst) {
  const TexInst tex = TexInst::unpack(inst.imm);
  const auto array = [&](llvm::AllocaInst*& a, uint32_t words) {
    if (!a) a = slot(llvm::ArrayType::get(words8(), words), "tex"), a->setAlignment(llvm::Align(32));
    return a;
  };
  const auto put = [&](llvm::AllocaInst* a, uint32_t at, V v) {
    ir_.CreateAlignedStore(splat(v), ir_.CreateConstInBoundsGEP1_64(words8(), a, at), llvm::Align(32));
  };
  array(handleBlock_, 1), array(samplerBlock_, 1), array(argumentBlock_, 40), array(resultBlock_, 12);
  put(handleBlock_, 0, word(inst.src[0]));
  put(samplerBlock_, 0, inst.src[2].present() ? word(inst.src[2]) : ir_.getInt32(abi::kNullHandle));
  for (uint32_t w = 0; w < tex.argWords(); ++w) put(argumentBlock_, w, word(inst.src[1], w));

  V active = bitsOf(tex.writesImage() ? sideEffectMask() : exec());
  llvm::BasicBlock* call = block("tex");
  llvm::BasicBlock* done = block("texdone");
  ir_.CreateCondBr(nonzero(active), call, done);
  enter(call);
  llvm::Type* ptr = ir_.getPtrTy();
  llvm::Type* i32 = ir_.getInt32Ty();
  auto* type = llvm::FunctionType::get(ir_.getVoidTy(), {ptr, i32, i32, ptr, ptr, ptr, ptr}, false);
  V function = field(functions_, offsetof(abi::FunctionTable, texture), ptr);
  // Known here, so that nobody has to compare the handles of the lanes.
  const bool same =
      tex.rule == abi::DimRule::Given && isUniform(inst.src[0]) && (!inst.src[2].present() || isUniform(inst.src[2]));
  const uint32_t immediate = inst.imm | (same ? TexInst::kSameHandles : 0);
  ir_.CreateCall(type, function,
                 {warp(), ir_.getInt32(immediate), active, handleBlock_, samplerBlock_, argumentBlock_, resultBlock_});
  ir_.CreateBr(done);
  enter(done);
}

}  // namespace etzel::native
