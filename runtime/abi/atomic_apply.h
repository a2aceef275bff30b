// Atomic operations on integers in memory, as every executor and the texture unit do them: sequentially consistent.
#pragma once

#include <atomic>
#include <type_traits>

#include "runtime/abi/tex_inst.h"

namespace etzel::abi {

/// Of minima and maxima: what is stored in place of `old`.
template <class T>
[[gnu::always_inline]] inline T atomicMinMax(AtomicOp op, T old, T value) {
  using Signed = std::make_signed_t<T>;
  switch (op) {
    case AtomicOp::SMin: return static_cast<Signed>(old) < static_cast<Signed>(value) ? old : value;
    case AtomicOp::SMax: return static_cast<Signed>(old) > static_cast<Signed>(value) ? old : value;
    case AtomicOp::UMin: return old < value ? old : value;
    default: return old > value ? old : value;
  }
}

/// \param place    aligned to its size
/// \param compare  CompareExchange: what is replaced; otherwise unused
/// \returns what was there before, and 0 of a store. Operations on floats do nothing here.
template <class T>
[[gnu::always_inline]] inline T atomicApply(T* place, AtomicOp op, T value, T compare) {
  std::atomic_ref<T> cell(*place);
  switch (op) {
    case AtomicOp::Load: return cell.load();
    case AtomicOp::Store: cell.store(value); return 0;
    case AtomicOp::Exchange: return cell.exchange(value);
    case AtomicOp::CompareExchange: cell.compare_exchange_strong(compare, value); return compare;
    case AtomicOp::Add: return cell.fetch_add(value);
    case AtomicOp::Sub: return cell.fetch_sub(value);
    case AtomicOp::And: return cell.fetch_and(value);
    case AtomicOp::Or: return cell.fetch_or(value);
    case AtomicOp::Xor: return cell.fetch_xor(value);
    case AtomicOp::SMin:
    case AtomicOp::SMax:
    case AtomicOp::UMin:
    case AtomicOp::UMax: {
      T old = cell.load();
      while (!cell.compare_exchange_weak(old, atomicMinMax(op, old, value))) {
      }
      return old;
    }
    default: return 0;
  }
}

}  // namespace etzel::abi
