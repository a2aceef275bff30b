// Control flow: uniform branches become jumps, divergent ones change the execution mask. A scope's `saved` lanes are
// those that come back at its end; lanes that leave an outer scope are taken out of every scope in between.
#include <llvm/IR/MDBuilder.h>

#include <cstddef>

#include "compiler/exec/native/emit/emitter.h"
#include "runtime/abi/kernel.h"

namespace etzel::native {

using isa::Inst;
using isa::Opcode;

void Emitter::jump(llvm::BasicBlock* b) {
  if (!ir_.GetInsertBlock()->getTerminator()) ir_.CreateBr(b);
}

/// Weights of a branch that hardly ever takes its second way.
llvm::MDNode* Emitter::likely() { return llvm::MDBuilder(context_).createBranchWeights(1000, 1); }

int Emitter::targetOf(uint32_t depth) const {
  for (int s = static_cast<int>(scopes_.size()) - 1; s >= 0; --s)
    if (scopes_[s].kind == Opcode::Block && depth-- == 0) return s;
  return -1;
}

void Emitter::control(const Inst& inst, uint32_t i) {
  switch (inst.op) {
    case Opcode::If: beginIf(inst, i); return;
    case Opcode::Else: otherwise(); return;
    case Opcode::EndIf: endIf(); return;
    case Opcode::Block: beginBlock(i); return;
    case Opcode::EndBlock: endBlock(); return;
    case Opcode::Loop: beginLoop(i); return;
    case Opcode::EndLoop: endLoop(); return;
    case Opcode::Br: branchOut(i, targetOf(inst.imm), false); return;
    case Opcode::BrC: branchOut(i, targetOf(inst.imm), true); return;
    case Opcode::Ret: branchOut(i, -1, false); return;
    case Opcode::Kill: kill(i); return;
    case Opcode::Barrier: barrier(); return;
    default: return;
  }
}

void Emitter::beginIf(const Inst& inst, uint32_t i) {
  Scope scope{inst.op, i};
  V condition = nullptr;
  if (divergence_.divergentIf[i]) {
    scope.straight = cheap(i);
    forEachPair([&] {
      Scope::Lanes& own = mine(scope);
      own.saved = maskSlot("if");
      own.other = maskSlot("else");
      V now = exec();
      V holds = asMask(nonzero(splat(word(inst.src[0]))));
      own.taken = ir_.CreateAnd(now, holds);
      ir_.CreateStore(now, own.saved);
      ir_.CreateStore(ir_.CreateAnd(now, ir_.CreateNot(holds)), own.other);
      if (!scope.straight) ir_.CreateStore(own.taken, exec_);
    });
    if (scope.straight) {
      scopes_.push_back(scope);
      return;
    }
    condition = anyExec();
  } else {
    condition = nonzero(word(inst.src[0]));
  }
  scope.next = block("else");
  scope.end = block("endif");
  llvm::BasicBlock* then = block("then");
  ir_.CreateCondBr(condition, then, scope.next);
  scopes_.push_back(scope);
  enter(then);
}

void Emitter::otherwise() {
  Scope& scope = scopes_.back();
  scope.elseSeen = true;
  if (scope.straight) {
    forEachPair([&] {
      for (auto& [web, written] : mine(scope).written) {
        const Slot a = webSlot(web);
        written.first = ir_.CreateLoad(a.type, a.at);
        ir_.CreateStore(written.before, a.at);
      }
    });
  } else if (scope.restores()) {
    jump(scope.next);
    enter(scope.next);
    forEachPair([&] { ir_.CreateStore(mask(mine(scope).other), exec_); });
    llvm::BasicBlock* side = block("elseside");
    ir_.CreateCondBr(anyExec(), side, scope.end);
    enter(side);
  } else {
    jump(scope.end);
    enter(scope.next);
  }
}

void Emitter::endIf() {
  const Scope scope = scopes_.back();
  scopes_.pop_back();
  if (scope.straight) {
    forEachPair([&] { endStraightIf(scope); });
    return;
  }
  jump(scope.end);
  if (!scope.elseSeen) {
    enter(scope.next);
    ir_.CreateBr(scope.end);
  }
  meet(scope);
}

void Emitter::beginBlock(uint32_t i) {
  Scope scope{Opcode::Block, i};
  scope.end = block("endblock");
  if (divergence_.target[i])
    forEachPair([&] {
      mine(scope).saved = maskSlot("block");
      ir_.CreateStore(exec(), mine(scope).saved);
    });
  scopes_.push_back(scope);
}

void Emitter::endBlock() {
  const Scope scope = scopes_.back();
  scopes_.pop_back();
  jump(scope.end);
  meet(scope);
}

/// The end of an if or block, where its lanes come back.
void Emitter::meet(const Scope& scope) {
  enter(scope.end);
  if (scope.restores()) forEachPair([&] { ir_.CreateStore(mask(mine(scope).saved), exec_); });
  if (divergence_.crossed[scope.at]) skipIfEmpty();
}

void Emitter::beginLoop(uint32_t i) {
  Scope scope{Opcode::Loop, i};
  scope.head = block("loop");
  scope.latch = block("latch");
  scope.end = block("endloop");
  ir_.CreateBr(scope.head);
  enter(scope.head);
  scopes_.push_back(scope);
}

void Emitter::endLoop() {
  const Scope scope = scopes_.back();
  scopes_.pop_back();
  jump(scope.latch);
  enter(scope.latch);
  if (endsSoon(scope.at)) {
    endingLoops_ = true;
    ir_.CreateBr(scope.head);
    enter(scope.end);
    return;
  }
  // The watchdog: a shader that never ends is told to.
  llvm::BasicBlock* cancelled = block("cancelled");
  llvm::BasicBlock* goOn = block("goon");
  V flag = ir_.CreateAlignedLoad(ir_.getInt32Ty(), cancel_, llvm::Align(4), /*isVolatile=*/true);
  ir_.CreateCondBr(nonzero(flag), cancelled, goOn);
  enter(cancelled);
  finish(abi::WarpStatus::Cancelled);
  enter(goOn);
  if (divergence_.crossed[scope.at])
    ir_.CreateCondBr(anyExec(), scope.head, scope.end);
  else
    ir_.CreateBr(scope.head);
  enter(scope.end);
}

void Emitter::kill(uint32_t i) {
  forEachStrand([&] {
    V p = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), warp(), offsetof(abi::Warp, killed));
    V old = ir_.CreateLoad(ir_.getInt32Ty(), p);
    ir_.CreateStore(ir_.CreateOr(old, bitsOf(exec())), p);
  });
  branchOut(i, -1, false);
}

