// Which of the real Temp words are free. First fit for runs of consecutive words.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "compiler/isa/program.h"

namespace etzel::regalloc {

class RegisterFile {
 public:
  static constexpr uint32_t kWords = isa::kMaxTempWords;
  static constexpr uint32_t kNoPlace = ~0u;

  RegisterFile() { free_.fill(~uint64_t(0)); }

  bool isFree(uint32_t first, uint32_t words) const {
    if (first + words > kWords) return false;
    for (uint32_t w = first; w < first + words; ++w)
      if (!(free_[w / 64] >> (w % 64) & 1)) return false;
    return true;
  }
  void take(uint32_t first, uint32_t words) {
    for (uint32_t w = first; w < first + words; ++w) free_[w / 64] &= ~(uint64_t(1) << (w % 64));
  }
  void release(uint32_t first, uint32_t words) {
    for (uint32_t w = first; w < first + words; ++w) free_[w / 64] |= uint64_t(1) << (w % 64);
  }
  /// The lowest run of `words` free words, or kNoPlace.
  uint32_t find(uint32_t words) const {
    uint32_t run = 0;
    for (uint32_t w = 0; w < kWords;) {
      const uint64_t rest = free_[w / 64] >> (w % 64);
      if (!(rest & 1)) {  // skip the taken ones
        run = 0;
        const uint32_t left = 64 - w % 64;
        w += rest ? std::min<uint32_t>(std::countr_zero(rest), left) : left;
        continue;
      }
      const uint32_t ones = std::min<uint32_t>(std::countr_one(rest), 64 - w % 64);
      if (run + ones >= words) return w - run;
      run += ones;
      w += ones;
    }
    return kNoPlace;
  }

 private:
  std::array<uint64_t, kWords / 64> free_;
};

}  // namespace etzel::regalloc
