#include "supersample.h"

#include <cmath>

namespace vkbench {

std::array<float, 2> sampleOffset(uint32_t samples, uint32_t sample) {
  // In sixteenths of a pixel from its upper left corner.
  static constexpr uint8_t k1[][2] = {{8, 8}};
  static constexpr uint8_t k2[][2] = {{12, 12}, {4, 4}};
  static constexpr uint8_t k4[][2] = {{6, 2}, {14, 6}, {2, 10}, {10, 14}};
  static constexpr uint8_t k8[][2] = {{9, 5}, {7, 11}, {13, 9}, {5, 3}, {3, 13}, {1, 7}, {11, 15}, {15, 1}};
  static constexpr uint8_t k16[][2] = {{9, 9},  {7, 5}, {5, 10}, {12, 7}, {3, 6}, {10, 13}, {13, 11}, {11, 3},
                                       {6, 14}, {8, 1}, {4, 2},  {2, 12}, {0, 8}, {15, 4},  {14, 15}, {1, 0}};
  const auto* at = samples == 1 ? k1 : samples == 2 ? k2 : samples == 4 ? k4 : samples == 8 ? k8 : k16;
  return {float(at[sample][0]) / 16 - 0.5f, float(at[sample][1]) / 16 - 0.5f};
}

std::vector<float> supersample(uint32_t samples, const MovedPicture& draw) {
  std::vector<float> sum;
  for (uint32_t s = 0; s < samples; ++s) {
    const auto [x, y] = sampleOffset(samples, s);
    const std::vector<uint8_t> picture = draw(-x, -y);
    sum.resize(picture.size());
    for (size_t i = 0; i < picture.size(); ++i) sum[i] += float(picture[i]);
  }
  for (float& v : sum) v /= float(samples);
  return sum;
}

void compareWith(Outcome& out, std::span<const uint8_t> rgba, std::span<const float> reference) {
  size_t stray = 0;
  for (size_t i = 0; i + 4 <= rgba.size() && i + 4 <= reference.size(); i += 4) {
    float most = 0;
    for (size_t c = 0; c < 4; ++c) most = std::max(most, std::fabs(float(rgba[i + c]) - reference[i + c]));
    stray += most > 12;
  }
  out.strayPixels = double(stray) / (double(rgba.size()) / 4);
}

}  // namespace vkbench