/// Whether both sides of an if are better run even by no lane than branched around: they are a few simple instructions,
/// and a branch on which lanes are left is hard to predict.
bool Emitter::cheap(uint32_t at) const {
  constexpr uint32_t kMost = 12;
  uint32_t count = 0;
  for (uint32_t i = at + 1; i < program_.code.size(); ++i) {
    const Inst& inst = program_.code[i];
    if (inst.op == Opcode::EndIf) return true;
    if (inst.op == Opcode::Else) continue;
    const isa::OpInfo& info = isa::opInfo(inst);
    if (info.control || info.memory || !isa::isPure(inst) || ++count > kMost || isa::typeWords(inst.type) > 1)
      return false;
    if (inst.dst.bank == isa::Bank::Out) return false;
    if (info.slow || (info.native != isa::Native::Move && !isa::isArithmetic(inst.op))) return false;
  }
  return false;
}

/// A write in a straight if, of lanes that may be missing.
void Emitter::noteWrite(uint32_t web) {
  Scope& scope = scopes_.back();
  const auto [at, isNew] = mine(scope).written.try_emplace(web);
  const Slot a = webSlot(web);
  if (isNew) at->second.before = ir_.CreateLoad(a.type, a.at);
  if (scope.elseSeen) at->second.second = true;
}

/// Puts together what both sides of a straight if wrote. The first side's lanes come last: then nothing but this waits
/// for the condition, which is known last where it is computed from what the sides read.
void Emitter::endStraightIf(const Scope& scope) {
  for (const auto& [web, written] : mine(scope).written) {
    const Slot a = webSlot(web);
    V now = ir_.CreateLoad(a.type, a.at);
    V first = scope.elseSeen ? written.first : now;
    V rest = written.before;
    if (written.second) {
      V lanes = first ? exec() : mask(mine(scope).other);
      rest = ir_.CreateSelect(nonzero(lanes), now, rest);
    }
    if (first) rest = ir_.CreateSelect(nonzero(mine(scope).taken), first, rest);
    ir_.CreateStore(rest, a.at);
  }
}

