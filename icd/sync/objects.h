// Fences, semaphores and events: a word each, waited for through wait.h. Also used by icd/wsi, which signals what
// vkAcquireNextImageKHR is given.
#pragma once

#include <atomic>

#include "icd/object/object.h"
#include "icd/sync/pending_work.h"
#include "icd/sync/wait.h"
#include "icd/sync/word.h"

namespace etzel::icd {

struct Fence : Object {
  using Handle = VkFence;
  SyncWord word;                            ///< 0 or 1
  std::atomic<PendingWork*> work{nullptr};  ///< of the queue that got it last
  bool timed = false;                       ///< whether a queue that signals it says when
  uint64_t signaledNs = 0;                  ///< nowNs() then; there as soon as signaled()
  bool signaled() const { return word.load() != 0; }
  void signal() {
    word.store(1);
    notifyWaiters();
  }
  /// vkResetFences: a temporary payload goes, the permanent one is unsignaled.
  void reset() {
    word.dropTemporary();
    word.store(0);
  }
};

/// Binary: the word counts signals. Timeline: the counter.
struct Semaphore : Object {
  using Handle = VkSemaphore;
  VkSemaphoreType type = VK_SEMAPHORE_TYPE_BINARY;
  SyncWord word;
  std::atomic<PendingWork*> work{nullptr};  ///< of the queue that was to signal it last
  bool timeline() const { return type == VK_SEMAPHORE_TYPE_TIMELINE; }
  /// What a batch that is submitted now waits for.
  BoundSync bindWait(uint64_t wanted) { return timeline() ? word.bindValue(wanted) : word.bindWait(); }
  /// The wait was submitted. "Importing Semaphore Payloads": a temporary payload lasts for one.
  void waitSubmitted() {
    if (!timeline()) word.dropTemporary();
  }
  /// What a batch that is submitted now will signal.
  BoundSync bindSignal(uint64_t to) { return timeline() ? word.bindValue(to) : word.bindSignal(); }
  /// Without waking anybody. Does not touch the semaphore once its payload has signalled.
  static void signal(const BoundSync& bound, bool timeline) {
    timeline ? SyncWord::setValue(bound) : SyncWord::signal(bound);
  }
  /// By the host.
  void signal(uint64_t to = 1) {
    signal(bindSignal(to), timeline());
    notifyWaiters();
  }
};

struct Event : Object {
  using Handle = VkEvent;
  std::atomic<bool> set{false};
  void store(bool on) {
    set.store(on, std::memory_order_seq_cst);
    if (on) notifyWaiters();
  }
};

}  // namespace etzel::icd
