// Fences, semaphores and events: a word each, waited for through wait.h. Also used by icd/wsi, which signals what
// vkAcquireNextImageKHR is given.
#pragma once

#include <atomic>

#include "icd/object.h"
#include "icd/sync/wait.h"

namespace etzel::icd {

struct Fence : Object {
  using Handle = VkFence;
  std::atomic<bool> signaled{false};
  void signal() {
    signaled.store(true, std::memory_order_seq_cst);
    notifyWaiters();
  }
};

/// Binary: value is 0 or 1, and a wait takes it back to 0. Timeline: the counter.
struct Semaphore : Object {
  using Handle = VkSemaphore;
  VkSemaphoreType type = VK_SEMAPHORE_TYPE_BINARY;
  std::atomic<uint64_t> value{0};
  bool timeline() const { return type == VK_SEMAPHORE_TYPE_TIMELINE; }
  bool satisfied(uint64_t wanted) const {
    return value.load(std::memory_order_seq_cst) >= (timeline() ? wanted : 1);
  }
  /// After a wait on it was satisfied.
  void consume() {
    if (!timeline()) value.store(0, std::memory_order_seq_cst);
  }
  void signal(uint64_t to = 1) {
    value.store(timeline() ? to : 1, std::memory_order_seq_cst);
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
