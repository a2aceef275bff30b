// The primitives of a tile in a pass with a probe: they were binned as if there were no scissors
// (RasterState::showCut), so that the probe sees what those cut off. Here they are cut.
#pragma once

#include <vector>

#include "raster/bin.h"
#include "raster/pixel_probe.h"

namespace etzel::raster {

/// What cuts a primitive off at a pixel: Viewport, Scissor, or Kept. `primitive` as it was binned
SampleEnd cutAt(const BinnedPrimitive& primitive, int32_t x, int32_t y);

class CutPrimitives {
 public:
  /// The same job with primitives that are cut; those of which nothing is left have empty boxes. Valid until the next.
  TileJob cut(const TileJob& job);

 private:
  std::vector<BinnedPrimitive> primitives_;
  std::vector<const BinnedPrimitive*> list_;
};

}  // namespace etzel::raster
