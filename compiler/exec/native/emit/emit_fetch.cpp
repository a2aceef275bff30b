// Texels that compiled code reads itself, and sizes of images: of views that abi::DirectView describes. What differs
// between formats are numbers that the code loads once, so that it fits whatever is bound.
#include <cstddef>

#include <llvm/IR/MDBuilder.h>

#include "compiler/exec/native/emit/emitter.h"
#include "runtime/abi/kernel.h"

namespace etzel::native {

using abi::DirectView;
using abi::TexInst;
using abi::TexKind;
using isa::Inst;

namespace {
bool isFlat(const TexInst& tex) {
  return (tex.dim == abi::TexDim::D2 || tex.dim == abi::TexDim::D1) && !tex.arrayed && !tex.multisampled &&
         tex.rule == abi::DimRule::Given;
}
}  // namespace

/// Instructions on a plain 2D or 1D image whose descriptor and level are the same in all lanes.
std::optional<Emitter::DirectWay> Emitter::directWay(const Inst& inst) {
  const TexInst tex = TexInst::unpack(inst.imm);
  const bool reads = tex.kind == TexKind::Fetch || tex.kind == TexKind::ImageRead;
  if (!reads && tex.kind != TexKind::QuerySize) return {};
  if (!isFlat(tex) || tex.sparse || tex.minLod || (reads && tex.type != abi::TexType::Float)) return {};
  isa::Operand level = inst.src[1];
  level.word += tex.argLod();
  const bool leveled = tex.lod == abi::LodMode::Explicit;
  if ((!leveled && tex.lod != abi::LodMode::Zero) || (leveled && !isUniform(level)) || !isUniform(inst.src[0]))
    return {};

  V direct = orZeros(viewOf(inst.src[0]));
  V format = field(direct, offsetof(DirectView, format), ir_.getInt32Ty());
  const auto is = [&](DirectView::Format f) {
    return ir_.CreateICmpEQ(format, ir_.getInt32(static_cast<uint32_t>(f)));
  };
  V possible = is(DirectView::Format::Codes);
  if (!reads) possible = ir_.CreateOr(possible, is(DirectView::Format::Size));
  if (leveled) {
    V number = word(level);
    if (isVector(number)) number = ir_.CreateExtractElement(number, uint64_t(0));
    possible = ir_.CreateAnd(possible, ir_.CreateICmpEQ(number, ir_.getInt32(0)));
  }
  if (!reads) {
    V width = field(direct, offsetof(DirectView, width), ir_.getInt32Ty());
    V zero = ir_.getInt32(0);
    V height = tex.spatialDims() > 1 ? field(direct, offsetof(DirectView, height), ir_.getInt32Ty()) : zero;
    return DirectWay{possible, [=] { return std::vector<V>{width, height, zero}; }};
  }
  // Fetches of neighbours share what depends on the image and most of the addresses: it stands before their branches.
  const TexelPlaces places = placesOfTexels(inst, direct);
  const std::vector<Component> components = componentsOf(direct);
  return DirectWay{possible, [=, this] { return numbersOf(components, loadTexels(places)); }};
}

/// Where the texels of all lanes lie.
Emitter::TexelPlaces Emitter::placesOfTexels(const Inst& inst, V direct) {
  const TexInst tex = TexInst::unpack(inst.imm);
  llvm::Type* i32 = ir_.getInt32Ty();
  TexelPlaces p;
  p.texels = field(direct, offsetof(DirectView, texels), ir_.getPtrTy());
  p.pitch = field(direct, offsetof(DirectView, rowPitch), i32);
  p.logBytes = field(direct, offsetof(DirectView, logBytes), i32);
  constexpr size_t kSizes[2] = {offsetof(DirectView, width), offsetof(DirectView, height)};
  V offset = nullptr;
  for (uint32_t d = 0; d < tex.spatialDims(); ++d) {
    V at = splat(word(inst.src[1], d));
    if (tex.offset) at = ir_.CreateAdd(at, splat(word(inst.src[1], tex.argOffset() + d)));
    V inside = ir_.CreateICmpULT(at, splat(field(direct, kSizes[d], i32)));
    p.inside = d ? ir_.CreateAnd(p.inside, inside) : inside;
    offset = d ? ir_.CreateAdd(offset, ir_.CreateMul(at, splat(p.pitch))) : ir_.CreateShl(at, splat(p.logBytes));
  }
  // Also in lanes that do not run: all addresses are texels.
  p.offset = ir_.CreateSelect(p.inside, offset, llvm::Constant::getNullValue(words8()));
  return p;
}

/// Stores to a plain image whose descriptor is the same in all lanes.
bool Emitter::writesTexels(const Inst& inst) const {
  const TexInst tex = TexInst::unpack(inst.imm);
  return tex.kind == TexKind::ImageWrite && isFlat(tex) && tex.lod == abi::LodMode::Zero && tex.dataWords() == 4 &&
         !tex.offset && isUniform(inst.src[0]);
}

void Emitter::writeTexels(const Inst& inst) {
  const TexInst tex = TexInst::unpack(inst.imm);
  llvm::Type* ptr = ir_.getPtrTy();
  V view = viewOf(inst.src[0]);
  V direct = orZeros(view);
  V write = field(direct, offsetof(DirectView, write), ptr);
  const TexelPlaces places = placesOfTexels(inst, direct);
  llvm::BasicBlock* here = block("write");
  llvm::BasicBlock* some = block("writesome");
  llvm::BasicBlock* call = block("writecall");
  llvm::BasicBlock* done = block("written");
  ir_.CreateCondBr(ir_.CreateIsNotNull(write), here, call, llvm::MDBuilder(context_).createBranchWeights(1000, 1));
  enter(here);
  V now = ir_.CreateAnd(bitsOf(sideEffectMask()), bitsOf(places.inside));
  ir_.CreateCondBr(nonzero(now), some, done);
  enter(some);
  words(argumentBlock_, kArgumentWords);
  const auto put = [&](uint32_t at, V v) {
    ir_.CreateAlignedStore(splat(v), ir_.CreateConstInBoundsGEP1_64(words8(), argumentBlock_, at), llvm::Align(32));
  };
  put(0, places.offset);
  for (uint32_t w = 0; w < 4; ++w) put(1 + w, word(inst.src[1], tex.argData() + w));
  ir_.CreateCall(llvm::FunctionType::get(ir_.getVoidTy(), {ptr, ptr, ir_.getInt32Ty(), ptr}, false), write,
                 {view, argumentBlock_, now, ir_.CreateConstInBoundsGEP1_64(words8(), argumentBlock_, 1)});
  ir_.CreateBr(done);
  enter(call);
  callTexture(inst);
  ir_.CreateBr(done);
  enter(done);
}

/// The bits of the texels of all lanes, others above them; 0 outside of the image.
llvm::Value* Emitter::loadTexels(const TexelPlaces& places) {
  // Lanes are neighbours often enough to look first: eight in a row, or in fragment programs, quads side by side.
  const bool quads = program_.info.stage == abi::Stage::Fragment;
  V first = ir_.CreateExtractElement(places.offset, uint64_t(0));
  V expected = steps(1);
  if (quads) {
    uint32_t across[8];
    for (uint32_t i = 0; i < kWarpLanes; ++i) across[i] = i % 2 + i / 4 * 2;
    expected = llvm::ConstantDataVector::get(context_, llvm::ArrayRef<uint32_t>(across));
  }
  expected = ir_.CreateShl(expected, splat(places.logBytes));
  if (quads) {
    uint32_t down[8];
    for (uint32_t i = 0; i < kWarpLanes; ++i) down[i] = i / 2 % 2 ? ~0u : 0;
    V rows = llvm::ConstantDataVector::get(context_, llvm::ArrayRef<uint32_t>(down));
    expected = ir_.CreateAdd(expected, ir_.CreateAnd(splat(places.pitch), rows));
  }
  V differs = ir_.CreateICmpNE(ir_.CreateSub(places.offset, splat(first)), expected);
  V neighbours = ir_.CreateICmpEQ(ir_.CreateBitCast(differs, ir_.getInt8Ty()), ir_.getInt8(0));
  llvm::BasicBlock* apart = block("fetchlanes");
  llvm::BasicBlock* loaded = block("fetched");
  llvm::BasicBlock* together = block("fetchrow");
  llvm::BasicBlock* bytes[3] = {block("fetch1"), block("fetch2"), block("fetch4")};
  ir_.CreateCondBr(neighbours, together, apart);
  enter(together);
  llvm::SwitchInst* size = ir_.CreateSwitch(places.logBytes, bytes[2], 2);
  for (uint32_t i = 0; i < 2; ++i) size->addCase(ir_.getInt32(i), bytes[i]);
  std::vector<std::pair<V, llvm::BasicBlock*>> ways;
  const auto arrive = [&](V texels) {
    ways.emplace_back(texels, ir_.GetInsertBlock());
    ir_.CreateBr(loaded);
  };
  for (uint32_t i = 0; i < 3; ++i) {
    enter(bytes[i]);
    arrive(loadRow(places, first, 1u << i));
  }
  enter(apart);
  arrive(loadApart(places));
  enter(loaded);
  llvm::PHINode* texels = ir_.CreatePHI(words8(), 4);
  for (const auto& [value, from] : ways) texels->addIncoming(value, from);
  return places.inside ? ir_.CreateSelect(places.inside, texels, llvm::Constant::getNullValue(words8())) : texels;
}

/// Neighbours, from the texel at `first` on.
llvm::Value* Emitter::loadRow(const TexelPlaces& places, V first, uint32_t bytes) {
  llvm::Type* texel = ir_.getIntNTy(8 * bytes);
  const auto load = [&](V at, uint32_t count) -> V {
    V p = ir_.CreateGEP(ir_.getInt8Ty(), places.texels, ir_.CreateSExt(at, ir_.getInt64Ty()));
    return ir_.CreateAlignedLoad(llvm::FixedVectorType::get(texel, count), p, llvm::Align(bytes));
  };
  V row;
  if (program_.info.stage == abi::Stage::Fragment) {
    V top = load(first, 4), bottom = load(ir_.CreateAdd(first, places.pitch), 4);
    const int order[8] = {0, 1, 4, 5, 2, 3, 6, 7};
    row = ir_.CreateShuffleVector(top, bottom, llvm::ArrayRef<int>(order, 8));
  } else {
    row = load(first, kWarpLanes);
  }
  return ir_.CreateZExt(row, words8());
}

/// Lane by lane: the aligned word that has the texel, which lies in the image's memory too.
llvm::Value* Emitter::loadApart(const TexelPlaces& places) {
  V inWord = ir_.CreateShl(ir_.CreateAnd(places.offset, splat(ir_.getInt32(3))), splat(ir_.getInt32(3)));
  V aligned = ir_.CreateAnd(places.offset, splat(ir_.getInt32(~3u)));
  V each = llvm::PoisonValue::get(words8());
  for (uint64_t i = 0; i < kWarpLanes; ++i) {
    V at = ir_.CreateSExt(ir_.CreateExtractElement(aligned, i), ir_.getInt64Ty());
    V p = ir_.CreateGEP(ir_.getInt8Ty(), places.texels, at);
    each = ir_.CreateInsertElement(each, ir_.CreateAlignedLoad(ir_.getInt32Ty(), p, llvm::Align(4)), i);
  }
  return ir_.CreateLShr(each, inWord);
}

std::vector<Emitter::Component> Emitter::componentsOf(V direct) {
  llvm::Type* i32 = ir_.getInt32Ty();
  llvm::Type* f32 = ir_.getFloatTy();
  std::vector<Component> all;
  for (uint32_t c = 0; c < 4; ++c) {
    const size_t at = offsetof(DirectView, component) + c * sizeof(DirectView::Component);
    all.push_back({field(direct, at + offsetof(DirectView::Component, shift), i32),
                   field(direct, at + offsetof(DirectView::Component, mask), i32),
                   field(direct, at + offsetof(DirectView::Component, power), f32),
                   field(direct, at + offsetof(DirectView::Component, rest), f32),
                   field(direct, at + offsetof(DirectView::Component, constant), i32)});
  }
  return all;
}

/// The components of all lanes. Fused or not, the sum is the same for all codes; the first product is exact.
std::vector<llvm::Value*> Emitter::numbersOf(const std::vector<Component>& components, V texels) {
  std::vector<V> words;
  for (const Component& c : components) {
    V code = ir_.CreateAnd(ir_.CreateLShr(texels, splat(c.shift)), splat(c.mask));
    V number = ir_.CreateSIToFP(code, lanes(ir_.getFloatTy()));
    V sum = fused(ir_, number, splat(c.rest), ir_.CreateFMul(number, splat(c.power)));
    words.push_back(ir_.CreateOr(ir_.CreateBitCast(sum, words8()), splat(c.constant)));
  }
  return words;
}

}  // namespace etzel::native
