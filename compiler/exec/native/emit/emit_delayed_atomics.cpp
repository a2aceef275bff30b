// Atomics whose results nobody wants, put off (runtime/abi/delayed_atomics.h): those of all lanes at one place, which a
// slot collects, and those of lanes that have places of their own, whose entries a table has.
#include <bit>
#include <cstddef>

#include "compiler/exec/native/emit/emitter.h"
#include "runtime/abi/delayed_atomics.h"

namespace etzel::native {

using abi::DelayedAtomics;
using isa::Inst;

namespace {

llvm::Value* at(IR& ir, llvm::Value* base, size_t offset) {
  return ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), base, offset);
}

}  // namespace

/// Adds to what was put off for the place, or begins to.
void Emitter::putOff(const Inst& inst, uint32_t slot, isa::ReduceOp step, V address, V value) {
  llvm::Type* ptr = ir_.getPtrTy();
  llvm::Type* i32 = ir_.getInt32Ty();
  V all = warpField(offsetof(abi::Warp, delayed));
  llvm::BasicBlock *later = block("later"), *begin = block("begin"), *add = block("add"), *now = block("now"),
                   *done = block("done");
  ir_.CreateCondBr(ir_.CreateIsNotNull(all), later, now);
  enter(later);
  V own = at(ir_, all, offsetof(DelayedAtomics, slot) + slot * sizeof(DelayedAtomics::Slot));
  V place = ir_.CreateIntToPtr(address, ptr),
    held = ir_.CreateLoad(ptr, at(ir_, own, offsetof(DelayedAtomics::Slot, place)));
  ir_.CreateCondBr(ir_.CreateICmpEQ(held, place), add, begin);
  enter(begin);
  auto* type = llvm::FunctionType::get(ir_.getVoidTy(), {ptr, i32, ptr, ir_.getInt8Ty(), i32}, false);
  V function = ir_.CreateLoad(ptr, at(ir_, all, offsetof(DelayedAtomics, begin)));
  ir_.CreateCall(type, function,
                 {all, ir_.getInt32(slot), place, ir_.getInt8(inst.atomic), ir_.getInt32(isa::typeBytes(inst.type))});
  ir_.CreateBr(add);
  enter(add);
  V sum = at(ir_, own, offsetof(DelayedAtomics::Slot, value));
  ir_.CreateStore(reduceStep(step, ir_.CreateLoad(value->getType(), sum), value), sum);
  ir_.CreateBr(done);
  enter(now);
  atomicAsReduced(inst, address, value);
  ir_.CreateBr(done);
  enter(done);
}

/// The same for each lane of `now` and its place.
void Emitter::putOffEach(const Inst& inst, isa::ReduceOp step, V address, V now, V value) {
  using Place = DelayedAtomics::Place;
  llvm::Type* ptr = ir_.getPtrTy();
  llvm::Type* i32 = ir_.getInt32Ty();
  llvm::Type* i64 = ir_.getInt64Ty();
  const uint32_t bytes = isa::typeBytes(inst.type);
  V all = warpField(offsetof(abi::Warp, delayed));
  llvm::BasicBlock *look = block("look"), *later = block("later"), *atOnce = block("atOnce"), *done = block("done");
  ir_.CreateCondBr(ir_.CreateIsNotNull(all), look, atOnce);
  enter(look);
  V places = ir_.CreateLoad(ptr, at(ir_, all, offsetof(DelayedAtomics, places)));
  ir_.CreateCondBr(ir_.CreateIsNotNull(places), later, atOnce);
  enter(later);
  V warps = at(ir_, all, offsetof(DelayedAtomics, warps));
  ir_.CreateStore(ir_.CreateAdd(ir_.CreateLoad(i32, warps), ir_.getInt32(1)), warps);
  llvm::AllocaInst *addresses = inMemory(address), *values = inMemory(value);
  const auto putOffOne = [&](V lane) {
    V place = laneIn(addresses, lane);
    V entry = ir_.CreateAnd(ir_.CreateLShr(place, std::countr_zero(bytes)), constant64(DelayedAtomics::kPlaces - 1));
    V known = ir_.CreateInBoundsGEP(llvm::ArrayType::get(i64, sizeof(Place) / 8), places, entry);
    V held = ir_.CreateLoad(i64, at(ir_, known, offsetof(Place, address)));
    llvm::BasicBlock *here = ir_.GetInsertBlock(), *replace = block("replace"), *add = block("add");
    ir_.CreateCondBr(ir_.CreateICmpEQ(held, place), add, replace, likely());
    enter(replace);
    auto* type = llvm::FunctionType::get(ptr, {ptr, ptr, ir_.getInt8Ty(), i32}, false);
    V function = ir_.CreateLoad(ptr, at(ir_, all, offsetof(DelayedAtomics, replace)));
    V made = ir_.CreateCall(type, function,
                            {all, ir_.CreateIntToPtr(place, ptr), ir_.getInt8(inst.atomic), ir_.getInt32(bytes)});
    ir_.CreateBr(add);
    enter(add);
    llvm::PHINode* own = ir_.CreatePHI(ptr, 2);
    own->addIncoming(known, here), own->addIncoming(made, replace);
    V sum = at(ir_, own, offsetof(Place, value)), more = laneIn(values, lane);
    ir_.CreateStore(reduceStep(step, ir_.CreateLoad(more->getType(), sum), more), sum);
  };
  llvm::BasicBlock *whole = block("whole"), *some = block("some");
  ir_.CreateCondBr(ir_.CreateICmpEQ(bitsOf(now), ir_.getInt32((1U << width_) - 1)), whole, some);
  enter(whole);
  for (uint32_t lane = 0; lane < width_; ++lane) putOffOne(ir_.getInt32(lane));
  ir_.CreateBr(done);
  enter(some);
  forEachLane(now, putOffOne);
  ir_.CreateBr(done);
  enter(atOnce);
  atomicOfLanes(inst, llvm::cast<llvm::VectorType>(value->getType())->getElementType(), address, now, value, nullptr);
  ir_.CreateBr(done);
  enter(done);
}

}  // namespace etzel::native
