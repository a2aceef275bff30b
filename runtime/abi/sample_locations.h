// Where the samples of a pixel lie by default ("Multisampling", Standard sample locations): the one table, for shaders
// and for the rasterizer. Pure functions, any thread.
#pragma once

#include <cstdint>

namespace etzel::abi {

namespace sample_locations {
inline constexpr uint8_t kOne[] = {8, 8};
inline constexpr uint8_t kTwo[] = {12, 12, 4, 4};
inline constexpr uint8_t kFour[] = {6, 2, 14, 6, 2, 10, 10, 14};
inline constexpr uint8_t kEight[] = {9, 5, 7, 11, 13, 9, 5, 3, 3, 13, 1, 7, 11, 15, 15, 1};
inline constexpr uint8_t kSixteen[] = {9, 9,  7, 5, 5, 10, 12, 7,  3, 6, 10, 13, 13, 11, 11, 3,
                                       6, 14, 8, 1, 4, 2,  2,  12, 0, 8, 15, 4,  14, 15, 1,  0};
}  // namespace sample_locations

/// Pairs (x, y) in 1/16 pixel from the pixel's upper left corner, as DispatchContext::sampleLocations has them, of 1,
/// 2, 4, 8 or 16 samples.
constexpr const uint8_t* standardSampleLocations(uint32_t samples) {
  switch (samples) {
    case 2: return sample_locations::kTwo;
    case 4: return sample_locations::kFour;
    case 8: return sample_locations::kEight;
    case 16: return sample_locations::kSixteen;
    default: return sample_locations::kOne;
  }
}

}  // namespace etzel::abi
