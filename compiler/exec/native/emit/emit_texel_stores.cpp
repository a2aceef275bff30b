// Stores of texels to views that abi::DirectView describes. Those of one or two bytes that eight lanes write to
// neighbours in a row, as compute programs do, are made and stored here; others by a routine that the view has for its
// format (abi::WriteTexels), or the texture unit.
#include <cstddef>

#include "compiler/exec/native/emit/emitter.h"
#include "compiler/exec/native/emit/texel_axes.h"
#include "runtime/abi/kernel.h"

namespace etzel::native {

using abi::DirectView;
using abi::StoredTexels;
using abi::TexInst;
using isa::Inst;

namespace {
constexpr size_t storedAt(size_t member) { return offsetof(DirectView, stored) + member; }

/// What such data are stored as where nobody asks the routine.
StoredTexels::Numbers numbersOf(abi::TexType type) {
  if (type == abi::TexType::Float) return StoredTexels::Numbers::Codes;
  return type == abi::TexType::Uint ? StoredTexels::Numbers::Uint : StoredTexels::Numbers::Sint;
}
}  // namespace

/// Stores to an image whose descriptor is the same in all lanes.
bool Emitter::writesTexels(const Inst& inst) const {
  const TexInst tex = TexInst::unpack(inst.imm);
  return tex.kind == abi::TexKind::ImageWrite && namesTexels(tex) && tex.lod == abi::LodMode::Zero &&
         tex.dataWords() == 4 && !tex.offset && isUniform(inst.src[0]);
}

void Emitter::writeTexels(const Inst& inst) {
  V view = viewOf(inst.src[0]);
  V direct = directView(inst.src[0], view);
  // Fragments lie in quads.
  if (program_.info.stage == abi::Stage::Fragment || !fusesAtOnce())
    return callWriter(inst, view, direct, placesOfTexels(inst, direct));
  const bool neighbours = areNeighbours(inst);
  TexelPlaces places{};
  if (!neighbours) places = placesOfTexels(inst, direct);
  llvm::BasicBlock* known = block("writeknown");
  llvm::BasicBlock* row = block("writerow");
  llvm::BasicBlock* others = block("writeothers");
  llvm::BasicBlock* done = block("stored");
  const StoredTexels::Numbers here = numbersOf(TexInst::unpack(inst.imm).type);
  V numbers = field(direct, storedAt(offsetof(StoredTexels, numbers)), ir_.getInt32Ty());
  const auto is = [&](StoredTexels::Numbers n) {
    return ir_.CreateICmpEQ(numbers, ir_.getInt32(static_cast<uint32_t>(n)));
  };
  V possible = is(here);
  if (here == StoredTexels::Numbers::Codes) possible = ir_.CreateOr(possible, is(StoredTexels::Numbers::Half));
  ir_.CreateCondBr(possible, known, others);
  enter(known);
  const TexelRow to = neighbours ? rowOfNeighbours(inst, direct) : rowOfPlaces(places);
  ir_.CreateCondBr(to.whole, row, others, likely());
  enter(row);
  if (here == StoredTexels::Numbers::Codes) {
    llvm::BasicBlock* codes = block("writecodes");
    llvm::BasicBlock* halves = block("writehalves");
    ir_.CreateCondBr(is(here), codes, halves);
    enter(halves);
    V value = splat(word(inst.src[1], TexInst::unpack(inst.imm).argData()));
    V half = ir_.CreateFPTrunc(ir_.CreateBitCast(value, lanes(ir_.getFloatTy())), lanes(ir_.getHalfTy()));
    ir_.CreateAlignedStore(half, to.first, llvm::Align(1));
    ir_.CreateBr(done);
    enter(codes);
  }
  writeCodes(inst, direct, to.first);
  ir_.CreateBr(done);
  enter(others);
  callWriter(inst, view, direct, neighbours ? placesOfTexels(inst, direct) : places);
  ir_.CreateBr(done);
  enter(done);
}

/// Whether lanes are known to store to neighbours in a row.
bool Emitter::areNeighbours(const Inst& inst) const {
  isa::Operand row = inst.src[1];
  bool same = true;
  for (size_t d = 1, axes = texelAxes(TexInst::unpack(inst.imm)).size(); d < axes; ++d)
    ++row.word, same &= isUniform(row);
  return same && shapeOf(inst.src[1]).stride() == 1u;
}

/// Only the first and the last one need a look.
Emitter::TexelRow Emitter::rowOfNeighbours(const Inst& inst, V direct) {
  llvm::Type* i32 = ir_.getInt32Ty();
  V x = baseOf(inst.src[1]);
  V firsts = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, field(direct, offsetof(DirectView, width), i32),
                                       ir_.getInt32(kWarpLanes - 1));
  TexelRow row{ir_.CreateICmpULT(x, firsts), nullptr};
  V offset = ir_.CreateShl(x, field(direct, offsetof(DirectView::Kind, logBytes), i32));
  const auto axes = texelAxes(TexInst::unpack(inst.imm));
  for (uint32_t d = 1; d < axes.size(); ++d) {
    V at = word(inst.src[1], d);
    if (isVector(at)) at = ir_.CreateExtractElement(at, uint64_t(0));
    row.whole = ir_.CreateAnd(row.whole, ir_.CreateICmpULT(at, field(direct, axes[d].size, i32)));
    offset = ir_.CreateAdd(offset, ir_.CreateMul(at, field(direct, axes[d].pitch, i32)));
  }
  if (!allActive())
    row.whole = ir_.CreateAnd(row.whole, ir_.CreateICmpEQ(bitsOf(sideEffectMask()), ir_.getInt32(kAllLanes)));
  row.first = ir_.CreateGEP(ir_.getInt8Ty(), field(direct, offsetof(DirectView, texels), ir_.getPtrTy()),
                            ir_.CreateSExt(offset, ir_.getInt64Ty()));
  return row;
}