/// Of a loop that all lanes leave together after a number of rounds that is small: nobody has to watch it.
std::optional<uint32_t> Emitter::mostRounds(uint32_t loop) const {
  constexpr int64_t kRounds = 1024;
  if (divergence_.crossed[loop]) return {};
  const auto number = [&](isa::Operand o, int64_t* value) {
    const std::optional<uint32_t> c = constantHandle(o);
    if (c) *value = static_cast<int32_t>(*c);
    return c.has_value();
  };
  // if (counter >= limit) leave, or with >, with counter = start, counter + step, ...
  for (uint32_t i = loop + 1; i + 1 < program_.code.size(); ++i) {
    const Inst& test = program_.code[i];
    if (isa::opensScope(test.op) || isa::closesScope(test.op)) return {};
    const Inst& leave = program_.code[i + 1];
    if (test.op != Opcode::ICmp || leave.op != Opcode::BrC || !divergence_.direct[i + 1]) continue;
    if (test.dst.bank != isa::Bank::Temp || leave.src[0].bank != isa::Bank::Temp) return {};
    if (webs_.webOf(test.dst) != webs_.webOf(leave.src[0])) return {};
    const auto compare = static_cast<isa::CmpI>(test.sub);
    const bool orEqual = compare == isa::CmpI::SGe || compare == isa::CmpI::UGe;
    const bool isSigned = compare == isa::CmpI::SGe || compare == isa::CmpI::SGt;
    if (!orEqual && compare != isa::CmpI::SGt && compare != isa::CmpI::UGt) return {};
    int64_t limit = 0, start = 0, step = 0;
    if (!number(test.src[1], &limit) || test.src[0].bank != isa::Bank::Temp) return {};
    const uint32_t counter = webs_.webOf(test.src[0]);
    if (constants_[counter].writes != 2 || program_.code[i].type != isa::Type::I32) return {};
    const auto single = [&](const Inst& inst) {
      return inst.op == Opcode::XMov && inst.count == 1 && inst.dst.bank == isa::Bank::Temp &&
             webs_.webOf(inst.dst) == counter;
    };
    bool started = false, stepped = false;
    uint32_t depth = 0;
    for (uint32_t k = 0; k < program_.code.size(); ++k) {
      const Inst& inst = program_.code[k];
      if (k > i) {
        if (isa::opensScope(inst.op)) ++depth;
        if (isa::closesScope(inst.op) && depth-- == 0) break;
      }
      if (!single(inst)) continue;
      if (k < loop) {
        started = number(inst.src[0], &start);
      } else if (depth == 0 && inst.src[0].bank == isa::Bank::Temp) {
        // Its source: counter + constant, made in this round.
        const uint32_t next = webs_.webOf(inst.src[0]);
        if (constants_[next].writes != 1) return {};
        for (uint32_t m = loop; m < k; ++m) {
          const Inst& sum = program_.code[m];
          if (sum.op != Opcode::IAdd || sum.type != isa::Type::I32 || sum.dst.bank != isa::Bank::Temp) continue;
          if (webs_.webOf(sum.dst) != next || sum.src[0].bank != isa::Bank::Temp) continue;
          stepped = webs_.webOf(sum.src[0]) == counter && number(sum.src[1], &step);
        }
      }
    }
    constexpr int64_t kFar = int64_t(1) << 30;  // no sum wraps
    const int64_t least = isSigned ? -kFar : 0;
    const bool counts = started && stepped && start >= least && step > 0 && limit >= least &&
                        limit - start <= kRounds * step && limit < kFar && step < kFar;
    if (!counts) return {};
    return static_cast<uint32_t>(std::max(limit - start, int64_t{0}) / step + 1);
  }
  return {};
}

