// Pictures on their way to a window: where they land on it, and their pixels in the window's byte order. Pure
// functions.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>

namespace etzel::icd {

/// VkSwapchainPresentScalingCreateInfoKHR. Without behavior the picture begins at the window's corner, as it is.
struct PresentScaling {
  VkPresentScalingFlagsEXT behavior = 0;
  VkPresentGravityFlagsEXT gravityX = 0, gravityY = 0;
};

/// A rectangle of a window's pixels; may begin before and end behind the window.
struct Placement {
  int32_t x = 0, y = 0;
  uint32_t width = 0, height = 0;
};

/// Where a picture lands. Without gravity it is in the middle.
Placement placePicture(VkExtent2D picture, VkExtent2D window, const PresentScaling& scaling);

/// Rows of 4-byte pixels.
struct Picture {
  const std::byte* pixels = nullptr;
  size_t rowBytes = 0;
  VkExtent2D extent{};
  bool redIsLowest = false;  ///< RGBA; else BGRA
};

/// Writes a window's BGRX pixels, rows without padding: the picture at its place, each pixel the picture's nearest one,
/// and black around it.
void drawPicture(const Picture& picture, const Placement& place, VkExtent2D window, std::byte* frame);

}  // namespace etzel::icd
