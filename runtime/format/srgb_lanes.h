// sRGB codes of eight lanes, with the bytes that convert.h gives for one. For code that is compiled per target.
#pragma once

#include "runtime/format/convert.h"
#include "runtime/format/srgb_curve.h"
#include "runtime/simd/byte_table.h"

namespace etzel::format {

extern const simd::ByteTable kSrgbBytes;  ///< kSrgbToLinear
extern const simd::ByteTable kSrgbLeast;  ///< the least number that linearToSrgb8() makes each code of; 0 for code 0

/// Four words of a table. Two numbers say which, the lower half of each first: registers make addresses of halves for
/// less than lanes of vectors do.
ETZEL_INLINE simd::F32x4 tableWords(const void* table, uint64_t first, uint64_t second) {
  const auto at = [table](uint64_t number) __attribute__((always_inline)) {
    return simd::load<float>(static_cast<const std::byte*>(table) + 4 * number);
  };
  return simd::F32x4{at(first & 0xFFFFFFFFu), at(first >> 32), at(second & 0xFFFFFFFFu), at(second >> 32)};
}
/// The linear numbers of a word's three lowest bytes, and a fourth number.
ETZEL_INLINE simd::F32x4 srgbNumbers(uint32_t word, float fourth) {
  const float* const table = kSrgbToLinear;
  return simd::F32x4{table[word & 255], table[word >> 8 & 255], table[word >> 16 & 255], fourth};
}

/// kSrgbToLinear of codes, by arithmetic.
ETZEL_INLINE simd::F32x8 srgbToLinear(simd::F32x8 code) {
  using simd::splat;
  simd::F32x8 sum = splat<simd::F32x8>(kSrgbCurve[kSrgbDegree]);
#pragma GCC unroll 6
  for (uint32_t k = kSrgbDegree; k-- > 0;) sum = simd::fma(sum, code, splat<simd::F32x8>(kSrgbCurve[k]));
  return simd::select(code > splat<simd::F32x8>(kSrgbLineEnd), sum, code * splat<simd::F32x8>(kSrgbSlope));
}

/// Whether multiply-adds are instructions of all hosts of this target.
#if defined(ETZEL_SIMD_V3) || defined(ETZEL_SIMD_NEON)
inline constexpr bool kSrgbByArithmetic = true;
#else
inline constexpr bool kSrgbByArithmetic = false;
#endif

/// The linear numbers of the three lowest bytes of words.
ETZEL_INLINE void srgbToLinear(const simd::U32x8& words, simd::F32x8 out[3]) {
  if constexpr (kSrgbByArithmetic) {
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) out[c] = srgbToLinear(simd::convert<simd::F32x8>(simd::asInt(words >> (8 * c) & 255u)));
    return;
  }
  const auto pairs = simd::bitCast<simd::U64x4>(words);
  simd::F32x4 row[8];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const uint64_t pair = pairs[i];
    row[2 * i] = srgbNumbers(static_cast<uint32_t>(pair), 0);
    row[2 * i + 1] = srgbNumbers(static_cast<uint32_t>(pair >> 32), 0);
  }
  simd::F32x8 unused = simd::join(row[3], row[7]);
  for (int k = 0; k < 3; ++k) out[k] = simd::join(row[k], row[4 + k]);
  simd::transposeHalves(out[0], out[1], out[2], unused);
}

/// linearToSrgb8().
ETZEL_INLINE simd::U32x8 linearToSrgb8(simd::F32x8 linear) {
  // From the greatest number that gives 0, to the greatest below 1: within the table, NaN at its start.
  const auto bits = simd::asUnsigned(simd::clamp(linear, 0x1p-13f, 0x1.fffffep-1f));
  const auto rows = simd::bitCast<simd::U64x4>((bits >> 16) - SrgbEncoding::kFirst);
  const uint32_t* const table = kSrgbEncoding.word;
  const auto words = simd::join(tableWords(table, rows[0], rows[1]), tableWords(table, rows[2], rows[3]));
  return (simd::asUnsigned(words) + (bits & 0xFFFFu)) >> 16;
}

}  // namespace etzel::format