Emitter::TexelRow Emitter::rowOfPlaces(const TexelPlaces& places) {
  V first = ir_.CreateExtractElement(places.offset, uint64_t(0));
  V inOrder =
      ir_.CreateICmpEQ(ir_.CreateSub(places.offset, splat(first)), ir_.CreateShl(steps(1), splat(places.logBytes)));
  V stored = ir_.CreateAnd(ir_.CreateAnd(inOrder, places.inside), nonzero(sideEffectMask()));
  return {ir_.CreateICmpEQ(bitsOf(stored), ir_.getInt32(kAllLanes)),
          ir_.CreateGEP(ir_.getInt8Ty(), places.texels, ir_.CreateSExt(first, ir_.getInt64Ty()))};
}

/// Stores the first component of all lanes, as the view has it, or two of a byte, from `first` on.
void Emitter::writeCodes(const Inst& inst, V direct, V first) {
  llvm::Type* i32 = ir_.getInt32Ty();
  const TexInst tex = TexInst::unpack(inst.imm);
  const auto data = [&](uint32_t c) { return splat(word(inst.src[1], tex.argData() + c)); };
  const auto put = [&](V codes, llvm::Type* texel) {
    ir_.CreateAlignedStore(ir_.CreateTrunc(codes, lanes(texel)), first, llvm::Align(1));
  };
  V codes;
  llvm::BasicBlock* stored = block("codesstored");
  if (tex.type == abi::TexType::Float) {
    codes = codesOf(direct, data(0));
    llvm::BasicBlock* both = block("twocodes");
    llvm::BasicBlock* one = block("onecode");
    V second = field(direct, storedAt(offsetof(StoredTexels, second)), i32);
    ir_.CreateCondBr(nonzero(second), both, one);
    enter(both);
    V low = ir_.CreateAnd(codes, splat(ir_.getInt32(255)));
    put(ir_.CreateOr(low, ir_.CreateShl(codesOf(direct, data(1)), splat(ir_.getInt32(8)))), ir_.getInt16Ty());
    ir_.CreateBr(stored);
    enter(one);
  } else {
    V most = field(direct, storedAt(offsetof(StoredTexels, most)), i32);
    const bool isSigned = tex.type == abi::TexType::Sint;
    codes = ir_.CreateBinaryIntrinsic(isSigned ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, data(0), splat(most));
    if (isSigned) codes = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, codes, splat(ir_.CreateNot(most)));
  }
  llvm::BasicBlock* bytes = block("writebytes");
  llvm::BasicBlock* pairs = block("writepairs");
  V logBytes = field(direct, offsetof(DirectView::Kind, logBytes), i32);
  ir_.CreateCondBr(nonzero(logBytes), pairs, bytes);
  enter(bytes);
  put(codes, ir_.getInt8Ty());
  ir_.CreateBr(stored);
  enter(pairs);
  put(codes, ir_.getInt16Ty());
  ir_.CreateBr(stored);
  enter(stored);
}

/// Normalized numbers' codes in the low bits, as the view has them.
llvm::Value* Emitter::codesOf(V direct, V numbers) {
  llvm::Type* f32 = ir_.getFloatTy();
  const auto rule = [&](size_t member) { return splat(field(direct, storedAt(member), f32)); };
  const auto number = [&](float v) { return splat(llvm::ConstantFP::get(f32, v)); };
  V v = ir_.CreateBitCast(numbers, lanes(f32));
  V low = rule(offsetof(StoredTexels, low));
  v = ir_.CreateSelect(ir_.CreateFCmpUNO(v, v), number(0), v);
  v = ir_.CreateSelect(ir_.CreateFCmpOGT(v, low), v, low);
  v = ir_.CreateSelect(ir_.CreateFCmpOLT(v, number(1)), v, number(1));
  v = ir_.CreateFMul(v, rule(offsetof(StoredTexels, product)));
  // Floats of that size count by ones: the sum is rounded once, and its low bits are the integer's.
  constexpr float kCounts = 0x1.8p23f;
  v = fused(ir_, v, rule(offsetof(StoredTexels, power)), number(kCounts));
  return ir_.CreateBitCast(v, words8());
}

/// Stores by the view's routine, or the texture unit.
void Emitter::callWriter(const Inst& inst, V view, V direct, const TexelPlaces& places) {
  const TexInst tex = TexInst::unpack(inst.imm);
  llvm::Type* ptr = ir_.getPtrTy();
  V write = field(direct, offsetof(DirectView, write), ptr);
  llvm::BasicBlock* here = block("write");
  llvm::BasicBlock* some = block("writesome");
  llvm::BasicBlock* call = block("writecall");
  llvm::BasicBlock* done = block("written");
  ir_.CreateCondBr(has(direct, DirectView::kWrite, write), here, call, likely());
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

}  // namespace etzel::native
