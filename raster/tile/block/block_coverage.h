// Coverage of blocks of 8x8 pixels as words. Bits of a block: byte g is group g (groups go right, then down), its bit i
// is lane i of the group.
#pragma once

#include "raster/lanes.h"
#include "raster/sample_locations.h"
#include "raster/tile/draw/tile_draw.h"

namespace etzel::raster::ETZEL_TARGET {

inline constexpr int32_t kBlock = 8;

/// Whether all pixels of the block at (x, y) lie inside every attachment.
ETZEL_INLINE bool isWholeBlock(const TileDraw& d, int32_t x, int32_t y) {
  return static_cast<uint32_t>(x) + kBlock <= d.safeWidth && static_cast<uint32_t>(y) + kBlock <= d.safeHeight;
}

/// Bits of the block's pixels with x < n, and with y < n.
ETZEL_INLINE uint64_t columnsBelow(int32_t n) {
  static constexpr uint64_t kColumn[9] = {0,
                                          0x0005000500050005ull,
                                          0x000F000F000F000Full,
                                          0x005F005F005F005Full,
                                          0x00FF00FF00FF00FFull,
                                          0x05FF05FF05FF05FFull,
                                          0x0FFF0FFF0FFF0FFFull,
                                          0x5FFF5FFF5FFF5FFFull,
                                          ~0ull};
  return kColumn[n];
}
ETZEL_INLINE uint64_t rowsBelow(int32_t n) {
  static constexpr uint64_t kRow[9] = {0,
                                       0x0000000000003333ull,
                                       0x000000000000FFFFull,
                                       0x000000003333FFFFull,
                                       0x00000000FFFFFFFFull,
                                       0x00003333FFFFFFFFull,
                                       0x0000FFFFFFFFFFFFull,
                                       0x3333FFFFFFFFFFFFull,
                                       ~0ull};
  return kRow[n];
}
ETZEL_INLINE int32_t clampBlock(int32_t v) { return v < 0 ? 0 : v > kBlock ? kBlock : v; }
/// Pixels [x0, x1) x [y0, y1) of the block at (bx, by).
ETZEL_INLINE uint64_t rectBits(int32_t bx, int32_t by, int32_t x0, int32_t y0, int32_t x1, int32_t y1) {
  uint64_t columns = columnsBelow(clampBlock(x1 - bx)) & ~columnsBelow(clampBlock(x0 - bx));
  return columns & rowsBelow(clampBlock(y1 - by)) & ~rowsBelow(clampBlock(y0 - by));
}

/// A bit for each byte that is not 0.
ETZEL_INLINE uint32_t someBytes(uint64_t v) {
  v |= v >> 4;
  v |= v >> 2, v |= v >> 1;
  return static_cast<uint32_t>((v & 0x0101010101010101ull) * 0x0102040810204080ull >> 56);
}
/// The bytes of which `bits` has a bit.
ETZEL_INLINE uint64_t bytesOf(uint32_t bits) {
  // A copy of the bits for every byte, of which each keeps another one.
  const uint64_t ones = (bits * 0x0101010101010101ull & 0x8040201008040201ull) + 0x7F7F7F7F7F7F7F7Full;
  return ((ones & 0x8080808080808080ull) >> 7) * 255;
}

/// What a primitive covers of a block.
struct BlockCoverage {
  uint64_t alike = 0;  ///< covered pixels of groups in which every pixel is covered in all samples or in none
  uint32_t mixed = 0;  ///< the other groups, a bit each
  /// With some mixed groups, for each sample: the pixels of those groups that it covers, and no others.
  alignas(32) uint64_t each[kMaxSamples];

  /// The lanes of a group, whether mixed or not, sample by sample.
  void load(uint32_t group, uint32_t samples, LaneMask* to) const {
    const bool isMixed = mixed >> group & 1;
    for (uint32_t s = 0; s < samples; ++s)
      to[s] = static_cast<LaneMask>((isMixed ? each[s] : alike) >> group * 8 & 255);
  }
  /// Replaces the coverage of a group.
  void store(uint32_t group, uint32_t samples, const LaneMask* from) {
    const uint64_t keep = ~(uint64_t{255} << group * 8);
    LaneMask any = from[0], all = from[0];
    for (uint32_t s = 1; s < samples; ++s) any |= from[s], all &= from[s];
    alike = (alike & keep) | uint64_t{any == all ? all : 0} << group * 8;
    if (any != all && !mixed) __builtin_memset(each, 0, sizeof each);
    if (any == all && !(mixed >> group & 1)) return;
    for (uint32_t s = 0; s < samples; ++s) each[s] = (each[s] & keep) | uint64_t{any != all ? from[s] : 0} << group * 8;
    mixed = (mixed & ~(1u << group)) | uint32_t{any != all} << group;
  }

  /// Takes over what each sample covers.
  ETZEL_INLINE void split(const uint64_t* covered, uint32_t samples) {
    uint64_t any = covered[0], all = covered[0];
    for (uint32_t s = 1; s < samples; ++s) any |= covered[s], all &= covered[s];
    const uint64_t differs = divide(any, all);
    for (uint32_t s = 0; s < samples; ++s) each[s] = covered[s] & differs;
  }
  /// Divides what some and what all samples cover into groups. \returns the pixels of mixed groups
  ETZEL_INLINE uint64_t divide(uint64_t any, uint64_t all) {
    mixed = someBytes(any ^ all);
    const uint64_t differs = bytesOf(mixed);
    alike = all & ~differs;
    return differs;
  }
  /// The opposite: a word per sample.
  ETZEL_INLINE void masks(uint32_t samples, uint64_t* to) const {
    for (uint32_t s = 0; s < samples; ++s) to[s] = mixed ? alike | each[s] : alike;
  }
  uint32_t groups() const { return someBytes(alike) | mixed; }
};

}  // namespace etzel::raster::ETZEL_TARGET
