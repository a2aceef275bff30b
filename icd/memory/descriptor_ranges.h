// Where the memory of buffers is that may hold descriptors (VK_EXT_descriptor_buffer, VK_EXT_descriptor_heap). Commands
// name such buffers by address alone, and a set's layout may have room for more elements than there are in the buffer:
// nothing may be read behind its end.
#pragma once

#include <cstddef>
#include <span>

#include "icd/object/object.h"

namespace etzel::icd {

/// Usages of such buffers.
inline constexpr VkBufferUsageFlags kHoldsDescriptors =
    VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT |
    VK_BUFFER_USAGE_PUSH_DESCRIPTORS_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_DESCRIPTOR_HEAP_BIT_EXT;

// All are thread safe.

/// `owner`: what tells buffers with the same memory apart. Throws std::bad_alloc.
void addDescriptorRange(const void* owner, const std::byte* begin, uint64_t bytes);
/// Nothing happens where the memory went before.
void removeDescriptorRange(const void* owner, const std::byte* begin);
/// Of memory that goes before its buffers do.
void removeDescriptorRangesWithin(const std::byte* begin, uint64_t bytes);

/// The buffer that has that address; of several in the same memory the one that reaches furthest. Empty: there is none.
std::span<const std::byte> descriptorRangeAt(const std::byte* address);

}  // namespace etzel::icd
