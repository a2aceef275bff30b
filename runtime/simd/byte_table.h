// Tables that bytes index, looked up for all bytes of a vector at once, on hosts that permute the bytes of whole
// registers: conversions of eight-bit codes that no arithmetic gives to the bit. Any thread.
#pragma once

#include "runtime/simd/vec.h"

namespace etzel::simd {

/// 256 words: byte k of word i is plane[k][i].
struct alignas(64) ByteTable {
  uint8_t plane[4][256];
};

/// The words of the three lowest bytes of each lane: byte c of words[v] gives out[3 * v + c].
using LookUpBytes = void (*)(const ByteTable& table, const U32x8* words, uint32_t count, F32x8* out);

/// Null on hosts where a load for each byte is the best there is.
LookUpBytes findLookUpBytes();
inline LookUpBytes lookUpBytes() {
  static const LookUpBytes found = findLookUpBytes();
  return found;
}

}  // namespace etzel::simd
