#include "runtime/task/delayed_atomics.h"

#include "runtime/abi/atomic_apply.h"

namespace etzel::task {
namespace {

using abi::AtomicOp;
using Slot = abi::DelayedAtomics::Slot;

uint64_t neutral(AtomicOp op, uint32_t bytes) {
  const uint64_t ones = bytes == 4 ? 0xFFFFFFFF : ~uint64_t(0);
  switch (op) {
    case AtomicOp::And:
    case AtomicOp::UMin: return ones;
    case AtomicOp::SMin: return ones >> 1;
    case AtomicOp::SMax: return (ones >> 1) + 1;
    default: return 0;
  }
}

void finish(Slot& slot) {
  if (!slot.place) return;
  if (slot.bytes == 4)
    abi::atomicApply(static_cast<uint32_t*>(slot.place), slot.op, static_cast<uint32_t>(slot.value), 0u);
  else
    abi::atomicApply(static_cast<uint64_t*>(slot.place), slot.op, slot.value, uint64_t(0));
  slot.place = nullptr;
}

void begin(abi::DelayedAtomics* all, uint32_t slot, void* place, AtomicOp op, uint32_t bytes) {
  finish(all->slot[slot]);
  for (Slot& other : all->slot)
    if (other.place == place) finish(other);
  all->slot[slot] = {place, neutral(op, bytes), op, static_cast<uint8_t>(bytes)};
}

}  // namespace

DelayedAtomics::DelayedAtomics() { slots_.begin = begin; }

void DelayedAtomics::flush() {
  for (Slot& slot : slots_.slot) finish(slot);
}

}  // namespace etzel::task
