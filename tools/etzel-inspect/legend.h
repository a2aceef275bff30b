// A frame around a picture: pixel coordinates along its upper and left side, a caption and what its colours mean below.
#pragma once

#include "pictures.h"

namespace inspect {

/// The frame. Pixel (0, 0) of the picture is pixel (x0, y0) of the surface, `zoom` pixels wide and high. Letters are
/// written small.
Picture framed(const Picture& p, const Legend& legend, uint32_t x0, uint32_t y0, uint32_t zoom);

}  // namespace inspect
