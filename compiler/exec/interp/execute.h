// Enters decoded code: sets up the frame for one warp, from the top or from a barrier. Private to this folder.
#pragma once

#include "compiler/exec/interp/frame.h"
#include "compiler/isa/verify.h"

namespace etzel::interp {

inline std::byte* bytes(const LaneWords* words) { return reinterpret_cast<std::byte*>(const_cast<LaneWords*>(words)); }

// ATTILA threads start with cleared registers ("Machine model" in docs/isa.md).
inline void clearBaseRegisters(const Code& code, abi::Warp* warp, BaseState& state) {
  std::memset(static_cast<void*>(&state), 0, sizeof state);
  if (warp->registers) std::memset(static_cast<void*>(warp->registers), 0, code.tempWords * sizeof(LaneWords));
  if (!warp->out) return;
  std::memset(static_cast<void*>(warp->out), 0, code.outWords * sizeof(LaneWords));
  if (code.stage == abi::Stage::Fragment)
    std::memset(static_cast<void*>(&warp->out[abi::kFragOutSampleMask]), 0xFF, sizeof(LaneWords));
}

/// Fills the frame for `warp`, which has lanes to run. `stack` has isa::kMaxControlDepth entries; both live as long as
/// the frame. \returns where it goes on: the top, or behind the barrier that it waited at.
inline const Op* enter(Frame& f, const Code& code, abi::Warp* warp, MaskEntry* stack, BaseState* localBase) {
  f.base[static_cast<uint32_t>(Home::Temp)] = bytes(warp->registers);
  f.base[static_cast<uint32_t>(Home::In)] = bytes(warp->in);
  f.base[static_cast<uint32_t>(Home::Out)] = bytes(warp->out);
  f.base[static_cast<uint32_t>(Home::Constant)] = bytes(code.constants.data());
  f.base[static_cast<uint32_t>(Home::Sys)] = bytes(warp->sys);
  f.base[static_cast<uint32_t>(Home::Result)] = bytes(f.result);
  f.warp = warp;
  f.code = &code;
  f.exec = warp->active;
  f.status = abi::WarpStatus::Done;
  f.stack = stack;
  f.baseState = localBase;
  if (code.usesBase) {
    if (code.hasBarrier)
      f.baseState =
          reinterpret_cast<BaseState*>(static_cast<std::byte*>(warp->executorState) +
                                       alignUp<size_t>(sizeof(SavedState) + code.maxDepth * sizeof(MaskEntry), 64));
    if (warp->resume == 0) clearBaseRegisters(code, warp, *f.baseState);
  }
  const Op* op = code.ops.data();
  if (warp->resume) {
    SavedState saved;
    const auto* state = static_cast<const std::byte*>(warp->executorState);
    std::memcpy(&saved, state, sizeof saved);
    std::memcpy(stack, state + sizeof saved, code.maxDepth * sizeof(MaskEntry));
    f.exec = saved.exec;
    op += warp->resume;
  }
  return op;
}

/// Runs with `steps`, which follows the handlers from an Op to the end.
template <class Steps>
abi::WarpStatus execute(const void* codePointer, abi::Warp* warp, Steps steps) {
  const Code& code = *static_cast<const Code*>(codePointer);
  if (!warp->active) return abi::WarpStatus::Done;
  MaskEntry stack[isa::kMaxControlDepth];
  BaseState localBase;
  Frame f;
  const Op* op = enter(f, code, warp, stack, &localBase);
  steps(op, f);
  return f.status;
}

}  // namespace etzel::interp
