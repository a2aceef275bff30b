// Control flow: uniform branches become jumps, divergent ones change the execution mask. A scope's `saved` lanes are
// those that come back at its end; lanes that leave an outer scope are taken out of every scope in between.
#include <cstddef>

#include "compiler/jit/emitter.h"
#include "runtime/abi/kernel.h"

namespace etzel::jit {

using isa::Inst;
using isa::Opcode;

void Emitter::jump(llvm::BasicBlock* b) {
  if (!ir_.GetInsertBlock()->getTerminator()) ir_.CreateBr(b);
}

int Emitter::targetOf(uint32_t depth) const {
  for (int s = static_cast<int>(scopes_.size()) - 1; s >= 0; --s)
    if (scopes_[s].kind == Opcode::Block && depth-- == 0) return s;
  return -1;
}

void Emitter::control(const Inst& inst, uint32_t i) {
  switch (inst.op) {
    case Opcode::If: {
      Scope scope{inst.op, i};
      scope.next = block("else");
      scope.end = block("endif");
      llvm::BasicBlock* then = block("then");
      if (divergence_.divergentIf[i]) {
        scope.saved = slot(words8(), "if");
        scope.other = slot(words8(), "else");
        V now = exec(), condition = toMask(nonzero(splat(word(inst.src[0]))));
        V taken = ir_.CreateAnd(now, condition);
        ir_.CreateStore(now, scope.saved);
        ir_.CreateStore(ir_.CreateAnd(now, ir_.CreateNot(condition)), scope.other);
        ir_.CreateStore(taken, exec_);
        ir_.CreateCondBr(any(taken), then, scope.next);
      } else {
        ir_.CreateCondBr(nonzero(word(inst.src[0])), then, scope.next);
      }
      scopes_.push_back(scope);
      enter(then);
      return;
    }
    case Opcode::Else: {
      Scope& scope = scopes_.back();
      scope.elseSeen = true;
      if (scope.saved) {
        jump(scope.next);
        enter(scope.next);
        V other = ir_.CreateLoad(words8(), scope.other);
        ir_.CreateStore(other, exec_);
        llvm::BasicBlock* side = block("elseside");
        ir_.CreateCondBr(any(other), side, scope.end);
        enter(side);
      } else {
        jump(scope.end);
        enter(scope.next);
      }
      return;
    }
    case Opcode::EndIf: {
      Scope scope = scopes_.back();
      scopes_.pop_back();
      jump(scope.end);
      if (!scope.elseSeen) {
        enter(scope.next);
        ir_.CreateBr(scope.end);
      }
      enter(scope.end);
      if (scope.saved) ir_.CreateStore(ir_.CreateLoad(words8(), scope.saved), exec_);
      if (divergence_.crossed[scope.at]) skipIfEmpty();
      return;
    }
    case Opcode::Block: {
      Scope scope{inst.op, i};
      scope.end = block("endblock");
      if (divergence_.target[i]) {
        scope.saved = slot(words8(), "block");
        ir_.CreateStore(exec(), scope.saved);
      }
      scopes_.push_back(scope);
      return;
    }
    case Opcode::EndBlock: {
      Scope scope = scopes_.back();
      scopes_.pop_back();
      jump(scope.end);
      enter(scope.end);
      if (scope.saved) ir_.CreateStore(ir_.CreateLoad(words8(), scope.saved), exec_);
      if (divergence_.crossed[scope.at]) skipIfEmpty();
      return;
    }
    case Opcode::Loop: {
      Scope scope{inst.op, i};
      scope.head = block("loop");
      scope.latch = block("latch");
      scope.end = block("endloop");
      ir_.CreateBr(scope.head);
      enter(scope.head);
      scopes_.push_back(scope);
      return;
    }
    case Opcode::EndLoop: {
      Scope scope = scopes_.back();
      scopes_.pop_back();
      jump(scope.latch);
      enter(scope.latch);
      if (endsSoon(scope.at)) {
        countedLoops_ = true;
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
        ir_.CreateCondBr(any(exec()), scope.head, scope.end);
      else
        ir_.CreateBr(scope.head);
      enter(scope.end);
      return;
    }
    case Opcode::Br: branchOut(i, targetOf(inst.imm), nullptr); return;
    case Opcode::BrC: branchOut(i, targetOf(inst.imm), word(inst.src[0])); return;
    case Opcode::Ret: branchOut(i, -1, nullptr); return;
    case Opcode::Kill: {
      V p = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), warp_, offsetof(abi::Warp, killed));
      V old = ir_.CreateLoad(ir_.getInt32Ty(), p);
      ir_.CreateStore(ir_.CreateOr(old, bitsOf(exec())), p);
      branchOut(i, -1, nullptr);
      return;
    }
    case Opcode::Barrier: barrier(i); return;
    default: return;
  }
}