/// \param isConditional the instruction's source says which lanes go
void Emitter::branchOut(uint32_t i, int target, bool isConditional) {
  if (divergence_.direct[i]) {
    llvm::BasicBlock* to = target < 0 ? finish_ : scopes_[target].end;
    llvm::BasicBlock* after = block("after");
    if (isConditional)
      ir_.CreateCondBr(nonzero(word(program_.code[i].src[0])), to, after);
    else
      ir_.CreateBr(to);
    enter(after);
    return;
  }
  forEachPair([&] {
    V going = exec();
    if (isConditional) going = ir_.CreateAnd(going, asMask(nonzero(splat(word(program_.code[i].src[0])))));
    leave(going, target);
  });
  skipIfEmpty();
}

void Emitter::leave(V going, int target) {
  V staying = ir_.CreateNot(going);
  for (int s = static_cast<int>(scopes_.size()) - 1; s > target; --s)
    if (llvm::AllocaInst* saved = mine(scopes_[s]).saved) ir_.CreateStore(ir_.CreateAnd(mask(saved), staying), saved);
  ir_.CreateStore(ir_.CreateAnd(exec(), staying), exec_);
}

/// With no lane left, goes to where the innermost scope lets lanes come back.
void Emitter::skipIfEmpty() {
  llvm::BasicBlock* to = finish_;
  if (!scopes_.empty()) {
    const Scope& scope = scopes_.back();
    if (scope.kind == Opcode::Loop)
      to = scope.latch;
    else if (scope.kind == Opcode::If && scope.restores() && !scope.elseSeen)
      to = scope.next;
    else
      to = scope.end;
  }
  llvm::BasicBlock* go = block("some");
  ir_.CreateCondBr(anyExec(), go, to);
  enter(go);
}

void Emitter::finish(abi::WarpStatus status) {
  if (turns()) {
    if (status == abi::WarpStatus::Done)
      jump(finish_);
    else
      ir_.CreateRet(ir_.getInt32(static_cast<uint32_t>(status)));
    return;
  }
  ir_.CreateStore(ir_.getInt32(static_cast<uint32_t>(status)), status_);
  jump(finish_);
}

// --- Barriers. A warp that gets to one leaves what it needs later in its memory, and the next warp goes on where it
// was: what lies between two barriers is run by all warps in a loop. Alone (count 0), the function returns instead.

namespace {
constexpr uint32_t kEnded = ~0u;  ///< Warp::resume of a warp that is done
}

/// The blocks that take turns: `turn_` goes on with the current warp, `next_` picks the next one that is not done.
void Emitter::beginTurns() {
  llvm::Type* i32 = ir_.getInt32Ty();
  current_ = slot(ir_.getPtrTy(), "current");
  left_ = slot(i32, "left");
  V count = function_->getArg(2);
  if (oneByOne_) {
    llvm::BasicBlock *odd = block("odd"), *even = block("even");
    V rest = ir_.CreateAnd(count, ir_.getInt32(found_.count - 1));
    ir_.CreateCondBr(ir_.CreateAnd(nonzero(count), ir_.CreateNot(nonzero(rest))), even, odd);
    enter(odd);
    ir_.CreateRet(ir_.CreateCall(oneByOne_, {code_, warp_, count}));
    enter(even);
  }
  V alone = ir_.CreateICmpEQ(count, ir_.getInt32(0));
  V warps = ir_.CreateZExt(ir_.CreateSelect(alone, ir_.getInt32(1), count), ir_.getInt64Ty());
  V bytes = ir_.CreateMul(warps, constant64(sizeof(abi::Warp)));
  endOfWarps_ = ir_.CreateInBoundsGEP(ir_.getInt8Ty(), warp_, bytes);
  ir_.CreateStore(warp_, current_);
  ir_.CreateStore(count, left_);
  turn_ = block("turn");
  llvm::BasicBlock* leave = block("leave");
  ir_.CreateBr(turn_);
  next_ = pickNext("nextwarp", 1, leave);
  for (const auto& [warps, idle] : idle_)
    nextOf_[static_cast<uint32_t>(warps)] = pickNext("nextof", static_cast<uint32_t>(warps), leave);
  enter(turn_);
  resumeSwitch_ = ir_.CreateSwitch(field(warp(), offsetof(abi::Warp, resume), i32, false), next_);
  resumeSwitch_->addCase(ir_.getInt32(kEnded), next_);
  enter(leave);
  const auto status = [&](abi::WarpStatus s) { return ir_.getInt32(static_cast<uint32_t>(s)); };
  V ended = ir_.CreateICmpEQ(field(warp_, offsetof(abi::Warp, resume), i32, false), ir_.getInt32(kEnded));
  ir_.CreateRet(ir_.CreateSelect(ended, status(abi::WarpStatus::Done), status(abi::WarpStatus::AtBarrier)));
}

