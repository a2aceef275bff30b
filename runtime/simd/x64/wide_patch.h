// x86-64 with AVX-512: words that lie near each other, loaded at once. For functions of ETZEL_WIDE_BYTES alone.
#pragma once

#include "runtime/simd/x64/wide.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // as in wide_bytes.h
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace etzel::simd {

ETZEL_WIDE_INLINE int32_t leastOf(I32x8 v) {
  const __m128i four = _mm_min_epi32(_mm256_castsi256_si128((__m256i)v), _mm256_extracti128_si256((__m256i)v, 1));
  const __m128i two = _mm_min_epi32(four, _mm_shuffle_epi32(four, _MM_SHUFFLE(1, 0, 3, 2)));
  return _mm_cvtsi128_si32(_mm_min_epi32(two, _mm_shuffle_epi32(two, _MM_SHUFFLE(2, 3, 0, 1))));
}

/// Four rows of four words.
struct WordPatch {
  U32x16 words;  ///< row by row; 0 where none is needed
  U32x16 place;  ///< eight lanes' words, twice
};
/// A patch that holds squares of 2x2 words, whose first ones are at `offset` bytes from `base`. Squares at both ends of
/// a row, as of images that repeat, make a patch too; nothing before the first square or behind the last one is read.
/// \returns false: there is none, the words lie further apart
ETZEL_WIDE_INLINE bool loadPatch(const std::byte* base, int64_t pitch, I32x8 offset, WordPatch& p) {
  // From the least offset on, which is in the first row; words of other rows may be up to two further to the left.
  constexpr int32_t kLeft = 8;
  if (pitch < 64 || pitch > INT32_MAX / 4) return false;
  const int32_t least = leastOf(offset) - kLeft;
  const __m256i row = _mm256_set1_epi32(static_cast<int32_t>(pitch));
  const __m256i at = _mm256_sub_epi32((__m256i)offset, _mm256_set1_epi32(least));
  // What is less than a row wraps.
  const __m256i one = _mm256_min_epu32(at, _mm256_sub_epi32(at, row));
  const __m256i column = _mm256_min_epu32(one, _mm256_sub_epi32(one, row));
  const __m128i cut = _mm256_cvtusepi32_epi16(column);
  const auto first = static_cast<uint32_t>(_mm_extract_epi16(_mm_minpos_epu16(cut), 0));
  const auto last = static_cast<uint32_t>(_mm_extract_epi16(_mm_minpos_epu16(~cut), 0)) ^ 0xFFFF;
  const uint32_t wide = last - first;
  if (wide > 8) return false;
  const __mmask8 below = _mm256_cmpneq_epi32_mask(at, one), further = _mm256_cmpneq_epi32_mask(one, column);
  __m256i place = _mm256_srli_epi32(_mm256_sub_epi32(column, _mm256_set1_epi32(static_cast<int32_t>(first))), 2);
  const __m256i four = _mm256_set1_epi32(4);
  place = _mm256_mask_add_epi32(place, below, place, four);
  place = _mm256_mask_add_epi32(place, further, place, four);
  p.place = (U32x16)joinWide((I32x8)place, (I32x8)place);
  const std::byte* const from = base + least + first;
  const std::byte* const third = from + (below ? 2 * pitch : pitch);
  const std::byte* const fourth = further ? third + pitch : third;
  const auto columns = static_cast<__mmask8>(15 >> ((8 - wide) >> 2));
  const std::byte* const lastSquare = base + (pitch - 1 - leastOf(~offset));  // its lower row
  const auto ofFirst = static_cast<__mmask8>(columns & 15U << ((kLeft - first) >> 2));
  const auto ofLast = static_cast<__mmask8>(columns & ((4U << ((lastSquare - fourth) >> 2)) - 1));
  const auto words = [](const std::byte* at4, __mmask8 these)
                         ETZEL_WIDE_BYTES { return _mm_maskz_loadu_epi32(these, at4); };
  const auto rows = [&](const std::byte* a, __mmask8 ofA, const std::byte* b, __mmask8 ofB) ETZEL_WIDE_BYTES {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(words(a, ofA)), words(b, ofB), 1);
  };
  const __m256i upper = rows(from, ofFirst, from + pitch, below ? columns : ofLast);
  const __m256i lower = rows(third, further ? columns : ofLast, fourth, ofLast);
  p.words = (U32x16)_mm512_inserti64x4(_mm512_castsi256_si512(upper), lower, 1);
  return true;
}

}  // namespace etzel::simd

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
