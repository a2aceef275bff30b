// Flags and usage of images that come with 64 bits in structures of their own (VK_KHR_extended_flags). Nothing above
// the lower 32 bits is offered, and those are the same.
#pragma once

#include "icd/object/object.h"

namespace etzel::icd {

/// The lower bits; all of them, which no image may have, where there are others.
inline uint32_t lowerFlags(VkFlags64 flags) { return flags >> 32 ? ~0u : static_cast<uint32_t>(flags); }

/// Usage that a structure of the chain says, else `otherwise`.
inline VkImageUsageFlags extendedUsage(const void* chain, VkImageUsageFlags otherwise) {
  const auto* usage =
      findNext<VkImageUsageFlags2CreateInfoKHR>(chain, VK_STRUCTURE_TYPE_IMAGE_USAGE_FLAGS_2_CREATE_INFO_KHR);
  return usage ? lowerFlags(usage->usage) : otherwise;
}

/// VkImageCreateInfo or VkPhysicalDeviceImageFormatInfo2 with the flags and usage that count.
template <class Info>
Info withExtendedFlags(const Info& info) {
  Info plain = info;
  if (const auto* f = findNext<VkImageCreateFlags2CreateInfoKHR>(
          info.pNext, VK_STRUCTURE_TYPE_IMAGE_CREATE_FLAGS_2_CREATE_INFO_KHR))
    plain.flags = lowerFlags(f->flags);
  plain.usage = extendedUsage(info.pNext, info.usage);
  return plain;
}

/// The usage of the stencil aspect, `usage` where nothing is said of it.
inline VkImageUsageFlags stencilUsageOf(const void* chain, VkImageUsageFlags usage) {
  if (const auto* s =
          findNext<VkImageStencilUsage2CreateInfoKHR>(chain, VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_2_CREATE_INFO_KHR))
    return lowerFlags(s->stencilUsage);
  const auto* s = findNext<VkImageStencilUsageCreateInfo>(chain, VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO);
  return s ? s->stencilUsage : usage;
}

}  // namespace etzel::icd
