// Fences, semaphores and events: a word each, waited for through wait.h. Also used by icd/wsi, which signals what
// vkAcquireNextImageKHR is given.
#pragma once

#include <atomic>

#include "icd/object.h"
#include "icd/sync/wait.h"
#include "icd/sync/word.h"

namespace etzel::icd {

struct Fence : Object {
  using Handle = VkFence;
  SyncWord word;  ///< 0 or 1
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

/// Binary: the word is 0 or 1, and a wait takes it back to 0. Timeline: the counter.
struct Semaphore : Object {
  using Handle = VkSemaphore;
  VkSemaphoreType type = VK_SEMAPHORE_TYPE_BINARY;
  SyncWord word;
  bool timeline() const { return type == VK_SEMAPHORE_TYPE_TIMELINE; }
  bool satisfied(uint64_t wanted) const { return word.load() >= (timeline() ? wanted : 1); }
  /// After a wait on it was satisfied. A temporary payload lasts for one wait.
  void consume() {
    if (timeline()) return;
    word.store(0);
    word.dropTemporary();
  }
  /// Without waking anybody.
  void set(uint64_t to) { word.store(timeline() ? to : 1); }
  void signal(uint64_t to = 1) {
    set(to);
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
