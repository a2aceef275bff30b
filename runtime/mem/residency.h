// Which pages of a partially resident resource have memory ("Sparse Resources", Partially Resident Buffers and Images):
// what residency codes of shaders are made of. A bit a page. Queues that bind memory write it, texture units read it;
// the application orders the two, as it orders the binding and the access themselves.
#pragma once

#include <atomic>
#include <cstdlib>
#include <memory>

#include "runtime/base/types.h"

namespace etzel::mem {

class Residency {
 public:
  /// Nothing of `bytes` bytes from `base` on is resident. Pages have 2^pageShift bytes.
  /// \returns null when there is no memory
  static std::unique_ptr<Residency> create(const std::byte* base, uint64_t bytes, uint32_t pageShift);
  ~Residency() { std::free(words_); }
  Residency(const Residency&) = delete;
  Residency& operator=(const Residency&) = delete;

  /// Pages [first, first + count) got memory, or have none any more.
  void set(uint64_t first, uint64_t count, bool resident);
  /// Whether the page of a byte has memory. What lies elsewhere has.
  bool resident(const std::byte* at) const {
    const uint64_t page = static_cast<uint64_t>(at - base_) >> pageShift_;
    return page >= pages_ || word(page).load(std::memory_order_relaxed) >> (page % 64) & 1;
  }
  /// Whether every page has memory: then nobody needs to look at them one by one.
  bool complete() const { return absent_.load(std::memory_order_relaxed) == 0; }

 private:
  Residency(const std::byte* base, uint64_t pages, uint32_t pageShift)
      : base_(base), pages_(pages), pageShift_(pageShift), absent_(pages) {}
  std::atomic_ref<uint64_t> word(uint64_t page) const { return std::atomic_ref<uint64_t>(words_[page / 64]); }

  const std::byte* const base_;
  const uint64_t pages_;
  const uint32_t pageShift_;
  std::atomic<uint64_t> absent_;  ///< pages without memory
  uint64_t* words_ = nullptr;     ///< zeros that cost nothing until they change
};

}  // namespace etzel::mem
