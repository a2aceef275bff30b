// Command pools and the life of command buffers ("Command Buffers").
#include <algorithm>

#include "icd/cmd/buffer/command_buffer.h"
#include "icd/dispatch/guard.h"
#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/error.h"

namespace etzel::icd {
namespace {

void freeBuffer(const VkAllocationCallbacks* callbacks, CommandBuffer* buffer) { destroy(callbacks, buffer); }

/// Gives blocks that a long recording needed back to the system.
void releaseMemory(CommandBuffer& buffer) {
  buffer.arena = Arena{CommandBuffer::kBlockBytes};
  buffer.reset();
}

}  // namespace

VkResult CreateCommandPool(VkDevice device, const VkCommandPoolCreateInfo* info, const VkAllocationCallbacks* allocator,
                           VkCommandPool* out) {
  return createObject<CommandPool>(device, allocator, out, "a command pool", [&](CommandPool& pool) {
    const VkAllocationCallbacks* callbacks = pick(cast<Device>(device), allocator);
    pool.family = info->queueFamilyIndex;
    pool.flags = info->flags;
    pool.hasCallbacks = callbacks != nullptr;
    if (callbacks) pool.callbacks = *callbacks;
  });
}

void DestroyCommandPool(VkDevice device, VkCommandPool handle, const VkAllocationCallbacks* allocator) {
  CommandPool* pool = cast<CommandPool>(handle);
  if (!pool) return;
  for (CommandBuffer* b : pool->buffers) freeBuffer(pool->allocator(), b);
  destroy(pick(cast<Device>(device), allocator), pool);
}

VkResult ResetCommandPool(VkDevice, VkCommandPool handle, VkCommandPoolResetFlags flags) {
  for (CommandBuffer* b : cast<CommandPool>(handle)->buffers) {
    b->reset();
    if (flags & VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT) releaseMemory(*b);
  }
  return VK_SUCCESS;
}

void TrimCommandPool(VkDevice, VkCommandPool handle, VkCommandPoolTrimFlags) {
  for (CommandBuffer* b : cast<CommandPool>(handle)->buffers)
    if (b->state == CommandBuffer::State::Initial) releaseMemory(*b);
}

VkResult AllocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo* info, VkCommandBuffer* out) {
  CommandPool* pool = cast<CommandPool>(info->commandPool);
  for (uint32_t i = 0; i < info->commandBufferCount; ++i) {
    auto* b = create<CommandBuffer>(pool->allocator(), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!b) {
      FreeCommandBuffers(device, info->commandPool, i, out);
      std::fill_n(out, info->commandBufferCount, VkCommandBuffer{});
      return ETZEL_FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "no memory for a command buffer");
    }
    b->device = cast<Device>(device);
    b->pool = pool;
    b->level = info->level;
    try {
      pool->buffers.push_back(b);
    } catch (const std::exception&) {
      freeBuffer(pool->allocator(), b);
      FreeCommandBuffers(device, info->commandPool, i, out);
      std::fill_n(out, info->commandBufferCount, VkCommandBuffer{});
      return ETZEL_FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "no memory for a command pool's list");
    }
    out[i] = handleOf(b);
  }
  return VK_SUCCESS;
}

void FreeCommandBuffers(VkDevice, VkCommandPool handle, uint32_t count, const VkCommandBuffer* buffers) {
  CommandPool* pool = cast<CommandPool>(handle);
  for (uint32_t i = 0; i < count; ++i) {
    CommandBuffer* b = buffers[i] ? cast<CommandBuffer>(buffers[i]) : nullptr;
    if (!b) continue;
    // Usually the last ones go first; from the back the search is short.
    auto it = std::find(pool->buffers.rbegin(), pool->buffers.rend(), b);
    if (it != pool->buffers.rend()) {
      *it = pool->buffers.back();
      pool->buffers.pop_back();
    }
    freeBuffer(pool->allocator(), b);
  }
}

void markOutOfMemory(VkCommandBuffer commands) { cast<CommandBuffer>(commands)->outOfMemory = true; }

VkResult BeginCommandBuffer(VkCommandBuffer handle, const VkCommandBufferBeginInfo* info) {
  CommandBuffer& b = *cast<CommandBuffer>(handle);
  b.reset();  // beginning again resets implicitly
  b.usage = info->flags;
  if (info->pInheritanceInfo && b.level == VK_COMMAND_BUFFER_LEVEL_SECONDARY) {
    b.inheritance = *info->pInheritanceInfo;
    b.inheritance.pNext = nullptr;
  }
  b.state = CommandBuffer::State::Recording;
  return VK_SUCCESS;
}

VkResult EndCommandBuffer(VkCommandBuffer handle) {
  CommandBuffer& b = *cast<CommandBuffer>(handle);
  if (b.outOfMemory) {
    b.reset();  // half of a command may be there
    b.state = CommandBuffer::State::Invalid;
    return ETZEL_FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "no memory for the commands of a command buffer");
  }
  b.state = CommandBuffer::State::Executable;
  return VK_SUCCESS;
}

VkResult ResetCommandBuffer(VkCommandBuffer handle, VkCommandBufferResetFlags flags) {
  CommandBuffer& b = *cast<CommandBuffer>(handle);
  b.reset();
  if (flags & VK_COMMAND_BUFFER_RESET_RELEASE_RESOURCES_BIT) releaseMemory(b);
  return VK_SUCCESS;
}

}  // namespace etzel::icd
