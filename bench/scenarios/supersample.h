// What a multisampled picture must look like: the same scene drawn once per sample into a single-sampled target, moved
// so that the sample lies at the pixel's centre, and averaged. Needs nothing but single-sampled drawing of the same
// driver, so it judges counts that no other driver supports, and drivers that place vertices on another grid.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "../scenario.h"

namespace vkbench {

/// Where a sample lies, from the pixel's centre, in pixels ("Standard sample locations"). \pre samples: 1, 2, 4, 8, 16
std::array<float, 2> sampleOffset(uint32_t samples, uint32_t sample);

/// The average, in 0 to 255, four values a pixel. `draw` draws everything moved by so many pixels (x right, y down) and
/// returns the single-sampled picture.
using MovedPicture = std::function<std::vector<uint8_t>(float x, float y)>;
std::vector<float> supersample(uint32_t samples, const MovedPicture& draw);

/// Sets `strayPixels`: the share of pixels that are farther than 12 of 255 from the reference in some component.
/// Colours are taken at the pixel's centre in one picture and at the samples in the other, which is most of such a
/// difference.
void compareWith(Outcome& out, std::span<const uint8_t> rgba, std::span<const float> reference);

/// Most that may stray; a driver that ignores multisampling has several percent in the scenes with edges, as a test
/// with such a mutant shows (tests/check_bench.sh).
inline constexpr double kStrayLimit = 0.001;

}  // namespace vkbench
