// What a thread that waits may do meanwhile: run the batches that it waits for, where the queue's own thread has not
// begun them. That thread's wake-up, and its waking of the waiter, cost more than a small batch.
#pragma once

#include <cstdint>

namespace etzel::icd {

class PendingWork {
 public:
  /// Runs what comes next in the calling thread. \returns false when there is nothing that could run now, or when
  /// somebody else is at it.
  virtual bool runNext() = 0;

 protected:
  ~PendingWork() = default;
};

/// Whether a thread that waits that long may run batches in its time: only who waits longer than a device lives that
/// finishes nothing, since a batch may take as long, and only where the stack is as deep as the driver's own threads
/// may need it.
bool mayWork(uint64_t timeoutNs);

/// Runs `work`, if there is any and the thread may, until `done()` or there is nothing left to run.
template <class F>
void workUntil(PendingWork* work, uint64_t timeoutNs, F done) {
  if (!work || done() || !mayWork(timeoutNs)) return;
  while (work->runNext() && !done()) {
  }
}

}  // namespace etzel::icd
