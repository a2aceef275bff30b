// The primitives of a tile in a pass with a probe: they were binned as if there were no scissors
// (RasterState::prepareForProbe), so that the probe sees what those cut off. Here they are cut, and limited to a part
// of the tile.
#pragma once

#include <deque>
#include <vector>

#include "raster/front/setup/raster_state.h"
#include "raster/pixel_probe.h"

namespace etzel::raster {

/// What cuts a primitive off at a pixel: Viewport, Scissor, or Kept. `primitive` as it was binned
SampleEnd cutAt(const BinnedPrimitive& primitive, int32_t x, int32_t y);

constexpr bool isEmpty(const PixelRect& r) { return r.minX >= r.maxX || r.minY >= r.maxY; }

class CutPrimitives {
 public:
  /// The job with its primitives in `part`, a rectangle of blocks of its tile. Valid until the next.
  /// \param all also those of which nothing is left there, with empty boxes; false: without them
  TileJob cut(const TileJob& job, const PixelRect& part, bool all);

  /// A primitive of the last cut as it was binned.
  const BinnedPrimitive& whole(uint32_t i) const { return *whole_[i]; }
  /// Has a primitive of the last cut belong to another draw.
  void setDraw(uint32_t i, const DrawRecord* draw) { copyOf(i).draw = draw; }

 private:
  BinnedPrimitive& copyOf(uint32_t i);

  std::deque<BinnedPrimitive> copies_;  ///< what is not as it was binned
  std::vector<const BinnedPrimitive*> list_, whole_;
};

}  // namespace etzel::raster
