#include "raster/front/primitive/triangle_filter.h"

#include "runtime/mutant/mutant.h"
#include "runtime/simd/cpu.h"

namespace etzel::raster {

FilterState::FilterState(const RasterState& state) : viewport(state.viewport[0]), rounding(state.rounding) {
  const DrawState& d = *state.draw;
  depthClip = d.depthClip;
  symmetricDepth = d.negativeOneToOne;
  // Positive areas are clockwise.
  cullsPositive = d.cullMode & (state.frontIsClockwise ? VK_CULL_MODE_FRONT_BIT : VK_CULL_MODE_BACK_BIT);
  cullsNegative = d.cullMode & (state.frontIsClockwise ? VK_CULL_MODE_BACK_BIT : VK_CULL_MODE_FRONT_BIT);
  swapsTies = mutated(Mutant::TopLeftRule);
  const SamplePositions& positions = state.samples;
  sampleCount = positions.count;
  for (uint32_t s = 0; s < sampleCount; ++s)
    sample[s] = {float(positions.x[s]) * (kSubPixels / 16), float(positions.y[s]) * (kSubPixels / 16)};
}

const TriangleFilter& triangleFilter() { return ETZEL_CHOOSE(kTriangleFilter); }

}  // namespace etzel::raster
