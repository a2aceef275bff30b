// Runs of words that count up, or are all the same, on every host.
#pragma once

#include "runtime/simd/vec.h"

namespace etzel::simd {

/// from, from + 1, ...
inline void countUp(uint32_t* to, uint32_t from, uint32_t count) {
  U32x4 numbers = U32x4{0, 1, 2, 3} + from;
  uint32_t i = 0;
  for (; i + 4 <= count; i += 4, numbers += 4) store(to + i, numbers);
  for (; i < count; ++i) to[i] = from + i;
}

/// word, word, ...
inline void fill(uint32_t* to, uint32_t word, uint32_t count) {
  uint32_t i = 0;
  for (; i + 4 <= count; i += 4) store(to + i, splat<U32x4>(word));
  for (; i < count; ++i) to[i] = word;
}

}  // namespace etzel::simd
