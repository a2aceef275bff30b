// sRGB codes of eight lanes, with the bytes that convert.h gives for one. For code that is compiled per target.
#pragma once

#include "runtime/format/convert.h"
#include "runtime/simd/byte_table.h"

namespace etzel::format {

extern const simd::ByteTable kSrgbBytes;  ///< kSrgbToLinear
extern const simd::ByteTable kSrgbLeast;  ///< the least number that linearToSrgb8() makes each code of; 0 for code 0

/// The linear numbers of the three lowest bytes of words. Word by word: bytes of registers make addresses for less than
/// lanes of vectors do.
ETZEL_INLINE void srgbToLinear(const simd::U32x8& words, simd::F32x8 out[3]) {
  if (const simd::LookUpBytes lookUp = simd::lookUpBytes()) return lookUp(kSrgbBytes, &words, 1, out);
  const auto* word = reinterpret_cast<const uint32_t*>(&words);
  const float* const table = kSrgbToLinear;
  simd::F32x4 row[8];
  for (int i = 0; i < 8; ++i) {
    const uint32_t w = word[i];
    row[i] = simd::F32x4{table[w & 255], table[w >> 8 & 255], table[w >> 16 & 255], 0};
  }
  simd::F32x8 unused = simd::join(row[3], row[7]);
  for (int k = 0; k < 3; ++k) out[k] = simd::join(row[k], row[4 + k]);
  simd::transposeHalves(out[0], out[1], out[2], unused);
}

/// The same of four times eight words.
ETZEL_INLINE void srgbToLinear(const simd::U32x8 words[4], simd::F32x8 out[4][3]) {
  if (const simd::LookUpBytes lookUp = simd::lookUpBytes()) return lookUp(kSrgbBytes, words, 4, out[0]);
  for (int k = 0; k < 4; ++k) srgbToLinear(words[k], out[k]);
}

/// linearToSrgb8().
ETZEL_INLINE simd::U32x8 linearToSrgb8(simd::F32x8 linear) {
  // From the greatest number that gives 0, to the greatest below 1: within the table, NaN at its start.
  const auto bits = simd::asUnsigned(simd::clamp(linear, 0x1p-13f, 0x1.fffffep-1f));
  const simd::U32x8 row = (bits >> 16) - SrgbEncoding::kFirst;
  return (simd::asUnsigned(simd::gatherWords(kSrgbEncoding.word, simd::asInt(row << 2))) + (bits & 0xFFFFu)) >> 16;
}

}  // namespace etzel::format
