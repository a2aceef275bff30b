// Blocks of 8x8 texels of four bytes, stored or blended at once, on hosts that permute the bytes of whole registers:
// three sRGB codes, which are looked up, and alpha; or four plain codes of numbers in [0, 1]. Any thread.
#pragma once

#include "runtime/simd/byte_table.h"
#include "runtime/simd/vec.h"

namespace etzel::simd {

/// What becomes of the colours of a block.
struct SrgbBlock {
  const ByteTable* numbers;  ///< what sRGB codes stand for
  const ByteTable* least;    ///< the least number that has an sRGB code, 0 for the first one
  const LaneWords* colors;   ///< four words (red to alpha, any floats) of each group of 4x2 pixels
  size_t groupWords;         ///< from one group's words to the next one's
  uint64_t pixels;           ///< those that are written: a byte for each group, which go right, then down
  std::byte* texels;         ///< of the block's first pixel; all of its texels may be read and written
  uint32_t rowPitch;         ///< bytes
  bool blueFirst;
  /// Source colour, destination colour, source alpha, destination alpha:
  /// (factor[i][0] + factor[i][1] * source alpha) + factor[i][2] * destination alpha.
  /// \pre they lie in [0, 1] for all alphas of that range
  float factor[4][3];
};

/// Sources are cut to [0, 1], NaN is 0; the sums too. Texels of a block's other pixels stay as they are.
using WriteSrgbBlock = void (*)(const SrgbBlock& block);

/// Null on hosts where a load for each code is the best there is.
WriteSrgbBlock findWriteSrgbBlock();
inline WriteSrgbBlock writeSrgbBlock() {
  static const WriteSrgbBlock found = findWriteSrgbBlock();
  return found;
}
/// That of plain codes, which has no use for tables. Null where registers hold no more than eight texels.
WriteSrgbBlock findWritePlainBlock();
inline WriteSrgbBlock writePlainBlock() {
  static const WriteSrgbBlock found = findWritePlainBlock();
  return found;
}

}  // namespace etzel::simd
