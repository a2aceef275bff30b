// The two-call idiom: count first, then the elements; VK_INCOMPLETE when the application's array is too small
// ("Fundamentals", Return Codes).
#pragma once

#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <span>

namespace etzel::icd {

/// Writes elements of `items` through `assign(item, out)`.
template <class T, class Out, class Assign>
VkResult enumerate(std::span<const T> items, uint32_t* count, Out* out, Assign assign) {
  const auto available = static_cast<uint32_t>(items.size());
  if (!out) {
    *count = available;
    return VK_SUCCESS;
  }
  *count = std::min(*count, available);
  for (uint32_t i = 0; i < *count; ++i) assign(items[i], out[i]);
  return *count < available ? VK_INCOMPLETE : VK_SUCCESS;
}

template <class T>
VkResult enumerate(std::span<const T> items, uint32_t* count, T* out) {
  return enumerate(items, count, out, [](const T& from, T& to) { to = from; });
}

}  // namespace etzel::icd
