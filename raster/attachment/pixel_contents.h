// Reads all that a pixel has in an attachment, whatever the state of its tile.
#pragma once

#include "raster/attachment/surface.h"
#include "raster/pixel_probe.h"

namespace etzel::raster {

/// Nothing where the surface has no such pixel or layer. Nobody may write the pixel meanwhile.
PixelContents readPixel(const Surface& surface, int32_t x, int32_t y, uint32_t layer);

}  // namespace etzel::raster
