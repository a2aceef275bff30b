// Blocks of 8x8 texels of 32-bit words or of halves, stored at once, on hosts that store any of a register's texels
// with one instruction. Any thread.
#pragma once

#include "runtime/simd/vec.h"

namespace etzel::simd {

/// What is stored of a pixel's four words: the first one, all of them, or all of them as halves.
enum class BlockTexel : uint8_t { R32, Rgba32, Rgba16F };

/// What becomes of the colours of a block.
struct TexelBlock {
  const LaneWords* colors;  ///< four words of each group of 4x2 pixels
  size_t groupWords;        ///< from one group's words to the next one's
  uint64_t pixels;          ///< those that are stored: a byte for each group, which go right, then down
  std::byte* texels;        ///< of the block's first pixel; no others than those pixels' are touched
  uint32_t rowPitch;        ///< bytes
};

using StoreTexelBlock = void (*)(const TexelBlock& block);

/// Null on hosts where group by group is the best there is.
StoreTexelBlock findStoreTexelBlock(BlockTexel texel);

}  // namespace etzel::simd
