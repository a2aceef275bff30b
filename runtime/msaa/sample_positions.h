// Where the samples of a pixel lie by default ("Multisampling", Standard sample locations). Pure functions, any thread.
#pragma once

#include "runtime/base/types.h"

namespace etzel::msaa {

/// Offsets from a pixel's upper left corner in 1/16 pixel, 0-15. All positions are multiples of 1/16 pixel
/// (sampleLocationSubPixelBits = 4), which keeps edge functions inside an 8x8 block in 32 bits.
struct SamplePositions {
  uint32_t count = 1;
  uint8_t x[16] = {8};
  uint8_t y[16] = {8};
};

/// Standard locations of 1, 2, 4, 8 or 16 samples.
const SamplePositions& standardSamplePositions(uint32_t samples);

}  // namespace etzel::msaa