/// A block that makes the warp `step` further the current one, the first one after the last.
llvm::BasicBlock* Emitter::pickNext(const char* name, uint32_t step, llvm::BasicBlock* leave) {
  llvm::BasicBlock* next = block(name);
  enter(next);
  V following = warpAfter(step);
  llvm::Type* i64 = ir_.getInt64Ty();
  V more = ir_.CreateSub(ir_.CreatePtrToInt(following, i64), ir_.CreatePtrToInt(endOfWarps_, i64));
  ir_.CreateStore(ir_.CreateSelect(nonzero(more), following, warp_), current_);
  // One branch that goes the same way but for the last time. A second one for the end of each round makes reductions a
  // third slower: the predictor's memory is short.
  V go = ir_.CreateOr(more, ir_.CreateZExt(ir_.CreateLoad(ir_.getInt32Ty(), left_), i64));
  ir_.CreateCondBr(nonzero(go), turn_, leave);
  return next;
}

/// The warp `count` after the current one.
llvm::Value* Emitter::warpAfter(uint32_t count) {
  V current = ir_.CreateLoad(ir_.getPtrTy(), current_);
  return count ? ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), current, count * sizeof(abi::Warp)) : current;
}

/// What begins with instruction `first`, where `resume` is what warps have as Warp::resume. A pair whose warps are not
/// at the same place, which may be only where a program lets some of its invocations wait for a barrier, goes on as
/// warps one by one do.
void Emitter::beginRegion(uint32_t first, uint32_t resume) {
  setTogether(oneByOne_ ? found_.together[first] : 1);
  if (strands_.size() == 1) return;
  // The last of a pair or a crowd comes to a barrier after the others.
  const auto count = static_cast<uint32_t>(strands_.size());
  V last = warpAfter(count - 1), meets = ir_.getTrue();
  V room = ir_.CreatePtrDiff(ir_.getInt8Ty(), endOfWarps_, last), exists = ir_.CreateICmpSGT(room, constant64(0));
  for (uint32_t w = 1; w < count; ++w) {
    V looked = ir_.CreateSelect(exists, warpAfter(w), warpAfter(0));
    V at = field(looked, offsetof(abi::Warp, resume), ir_.getInt32Ty(), false);
    meets = ir_.CreateAnd(meets, ir_.CreateICmpEQ(at, ir_.getInt32(resume)));
  }
  llvm::BasicBlock *together = block("pair"), *apart = block("apart");
  ir_.CreateCondBr(ir_.CreateAnd(exists, meets), together, apart);
  enter(apart);
  ir_.CreateRet(ir_.CreateCall(oneByOne_, {code_, warp_, function_->getArg(2)}));
  enter(together);
}

void Emitter::goOnWithNext() {
  const auto warps = static_cast<uint32_t>(strands_.size());
  ir_.CreateBr(warps > 1 ? nextOf_[warps] : next_);
}

/// Lets so many warps run what follows side by side: values have other places then.
void Emitter::setTogether(uint32_t warps) {
  if (strands_.size() == warps) return;
  const auto exchange = [&] {
    Strand& first = strands_[0];
    std::swap(first.exec, exec_), std::swap(first.temps, temps_), std::swap(first.wideResults, wideResults_);
  };
  exchange();
  idle_[strands_.size()] = std::move(strands_);
  strands_ = std::move(idle_[warps]);
  exchange();
  const bool before = pairs_;
  pairs_ = warps > 1 && hasPairs(host_);
  if (!exec_) exec_ = maskSlot("exec");
  for (uint32_t s = 1; s < strands_.size(); ++s)
    if (!strands_[s].exec) strands_[s].exec = s == 1 ? exec_ : s % 2 ? strands_[s - 1].exec : maskSlot("exec");
  // A crowd misses no lanes, so no scope brings any back.
  if (before == pairs_) return;
  for (Scope& s : scopes_) {
    std::swap(s.lanes[0], s.lanes[1]);
    if (s.lanes[1].saved && !s.lanes[0].saved) s.lanes[0].saved = maskSlot("saved");
    if (s.lanes[1].other && !s.lanes[0].other) s.lanes[0].other = maskSlot("other");
  }
}

