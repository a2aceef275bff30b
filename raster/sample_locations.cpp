#include "raster/sample_locations.h"

#include <cmath>

namespace etzel::raster {
namespace {

uint8_t quantize(float v) {
  if (!(v > 0)) return 0;
  return v >= 15.0f / 16 ? 15 : static_cast<uint8_t>(std::floor(v * 16));
}

}  // namespace

SamplePositions samplePositions(const DrawState& state) {
  SamplePositions p = standardSamplePositions(state.samples);
  if (state.customSampleLocations) {
    for (uint32_t s = 0; s < p.count; ++s) {
      p.x[s] = quantize(state.sampleLocation[s].x);
      p.y[s] = quantize(state.sampleLocation[s].y);
    }
  }
  return p;
}

}  // namespace etzel::raster
