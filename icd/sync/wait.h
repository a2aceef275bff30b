// Waiting for something another thread will make true: fences, semaphores, events, queries, idle queues. There is one
// futex for the process, so an object may be destroyed right after the store that signals it: whoever signals never
// touches the object again. Any thread.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/simd/cpu.h"

namespace etzel::icd {

inline constexpr uint64_t kForever = ~0ull;

/// CLOCK_MONOTONIC in nanoseconds; also what vkCmdWriteTimestamp writes.
uint64_t nowNs();
/// The time `timeoutNs` from now; kForever when that is beyond the clock.
uint64_t deadlineAfter(uint64_t timeoutNs);

/// To be called after a store that may satisfy somebody's predicate. Costs one atomic add when nobody sleeps.
void notifyWaiters();

/// Counts payloads that somebody outside of this process may change: while there are any, sleepers look now and then.
void pollWhileWaiting(int change);

namespace wait_detail {
uint32_t enlist();  ///< counts the caller as a sleeper, gives the epoch to sleep on
/// Until the epoch changes, the deadline passes or, where payloads may change elsewhere, an eighth of the time that the
/// wait has taken so far. `began`: nowNs() when the wait first slept, 0 before
void sleep(uint32_t epoch, uint64_t deadline, uint64_t& began);
void leave();
inline constexpr int kSpins = 64;
}  // namespace wait_detail

/// Blocks until `predicate()` holds or `deadline` (of nowNs()) passes. \returns whether it holds.
template <class Predicate>
bool waitUntil(uint64_t deadline, Predicate&& predicate) {
  if (predicate()) return true;
  if (deadline == 0) return false;
  // Spin first: a futex wake costs 40 us, most waits less.
  for (int i = 0; i < wait_detail::kSpins; ++i) {
    simd::pause();
    if (predicate()) return true;
  }
  for (uint64_t began = 0;;) {
    uint32_t epoch = wait_detail::enlist();
    bool done = predicate();
    if (!done) wait_detail::sleep(epoch, deadline, began);
    wait_detail::leave();
    if (done || predicate()) return true;
    if (deadline != kForever && nowNs() >= deadline) return predicate();
  }
}

}  // namespace etzel::icd