/// The state at the top of the program and after a barrier, but for what was saved.
void Emitter::startTurn() {
  V lanes = divergence_.full ? llvm::Constant::getAllOnesValue(exec_->getAllocatedType()) : both([&] {
    return asMask(lanesOf(field(warp(), offsetof(abi::Warp, active), ir_.getInt32Ty(), false)));
  });
  ir_.CreateStore(lanes, exec_);
  // Where no lane is missing all scopes hold the same lanes.
  for (const Scope& s : scopes_) {
    if (mine(s).saved) ir_.CreateStore(lanes, mine(s).saved);
    if (mine(s).other) ir_.CreateStore(llvm::Constant::getNullValue(lanes->getType()), mine(s).other);
  }
  if (!repeats()) return;
  // Another warp may have left its values.
  for (uint32_t web = 0; web < webs_.count; ++web) {
    if (!webs_.undefined[web]) continue;
    const auto clear = [&] {
      const Slot a = webSlot(web);
      ir_.CreateStore(llvm::Constant::getNullValue(a.type), a.at);
    };
    if (divergence_.shape[web].varying())
      clear();
    else
      forEachHalf(clear);
  }
}

void Emitter::endTurn() {
  forEachStrand([&] {
    V p = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), warp(), offsetof(abi::Warp, resume));
    ir_.CreateStore(ir_.getInt32(kEnded), p);
    V left = ir_.CreateLoad(ir_.getInt32Ty(), left_);
    ir_.CreateStore(ir_.CreateSub(left, ir_.CreateZExt(nonzero(left), left->getType())), left_);
  });
  goOnWithNext();
}

void Emitter::barrier() {
  const uint32_t id = barriers_++;
  forEachStrand([&] {
    saveOrRestore(true, saved_[id], divergence_.partial[index_]);
    V p = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), warp(), offsetof(abi::Warp, resume));
    ir_.CreateStore(ir_.getInt32(id + 1), p);
  });
  goOnWithNext();
  llvm::BasicBlock* resume = block("resume");
  resumeSwitch_->addCase(ir_.getInt32(id + 1), resume);
  enter(resume);
  beginRegion(index_ + 1, id + 1);
  forEachPair([&] { startTurn(); });
  const bool masks = divergence_.partial[index_];
  ++index_;  // values are where what follows has them
  forEachStrand([&] { saveOrRestore(false, webs_.barriers[id], masks); });
  --index_;
}

/// \param masks whether lanes may be missing
void Emitter::saveOrRestore(bool save, const std::vector<Webs::Live>& live, bool masks) {
  const auto move = [&](Slot a, V memory) {
    const llvm::Align align(4);
    llvm::Type* type = isOfPair(a) ? lanes(a.type->getScalarType()) : a.type;
    if (save)
      ir_.CreateAlignedStore(read(a), memory, align);
    else
      write(a, ir_.CreateAlignedLoad(type, memory, align));
  };
  V registers = warpField(offsetof(abi::Warp, registers));
  for (const Webs::Live& l : live)
    if (!readAgain(l.web) && !kept_.count(l.web) && !stays(l.web)) {
      V memory = ir_.CreateConstInBoundsGEP1_64(words8(), registers, l.home);
      if (isCrowd() && save)
        ir_.CreateAlignedStore(valueOf(l.web), memory, llvm::Align(4));
      else if (!isCrowd() || ownerOf(l.web) == strand_)
        move(webSlot(l.web), memory);
    }
  if (!masks) return;  // the mask is the entry's
  V state = warpField(offsetof(abi::Warp, executorState));
  uint32_t at = 0;
  const auto moveMask = [&](llvm::AllocaInst* a) {
    if (a) move({a, a->getAllocatedType()}, ir_.CreateConstInBoundsGEP1_64(words8(), state, at));
    ++at;
  };
  moveMask(exec_);
  for (const Scope& s : scopes_) moveMask(mine(s).saved), moveMask(mine(s).other);
}

}  // namespace etzel::native
