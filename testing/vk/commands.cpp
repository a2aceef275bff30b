#include "testing/vk/commands.h"

#include "testing/vk/float_state.h"

#include <algorithm>

namespace vktest {

void fullBarrier(VkCommandBuffer commands) {
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  barrier.srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = barrier.srcAccessMask | VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr, 0,
                       nullptr);
}

VkImageMemoryBarrier discard(VkImage image, VkImageSubresourceRange range, VkImageLayout layout, VkAccessFlags access) {
  VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
  barrier.dstAccessMask = access;
  barrier.newLayout = layout;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = range;
  return barrier;
}

VkWriteDescriptorSet write(VkDescriptorSet set, uint32_t binding, VkDescriptorType type,
                           const VkDescriptorBufferInfo* buffer, const VkDescriptorImageInfo* image,
                           const VkBufferView* texels) {
  VkWriteDescriptorSet w{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  w.dstSet = set;
  w.dstBinding = binding;
  w.descriptorCount = 1;
  w.descriptorType = type;
  w.pBufferInfo = buffer;
  w.pImageInfo = image;
  w.pTexelBufferView = texels;
  return w;
}

VkImageAspectFlags aspectsOf(VkFormat format) {
  switch (format) {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_X8_D24_UNORM_PACK32:
    case VK_FORMAT_D32_SFLOAT: return VK_IMAGE_ASPECT_DEPTH_BIT;
    case VK_FORMAT_S8_UINT: return VK_IMAGE_ASPECT_STENCIL_BIT;
    case VK_FORMAT_D16_UNORM_S8_UINT:
    case VK_FORMAT_D24_UNORM_S8_UINT:
    case VK_FORMAT_D32_SFLOAT_S8_UINT: return VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    default: return VK_IMAGE_ASPECT_COLOR_BIT;
  }
}

VkBufferImageCopy wholeLevel(VkExtent3D base, VkImageAspectFlags aspect, uint32_t level, uint32_t layer) {
  VkBufferImageCopy copy{};
  copy.imageSubresource = {aspect, level, layer, 1};
  const auto at = [&](uint32_t size) { return std::max(1u, size >> level); };
  copy.imageExtent = {at(base.width), at(base.height), at(base.depth)};
  return copy;
}

VkResult submitAndWait(VkQueue queue, VkCommandBuffer commands) {
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  const VkResult result = inApplicationState([&] { return vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE); });
  return result == VK_SUCCESS ? vkQueueWaitIdle(queue) : result;
}

}  // namespace vktest
