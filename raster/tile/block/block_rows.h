// Blocks of 8x8 pixels by rows: where what is done to a block's texels asks for no quads, rows of eight texels come and
// go as they lie in memory.
#pragma once

#include "raster/lanes.h"
#include "raster/tile/block/block_coverage.h"

namespace etzel::raster::ETZEL_TARGET {

/// The places of a row's pixels, or of a column's.
ETZEL_INLINE F32x8 rowSteps() { return F32x8{0, 1, 2, 3, 4, 5, 6, 7}; }

/// The pixels of a block with a byte for each row, its bit i for pixel i, instead of one for each group.
ETZEL_INLINE uint64_t rowsOfGroups(uint64_t v) {
  uint64_t t = (v ^ v >> 2) & 0x0C0C0C0C0C0C0C0Cull;  // of a group: its upper pixels, then the lower ones
  v ^= t ^ t << 2;
  t = (v ^ v >> 4) & 0x00F000F000F000F0ull;
  return v ^ t ^ t << 4;
}
ETZEL_INLINE uint64_t groupsOfRows(uint64_t v) {
  uint64_t t = (v ^ v >> 4) & 0x00F000F000F000F0ull;
  v ^= t ^ t << 4;
  t = (v ^ v >> 2) & 0x0C0C0C0C0C0C0C0Cull;
  return v ^ t ^ t << 2;
}
ETZEL_INLINE LaneMask lanesOfRow(uint64_t rows, uint32_t row) { return static_cast<LaneMask>(rows >> row * 8 & 255); }

}  // namespace etzel::raster::ETZEL_TARGET
