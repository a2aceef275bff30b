#include "compiler/exec/interp/sample_location.h"

namespace etzel::interp {
namespace {
// Pairs (x, y) in 1/16 pixel.
constexpr uint8_t kStandard1[] = {8, 8};
constexpr uint8_t kStandard2[] = {12, 12, 4, 4};
constexpr uint8_t kStandard4[] = {6, 2, 14, 6, 2, 10, 10, 14};
constexpr uint8_t kStandard8[] = {9, 5, 7, 11, 13, 9, 5, 3, 3, 13, 1, 7, 11, 15, 15, 1};
constexpr uint8_t kStandard16[] = {9, 9,  7, 5, 5, 10, 12, 7,  3, 6, 10, 13, 13, 11, 11, 3,
                                   6, 14, 8, 1, 4, 2,  2,  12, 0, 8, 15, 4,  14, 15, 1,  0};
}  // namespace

SampleLocation sampleLocation(const abi::DispatchContext& context, uint32_t index) {
  const uint8_t* pairs = context.sampleLocations;
  if (!pairs) {
    switch (context.sampleCount) {
      case 2: pairs = kStandard2; break;
      case 4: pairs = kStandard4; break;
      case 8: pairs = kStandard8; break;
      case 16: pairs = kStandard16; break;
      default: pairs = kStandard1; break;
    }
  }
  if (index >= context.sampleCount) return {0.5f, 0.5f};
  return {static_cast<float>(pairs[2 * index]) / 16.0f, static_cast<float>(pairs[2 * index + 1]) / 16.0f};
}

}  // namespace etzel::interp
