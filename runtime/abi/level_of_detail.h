// How a level of detail is computed, for the three that do: single numbers (runtime/tex/single/lod.cpp), eight lanes
// (runtime/tex/lanes/) and compiled code. All do the same in the same order.
#pragma once

#include <cstdint>

namespace etzel::abi {

/// Logarithms take the half of mantissas above it: the square root of 2.
inline constexpr float kLog2Fold = 1.41421356f;
/// log2(1 + t) / t in [sqrt(1/2) - 1, sqrt(2) - 1], by powers of t; relative error 1.1e-6.
inline constexpr float kLog2Curve[7] = {1.44269645f,  -0.721363576f, 0.480626768f, -0.359371644f,
                                        0.295699521f, -0.269320216f, 0.171624561f};

/// Between two levels: 1 << VkPhysicalDeviceLimits::mipmapPrecisionBits. Levels of detail that should be whole are, and
/// nobody reads a second level for what derivatives rounded.
inline constexpr uint32_t kLodSteps = 256;

}  // namespace etzel::abi
