// Loops whose loads can be looked at once (analysis/counted_loops.h) are there twice: for when all of them lie inside
// of their buffers, and for when some do not.
#include <algorithm>

#include "compiler/exec/native/emit/emitter.h"

namespace etzel::native {

using isa::Inst;
using isa::Opcode;
using isa::Operand;

/// Lane 0 of what does not change in a loop, before it.
llvm::Value* Emitter::valueBefore(Operand o) {
  const Constant* c = o.bank == isa::Bank::Temp ? &constants_[webs_.webOf(o)] : nullptr;
  return c && c->pushed ? pushed(*c->pushed) : baseOf(o);
}

/// The largest value, without sign, that lane 0 of an operand may have in a loop, as 64 bits. `last`: the counter's.
/// `lost`: i1, whether a bit is lost on the way.
llvm::Value* Emitter::mostInLoop(Operand o, uint32_t begin, V last, V& lost) {
  const CountedLoop& loop = countedLoops_.at(begin);
  if (o.bank == isa::Bank::Temp && webs_.webOf(o) == loop.counter) return last;
  const std::optional<uint32_t> at = madeInLoop(bounds_, webs_, constants_, loop, begin, o);
  if (!at) return ir_.CreateZExt(valueBefore(o), ir_.getInt64Ty());
  const Inst& inst = program_.code[*at];
  V a = mostInLoop(inst.src[0], begin, last, lost), b = mostInLoop(inst.src[1], begin, last, lost);
  if (inst.op == Opcode::Shl) b = ir_.CreateShl(constant64(1), ir_.CreateAnd(b, 31));
  V both = ir_.CreateBinaryIntrinsic(
      inst.op == Opcode::IAdd ? llvm::Intrinsic::uadd_with_overflow : llvm::Intrinsic::umul_with_overflow, a, b);
  lost = ir_.CreateOr(lost, ir_.CreateExtractValue(both, 1));
  return ir_.CreateExtractValue(both, 0);
}

/// i1: whether all loads of the loop that begins at an instruction lie inside of their buffers, in all lanes and
/// rounds.
llvm::Value* Emitter::allInside(uint32_t begin) {
  const CountedLoop& loop = countedLoops_.at(begin);
  V limit = valueBefore(loop.limit), outside = ir_.getFalse();
  if (loop.isSigned) {
    limit = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, limit, ir_.getInt32(0));
    outside = ir_.CreateICmpUGE(limit, ir_.getInt32(CountedLoop::kCountsTo));
  }
  V last = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, limit, ir_.getInt32(1));
  last = ir_.CreateZExt(last, ir_.getInt64Ty());
  for (uint32_t i : loop.loads) {
    const Inst& inst = program_.code[i];
    const uint64_t bytes = uint64_t(inst.count) * isa::typeBytes(inst.type) + inst.imm +
                           shapeOf(inst.src[1]).farthest();
    forEachStrand(
        [&] {
          V place = mostInLoop(inst.src[1], begin, last, outside);
          V end = ir_.CreateAdd(place, constant64(bytes));
          V size = bufferRange(inst.src[0]).size;
          // Places are words, which must not begin anew at 0 either.
          V fits = ir_.CreateAnd(ir_.CreateICmpULE(end, size), ir_.CreateICmpULE(end, constant64(uint64_t(1) << 32)));
          fits = ir_.CreateAnd(fits, ir_.CreateICmpULE(place, end));
          outside = ir_.CreateOr(outside, ir_.CreateNot(fits));
        },
        sharing(inst));
  }
  return ir_.CreateNot(outside);
}

/// index_ is the loop's last instruction then.
void Emitter::emitTwice() {
  const uint32_t begin = index_, end = countedLoops_.at(begin).end;
  llvm::BasicBlock* sure = block("inside");
  llvm::BasicBlock* unsure = block("checked");
  llvm::BasicBlock* done = block("counted");
  ir_.CreateCondBr(allInside(begin), sure, unsure);
  for (llvm::BasicBlock* way : {sure, unsure}) {
    enter(way);
    inside_ = way == sure ? &countedLoops_.at(begin) : nullptr;
    for (index_ = begin; index_ <= end; ++index_) emitNext();
    jump(done);
  }
  inside_ = nullptr;
  index_ = end;
  enter(done);
}

bool Emitter::isKnownInside(uint32_t load) const {
  return inside_ && std::find(inside_->loads.begin(), inside_->loads.end(), load) != inside_->loads.end();
}

}  // namespace etzel::native
