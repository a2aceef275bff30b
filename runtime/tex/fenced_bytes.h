// Memory for tests of code that loads several texels at once: between two pages that nobody may read.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>

namespace etzel::tex::test {

/// Bytes of which either the first one begins a page, or the last one ends one.
class FencedBytes {
 public:
  static constexpr size_t kPage = 4096;

  FencedBytes() = default;
  FencedBytes(const FencedBytes&) = delete;
  FencedBytes& operator=(const FencedBytes&) = delete;
  ~FencedBytes() { free(); }

  /// Zeros in place of what there was.
  void resize(size_t bytes, bool atEnd) {
    free();
    inside_ = std::max((bytes + kPage - 1) / kPage, size_t{1}) * kPage, size_ = bytes;
    all_ = static_cast<std::byte*>(
        mmap(nullptr, inside_ + 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(all_, kPage, PROT_NONE), mprotect(all_ + kPage + inside_, kPage, PROT_NONE);
    first_ = all_ + kPage + (atEnd ? inside_ - bytes : 0);
  }

  std::byte* data() const { return first_; }
  size_t size() const { return size_; }
  std::byte* begin() const { return first_; }
  std::byte* end() const { return first_ + size_; }
  std::byte& operator[](size_t i) const { return first_[i]; }

 private:
  void free() {
    if (all_) munmap(all_, inside_ + 2 * kPage);
  }

  std::byte *all_ = nullptr, *first_ = nullptr;
  size_t inside_ = 0, size_ = 0;
};

}  // namespace etzel::tex::test
