// Tables that bytes index, as hosts that permute the bytes of whole registers look them up, for all bytes of one at
// once.
#pragma once

#include <cstdint>

namespace etzel::simd {

/// 256 words: byte k of word i is plane[k][i].
struct alignas(64) ByteTable {
  uint8_t plane[4][256];
};

}  // namespace etzel::simd
