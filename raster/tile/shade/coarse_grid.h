// Fragments of several pixels in a block of 8x8: where they lie, which pixels they have, and which lanes of which warps
// run them. Quads are of fragments, so that differences between lanes are those between fragments; warps take two quads
// that are neighbours. All pixels of a group of 4x2 belong to one warp.
#pragma once

#include "raster/lanes.h"
#include "raster/shading_rate.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/block/pixel_group.h"

namespace etzel::raster::ETZEL_TARGET {

class CoarseGrid {
 public:
  explicit CoarseGrid(ShadingRate rate)
      : logWidth_(logWidthOf(rate)), logHeight_(logHeightOf(rate)), logQuadsX_(2 - logWidth_) {}

  int32_t width() const { return 1 << logWidth_; }
  int32_t height() const { return 1 << logHeight_; }
  uint32_t pixels() const { return 1u << (logWidth_ + logHeight_); }  ///< of a fragment
  uint32_t warps() const { return (quads() + 1) / 2; }

  /// A fragment's first pixel, in its block.
  struct Corner {
    int32_t x, y;
  };
  /// Of a lane; those of quads that do not exist lie outside of the block.
  Corner corner(uint32_t warp, uint32_t lane) const {
    const uint32_t quad = 2 * warp + (lane >> 2);
    const uint32_t x = 2 * (quad & ((1u << logQuadsX_) - 1)) + (lane & 1),
                   y = 2 * (quad >> logQuadsX_) + (lane >> 1 & 1);
    return {static_cast<int32_t>(x << logWidth_), static_cast<int32_t>(y << logHeight_)};
  }
  uint64_t pixelsAt(Corner c) const { return rectBits(0, 0, c.x, c.y, c.x + width(), c.y + height()); }
  /// The bit of pixel p of a fragment, counted in rows ("Multisampling", pixel index).
  uint32_t bitOf(Corner c, uint32_t p) const {
    const uint32_t x = static_cast<uint32_t>(c.x) + (p & ((1u << logWidth_) - 1));
    const uint32_t y = static_cast<uint32_t>(c.y) + (p >> logWidth_);
    return ((y >> 1) * 2 + (x >> 2)) * 8 + (x >> 1 & 1) * 4 + (y & 1) * 2 + (x & 1);
  }

  /// The fragments of a group's pixels.
  struct GroupFragments {
    uint32_t warp;
    I32x8 lane;   ///< that runs the fragment of each pixel
    U32x8 pixel;  ///< its number in the fragment
  };
  GroupFragments fragmentsOf(uint32_t group) const {
    const U32x8 x = U32x8{0, 1, 0, 1, 2, 3, 2, 3} + (group & 1) * 4, y = U32x8{0, 0, 1, 1, 0, 0, 1, 1} + (group & 6);
    const U32x8 column = x >> logWidth_, row = y >> logHeight_;
    const U32x8 quad = ((row >> 1) << logQuadsX_) + (column >> 1);
    GroupFragments f;
    f.warp = quad[0] >> 1;
    f.lane = bitCast<I32x8>((quad & 1u) * 4u + (row & 1u) * 2u + (column & 1u));
    f.pixel = (x & ((1u << logWidth_) - 1)) + ((y & ((1u << logHeight_) - 1)) << logWidth_);
    return f;
  }

 private:
  uint32_t quads() const { return 1u << (logQuadsX_ + 2 - logHeight_); }

  uint32_t logWidth_, logHeight_;
  uint32_t logQuadsX_;  ///< quads in a row
};

}  // namespace etzel::raster::ETZEL_TARGET
