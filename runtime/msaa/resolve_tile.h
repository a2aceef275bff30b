// Averages of rows of 8x8 tiles of four bytes a pixel: the inner loops of resolve.cpp, compiled per target.
#pragma once

#include "runtime/msaa/fragment_surface.h"
#include "runtime/simd/target.h"

namespace etzel::msaa {

/// Averages `count` whole tiles beginning with `tile`, all in one row of tiles, into `out`: (sum + samples / 2) /
/// samples, rounded down, of every byte. \pre surface.texelBytes == 4, several samples
ETZEL_PER_TARGET(void averageTiles(const FragmentSurface& surface, uint32_t tile, uint32_t count, std::byte* out,
                                   size_t outPitch);)

}  // namespace etzel::msaa
