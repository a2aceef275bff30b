// Small tables of words that eight lanes look up at once, where the host permutes words of whole registers. For code
// that is compiled per target.
#pragma once

#include "runtime/simd/vec.h"

namespace etzel::simd {

/// In each lane the word of a table of eight that it numbers. \pre numbers lie in 0 to 7
ETZEL_INLINE I32x8 wordsOf8(const void* table, I32x8 number) {
#ifdef ETZEL_SIMD_V3
  return (I32x8)_mm256_permutevar8x32_epi32((__m256i)load<I32x8>(table), (__m256i)number);
#else
  return gatherWords(table, number << 2);
#endif
}
/// The same of sixteen.
ETZEL_INLINE I32x8 wordsOf16(const void* table, I32x8 number) {
#ifdef ETZEL_SIMD_V3
  const I32x8 low = wordsOf8(table, number);  // of the three lowest bits
  const I32x8 high = wordsOf8(static_cast<const std::byte*>(table) + 32, number);
  return (number << 28) < 0 ? high : low;
#else
  return gatherWords(table, number << 2);
#endif
}

}  // namespace etzel::simd
