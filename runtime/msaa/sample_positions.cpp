#include "runtime/msaa/sample_positions.h"

#include "runtime/abi/sample_locations.h"

namespace etzel::msaa {
namespace {

constexpr SamplePositions positionsOf(uint32_t samples) {
  SamplePositions p;
  p.count = samples;
  const uint8_t* pairs = abi::standardSampleLocations(samples);
  for (uint32_t i = 0; i < samples; ++i) p.x[i] = pairs[2 * i], p.y[i] = pairs[2 * i + 1];
  return p;
}
constexpr SamplePositions kOne = positionsOf(1), kTwo = positionsOf(2), kFour = positionsOf(4), kEight = positionsOf(8),
                          kSixteen = positionsOf(16);

}  // namespace

const SamplePositions& standardSamplePositions(uint32_t samples) {
  switch (samples) {
    case 2: return kTwo;
    case 4: return kFour;
    case 8: return kEight;
    case 16: return kSixteen;
    default: return kOne;
  }
}

}  // namespace etzel::msaa
