// What images that take the memory of a swapchain's image need of the swapchain (VkBindImageMemorySwapchainInfoKHR).
#pragma once

#include <vector>

#include "icd/object/object.h"

namespace etzel::icd {

/// What every swapchain begins with; icd/wsi has the rest.
struct SwapchainImages : Object {
  using Handle = VkSwapchainKHR;
  std::vector<VkImage> images;
};

}  // namespace etzel::icd
