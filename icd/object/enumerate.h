// The two-call idiom: count first, then the elements; VK_INCOMPLETE when the application's array is too small
// ("Fundamentals", Return Codes).
#pragma once

#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <iterator>

namespace etzel::icd {

/// Writes elements of `items` (a span, vector or array) through `assign(item, out)`, which leaves sType and pNext
/// alone.
template <class Items, class Out, class Assign>
VkResult enumerate(const Items& items, uint32_t* count, Out* out, Assign assign) {
  const auto available = static_cast<uint32_t>(std::size(items));
  if (!out) {
    *count = available;
    return VK_SUCCESS;
  }
  *count = std::min(*count, available);
  for (uint32_t i = 0; i < *count; ++i) assign(items[i], out[i]);
  return *count < available ? VK_INCOMPLETE : VK_SUCCESS;
}

template <class Items, class Out>
VkResult enumerate(const Items& items, uint32_t* count, Out* out) {
  return enumerate(items, count, out, [](const auto& from, Out& to) { to = from; });
}

}  // namespace etzel::icd
