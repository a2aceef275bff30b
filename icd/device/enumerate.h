// The two-call idiom of Vulkan's lists: a null array asks for the count, a short one gets VK_INCOMPLETE.
#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <vector>

namespace etzel::icd {

template <class T>
VkResult enumerate(const std::vector<T>& all, uint32_t* pCount, T* out) {
  const uint32_t total = static_cast<uint32_t>(all.size());
  if (!out) {
    *pCount = total;
    return VK_SUCCESS;
  }
  *pCount = std::min(*pCount, total);
  std::copy_n(all.begin(), *pCount, out);
  return *pCount < total ? VK_INCOMPLETE : VK_SUCCESS;
}

/// For structures with sType and pNext, which must survive: `fill(element, output)` writes the rest.
template <class T, class Source, class Fill>
VkResult enumerateInto(const std::vector<Source>& all, uint32_t* pCount, T* out, Fill fill) {
  const uint32_t total = static_cast<uint32_t>(all.size());
  if (!out) {
    *pCount = total;
    return VK_SUCCESS;
  }
  *pCount = std::min(*pCount, total);
  for (uint32_t i = 0; i < *pCount; ++i) fill(all[i], out[i]);
  return *pCount < total ? VK_INCOMPLETE : VK_SUCCESS;
}

/// vkEnumerate{Instance,Device}ExtensionProperties.
VkResult listExtensions(bool instanceLevel, uint32_t* pCount, VkExtensionProperties* pProperties);

}  // namespace etzel::icd
