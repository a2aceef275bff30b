// One number for all bytes that a case read from the device, in order: two runs that saw the same have the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace etzel::cts {

class Digest {
 public:
  void add(const void* data, size_t bytes) {
    const auto* p = static_cast<const unsigned char*>(data);
    mix(bytes);
    for (; bytes >= 8; p += 8, bytes -= 8) {
      uint64_t word;
      memcpy(&word, p, 8);
      mix(word);
    }
    uint64_t rest = 0;
    if (bytes) memcpy(&rest, p, bytes), mix(rest);
  }
  /// The number, and the beginning of the next case.
  uint64_t take() {
    uint64_t result = state_;
    state_ = start;
    return result;
  }

 private:
  static constexpr uint64_t start = 0x9e3779b97f4a7c15;
  void mix(uint64_t word) {
    state_ = (state_ ^ word) * 0xd6e8feb86659fd93;
    state_ ^= state_ >> 32;
  }
  uint64_t state_ = start;
};

}  // namespace etzel::cts
