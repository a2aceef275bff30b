// Images whose memory is bound page by page, all of it ("Sparse Resources", Sparse Image Memory Requirements).
#include <algorithm>

#include "cts-subset/support/gpu.h"

namespace etzel::cts {
namespace {

/// What of an image is bound to what of one allocation.
struct Pages {
  std::vector<VkSparseImageMemoryBind> blocks;
  std::vector<VkSparseMemoryBind> opaque;
  VkDeviceSize bytes = 0;  ///< of the allocation
};

VkExtent3D extentOf(const VkImageCreateInfo& info, uint32_t level) {
  return {std::max(1u, info.extent.width >> level), std::max(1u, info.extent.height >> level),
          std::max(1u, info.extent.depth >> level)};
}

/// The levels before the tail: one memory bind each, which takes a block of memory for each of its texel blocks.
void addLevels(Pages& pages, const VkImageCreateInfo& info, const VkSparseImageMemoryRequirements& needs,
               VkDeviceSize blockBytes, uint32_t layer) {
  const VkExtent3D block = needs.formatProperties.imageGranularity;
  for (uint32_t level = 0; level < std::min(info.mipLevels, needs.imageMipTailFirstLod); ++level) {
    VkSparseImageMemoryBind bind{};
    bind.subresource = {needs.formatProperties.aspectMask, level, layer};
    bind.extent = extentOf(info, level);
    bind.memoryOffset = pages.bytes;
    const auto across = [](uint32_t texels, uint32_t of) { return VkDeviceSize((texels + of - 1) / of); };
    pages.bytes += blockBytes * across(bind.extent.width, block.width) * across(bind.extent.height, block.height) *
                   across(bind.extent.depth, block.depth);
    pages.blocks.push_back(bind);
  }
}

void addTail(Pages& pages, const VkSparseImageMemoryRequirements& needs, uint32_t layer) {
  VkSparseMemoryBind bind{};
  bind.resourceOffset = needs.imageMipTailOffset + layer * needs.imageMipTailStride;
  bind.size = needs.imageMipTailSize;
  bind.memoryOffset = pages.bytes;
  if (needs.formatProperties.aspectMask & VK_IMAGE_ASPECT_METADATA_BIT) bind.flags = VK_SPARSE_MEMORY_BIND_METADATA_BIT;
  pages.bytes += bind.size;
  pages.opaque.push_back(bind);
}

Pages pagesOf(VkDevice device, VkImage image, const VkImageCreateInfo& info, VkDeviceSize blockBytes) {
  uint32_t count = 0;
  vkGetImageSparseMemoryRequirements(device, image, &count, nullptr);
  std::vector<VkSparseImageMemoryRequirements> all(count);
  vkGetImageSparseMemoryRequirements(device, image, &count, all.data());
  Pages pages;
  for (const VkSparseImageMemoryRequirements& needs : all) {
    const bool oneTail = needs.formatProperties.flags & VK_SPARSE_IMAGE_FORMAT_SINGLE_MIPTAIL_BIT;
    const bool metadata = needs.formatProperties.aspectMask & VK_IMAGE_ASPECT_METADATA_BIT;
    for (uint32_t layer = 0; layer < info.arrayLayers; ++layer) {
      if (!metadata) addLevels(pages, info, needs, blockBytes, layer);
      const bool hasTail = metadata || needs.imageMipTailFirstLod < info.mipLevels;
      if (hasTail && (layer == 0 || !oneTail)) addTail(pages, needs, layer);
    }
  }
  return pages;
}

}  // namespace

VkQueue Gpu::sparseQueue() const {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  if (families[family].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT) return queue;
  for (const Queue& q : otherQueues)
    if (q.flags & VK_QUEUE_SPARSE_BINDING_BIT) return q.handle;
  throw NotSupported("a queue that binds sparse resources");
}

VkImage Gpu::makeSparse(const VkImageCreateInfo& info) {
  const VkQueue binder = sparseQueue();
  uint32_t kinds = 0;
  vkGetPhysicalDeviceSparseImageFormatProperties(physical, info.format, info.imageType, info.samples, info.usage,
                                                 info.tiling, &kinds, nullptr);
  require(kinds != 0, "sparse images of the format");
  VkImage image;
  CTS_VK(vkCreateImage(device, &info, nullptr, &image));
  later([this, image] { vkDestroyImage(device, image, nullptr); });
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device, image, &needs);
  Pages pages = pagesOf(device, image, info, needs.alignment);
  const VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, pages.bytes,
                                        memoryType(needs.memoryTypeBits, 0)};
  VkDeviceMemory memory;
  CTS_VK(vkAllocateMemory(device, &allocation, nullptr, &memory));
  later([this, memory] { vkFreeMemory(device, memory, nullptr); });
  for (auto& bind : pages.blocks) bind.memory = memory;
  for (auto& bind : pages.opaque) bind.memory = memory;
  const VkSparseImageMemoryBindInfo blocks{image, uint32_t(pages.blocks.size()), pages.blocks.data()};
  const VkSparseImageOpaqueMemoryBindInfo opaque{image, uint32_t(pages.opaque.size()), pages.opaque.data()};
  VkBindSparseInfo bind{VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
  bind.imageBindCount = blocks.bindCount ? 1 : 0;
  bind.pImageBinds = &blocks;
  bind.imageOpaqueBindCount = opaque.bindCount ? 1 : 0;
  bind.pImageOpaqueBinds = &opaque;
  CTS_VK(vkQueueBindSparse(binder, 1, &bind, VK_NULL_HANDLE));
  CTS_VK(vkQueueWaitIdle(binder));
  return image;
}

}  // namespace etzel::cts
