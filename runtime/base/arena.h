// A bump allocator: many small objects, freed together. Not thread safe; objects must be trivially destructible.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "runtime/base/huge_pages.h"
#include "runtime/base/types.h"

namespace etzel {

class Arena {
 public:
  explicit Arena(size_t blockBytes = 64 * 1024) : blockBytes_(blockBytes) {}
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  /// Uninitialized bytes, aligned to `alignment` (a power of two, at most 64). \throws std::bad_alloc
  void* allocate(size_t bytes, size_t alignment = 16) {
    size_t at = alignUp(used_, alignment);
    if (blocks_.empty() || at + bytes > capacity_) {
      nextBlock(bytes);
      at = 0;
    }
    used_ = at + bytes;
    return blocks_[current_].data.get() + at;
  }
  template <class T>
  T* make(size_t count = 1) {
    static_assert(std::is_trivially_destructible_v<T>);
    T* p = static_cast<T*>(allocate(sizeof(T) * count, alignof(T)));
    for (size_t i = 0; i < count; ++i) new (p + i) T{};
    return p;
  }
  template <class T>
  T* copy(const T* source, size_t count) {
    if (count == 0) return nullptr;
    T* p = static_cast<T*>(allocate(sizeof(T) * count, alignof(T)));
    std::memcpy(static_cast<void*>(p), source, sizeof(T) * count);
    return p;
  }
  /// Forgets everything and keeps the blocks for reuse.
  void reset() {
    current_ = 0;
    used_ = 0;
    capacity_ = blocks_.empty() ? 0 : blocks_[0].bytes;
  }
  /// What is in use now; rewind() forgets all that was allocated after.
  struct Mark {
    size_t block, used;
  };
  Mark mark() const { return {current_, used_}; }
  void rewind(Mark mark) {
    current_ = mark.block;
    used_ = mark.used;
    capacity_ = blocks_.empty() ? 0 : blocks_[current_].bytes;
  }
  /// Bytes held from the system.
  size_t capacityBytes() const {
    size_t n = 0;
    for (const Block& b : blocks_) n += b.bytes;
    return n;
  }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  struct Block {
    std::unique_ptr<std::byte, Free> data;
    size_t bytes;
  };
  void nextBlock(size_t bytes) {
    while (!blocks_.empty() && current_ + 1 < blocks_.size()) {
      ++current_;
      capacity_ = blocks_[current_].bytes;
      if (capacity_ >= bytes) return;
    }
    if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
    size_t size = alignUp<size_t>(bytes > blockBytes_ ? bytes : blockBytes_, 64);
    // Who has much is going to have more, and reads it in another order.
    const bool isHuge = size <= kHugePageBytes && capacityBytes() >= kHugePageBytes;
    if (isHuge) size = kHugePageBytes;
    void* p = std::aligned_alloc(isHuge ? kHugePageBytes : 64, size);
    if (!p) throw std::bad_alloc();
    if (isHuge) wishHugePages(p, size);
    blocks_.push_back({std::unique_ptr<std::byte, Free>(static_cast<std::byte*>(p)), size});
    current_ = blocks_.size() - 1;
    capacity_ = size;
  }

  size_t blockBytes_;
  std::vector<Block> blocks_;
  size_t current_ = 0, used_ = 0, capacity_ = 0;
};

}  // namespace etzel
