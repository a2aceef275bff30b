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
  llvm::BasicBlock* here = block("atomictexels");
  llvm::BasicBlock* call = block("atomiccall");
  llvm::BasicBlock* done = block("atomicdone");
  ir_.CreateCondBr(ir_.CreateAnd(words, known), here, call, likely());
  enter(here);
  const TexelPlaces places = placesOfTexels(inst, direct);
  V mask = tex.atomic == AtomicOp::Load ? exec() : sideEffectMask();
  const auto operand = [&](uint32_t i) {
    return i < tex.dataWords() ? splat(word(inst.src[1], tex.argData() + i)) : nullptr;
  };
  Inst step = inst;
  step.atomic = static_cast<uint8_t>(tex.atomic), step.type = isa::Type::I32;
  step.sub = static_cast<uint8_t>(isa::Space::Buffer);
  V offset = ir_.CreateZExt(places.offset, lanes(ir_.getInt64Ty()));
  V address = ir_.CreateAdd(splat(ir_.CreatePtrToInt(places.texels, ir_.getInt64Ty())), offset);
  V now = ir_.CreateAnd(places.inside, nonzero(mask));
  V own = atomicOfLanes(step, i32, address, now, operand(0), operand(1));
  here = ir_.GetInsertBlock();
  ir_.CreateBr(done);
  enter(call);
  callTexture(inst);
  V asked = inst.dst.present() ? textureResult(0) : own;
  call = ir_.GetInsertBlock();
  ir_.CreateBr(done);
  enter(done);
  if (inst.dst.present()) setWord(inst, 0, eitherOf({own}, here, {asked}, call)[0]);
}

}  // namespace etzel::native
