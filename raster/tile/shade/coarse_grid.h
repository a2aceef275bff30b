// Fragments of several pixels in a block of 8x8: where they lie, which pixels they have, and which lanes of which warps
// run them. Quads are of fragments, so that differences between lanes are those between fragments; warps take two quads
// that are neighbours. All pixels of a group of 4x2 belong to one warp.
#pragma once

#include "raster/lanes.h"
#include "raster/shading_rate.h"

namespace etzel::raster::ETZEL_TARGET {

/// The fragments of one size.
struct CoarseGrid {
  static constexpr uint32_t kWarps = 4;  ///< of the smallest fragments, 2x1

  int32_t width = 1, height = 1;  ///< pixels of a fragment
  uint32_t pixels = 1, warps = 0;
  uint64_t lanes = 0;  ///< those that have a fragment: a byte for each warp
  // Of lane l of warp w, at 8 * w + l:
  uint64_t pixelsOf[kWarps * kWarpLanes] = {};                            ///< in the order of a block's bits
  uint8_t left[kWarps * kWarpLanes] = {}, top[kWarps * kWarpLanes] = {};  ///< its first pixel
  alignas(32) LaneWords place[2] = {};           ///< centres of warp 0 from the block's corner: abi::FragmentGroups
  alignas(32) LaneWords offset[kWarps][2] = {};  ///< what is added to them for each warp
  // Of the pixels of each group:
  uint32_t warpOf[8] = {};
  alignas(32) LaneWords byteOf[8] = {};   ///< where their lane's word is in that of a warp
  alignas(32) LaneWords rowByte[8] = {};  ///< likewise in an array for all warps; the upper four pixels, then the lower
  alignas(32) LaneWords pixelOf[8] = {};  ///< their number in the fragment ("Multisampling", pixel index)

  constexpr CoarseGrid() = default;
  constexpr explicit CoarseGrid(ShadingRate rate);

  /// The bit of pixel p of the fragment of a lane.
  constexpr uint32_t bitOf(uint32_t lane, uint32_t p) const {
    const auto columns = static_cast<uint32_t>(width);
    return bitAt(left[lane] + p % columns, top[lane] + p / columns);
  }

 private:
  static constexpr uint32_t bitAt(uint32_t x, uint32_t y) {
    return ((y >> 1) * 2 + (x >> 2)) * 8 + (x >> 1 & 1) * 4 + (y & 1) * 2 + (x & 1);
  }
  constexpr void addLane(uint32_t lane, uint32_t logQuads);
  constexpr void addPixel(uint32_t x, uint32_t y, uint32_t logQuads);
};

/// \param logQuads of the quads that lie side by side
constexpr void CoarseGrid::addLane(uint32_t lane, uint32_t logQuads) {
  const uint32_t quad = lane / 4, columns = static_cast<uint32_t>(width), rows = static_cast<uint32_t>(height);
  left[lane] = static_cast<uint8_t>((2 * (quad & ((1u << logQuads) - 1)) + (lane & 1)) * columns);
  top[lane] = static_cast<uint8_t>((2 * (quad >> logQuads) + (lane >> 1 & 1)) * rows);
  const uint32_t warp = lane / kWarpLanes, i = lane % kWarpLanes;
  const auto word = [](float v) { return __builtin_bit_cast(uint32_t, v); };
  const float dx = static_cast<float>(left[lane] - left[i]), dy = static_cast<float>(top[lane] - top[i]);
  offset[warp][0].lane[i] = word(dx), offset[warp][1].lane[i] = word(dy);
  if (warp == 0) {
    place[0].lane[i] = word(static_cast<float>(left[i]) + 0.5f * static_cast<float>(width));
    place[1].lane[i] = word(static_cast<float>(top[i]) + 0.5f * static_cast<float>(height));
  }
  if (top[lane] >= 8) return;
  lanes |= uint64_t{1} << lane;
  for (uint32_t p = 0; p < pixels; ++p) pixelsOf[lane] |= uint64_t{1} << bitOf(lane, p);
}

constexpr void CoarseGrid::addPixel(uint32_t x, uint32_t y, uint32_t logQuads) {
  const uint32_t columns = static_cast<uint32_t>(width), rows = static_cast<uint32_t>(height);
  const uint32_t column = x / columns, row = y / rows, quad = ((row >> 1) << logQuads) + (column >> 1);
  const uint32_t lane = quad * 4 + (row & 1) * 2 + (column & 1), group = bitAt(x, y) / 8, i = bitAt(x, y) % 8;
  warpOf[group] = lane / kWarpLanes;
  byteOf[group].lane[i] = lane % kWarpLanes * 4;
  rowByte[group].lane[(y & 1) * 4 + (x & 3)] = lane * 4;
  pixelOf[group].lane[i] = x % columns + y % rows * columns;
}

constexpr CoarseGrid::CoarseGrid(ShadingRate rate)
    : width(1 << logWidthOf(rate)),
      height(1 << logHeightOf(rate)),
      pixels(static_cast<uint32_t>(width * height)),
      warps(divideUp(64 / pixels, kWarpLanes)) {
  const uint32_t logQuads = 2 - logWidthOf(rate);
  for (uint32_t lane = 0; lane < warps * kWarpLanes; ++lane) addLane(lane, logQuads);
  for (uint32_t y = 0; y < 8; ++y)
    for (uint32_t x = 0; x < 8; ++x) addPixel(x, y, logQuads);
}

/// By rate, for all that isRate() knows but 0.
struct CoarseGrids {
  CoarseGrid of[makeRate(kMaxLogFragmentSize, kMaxLogFragmentSize) + 1];
  constexpr CoarseGrids() : of() {
    for (uint32_t w = 0; w <= kMaxLogFragmentSize; ++w)
      for (uint32_t h = 0; h <= kMaxLogFragmentSize; ++h)
        if (w + h > 0 && isRate(w, h, 1)) of[makeRate(w, h)] = CoarseGrid(makeRate(w, h));
  }
};
inline constexpr CoarseGrids kCoarseGrids;

}  // namespace etzel::raster::ETZEL_TARGET
