// Atomics on texels of one word, of views that abi::DirectView describes: as those on buffers, lane after lane. Floats
// are the texture unit's.
#include <cstddef>

#include "compiler/exec/native/emit/emitter.h"
#include "runtime/abi/kernel.h"

namespace etzel::native {

using abi::AtomicOp;
using abi::DirectView;
using abi::TexInst;
using isa::Inst;

/// Atomics on an image whose descriptor is the same in all lanes.
bool Emitter::changesTexels(const Inst& inst) const {
  const TexInst tex = TexInst::unpack(inst.imm);
  return tex.kind == abi::TexKind::ImageAtomic && namesTexels(tex) && tex.atomic < AtomicOp::FAdd &&
         (tex.type == abi::TexType::Uint || tex.type == abi::TexType::Sint) && !tex.offset && isUniform(inst.src[0]);
}

void Emitter::changeTexels(const Inst& inst) {
  llvm::Type* i32 = ir_.getInt32Ty();
  const TexInst tex = TexInst::unpack(inst.imm);
  V direct = directView(inst.src[0], viewOf(inst.src[0]));
  V words = ir_.CreateICmpEQ(field(direct, offsetof(DirectView::Kind, logBytes), i32), ir_.getInt32(2));
  V known = has(direct, DirectView::kWrite, field(direct, offsetof(DirectView, write), ir_.getPtrTy()));
  llvm::AllocaInst* result = slot(words8(), "texelatomic");
  llvm::BasicBlock* here = block("atomictexels");
  llvm::BasicBlock* call = block("atomiccall");
  llvm::BasicBlock* done = block("atomicdone");
  ir_.CreateCondBr(ir_.CreateAnd(words, known), here, call, likely());
  enter(here);
  ir_.CreateStore(llvm::Constant::getNullValue(words8()), result);
  const TexelPlaces places = placesOfTexels(inst, direct);
  V mask = tex.atomic == AtomicOp::Load ? exec() : sideEffectMask();
  const auto operand = [&](uint32_t i) {
    return i < tex.dataWords() ? inMemory(splat(word(inst.src[1], tex.argData() + i))) : nullptr;
  };
  llvm::AllocaInst* values = operand(0);
  llvm::AllocaInst* compares = operand(1);
  llvm::AllocaInst* offsets = inMemory(places.offset);
  Inst step = inst;
  step.atomic = static_cast<uint8_t>(tex.atomic), step.type = isa::Type::I32;
  forEachLane(ir_.CreateAnd(places.inside, nonzero(mask)), [&](V lane) {
    V offset = ir_.CreateZExt(laneIn(offsets, lane), ir_.getInt64Ty());
    V value = values ? laneIn(values, lane) : nullptr, compare = compares ? laneIn(compares, lane) : nullptr;
    V old = atomicStep(step, i32, ir_.CreateGEP(ir_.getInt8Ty(), places.texels, offset), value, compare);
    ir_.CreateStore(old, ir_.CreateInBoundsGEP(i32, result, lane));
  });
  ir_.CreateBr(done);
  enter(call);
  callTexture(inst);
  if (inst.dst.present()) ir_.CreateStore(textureResult(0), result);
  ir_.CreateBr(done);
  enter(done);
  if (inst.dst.present()) setWord(inst, 0, ir_.CreateLoad(words8(), result));
}

}  // namespace etzel::native
