// Images whose memory is bound page by page, all of it or some ("Sparse Resources", Sparse Image Memory Requirements).
#include "cts-subset/support/sparse.h"

#include <algorithm>

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

SparseMemory::SparseMemory(Gpu& gpu, uint32_t typeBits, VkDeviceSize bytes) {
  const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, bytes, gpu.memoryType(typeBits, 0)};
  CTS_VK(vkAllocateMemory(gpu.device, &info, nullptr, &handle));
  gpu.later([device = gpu.device, memory = handle] { vkFreeMemory(device, memory, nullptr); });
  const VkMemoryPropertyFlags flags = gpu.memory.memoryTypes[info.memoryTypeIndex].propertyFlags;
  if (!(flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) || !(flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)) return;
  void* mapped = nullptr;
  CTS_VK(vkMapMemory(gpu.device, handle, 0, VK_WHOLE_SIZE, 0, &mapped));
  data = static_cast<uint8_t*>(mapped);
}

SparseBuffer::SparseBuffer(Gpu& gpu, VkDeviceSize blocks, VkBufferCreateFlags flags) {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.flags = flags | VK_BUFFER_CREATE_SPARSE_BINDING_BIT;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
               VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
               VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  // What a block is, a buffer of one byte says.
  for (info.size = 1;; info.size = blocks * needs.alignment) {
    CTS_VK(vkCreateBuffer(gpu.device, &info, nullptr, &handle));
    gpu.later([device = gpu.device, buffer = handle] { vkDestroyBuffer(device, buffer, nullptr); });
    vkGetBufferMemoryRequirements(gpu.device, handle, &needs);
    if (info.size > 1) break;
  }
  bytes = info.size;
}

VkSparseMemoryBind SparseBuffer::blocks(VkDeviceSize first, VkDeviceSize count, const SparseMemory* memory,
                                        VkDeviceSize at) const {
  return {first * needs.alignment, count * needs.alignment, memory ? memory->handle : VK_NULL_HANDLE,
          memory ? at * needs.alignment : 0, 0};
}

SparseImage::SparseImage(Gpu& gpu, VkImageCreateInfo create) : info(create) {
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.flags |= VK_IMAGE_CREATE_SPARSE_BINDING_BIT;
  info.usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  VkImageFormatProperties limits;
  if (vkGetPhysicalDeviceImageFormatProperties(gpu.physical, info.format, info.imageType, info.tiling, info.usage,
                                               info.flags, &limits) != VK_SUCCESS ||
      !(limits.sampleCounts & info.samples))
    throw NotSupported("a sparse image of this kind");
  CTS_VK(vkCreateImage(gpu.device, &info, nullptr, &handle));
  gpu.later([device = gpu.device, image = handle] { vkDestroyImage(device, image, nullptr); });
  vkGetImageMemoryRequirements(gpu.device, handle, &needs);
  uint32_t one = 1;
  if (info.flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT)
    vkGetImageSparseMemoryRequirements(gpu.device, handle, &one, &aspect);
  gpu.discardFirst(handle, {aspectsOf(info.format), 0, info.mipLevels, 0, info.arrayLayers});
}

VkExtent3D SparseImage::extent(uint32_t level) const { return extentOf(info, level); }

VkExtent3D SparseImage::blocks(uint32_t level) const {
  const VkExtent3D texels = extent(level), block = aspect.formatProperties.imageGranularity;
  return {(texels.width + block.width - 1) / block.width, (texels.height + block.height - 1) / block.height,
          (texels.depth + block.depth - 1) / block.depth};
}

VkSparseImageMemoryBind SparseImage::bind(uint32_t level, uint32_t layer, VkOffset3D at, VkExtent3D count,
                                          const SparseMemory* memory, VkDeviceSize memoryBlock) const {
  const VkExtent3D texels = extent(level), block = aspect.formatProperties.imageGranularity;
  VkSparseImageMemoryBind b{};
  b.subresource = {aspect.formatProperties.aspectMask, level, layer};
  b.offset = {at.x * int32_t(block.width), at.y * int32_t(block.height), at.z * int32_t(block.depth)};
  b.extent = {std::min(count.width * block.width, texels.width - uint32_t(b.offset.x)),
              std::min(count.height * block.height, texels.height - uint32_t(b.offset.y)),
              std::min(count.depth * block.depth, texels.depth - uint32_t(b.offset.z))};
  b.memory = memory ? memory->handle : VK_NULL_HANDLE;
  b.memoryOffset = memory ? memoryBlock * needs.alignment : 0;
  return b;
}

VkSparseMemoryBind SparseImage::bindTail(uint32_t layer, const SparseMemory* memory, VkDeviceSize memoryBlock) const {
  return {aspect.imageMipTailOffset + layer * aspect.imageMipTailStride, aspect.imageMipTailSize,
          memory ? memory->handle : VK_NULL_HANDLE, memory ? memoryBlock * needs.alignment : 0, 0};
}

void SparseBatch::submit(VkQueue queue, VkFence fence) const {
  const VkSparseBufferMemoryBindInfo buffers{buffer ? buffer->handle : VK_NULL_HANDLE, uint32_t(bufferBinds.size()),
                                             bufferBinds.data()};
  const VkSparseImageOpaqueMemoryBindInfo opaque{image ? image->handle : VK_NULL_HANDLE, uint32_t(opaqueBinds.size()),
                                                 opaqueBinds.data()};
  const VkSparseImageMemoryBindInfo blocks{image ? image->handle : VK_NULL_HANDLE, uint32_t(imageBinds.size()),
                                           imageBinds.data()};
  VkBindSparseInfo bind{VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, timeline};
  bind.waitSemaphoreCount = uint32_t(waits.size()), bind.pWaitSemaphores = waits.data();
  bind.signalSemaphoreCount = uint32_t(signals.size()), bind.pSignalSemaphores = signals.data();
  bind.bufferBindCount = bufferBinds.empty() ? 0 : 1, bind.pBufferBinds = &buffers;
  bind.imageOpaqueBindCount = opaqueBinds.empty() ? 0 : 1, bind.pImageOpaqueBinds = &opaque;
  bind.imageBindCount = imageBinds.empty() ? 0 : 1, bind.pImageBinds = &blocks;
  CTS_VK(vkQueueBindSparse(queue, 1, &bind, fence));
}

void SparseBatch::run(Gpu& gpu) const {
  submit(gpu.sparseQueue());
  CTS_VK(vkQueueWaitIdle(gpu.sparseQueue()));
}

}  // namespace etzel::cts
