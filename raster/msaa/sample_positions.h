// Where the samples of a pixel lie: the standard locations ("Multisampling", Standard sample locations) or those an
// application sets. Pure functions, any thread.
#pragma once

#include "raster/draw.h"
#include "runtime/base/types.h"

namespace etzel::raster {

inline constexpr uint32_t kMaxSamples = 16;

/// Offsets from a pixel's upper left corner in 1/16 pixel, 0-15. All positions are multiples of 1/16 pixel
/// (sampleLocationSubPixelBits = 4), which keeps edge functions inside an 8x8 block in 32 bits.
struct SamplePositions {
  uint32_t count = 1;
  uint8_t x[kMaxSamples] = {8};
  uint8_t y[kMaxSamples] = {8};
};

/// Standard locations of 1, 2, 4, 8 or 16 samples.
SamplePositions standardSamplePositions(uint32_t samples);

/// The locations a draw uses: custom ones rounded down to 1/16 pixel and clamped to the pixel, or the standard ones.
SamplePositions samplePositions(const DrawState& state);

}  // namespace etzel::raster
