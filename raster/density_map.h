// Fragment density maps ("Fragment Density Map Operations"): how large the fragments of a density may be, and how many
// pixels a texel of the map stands for. Pure functions, any thread.
#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <bit>

#include "runtime/base/types.h"
#include "runtime/tex/view.h"

namespace etzel::raster {

/// By how much the map is moved over the framebuffer, pixels: for each layer of the map that is used. What it points to
/// is known when the pass has been recorded, and outlives it.
struct DensityOffsets {
  const VkOffset2D* of = nullptr;
  uint32_t count = 0;
};

/// The density map of a pass.
struct DensityAttachment {
  const tex::ImageView* view = nullptr;  ///< with its swizzle; null: there is none
  VkExtent2D framebuffer{};
  bool perLayer = false;  ///< layers of the framebuffer have layers of the map, as views have
  const DensityOffsets* offsets = nullptr;
};

/// Of the pixels that a texel of a map stands for, both ways: no block of 8x8 pixels has two densities.
inline constexpr uint32_t kMinLogDensityTexel = 3, kMaxLogDensityTexel = 14;

/// The logarithm of a fragment's greatest width or height, a power of two, for a normalized density of 8 bits. Half a
/// step of the format belongs to it: 128 is how one half is stored, so fragments of 128 are two pixels wide. Of 0,
/// whose fragments may have any size, it is that of the least density.
constexpr uint32_t logDensityArea(uint8_t density) {
  return 8u - static_cast<uint32_t>(std::bit_width(static_cast<uint32_t>(std::max<uint8_t>(density, 1)) - 1));
}

/// "Fetch Density Value", fragmentDensityTexelSize before it is clamped: its logarithm. No fragment is larger: smaller
/// ones are always allowed, and Khronos' suite knows of no least size of texels.
constexpr uint32_t logDensityRatio(uint32_t framebuffer, uint32_t map) {
  const uint32_t ratio = map ? framebuffer / map : 0;
  return ratio > 1 ? static_cast<uint32_t>(std::bit_width(ratio - 1)) : 0;
}
/// And after.
constexpr uint32_t logDensityTexel(uint32_t framebuffer, uint32_t map) {
  return std::clamp(logDensityRatio(framebuffer, map), kMinLogDensityTexel, kMaxLogDensityTexel);
}

}  // namespace etzel::raster
