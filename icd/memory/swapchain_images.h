// What images that take the memory of a swapchain's image need of the swapchain (VkBindImageMemorySwapchainInfoKHR).
#pragma once

#include <vector>

#include "icd/memory/resources.h"
#include "icd/object/object.h"

namespace etzel::icd {

/// What every swapchain begins with; icd/wsi has the rest.
struct SwapchainImages : Object {
  using Handle = VkSwapchainKHR;
  std::vector<VkImage> images;
};

/// Whether the application has the handle of a swapchain's image.
inline void showImage(Image& image, bool shown) {
  if (image.bindings) image.bindings->setVisible(shown);
}

}  // namespace etzel::icd
