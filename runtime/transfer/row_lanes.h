// The inner loops of blits: rows of texels decoded, mixed and encoded in vectors. Compiled per target, with the same
// bytes; rowLanes() gives what this machine runs best. Internal to transfer/.
//
// Rows of numbers are four floats a texel; they have room for a multiple of eight texels, and what lies beyond `count`
// has no meaning. Bytes are read and written for `count` texels only.
#pragma once

#include "runtime/format/format.h"
#include "runtime/simd/cpu.h"

namespace etzel::transfer {

constexpr uint32_t kRowPadding = 8;  ///< texels that rows of numbers are a multiple of

/// Two texels of a row for each texel of a result. All arrays have room for a multiple of kRowPadding results.
struct ColumnTaps {
  const uint32_t *first, *second;  ///< numbers of the row where the texels begin: multiples of four
  const float* weight;             ///< of the second
  bool hasSingles;                 ///< some weights are 0: an infinity that is second there must not become a NaN
};

struct RowLanes {
  /// Four UNORM bytes a texel to numbers and back as format::decoder and format::encoder have them. `swap`: red and
  /// blue change places.
  void (*decodeUnorm)(const std::byte* texels, bool swap, size_t count, float* out);
  void (*encodeUnorm)(const float* texels, bool swap, size_t count, std::byte* out);
  /// The same where red, green and blue are sRGB codes.
  void (*decodeSrgb)(const std::byte* texels, bool swap, size_t count, float* out);
  void (*encodeSrgb)(const float* texels, bool swap, size_t count, std::byte* out);
  /// The same for four numbers of 16 bits a texel.
  void (*decodeHalf)(const std::byte* texels, size_t count, float* out);
  void (*encodeHalf)(const float* texels, size_t count, std::byte* out);
  /// The same for B10G11R11_UFLOAT_PACK32.
  void (*decodeSmallFloats)(const std::byte* texels, size_t count, float* out);
  void (*encodeSmallFloats)(const float* texels, size_t count, std::byte* out);
  /// Texels of four bytes whose first and third change places.
  void (*swapRedBlue)(const std::byte* texels, size_t count, std::byte* out);
  /// out = row[first] * (1 - weight) + row[second] * weight. Of two NaNs the first stays.
  void (*filterColumns)(const float* row, const ColumnTaps& taps, size_t count, float* out);
  /// filterColumns() of decodeUnorm() where texel i mixes texels 2i and 2i + 1.
  void (*filterUnormPairs)(const std::byte* texels, bool swap, const float* weight, size_t count, float* out);
  /// out = a * (1 - weight) + b * weight, the same way; `out` may be `a` or `b`.
  void (*mixRows)(const float* a, const float* b, float weight, size_t count, float* out);
  /// encodeUnorm() of mixRows().
  void (*mixRowsToUnorm)(const float* a, const float* b, float weight, bool swap, size_t count, std::byte* out);
};

ETZEL_PER_TARGET(extern const RowLanes kRowLanes;)
inline const RowLanes& rowLanes() { return ETZEL_CHOOSE(kRowLanes); }

}  // namespace etzel::transfer
