// Averages of rows of 8x8 tiles of four bytes a pixel, the inner loops of resolve.cpp: compiled for AVX2 and for every
// x86-64 machine, with equal results.
#pragma once

#include <emmintrin.h>

#include "runtime/msaa/fragment_surface.h"

namespace etzel::msaa {

/// Averages `count` whole tiles beginning with `tile`, all in one row of tiles, into `out`: (sum + samples / 2) /
/// samples, rounded down, of every byte. \pre surface.texelBytes == 4, several samples
void averageTilesAvx2(const FragmentSurface& surface, uint32_t tile, uint32_t count, std::byte* out, size_t outPitch);
void averageTilesSse2(const FragmentSurface& surface, uint32_t tile, uint32_t count, std::byte* out, size_t outPitch);

}  // namespace etzel::msaa
