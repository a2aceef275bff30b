// The pixel groups of the tile code and their texels in attachments: a group has 4x2 pixels, lanes 0-3 the left quad,
// 4-7 the right one; in a quad lane 1 is right of lane 0, lane 2 below it.
#pragma once

#include "raster/attachment/surface.h"
#include "raster/lanes.h"

namespace etzel::raster::ETZEL_TARGET {

/// Where a lane lies in its group.
ETZEL_INLINE uint32_t laneX(uint32_t lane) { return (lane >> 2) * 2 + (lane & 1); }
ETZEL_INLINE uint32_t laneY(uint32_t lane) { return lane >> 1 & 1; }
ETZEL_INLINE F32x8 laneXs() { return F32x8{0, 1, 0, 1, 2, 3, 2, 3}; }
ETZEL_INLINE F32x8 laneYs() { return F32x8{0, 0, 1, 1, 0, 0, 1, 1}; }

/// Eight 32-, 16- or 8-bit texels of a group whose rows lie `pitch` bytes apart.
ETZEL_INLINE U32x8 loadGroup32(const std::byte* p, uint32_t pitch) {
  U32x4 a = load<U32x4>(p), b = load<U32x4>(p + pitch);
  return __builtin_shufflevector(a, b, 0, 1, 4, 5, 2, 3, 6, 7);
}
ETZEL_INLINE void storeGroup32(std::byte* p, uint32_t pitch, U32x8 v) {
  store(p, __builtin_shufflevector(v, v, 0, 1, 4, 5));
  store(p + pitch, __builtin_shufflevector(v, v, 2, 3, 6, 7));
}
ETZEL_INLINE U32x8 loadGroup16(const std::byte* p, uint32_t pitch) {
  U16x4 a = load<U16x4>(p), b = load<U16x4>(p + pitch);
  return convert<U32x8>(__builtin_shufflevector(a, b, 0, 1, 4, 5, 2, 3, 6, 7));
}
ETZEL_INLINE void storeGroup16(std::byte* p, uint32_t pitch, U32x8 v) {
  U16x8 h = convert<U16x8>(v);
  store(p, __builtin_shufflevector(h, h, 0, 1, 4, 5));
  store(p + pitch, __builtin_shufflevector(h, h, 2, 3, 6, 7));
}
ETZEL_INLINE U32x8 loadGroup8(const std::byte* p, uint32_t pitch) {
  const U32x8 rows = wordsOfBytes(load<uint32_t>(p) | uint64_t{load<uint32_t>(p + pitch)} << 32);
  return __builtin_shufflevector(rows, rows, 0, 1, 4, 5, 2, 3, 6, 7);
}
ETZEL_INLINE void storeGroup8(std::byte* p, uint32_t pitch, U32x8 v) {
  const uint64_t rows = bytesOfWords(__builtin_shufflevector(v, v, 0, 1, 4, 5, 2, 3, 6, 7));
  store(p, static_cast<uint32_t>(rows)), store(p + pitch, static_cast<uint32_t>(rows >> 32));
}

/// One group of pixels: where it is, and whether whole vectors may be read and written there.
struct PixelGroup {
  int32_t x, y;  ///< upper left pixel, absolute
  uint32_t layer;
  bool whole;    ///< all eight pixels lie inside every attachment
  F32x8 px, py;  ///< the lanes' pixels: upper left corners
};

/// Texels of 1, 2 or 4 bytes of one sample as 32-bit words; lanes outside `lanes` may hold anything.
ETZEL_INLINE U32x8 loadTexels(const Surface& s, const PixelGroup& g, uint32_t sample, LaneMask lanes) {
  const std::byte* p = s.at(static_cast<uint32_t>(g.x), static_cast<uint32_t>(g.y), g.layer, sample);
  if (g.whole) {
    if (s.texelBytes == 4) return loadGroup32(p, s.rowPitch);
    return s.texelBytes == 2 ? loadGroup16(p, s.rowPitch) : loadGroup8(p, s.rowPitch);
  }
  U32x8 v = {};
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    if (!(lanes >> i & 1)) continue;
    uint32_t word = 0;
    __builtin_memcpy(&word, p + laneY(i) * s.rowPitch + laneX(i) * s.texelBytes, s.texelBytes);
    v[i] = word;
  }
  return v;
}
/// Stores the low bytes of the words of `lanes`; `old` is what loadTexels gave there (whole groups are merged).
ETZEL_INLINE void storeTexels(const Surface& s, const PixelGroup& g, uint32_t sample, LaneMask lanes, U32x8 v,
                              U32x8 old) {
  std::byte* p = s.at(static_cast<uint32_t>(g.x), static_cast<uint32_t>(g.y), g.layer, sample);
  if (g.whole) {
    if (lanes != kAllLanes) v = select(fromLaneMask(lanes), v, old);
    if (s.texelBytes == 4) return storeGroup32(p, s.rowPitch, v);
    return s.texelBytes == 2 ? storeGroup16(p, s.rowPitch, v) : storeGroup8(p, s.rowPitch, v);
  }
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    if (!(lanes >> i & 1)) continue;
    uint32_t word = v[i];
    __builtin_memcpy(p + laneY(i) * s.rowPitch + laneX(i) * s.texelBytes, &word, s.texelBytes);
  }
}

}  // namespace etzel::raster::ETZEL_TARGET
