// Atomics whose results nobody wants, put off by a thread: sums that all workgroups of a dispatch add to, histograms.
// One atomic instruction of the host for many invocations then, where many cores would otherwise fight for cache lines.
// Machine code of compute and fragment programs puts them off (compiler/exec/native/analysis/delayed_atomics.h says
// which it may); who runs workgroups and tiles does them (runtime/task/delayed_atomics.h).
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

  /// Where lanes have places of their own, which is where all of a program's atomics are one operation: what is put off
  /// for one place. Word i of memory has its turn in entry i modulo kPlaces.
  struct Place {
    void* address = nullptr;  ///< null: nothing is put off
    uint64_t value = 0;       ///< as Slot::value
  };
  static constexpr uint32_t kPlaces = 1024;
  const Place* places = nullptr;  ///< [kPlaces], those that are known; null: such atomics are done at once
  uint32_t warps = 0;             ///< that looked there, since `replace` counted them last
  /// Does what holds the entry of `address`, and begins to collect for that. \returns its entry
  Place* (*replace)(DelayedAtomics* all, void* address, AtomicOp op, uint32_t bytes) = nullptr;
};

}  // namespace etzel::abi
