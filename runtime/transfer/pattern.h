// Memory filled with one texel: clears of images and of attachments.
#pragma once

#include <algorithm>
#include <cstring>

#include "runtime/simd/cpu.h"
#include "runtime/simd/stream.h"
#include "runtime/simd/vec.h"

namespace etzel::transfer {

/// One texel repeated.
class Pattern {
 public:
  /// `longest`: what is filled at once mostly, in bytes
  Pattern(const std::byte* texel, uint32_t bytes, uint64_t longest = kCapacity) {
    const auto enough = static_cast<uint32_t>(std::clamp<uint64_t>(longest, kLeast, kCapacity));
    size_ = enough / bytes * bytes;
    std::memcpy(data_, texel, bytes);
    for (uint32_t have = bytes; have < size_; have *= 2) std::memcpy(data_ + have, data_, std::min(have, size_ - have));
    const auto repeatsAfter = [&](uint32_t n) { return std::memcmp(data_, data_ + n, bytes) == 0; };
    isByte_ = repeatsAfter(1), isWord_ = repeatsAfter(8);
  }
  /// `past`: of streamsFor(), where this is part of more. \pre `to` lies at a texel's start
  void fill(std::byte* to, uint64_t bytes, const simd::Streams* past = nullptr) const {
    constexpr uint64_t kLong = 2048;
    if (isWord_ && bytes >= kLong && (past || !isByte_)) {
      (past ? past->fill : simd::fillWords)(to, simd::load<uint64_t>(data_), bytes / 8);
      to += bytes / 8 * 8, bytes %= 8;
    }
    if (isByte_) {
      std::memset(to, static_cast<int>(data_[0]), bytes);
      return;
    }
    for (; bytes > size_; to += size_, bytes -= size_) std::memcpy(to, data_, size_);
    std::memcpy(to, data_, bytes);
  }

 private:
  static constexpr uint32_t kLeast = 64, kCapacity = 3072;
  uint32_t size_;         ///< whole texels in data_
  bool isByte_, isWord_;  ///< data_ repeats after 1, 8 bytes
  alignas(64) std::byte data_[kCapacity];
};

}  // namespace etzel::transfer
