#include "compiler/exec/interp/sample_location.h"

#include "runtime/abi/sample_locations.h"

namespace etzel::interp {

SampleLocation sampleLocation(const abi::DispatchContext& context, uint32_t index) {
  const uint8_t* pairs = context.sampleLocations;
  if (!pairs) pairs = abi::standardSampleLocations(context.sampleCount);
  if (index >= context.sampleCount) return {0.5f, 0.5f};
  return {static_cast<float>(pairs[2 * index]) / 16.0f, static_cast<float>(pairs[2 * index + 1]) / 16.0f};
}

}  // namespace etzel::interp
