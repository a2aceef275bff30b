// Sparse resources as cases bind them: memory of their own, and binds that are submitted and waited for.
#pragma once

#include <span>
#include <vector>

#include "cts-subset/support/gpu.h"

namespace etzel::cts {

/// Memory that lives as long as the case, for resources with these requirements.
struct SparseMemory {
  SparseMemory(Gpu& gpu, uint32_t typeBits, VkDeviceSize bytes);
  VkDeviceMemory handle = VK_NULL_HANDLE;
  uint8_t* data = nullptr;  ///< where it can be mapped
};

/// A buffer without memory.
struct SparseBuffer {
  SparseBuffer(Gpu& gpu, VkDeviceSize blocks, VkBufferCreateFlags flags);
  /// Binds `count` blocks from `first` on to the blocks of `memory` from `at` on; to nothing where it is null.
  VkSparseMemoryBind blocks(VkDeviceSize first, VkDeviceSize count, const SparseMemory* memory, VkDeviceSize at) const;
  VkBuffer handle = VK_NULL_HANDLE;
  VkMemoryRequirements needs{};
  VkDeviceSize bytes = 0;
};

/// An image without memory, in VK_IMAGE_LAYOUT_GENERAL from the next submission on.
struct SparseImage {
  SparseImage(Gpu& gpu, VkImageCreateInfo info);
  VkImage handle = VK_NULL_HANDLE;
  VkImageCreateInfo info;
  VkMemoryRequirements needs{};
  VkSparseImageMemoryRequirements aspect{};  ///< of its first one, where it has partial residency

  VkExtent3D extent(uint32_t level) const;
  /// Blocks of a level in each direction.
  VkExtent3D blocks(uint32_t level) const;
  bool hasTail() const { return aspect.imageMipTailFirstLod < info.mipLevels; }
  /// Binds blocks [at, at + count) of a level and layer, in the order that memory has: x, then y, then z.
  VkSparseImageMemoryBind bind(uint32_t level, uint32_t layer, VkOffset3D at, VkExtent3D count,
                               const SparseMemory* memory, VkDeviceSize memoryBlock) const;
  /// Binds the tail of a layer.
  VkSparseMemoryBind bindTail(uint32_t layer, const SparseMemory* memory, VkDeviceSize memoryBlock) const;
};

/// vkQueueBindSparse of one batch on `queue`, without waiting.
struct SparseBatch {
  std::vector<VkSparseMemoryBind> bufferBinds, opaqueBinds;
  std::vector<VkSparseImageMemoryBind> imageBinds;
  const SparseBuffer* buffer = nullptr;
  const SparseImage* image = nullptr;
  std::vector<VkSemaphore> waits, signals;
  const VkTimelineSemaphoreSubmitInfo* timeline = nullptr;
  void submit(VkQueue queue, VkFence fence = VK_NULL_HANDLE) const;
  /// On the cases' queue, and waits.
  void run(Gpu& gpu) const;
};

}  // namespace etzel::cts
