// Atomics of all lanes at one place: one for all of them, with what lanes would have found one after the other, the
// lowest first.
#include "compiler/exec/native/emit/emitter.h"

namespace etzel::native {

using abi::AtomicOp;
using isa::Inst;

/// By lane, the sum of the lanes before it.
llvm::Value* Emitter::sumsBefore(V values) {
  V sums = values;
  for (int distance = 1; distance < int(kWarpLanes); distance *= 2) {
    int from[kWarpLanes];
    for (int i = 0; i < int(kWarpLanes); ++i) from[i] = i < distance ? int(kWarpLanes) : i - distance;
    V before = ir_.CreateShuffleVector(sums, llvm::Constant::getNullValue(sums->getType()), from);
    sums = ir_.CreateAdd(sums, before);
  }
  return ir_.CreateSub(sums, values);
}

/// With what came of all lanes. \returns what was there before
llvm::Value* Emitter::atomicAsReduced(const Inst& inst, V address, V value) {
  V p = ir_.CreateIntToPtr(address, ir_.getPtrTy());
  const bool own = static_cast<isa::Space>(inst.sub) == isa::Space::Shared;
  return own ? groupsOwnStep(inst, value->getType(), p, value, nullptr)
             : atomicStep(inst, value->getType(), p, value, nullptr);
}

bool Emitter::atomicOfAll(const Inst& inst, const Access& a, V value) {
  const std::optional<isa::ReduceOp> step = reductionOf(static_cast<AtomicOp>(inst.atomic));
  const bool sums = step == isa::ReduceOp::Add, wanted = inst.dst.present();
  if (!step || (wanted && !sums) || !isAtOnePlace(webs_, divergence_, inst) || isVector(a.range.base)) return false;
  V runs = nonzero(sideEffectMask());
  value = orIdentity(runs, value, *step);
  V at = ir_.CreateAdd(ir_.CreateZExt(baseOf(a.offset), ir_.getInt64Ty()), constant64(a.imm));
  V address = ir_.CreateAdd(ir_.CreatePtrToInt(a.range.base, ir_.getInt64Ty()), at);
  V inside = ir_.CreateICmpULE(ir_.CreateAdd(at, constant64(a.bytes)), a.range.size);
  inside = ir_.CreateAnd(inside, ir_.CreateICmpEQ(ir_.CreateAnd(address, constant64(a.bytes - 1)), constant64(0)));
  llvm::BasicBlock *here = block("atomic"), *after = block("after"), *before = ir_.GetInsertBlock();
  ir_.CreateCondBr(ir_.CreateAnd(inside, nonzero(bitsOf(runs))), here, after);
  enter(here);
  V found = nullptr;
  if (const auto slot = delayedAtomics_.find(index_); slot != delayedAtomics_.end())
    putOff(inst, slot->second, *step, address, reduced(*step, value));
  else if (!wanted)
    atomicAsReduced(inst, address, reduced(*step, value));
  else {
    V lower = sumsBefore(value);
    V total = ir_.CreateAdd(ir_.CreateExtractElement(lower, uint64_t(kWarpLanes - 1)),
                            ir_.CreateExtractElement(value, uint64_t(kWarpLanes - 1)));
    found = ir_.CreateAdd(splat(atomicAsReduced(inst, address, total)), lower);
    found = ir_.CreateSelect(runs, found, llvm::Constant::getNullValue(found->getType()));  // as the interpreter
  }
  llvm::BasicBlock* end = ir_.GetInsertBlock();
  ir_.CreateBr(after);
  enter(after);
  if (!wanted) return true;
  llvm::PHINode* old = ir_.CreatePHI(value->getType(), 2);
  old->addIncoming(llvm::Constant::getNullValue(value->getType()), before);
  old->addIncoming(found, end);
  setElement(inst, old);
  return true;
}

}  // namespace etzel::native
