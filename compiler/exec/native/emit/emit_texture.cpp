// Texture instructions: calls of the texture units, and the choice between them and what compiled code does itself.
#include <cstddef>

#include "compiler/exec/native/emit/emitter.h"
#include "runtime/abi/kernel.h"

namespace etzel::native {

using abi::TexInst;
using isa::Inst;

void Emitter::texture(const Inst& inst) {
  if (fetchOfGroup(inst) || fetchOfLoop(inst)) return;
  if (const std::optional<DirectWay> way = directWay(inst)) return directly(inst, *way);
  if (fetchesAlone(inst)) return fetchSample(inst);
  if (isLeftToLater(inst)) return askView(inst);
  if (readPair(inst)) return;
  if (readsFootprints(inst)) return TexInst::unpack(inst.imm).dref ? compareFootprints(inst) : readFootprints(inst);
  if (writesTexels(inst)) return writeTexels(inst);
  if (changesTexels(inst)) return changeTexels(inst);
  if (gathersTexels(inst)) return gatherTexels({{index_, strand_}}, nullptr);
  if (asksView(inst)) return askView(inst);
  callTexture(inst);
  for (uint32_t w = 0, words = isa::dstWords(inst); w < words; ++w) setWord(inst, w, textureResult(w));
}

void Emitter::directly(const Inst& inst, const DirectWay& way) {
  llvm::BasicBlock* here = block("direct");
  llvm::BasicBlock* call = block("directcall");
  llvm::BasicBlock* done = block("directdone");
  ir_.CreateCondBr(way.possible, here, call, likely());
  enter(here);
  std::vector<V> found = way.words();
  for (V& v : found) v = splat(v);
  here = ir_.GetInsertBlock();
  ir_.CreateBr(done);
  elseByCall(inst, found, here, call, done);
}

/// Ends a texture instruction whose words are `found`, lanes' all, in the block `here`: by a call in the block `call`
/// where control does not come from there. Goes on in `done`, to which `here` branches.
void Emitter::elseByCall(const Inst& inst, const std::vector<V>& found, llvm::BasicBlock* here, llvm::BasicBlock* call,
                         llvm::BasicBlock* done) {
  enter(call);
  callTexture(inst);
  const std::vector<V> called = textureResults(isa::dstWords(inst));
  call = ir_.GetInsertBlock();
  ir_.CreateBr(done);
  enter(done);
  const std::vector<V> results = eitherOf(found, here, called, call);
  for (uint32_t w = 0; w < called.size(); ++w) setWord(inst, w, results[w]);
}

/// Words of all lanes that come from one of two blocks: as many as the second has.
std::vector<llvm::Value*> Emitter::eitherOf(const std::vector<V>& a, llvm::BasicBlock* fromA, const std::vector<V>& b,
                                            llvm::BasicBlock* fromB) {
  std::vector<V> words;
  for (size_t w = 0; w < b.size(); ++w) {
    llvm::PHINode* either = ir_.CreatePHI(b[w]->getType(), 2);
    either->addIncoming(a[w], fromA);
    either->addIncoming(b[w], fromB);
    words.push_back(either);
  }
  return words;
}

std::vector<llvm::Value*> Emitter::textureResults(uint32_t count) {
  std::vector<V> results;
  for (uint32_t w = 0; w < count; ++w) results.push_back(textureResult(w));
  return results;
}

llvm::Value* Emitter::textureResult(uint32_t w) {
  return ir_.CreateAlignedLoad(words8(), ir_.CreateConstInBoundsGEP1_64(words8(), resultBlock_, w), llvm::Align(32));
}

llvm::Value* Emitter::orZeros(V pointer) {
  V tables = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), dispatch_, offsetof(abi::DispatchContext, table));
  V zeros = invariant(
      ir_.CreateLoad(ir_.getPtrTy(), ir_.CreateConstInBoundsGEP1_64(ir_.getPtrTy(), tables, abi::kNullTable)));
  return ir_.CreateSelect(ir_.CreateIsNull(pointer), zeros, pointer);
}

