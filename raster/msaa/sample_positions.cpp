#include "raster/msaa/sample_positions.h"

#include <cmath>

namespace etzel::raster {
namespace {

constexpr uint8_t kX1[] = {8}, kY1[] = {8};
constexpr uint8_t kX2[] = {12, 4}, kY2[] = {12, 4};
constexpr uint8_t kX4[] = {6, 14, 2, 10}, kY4[] = {2, 6, 10, 14};
constexpr uint8_t kX8[] = {9, 7, 13, 5, 3, 1, 11, 15}, kY8[] = {5, 11, 9, 3, 13, 7, 15, 1};
constexpr uint8_t kX16[] = {9, 7, 5, 12, 3, 10, 13, 11, 6, 8, 4, 2, 0, 15, 14, 1};
constexpr uint8_t kY16[] = {9, 5, 10, 7, 6, 13, 11, 3, 14, 1, 2, 12, 8, 4, 15, 0};

SamplePositions make(uint32_t count, const uint8_t* x, const uint8_t* y) {
  SamplePositions p;
  p.count = count;
  for (uint32_t s = 0; s < count; ++s) p.x[s] = x[s], p.y[s] = y[s];
  return p;
}

uint8_t quantize(float v) {
  if (!(v > 0)) return 0;
  return v >= 15.0f / 16 ? 15 : static_cast<uint8_t>(std::floor(v * 16));
}

}  // namespace

SamplePositions standardSamplePositions(uint32_t samples) {
  switch (samples) {
    case 2: return make(2, kX2, kY2);
    case 4: return make(4, kX4, kY4);
    case 8: return make(8, kX8, kY8);
    case 16: return make(16, kX16, kY16);
    default: return make(1, kX1, kY1);
  }
}

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
