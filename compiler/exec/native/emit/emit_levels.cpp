// Samples of images of several levels, layers and the like, whose descriptors are the same in all lanes: the view's
// routine runs them (abi::SampleLevels). Those of plain images read the first level alone where no footprint is larger
// than a texel, and where that is known of view and sampler, emit_sample.cpp has them.
#include <algorithm>
#include <cstddef>

#include "compiler/exec/native/emit/emitter.h"
#include "runtime/abi/kernel.h"

namespace etzel::native {

using abi::DirectView;
using abi::TexInst;
using isa::Inst;

/// Whether DirectView::sample may know an instruction.
bool Emitter::asksView(const Inst& inst) const {
  const TexInst tex = TexInst::unpack(inst.imm);
  return (tex.kind == abi::TexKind::Sample || tex.kind == abi::TexKind::Gather) && tex.rule == abi::DimRule::Given &&
         !tex.sparse && isUniform(inst.src[0]) && isUniform(inst.src[2]);
}

/// Has the view's routine run the instruction. Leaves the result in resultBlock_. \returns i1: whether it could
llvm::Value* Emitter::callLevels(const Inst& inst, V view, V routine) {
  llvm::Type* ptr = ir_.getPtrTy();
  llvm::Type* i32 = ir_.getInt32Ty();
  words(argumentBlock_, kArgumentWords), words(resultBlock_, kResultWords);
  for (uint32_t w = 0, count = TexInst::unpack(inst.imm).argWords(); w < count; ++w)
    ir_.CreateAlignedStore(splat(word(inst.src[1], w)), ir_.CreateConstInBoundsGEP1_64(words8(), argumentBlock_, w),
                           llvm::Align(32));
  V lanes = ir_.getInt32(kAllLanes);
  if (!allActive()) {
    V active = bitsOf(exec());
    lanes = ir_.CreateSelect(nonzero(active), active, lanes);
  }
  auto* type = llvm::FunctionType::get(ir_.getInt8Ty(), {ptr, ptr, i32, ptr, i32, ptr}, false);
  V done = ir_.CreateCall(type, routine,
                          {view, samplerOf(inst.src[2]), ir_.getInt32(inst.imm), argumentBlock_, lanes, resultBlock_});
  return ir_.CreateTrunc(done, ir_.getInt1Ty());
}

/// Asks the view's routine, then the texture unit. Goes on in `load`, with the result in resultBlock_.
void Emitter::sampleLevels(const Inst& inst, V view, V texels, llvm::BasicBlock* call, llvm::BasicBlock* load) {
  V routine = field(texels, offsetof(DirectView, sample), ir_.getPtrTy());
  llvm::BasicBlock* ask = block("askview");
  ir_.CreateCondBr(has(texels, DirectView::kSample, routine), ask, call, likely());
  enter(ask);
  ir_.CreateCondBr(callLevels(inst, view, routine), load, call, likely());
  enter(call);
  callTexture(inst);
  ir_.CreateBr(load);
  enter(load);
}

/// The words of a sample that is asked so.
std::vector<llvm::Value*> Emitter::askedWords(const Inst& inst, V view, V texels) {
  sampleLevels(inst, view, texels, block("samplecall"), block("sampled"));
  return textureResults(isa::dstWords(inst));
}

/// Samples that this file knows nothing else of.
void Emitter::askView(const Inst& inst) {
  V view = viewOf(inst.src[0]);
  setResults({{index_, strand_}}, askedWords(inst, view, directView(inst.src[0], view)));
}

/// What is known of the image and the sampler of a texture instruction, where code is made for them.
std::optional<Emitter::KnownSample> Emitter::whatIsBound(const Inst& inst) const {
  const auto view = bound_.views.find(constantHandle(inst.src[0]).value_or(abi::kNullHandle));
  const auto sampler = bound_.samplers.find(constantHandle(inst.src[2]).value_or(abi::kNullHandle));
  if (view == bound_.views.end() || sampler == bound_.samplers.end()) return {};
  return KnownSample{view->second, sampler->second};
}

/// The same of a sample that may read footprints.
std::optional<Emitter::KnownSample> Emitter::knownSample(const Inst& inst) const {
  if (isa::opInfo(inst).native != isa::Native::Texture || !readsFootprints(inst) || TexInst::unpack(inst.imm).dref)
    return {};
  return whatIsBound(inst);
}

/// Whether a sample depends on its level of detail, and all that there is to it on the first level is known.
bool Emitter::mayMagnify(const Inst& inst) const {
  const TexInst tex = TexInst::unpack(inst.imm);
  const std::optional<KnownSample> known = knownSample(inst);
  return tex.lod == abi::LodMode::Implicit && !tex.minLod && known && known->hasFirst() && !known->hasOne() &&
         !known->sampler.unnormalized;
}

/// Whether a program's samples are all of one level, or may be, as far as that is known of what is bound.
bool Emitter::readsOneLevel() const {
  return std::all_of(program_.code.begin(), program_.code.end(), [&](const Inst& inst) {
    if (isa::opInfo(inst).native != isa::Native::Texture || gathersTexels(inst)) return true;
    const std::optional<KnownSample> known = knownSample(inst);
    return known && (known->hasOne() || mayMagnify(inst) || (readsFirstLevel(inst) && known->hasFirst()));
  });
}

/// Of each footprint the length of a side, squared, in texels of the first level: that along x in lanes 0 and 2 of a
/// quad, that along y in lanes 1 and 3.
llvm::Value* Emitter::squaredSides(const Inst& inst, V texels) {
  llvm::Type* floats = lanes(ir_.getFloatTy());
  constexpr size_t kSizes[2] = {offsetof(DirectView, width), offsetof(DirectView, height)};
  V squares = nullptr;
  for (uint32_t d = 0; d < TexInst::unpack(inst.imm).spatialDims(); ++d) {
    V at = ir_.CreateBitCast(splat(word(inst.src[1], d)), floats);
    V side = ir_.CreateFSub(ir_.CreateShuffleVector(at, {1, 2, 1, 2, 5, 6, 5, 6}),
                            ir_.CreateShuffleVector(at, {0, 0, 0, 0, 4, 4, 4, 4}));
    V size = ir_.CreateSIToFP(field(texels, kSizes[d], ir_.getInt32Ty()), ir_.getFloatTy());
    side = ir_.CreateFMul(side, splat(size));
    V square = ir_.CreateFMul(side, side);
    squares = d ? ir_.CreateFAdd(squares, square) : square;
  }
  return squares;
}

/// \returns i1: whether no footprint is longer than a texel, which makes their levels 0 or less (isWithinTexel() of
/// runtime/tex/lanes/sample.h)
llvm::Value* Emitter::areWithinTexels(V squares) {
  V longer = ir_.CreateFCmpOGT(squares, llvm::ConstantFP::get(squares->getType(), 1.0));
  return ir_.CreateICmpEQ(ir_.CreateBitCast(longer, ir_.getInt8Ty()), ir_.getInt8(0));
}

/// Goes on where footprints lie `within` texels, and to `more` else: nothing is found in vain.
void Emitter::whereWithinTexels(V within, llvm::BasicBlock* more) {
  llvm::BasicBlock* first = block("firstlevel");
  ir_.CreateCondBr(within, first, more);
  enter(first);
}

}  // namespace etzel::native
