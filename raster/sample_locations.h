// Where the samples of a draw's pixels lie: the standard locations or those an application sets. Pure functions, any
// thread.
#pragma once

#include "raster/draw.h"
#include "runtime/msaa/sample_positions.h"

namespace etzel::raster {

inline constexpr uint32_t kMaxSamples = 16;

using msaa::SamplePositions;
using msaa::standardSamplePositions;

/// The locations a draw uses: custom ones rounded down to 1/16 pixel and clamped to the pixel, or the standard ones.
SamplePositions samplePositions(const DrawState& state);

}  // namespace etzel::raster
