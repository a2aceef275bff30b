// The application's memory ("Memory Allocation", Host Memory), counted, and refused on demand.
#pragma once

#include <vulkan/vulkan.h>

#include <atomic>

#include "tests/out_of_memory/allocator.h"

namespace oom {

class Callbacks {
 public:
  Callbacks();
  Callbacks(const Callbacks&) = delete;
  Callbacks& operator=(const Callbacks&) = delete;

  const VkAllocationCallbacks* get() const { return &callbacks_; }
  /// As oom::arm(), for requests that come here.
  void arm(Mode mode, uint64_t nth);
  void disarm() { armed_ = false; }
  uint64_t requested() const { return requests_; }
  uint64_t refused() const { return failures_; }
  /// Pieces that were not given back.
  int64_t held() const { return held_; }

 private:
  void* give(size_t bytes, size_t alignment);
  void* change(void* old, size_t bytes, size_t alignment);
  void take(void* p);

  VkAllocationCallbacks callbacks_{};
  std::atomic<bool> armed_{false};
  Mode mode_ = Mode::Count;
  uint64_t firstFailing_ = 0;
  std::atomic<uint64_t> requests_{0}, failures_{0};
  std::atomic<int64_t> held_{0};
};

}  // namespace oom
