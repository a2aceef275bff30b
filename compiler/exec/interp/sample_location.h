// Where a sample lies inside its pixel: the locations the application set, or the standard ones ("Multisampling",
// Standard sample locations).
#pragma once

#include "runtime/abi/kernel.h"

namespace etzel::interp {

struct SampleLocation {
  float x, y;  ///< [0, 1) from the pixel's upper left corner
};

/// Of sample `index` of context.sampleCount; the pixel's centre when there is no such sample.
SampleLocation sampleLocation(const abi::DispatchContext& context, uint32_t index);

}  // namespace etzel::interp