llvm::Value* Emitter::directView(isa::Operand handle, V view) {
  const auto kind = bound_.views.find(constantHandle(handle).value_or(abi::kNullHandle));
  if (kind == bound_.views.end()) return orZeros(view);
  known_[view] = std::as_bytes(std::span(&kind->second, 1));
  return view;
}

llvm::Value* Emitter::directSampler(isa::Operand handle) {
  V sampler = samplerOf(handle);
  const auto kind = bound_.samplers.find(constantHandle(handle).value_or(abi::kNullHandle));
  if (kind == bound_.samplers.end()) return orZeros(sampler);
  known_[sampler] = std::as_bytes(std::span(&kind->second, 1));
  return sampler;
}

/// i1: whether a view (directView()) has a routine, to which `pointer` points then.
llvm::Value* Emitter::has(V view, abi::DirectView::Has routine, V pointer) {
  if (!known_.count(view)) return ir_.CreateIsNotNull(pointer);
  V all = field(view, offsetof(abi::DirectView::Kind, has), ir_.getInt32Ty());
  return ir_.CreateICmpNE(ir_.CreateAnd(all, ir_.getInt32(routine)), ir_.getInt32(0));
}

/// Memory for `count` words of all lanes, made when it is first asked for.
llvm::AllocaInst* Emitter::words(llvm::AllocaInst*& all, uint32_t count) {
  if (!all) all = slot(llvm::ArrayType::get(words8(), count), "tex"), all->setAlignment(llvm::Align(32));
  return all;
}

/// Leaves the result in resultBlock_, or where `result` says. `sample`: in place of the instruction's.
void Emitter::callTexture(const Inst& inst, V sample, V result) {
  const TexInst tex = TexInst::unpack(inst.imm);
  llvm::Type* ptr = ir_.getPtrTy();
  llvm::Type* i32 = ir_.getInt32Ty();
  const auto put = [&](llvm::AllocaInst* a, uint32_t at, V v) {
    ir_.CreateAlignedStore(splat(v), ir_.CreateConstInBoundsGEP1_64(words8(), a, at), llvm::Align(32));
  };
  words(argumentBlock_, kArgumentWords), words(resultBlock_, kResultWords);
  // Where all lanes have the same descriptors, nobody has to find that out for every call.
  const bool sampled = inst.src[2].present();
  const bool same = tex.rule == abi::DimRule::Given && isUniform(inst.src[0]) && (!sampled || isUniform(inst.src[2]));
  V image, filter;
  if (same) {
    image = imageSlot(inst.src[0]);
    filter = sampled ? imageSlot(inst.src[2]) : static_cast<V>(llvm::ConstantPointerNull::get(ir_.getPtrTy()));
  } else {
    image = words(handleBlock_, 1), filter = words(samplerBlock_, 1);
    put(handleBlock_, 0, word(inst.src[0]));
    put(samplerBlock_, 0, sampled ? word(inst.src[2]) : ir_.getInt32(abi::kNullHandle));
  }
  for (uint32_t w = 0; w < tex.argWords(); ++w)
    put(argumentBlock_, w, sample && w == tex.argSample() ? sample : word(inst.src[1], w));

  V active = bitsOf(tex.writesImage() ? sideEffectMask() : exec());
  llvm::BasicBlock* call = block("tex");
  llvm::BasicBlock* done = block("texdone");
  ir_.CreateCondBr(nonzero(active), call, done);
  enter(call);
  auto* type = llvm::FunctionType::get(ir_.getVoidTy(), {ptr, i32, i32, ptr, ptr, ptr, ptr}, false);
  V function = field(functions_, offsetof(abi::FunctionTable, texture), ptr);
  const uint32_t immediate = inst.imm | (same ? TexInst::kSameHandles : 0);
  ir_.CreateCall(
      type, function,
      {warp(), ir_.getInt32(immediate), active, image, filter, argumentBlock_, result ? result : resultBlock_});
  ir_.CreateBr(done);
  enter(done);
}

}  // namespace etzel::native
