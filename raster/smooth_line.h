// Smooth lines ("Rasterization", Smooth Lines): rectangles to which every pixel belongs that they have a part of, and
// be it small. The part is multiplied into the fragment's alpha.
#pragma once

#include "runtime/base/types.h"

namespace etzel::raster {

/// The corners of a line's rectangle in 1/256 pixel, in their order around it.
struct SmoothRectangle {
  int32_t corner[4][2] = {};
};

/// The part of a pixel that lies in the rectangle, 0 to 1.
float smoothCoverage(const SmoothRectangle& r, int32_t x, int32_t y);

/// Parts from here on make a fragment. What is less no target of eight bits shows, but it would replace what is there
/// where nothing is blended.
inline constexpr float kLeastSmoothPart = 1.0f / 1024;

/// Finds the pixels [*x0, *x1) of row y that the rectangle has such a part of. \returns false where there are none
bool smoothRow(const SmoothRectangle& r, int32_t y, int32_t* x0, int32_t* x1);

}  // namespace etzel::raster
