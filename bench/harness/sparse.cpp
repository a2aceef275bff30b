// Sparse images with all of their memory: a bind for each level, and one for the mip tail.
#include <algorithm>

#include "gpu.h"

namespace vkbench {

VkImage Gpu::makeSparse(VkImageCreateInfo info) {
  uint32_t families = family + 1;
  std::vector<VkQueueFamilyProperties> properties(families);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &families, properties.data());
  require(properties[family].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT, "a queue that binds sparse resources");
  require(features.sparseResidencyImage2D, "sparseResidencyImage2D");
  info.flags |= VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT;
  VkImage image;
  VK_CHECK(vkCreateImage(device, &info, nullptr, &image));
  later([this, image] { vkDestroyImage(device, image, nullptr); });
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device, image, &needs);
  uint32_t one = 1;
  VkSparseImageMemoryRequirements aspect{};
  vkGetImageSparseMemoryRequirements(device, image, &one, &aspect);

  const VkExtent3D block = aspect.formatProperties.imageGranularity;
  VkDeviceSize bytes = 0;
  std::vector<VkSparseImageMemoryBind> levels;
  for (uint32_t m = 0; m < std::min(info.mipLevels, aspect.imageMipTailFirstLod); ++m) {
    VkSparseImageMemoryBind bind{};
    bind.subresource = {aspect.formatProperties.aspectMask, m, 0};
    bind.extent = {std::max(info.extent.width >> m, 1u), std::max(info.extent.height >> m, 1u), 1};
    bind.memoryOffset = bytes;
    levels.push_back(bind);
    const VkDeviceSize columns = (bind.extent.width + block.width - 1) / block.width;
    bytes += columns * ((bind.extent.height + block.height - 1) / block.height) * needs.alignment;
  }
  VkSparseMemoryBind tail{aspect.imageMipTailOffset, aspect.imageMipTailSize, VK_NULL_HANDLE, bytes, 0};
  bytes += tail.size;
  const VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, bytes,
                                        memoryType(needs.memoryTypeBits, 0)};
  VK_CHECK(vkAllocateMemory(device, &allocation, nullptr, &tail.memory));
  later([this, memory = tail.memory] { vkFreeMemory(device, memory, nullptr); });
  for (VkSparseImageMemoryBind& bind : levels) bind.memory = tail.memory;
  const VkSparseImageMemoryBindInfo blocks{image, uint32_t(levels.size()), levels.data()};
  const VkSparseImageOpaqueMemoryBindInfo opaque{image, 1, &tail};
  VkBindSparseInfo bind{VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
  bind.imageBindCount = levels.empty() ? 0 : 1, bind.pImageBinds = &blocks;
  bind.imageOpaqueBindCount = tail.size ? 1 : 0, bind.pImageOpaqueBinds = &opaque;
  VK_CHECK(vkQueueBindSparse(queue, 1, &bind, VK_NULL_HANDLE));
  VK_CHECK(vkQueueWaitIdle(queue));
  return image;
}

}  // namespace vkbench
