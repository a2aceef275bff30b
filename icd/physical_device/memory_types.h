// Memory types and heaps. All memory is the host's, and all of it is equally near to the device; a second heap that is
// not DEVICE_LOCAL is there for applications that look for one, e.g. for staging. Protected memory is no other memory:
// it only cannot be mapped or exported, and nothing but protected resources lies in it ("Protected Memory"). Lazily
// allocated memory is that of attachments which tile memory stands for: pages that nobody writes to are none.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

namespace etzel::icd {

enum Heap : uint32_t { kDeviceHeap = 0, kHostHeap = 1, kHeapCount = 2 };

inline constexpr VkMemoryPropertyFlags kHostFlags =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
/// "Device Memory Properties": a type whose flags are a subset of another's comes first.
inline constexpr VkMemoryType kMemoryTypes[] = {
    {kHostFlags, kHostHeap},
    {kHostFlags | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, kDeviceHeap},
    {kHostFlags | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, kDeviceHeap},
    {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT, kDeviceHeap},
    {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT, kDeviceHeap}};
inline constexpr uint32_t kMemoryTypeCount = 5;
/// What sparse resources are bound to: pages that can be mapped more than once. Others may lie there too.
inline constexpr uint32_t kSparseMemoryType = 2;
inline constexpr uint32_t kProtectedMemoryType = 3;
/// What transient attachments alone may be bound to.
inline constexpr uint32_t kLazyMemoryType = 4;
/// What all resources but protected ones may be bound to.
inline constexpr uint32_t kMemoryTypeBits = (1u << kProtectedMemoryType) - 1;

/// Bytes of live VkDeviceMemory of a heap in this process, and what the driver needs itself that an application's
/// images decide the size of.
uint64_t deviceMemoryInUse(uint32_t heap);
/// Counts pages that will be written to. \returns false when the heap has not so many left, or a control group.
bool takeFromHeap(uint32_t heap, uint64_t bytes);
void giveBackToHeap(uint32_t heap, uint64_t bytes);

}  // namespace etzel::icd
