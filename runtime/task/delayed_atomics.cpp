#include "runtime/task/delayed_atomics.h"

#include <new>

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

void apply(void* place, AtomicOp op, uint32_t bytes, uint64_t value) {
  if (bytes == 4)
    abi::atomicApply(static_cast<uint32_t*>(place), op, static_cast<uint32_t>(value), 0u);
  else
    abi::atomicApply(static_cast<uint64_t*>(place), op, value, uint64_t(0));
}

void finish(Slot& slot) {
  if (slot.place) apply(slot.place, slot.op, slot.bytes, slot.value);
  slot.place = nullptr;
}

void begin(abi::DelayedAtomics* all, uint32_t slot, void* place, AtomicOp op, uint32_t bytes) {
  finish(all->slot[slot]);
  for (Slot& other : all->slot)
    if (other.place == place) finish(other);
  all->slot[slot] = {place, neutral(op, bytes), op, static_cast<uint8_t>(bytes)};
}

/// Before there is a table: no address is known.
constexpr abi::DelayedAtomics::Place kNoPlaces[abi::DelayedAtomics::kPlaces] = {};

}  // namespace

DelayedAtomics::DelayedAtomics() { all_.begin = begin, all_.replace = replace; }

void DelayedAtomics::allowPlaces(bool allow) {
  all_.places = !allow ? nullptr : all_.table ? all_.table.get() : kNoPlaces;
  all_.warps = all_.replaced = 0;
}

void DelayedAtomics::finish(All& all, Place& place) {
  if (place.address) apply(place.address, all.op, all.bytes, place.value);
  place.address = nullptr;
}

DelayedAtomics::Place* DelayedAtomics::replace(abi::DelayedAtomics* of, void* address, AtomicOp op, uint32_t bytes) {
  // So many entries that a histogram has them all, so many warps for them that it is worth looking.
  constexpr uint32_t kPlaces = abi::DelayedAtomics::kPlaces, kTrial = kPlaces, kMissesPerWarp = 2;
  All& all = static_cast<All&>(*of);
  if (!all.table) {
    all.table.reset(new (std::nothrow) Place[kPlaces]);
    if (all.table && all.places) all.places = all.table.get();
  }
  if (++all.replaced > kTrial) {
    if (all.replaced > kMissesPerWarp * all.warps) all.places = nullptr;
    all.replaced = all.warps = 0;
  }
  Place& held = all.table ? all.table[reinterpret_cast<uintptr_t>(address) / bytes % kPlaces] : all.only;
  finish(all, held);
  all.op = op, all.bytes = bytes, all.some = true;
  held = {address, neutral(op, bytes)};
  return &held;
}

void DelayedAtomics::flush() {
  for (Slot& slot : all_.slot) task::finish(slot);
  if (!all_.some) return;
  all_.some = false;
  finish(all_, all_.only);
  for (uint32_t i = 0; all_.table && i < abi::DelayedAtomics::kPlaces; ++i) finish(all_, all_.table[i]);
}

}  // namespace etzel::task