/// A loop that all lanes leave together after a number of rounds that is known and small: nobody has to watch it.
bool Emitter::endsSoon(uint32_t loop) const {
  constexpr int64_t kRounds = 1024;
  if (divergence_.crossed[loop]) return false;
  const auto number = [&](isa::Operand o, int64_t* value) {
    const std::optional<uint32_t> c = constantHandle(o);
    if (c) *value = static_cast<int32_t>(*c);
    return c.has_value();
  };
  // if (counter >= limit) leave, with counter = start, counter + step, ...
  for (uint32_t i = loop + 1; i + 1 < program_.code.size(); ++i) {
    const Inst& test = program_.code[i];
    if (isa::opensScope(test.op) || isa::closesScope(test.op)) return false;
    const Inst& leave = program_.code[i + 1];
    if (test.op != Opcode::ICmp || leave.op != Opcode::BrC || !divergence_.direct[i + 1]) continue;
    if (test.dst.bank != isa::Bank::Temp || leave.src[0].bank != isa::Bank::Temp) return false;
    if (webs_.webOf(test.dst) != webs_.webOf(leave.src[0])) return false;
    const auto compare = static_cast<isa::CmpI>(test.sub);
    if (compare != isa::CmpI::SGe && compare != isa::CmpI::UGe) return false;
    int64_t limit = 0, start = 0, step = 0;
    if (!number(test.src[1], &limit) || test.src[0].bank != isa::Bank::Temp) return false;
    const uint32_t counter = webs_.webOf(test.src[0]);
    if (constants_[counter].writes != 2 || program_.code[i].type != isa::Type::I32) return false;
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
        if (constants_[next].writes != 1) return false;
        for (uint32_t m = loop; m < k; ++m) {
          const Inst& sum = program_.code[m];
          if (sum.op != Opcode::IAdd || sum.type != isa::Type::I32 || sum.dst.bank != isa::Bank::Temp) continue;
          if (webs_.webOf(sum.dst) != next || sum.src[0].bank != isa::Bank::Temp) continue;
          stepped = webs_.webOf(sum.src[0]) == counter && number(sum.src[1], &step);
        }
      }
    }
    return started && stepped && start >= 0 && step > 0 && limit >= 0 && limit - start <= kRounds * step &&
           limit < (int64_t(1) << 30) && step < (int64_t(1) << 30);
  }
  return false;
}

void Emitter::branchOut(uint32_t i, int target, V condition) {
  if (divergence_.direct[i]) {
    llvm::BasicBlock* to = target < 0 ? finish_ : scopes_[target].end;
    llvm::BasicBlock* after = block("after");
    if (condition)
      ir_.CreateCondBr(nonzero(condition), to, after);
    else
      ir_.CreateBr(to);
    enter(after);
    return;
  }
  V going = exec();
  if (condition) going = ir_.CreateAnd(going, toMask(nonzero(splat(condition))));
  leave(going, target);
  skipIfEmpty();
}

void Emitter::leave(V going, int target) {
  V staying = ir_.CreateNot(going);
  for (int s = static_cast<int>(scopes_.size()) - 1; s > target; --s)
    if (scopes_[s].saved)
      ir_.CreateStore(ir_.CreateAnd(ir_.CreateLoad(words8(), scopes_[s].saved), staying), scopes_[s].saved);
  ir_.CreateStore(ir_.CreateAnd(exec(), staying), exec_);
}

/// With no lane left, goes to where the innermost scope lets lanes come back.
void Emitter::skipIfEmpty() {
  llvm::BasicBlock* to = finish_;
  if (!scopes_.empty()) {
    const Scope& scope = scopes_.back();
    if (scope.kind == Opcode::Loop)
      to = scope.latch;
    else if (scope.kind == Opcode::If && scope.saved && !scope.elseSeen)
      to = scope.next;
    else
      to = scope.end;
  }
  llvm::BasicBlock* go = block("some");
  ir_.CreateCondBr(any(exec()), go, to);
  enter(go);
}

void Emitter::finish(abi::WarpStatus status) {
  ir_.CreateStore(ir_.getInt32(static_cast<uint32_t>(status)), status_);
  jump(finish_);
}

/// Leaves the function with everything that is needed later in memory; a later call comes back through the entry's
/// switch.
void Emitter::barrier(uint32_t) {
  const auto id = static_cast<uint32_t>(resumes_.size() + 1);
  saveOrRestore(true, webs_.barriers[id - 1]);
  V p = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), warp_, offsetof(abi::Warp, resume));
  ir_.CreateStore(ir_.getInt32(id), p);
  finish(abi::WarpStatus::AtBarrier);
  llvm::BasicBlock* resume = block("resume");
  resumes_.push_back(resume);
  resumeSwitch_->addCase(ir_.getInt32(id), resume);
  enter(resume);
  saveOrRestore(false, webs_.barriers[id - 1]);
}

void Emitter::saveOrRestore(bool save, const std::vector<Webs::Live>& live) {
  const auto move = [&](llvm::AllocaInst* a, V memory) {
    llvm::Type* type = a->getAllocatedType();
    const llvm::Align align(4);
    if (save)
      ir_.CreateAlignedStore(ir_.CreateLoad(type, a), memory, align);
    else
      ir_.CreateStore(ir_.CreateAlignedLoad(type, memory, align), a);
  };
  for (const Webs::Live& l : live) move(webSlot(l.web), ir_.CreateConstInBoundsGEP1_64(words8(), registers_, l.home));
  if (!divergence_.partial[index_]) return;  // the mask is the entry's
  uint32_t at = 0;
  const auto mask = [&](llvm::AllocaInst* a) {
    if (a) move(a, ir_.CreateConstInBoundsGEP1_64(words8(), state_, at));
    ++at;
  };
  mask(exec_);
  for (const Scope& s : scopes_) mask(s.saved), mask(s.other);
}

}  // namespace etzel::jit
