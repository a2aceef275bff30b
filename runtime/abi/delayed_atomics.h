// Atomics whose results nobody wants, put off by a thread: sums that all workgroups of a dispatch add to. One atomic
// instruction of the host for many workgroups then, where many cores would otherwise fight for a cache line. Compute
// programs' machine code puts them off (compiler/exec/native/analysis/delayed_atomics.h says which it may); who runs
// workgroups does them (runtime/task/delayed_atomics.h).
#pragma once

#include "runtime/abi/tex_inst.h"
#include "runtime/base/types.h"

namespace etzel::abi {

struct DelayedAtomics {
  static constexpr uint32_t kSlots = 4;
  /// Of one instruction. No two slots have the same place, so that the order of different operations on one place is
  /// kept.
  struct Slot {
    void* place = nullptr;  ///< null: nothing is put off
    uint64_t value = 0;     ///< what the operation is still to be done with, in the low `bytes`
    AtomicOp op = AtomicOp::Add;
    uint8_t bytes = 0;  ///< 4 or 8
  };
  Slot slot[kSlots];
  /// Does what slot `slot` holds and what others hold for `place`, and begins to collect for it: the operation's
  /// neutral value.
  void (*begin)(DelayedAtomics* all, uint32_t slot, void* place, AtomicOp op, uint32_t bytes) = nullptr;
};

}  // namespace etzel::abi
