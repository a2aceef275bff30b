// Control flow, and what leaves the warp: kills, barriers, fences, geometry output, prints, aborts.
//
// Every open if and block owns a fixed entry of the mask stack, counted at decode time; loops need none. Lanes that
// leave (br, ret, kill) are taken out of every entry between them and where they go, so closing a structure only
// reloads its entry. When no lane is left, `jump` leads to the next place where lanes may meet again.
#include <atomic>
#include <bit>
#include <chrono>

#include "compiler/exec/interp/frame.h"

namespace etzel::interp {
namespace {

LaneMask nonZero(const LaneWords* w) {
  LaneMask m = 0;
  for (uint32_t i = 0; i < kWarpLanes; ++i) m |= (w->lane[i] != 0 ? 1u : 0u) << i;
  return m;
}

const Op* next(const Op* op, const Frame& f) { return f.exec ? op + 1 : op + op->jump; }

const Op* nothing(const Op* op, Frame&) { return op + 1; }

const Op* ifBegin(const Op* op, Frame& f) {
  const LaneMask taken = f.exec & nonZero(f.words(op->src[0]));
  f.stack[op->slot] = {static_cast<uint8_t>(f.exec), static_cast<uint8_t>(f.exec & ~taken)};
  f.exec = taken;
  return next(op, f);
}
const Op* ifElse(const Op* op, Frame& f) {
  f.exec = f.stack[op->slot].other;
  f.stack[op->slot].other = 0;
  return next(op, f);
}
const Op* scopeEnd(const Op* op, Frame& f) {
  f.exec = f.stack[op->slot].lanes;
  return next(op, f);
}
const Op* blockBegin(const Op* op, Frame& f) {
  f.stack[op->slot] = {static_cast<uint8_t>(f.exec), 0};
  return op + 1;
}
const Op* loopEnd(const Op* op, Frame& f) {
  if (!f.exec) return op + op->jump;
  const auto* cancel = f.warp->context->cancel;
  if (cancel && cancel->load(std::memory_order_relaxed)) {
    f.status = abi::WarpStatus::Cancelled;
    return nullptr;
  }
  return op + static_cast<int32_t>(op->imm);
}

void leave(const Op* op, Frame& f, LaneMask lanes, uint32_t firstEntry) {
  f.exec &= ~lanes;
  const uint8_t keep = static_cast<uint8_t>(~lanes);
  for (uint32_t i = firstEntry; i < op->depth; ++i) f.stack[i].lanes &= keep;  // they wait for no else
}
const Op* branch(const Op* op, Frame& f) {
  leave(op, f, f.exec, op->slot + 1u);
  return op + op->jump;
}
const Op* branchIf(const Op* op, Frame& f) {
  const LaneMask lanes = f.exec & nonZero(f.words(op->src[0]));
  if (lanes) leave(op, f, lanes, op->slot + 1u);
  return next(op, f);
}
const Op* ret(const Op* op, Frame& f) {
  leave(op, f, f.exec, 0);
  return op + op->jump;
}
const Op* kill(const Op* op, Frame& f) {
  f.warp->killed |= f.exec;
  leave(op, f, f.exec, 0);
  return op + op->jump;
}
const Op* demote(const Op* op, Frame& f) {
  f.warp->killed |= f.exec;
  f.warp->helper |= f.exec;
  return op + 1;
}

const Op* barrier(const Op* op, Frame& f) {
  auto* saved = static_cast<std::byte*>(f.warp->executorState);
  if (!saved) return op + 1;  // a stage whose invocations don't wait for each other
  const SavedState state{f.exec};
  std::memcpy(saved, &state, sizeof state);
  std::memcpy(saved + sizeof state, f.stack, f.code->maxDepth * sizeof(MaskEntry));
  f.warp->resume = static_cast<uint32_t>(op + 1 - f.code->ops.data());
  f.status = abi::WarpStatus::AtBarrier;
  return nullptr;
}
const Op* memoryBarrier(const Op* op, Frame&) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return op + 1;
}
const Op* emit(const Op* op, Frame& f) {
  if (f.warp->emitVertex) f.warp->emitVertex(f.warp, op->imm, f.exec);
  return op + 1;
}
const Op* cut(const Op* op, Frame& f) {
  if (f.warp->endPrimitive) f.warp->endPrimitive(f.warp, op->imm, f.exec);
  return op + 1;
}
const Op* clock(const Op* op, Frame& f) {
  const uint64_t now = static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  LaneWords* to = f.words(op->dst);
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    to[0].lane[i] = static_cast<uint32_t>(now);
    to[1].lane[i] = static_cast<uint32_t>(now >> 32);
  }
  return op + 1;
}
const Op* print(const Op* op, Frame& f) {
  const abi::FunctionTable* functions = f.warp->context->functions;
  const LaneMask lanes = f.exec & ~f.warp->helper;
  if (functions && functions->print && lanes)
    functions->print(f.warp, f.code->prints[op->imm & 0xFFFF], op->imm >> 16, lanes, f.words(op->src[0]), op->count);
  return op + 1;
}
const Op* abort(const Op* op, Frame& f) {
  abi::AbortListener* listener = f.warp->context->aborts;
  const LaneMask lanes = f.exec & ~f.warp->helper;
  if (!listener || !lanes) return op + 1;
  if (op->count)
    listener->say(*f.warp, lanes, op->imm >> 16, {f.words(op->src[0]), op->count});
  else
    listener->abort(*f.warp, lanes, *f.code->aborts[op->imm & 0xFFFF]);
  return op + 1;
}
const Op* done(const Op*, Frame& f) {
  f.status = abi::WarpStatus::Done;
  return nullptr;
}

}  // namespace

Handler doneHandler() { return done; }

Handler controlHandler(const isa::Inst& inst) {
  using isa::Opcode;
  switch (inst.op) {
    case Opcode::If: return ifBegin;
    case Opcode::Else: return ifElse;
    case Opcode::EndIf:
    case Opcode::EndBlock: return scopeEnd;
    case Opcode::Block: return blockBegin;
    case Opcode::Loop: return nothing;
    case Opcode::EndLoop: return loopEnd;
    case Opcode::Br: return branch;
    case Opcode::BrC: return branchIf;
    case Opcode::Ret:
    case Opcode::End: return ret;
    case Opcode::Kill: return kill;
    case Opcode::Demote: return demote;
    case Opcode::Barrier: return barrier;
    case Opcode::MemBar: return memoryBarrier;
    case Opcode::Emit: return emit;
    case Opcode::Cut: return cut;
    case Opcode::Clock: return clock;
    case Opcode::Print: return print;
    case Opcode::Abort: return abort;
    default: return nullptr;
  }
}

}  // namespace etzel::interp
