// Loops whose loads can be looked at once (analysis/counted_loops.h) are there twice: for when all of them lie inside
// of their buffers, and for when some do not.
#include <llvm/IR/MDBuilder.h>

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

/// The largest value, without sign, that lane 0 of an operand may have in a loop, as 64 bits. `last`: the counter's. A
/// word has no more than 2^32 - 1, whatever is lost on the way, so products stop there, and few sums come to 2^64.
llvm::Value* Emitter::mostInLoop(Operand o, uint32_t begin, V last, V& endless) {
  const CountedLoop& loop = countedLoops_.at(begin);
  if (o.bank == isa::Bank::Temp) {
    if (webs_.webOf(o) == loop.counter) return last;
    const auto carried = loop.carried.find(webs_.webOf(o));
    if (carried != loop.carried.end()) return mostCarried(o, carried->second, loop, last, endless);
  }
  const std::optional<uint32_t> at = madeInLoop(bounds_, webs_, constants_, loop, begin, o);
  if (!at) return ir_.CreateZExt(valueBefore(o), ir_.getInt64Ty());
  const Inst& inst = program_.code[*at];
  V a = mostInLoop(inst.src[0], begin, last, endless);
  if (inst.op == Opcode::ISub) return a;  // 0 is taken from it
  V b = mostInLoop(inst.src[1], begin, last, endless), most = nullptr;
  switch (inst.op) {
    case Opcode::IAdd: most = ir_.CreateAdd(a, b); break;
    case Opcode::IMul: most = ofWord(ir_.CreateMul(ofWord(a), ofWord(b))); break;
    case Opcode::Shl: most = ofWord(ir_.CreateShl(ofWord(a), ir_.CreateAnd(b, 31))); break;
    case Opcode::Shr: most = ir_.CreateLShr(a, ir_.CreateAnd(b, 31)); break;
    case Opcode::And: most = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b); break;
    case Opcode::UDiv: most = ir_.CreateUDiv(a, b); break;
    default:  // UMod
      most = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, ir_.CreateSub(b, constant64(1)));
      break;
  }
  return ir_.CreateAnd(most, aboveZeros(webs_.webOf(inst.dst)));
}

/// Where it is more, what a word has at most.
llvm::Value* Emitter::ofWord(V number) {
  return ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, number, constant64(~0u));
}

/// The same of what grows with the counter, by `step` in each round. `endless`: i1, whether the counter may begin anew
/// at 0 before it gets to its limit, so that nobody knows how many rounds there are.
llvm::Value* Emitter::mostCarried(Operand o, Operand step, const CountedLoop& loop, V last, V& endless) {
  const auto wide = [&](V word) { return ir_.CreateZExt(word, ir_.getInt64Ty()); };
  V first = wide(valueOf(loop.counter)), by = wide(valueBefore(loop.step));
  endless = ir_.CreateOr(endless, ir_.CreateICmpUGT(ir_.CreateAdd(last, by), constant64(~0u)));
  V rounds = ir_.CreateUDiv(ir_.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, last, first), by);
  return ir_.CreateAdd(wide(baseOf(o)), ofWord(ir_.CreateMul(ofWord(rounds), wide(valueBefore(step)))));
}

/// The bits that lane 0 of a value may have.
llvm::Value* Emitter::aboveZeros(uint32_t web) {
  const uint8_t zeros = divergence_.shape[web].zeros;
  return constant64(zeros < 32 ? ~uint64_t{0} << zeros : 0);
}

/// i1: whether all loads of the loop that begins at an instruction lie inside of their buffers, in all lanes and
/// rounds.
llvm::Value* Emitter::allInside(uint32_t begin) {
  const CountedLoop& loop = countedLoops_.at(begin);
  V outside = ir_.getFalse(), limit = nullptr;
  if (loop.isSigned) {
    limit = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, valueBefore(loop.limit), ir_.getInt32(0));
    outside = ir_.CreateICmpUGE(limit, ir_.getInt32(CountedLoop::kCountsTo));
    limit = ir_.CreateZExt(limit, ir_.getInt64Ty());
  } else {
    limit = mostInLoop(loop.limit, begin, nullptr, outside);
  }
  V last = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, limit, constant64(1));
  last = ir_.CreateAnd(last, aboveZeros(loop.counter));
  for (uint32_t i : loop.loads) {
    const Inst& inst = program_.code[i];
    uint64_t elements = inst.count;
    // Loads side by side are looked at once, with the first of them. No offset turns over on the way to what lies in
    // `room`.
    if (const auto part = wideWords_.find(i); part != wideWords_.end()) {
      if (part->second.word != 0) continue;
      elements *= wideLoads_[part->second.load].loads.size();
    }
    const uint64_t bytes = elements * isa::typeBytes(inst.type) + inst.imm + shapeOf(inst.src[1]).farthest();
    forEachStrand(
        [&] {
          V place = mostInLoop(inst.src[1], begin, last, outside);
          // Places are words, which must not begin anew at 0 either.
          V room = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, bufferRange(inst.src[0]).size,
                                             constant64(uint64_t(1) << 32));
          outside = ir_.CreateOr(outside, ir_.CreateICmpULT(room, constant64(bytes)));
          outside = ir_.CreateOr(outside, ir_.CreateICmpUGT(place, ir_.CreateSub(room, constant64(bytes))));
        },
        sharing(inst));
  }
  return ir_.CreateNot(outside);
}

/// Whether a loop is worth being there twice. What LLVM unrolls is where loads go on from round to round of a loop
/// around.
bool Emitter::goesTwice(uint32_t loop) const {
  const auto counted = countedLoops_.find(loop);
  return counted != countedLoops_.end() && (!counted->second.carried.empty() || !endsSoon(loop));
}

/// index_ is the loop's last instruction then.
void Emitter::emitTwice() {
  const uint32_t begin = index_, end = countedLoops_.at(begin).end;
  llvm::BasicBlock* sure = block("inside");
  llvm::BasicBlock* unsure = block("checked");
  llvm::BasicBlock* done = block("counted");
  // Registers are for the loop that nearly always runs.
  ir_.CreateCondBr(allInside(begin), sure, unsure, llvm::MDBuilder(context_).createLikelyBranchWeights());
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
