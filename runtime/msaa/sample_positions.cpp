#include "runtime/msaa/sample_positions.h"

namespace etzel::msaa {
namespace {

constexpr SamplePositions kOne = {1, {8}, {8}};
constexpr SamplePositions kTwo = {2, {12, 4}, {12, 4}};
constexpr SamplePositions kFour = {4, {6, 14, 2, 10}, {2, 6, 10, 14}};
constexpr SamplePositions kEight = {8, {9, 7, 13, 5, 3, 1, 11, 15}, {5, 11, 9, 3, 13, 7, 15, 1}};
constexpr SamplePositions kSixteen = {
    16, {9, 7, 5, 12, 3, 10, 13, 11, 6, 8, 4, 2, 0, 15, 14, 1}, {9, 5, 10, 7, 6, 13, 11, 3, 14, 1, 2, 12, 8, 4, 15, 0}};

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
