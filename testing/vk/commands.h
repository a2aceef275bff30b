// Barriers and descriptor writes as tests want them: everything before, everything after, one descriptor at a time.
#pragma once

#include <vulkan/vulkan.h>

namespace vktest {

/// All commands before and what they wrote, to all commands after and the host.
void fullBarrier(VkCommandBuffer commands);

/// From UNDEFINED to `layout`; the caller says who touches it (dstAccessMask).
VkImageMemoryBarrier discard(VkImage image, VkImageSubresourceRange range, VkImageLayout layout, VkAccessFlags access);

/// One descriptor; the one of `buffer`, `image` and `texels` that its type needs.
VkWriteDescriptorSet write(VkDescriptorSet set, uint32_t binding, VkDescriptorType type,
                           const VkDescriptorBufferInfo* buffer, const VkDescriptorImageInfo* image = nullptr,
                           const VkBufferView* texels = nullptr);

/// Of a format without planes.
VkImageAspectFlags aspectsOf(VkFormat format);

/// All of a level and layer, tightly packed from the buffer's start.
VkBufferImageCopy wholeLevel(VkExtent3D base, VkImageAspectFlags aspect, uint32_t level, uint32_t layer);

/// Submits and waits until the queue is idle.
VkResult submitAndWait(VkQueue queue, VkCommandBuffer commands);

}  // namespace vktest
