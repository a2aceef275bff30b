// Descriptors in buffers of the application (VK_EXT_descriptor_buffer). A slot is addresses of the process, and
// whatever lies in a buffer might be taken for one: bytes that nobody wrote, what another kind of data left, what a
// shader stored. So vkGetDescriptorEXT gives out slots with a seal, a hash of their content with a key of this process,
// and shaders see those alone whose seal is right (icd/cmd/replay/descriptor_copies.h); all others are null
// descriptors. Copies of a sealed descriptor are as good as it is.
#pragma once

#include "runtime/abi/descriptor.h"

namespace etzel::icd {

/// What lies in a descriptor buffer. All zero: the null descriptor.
struct SealedDescriptor {
  uint64_t word[3];  ///< two of the slot, and which ones these are
  uint64_t seal;
};
static_assert(sizeof(SealedDescriptor) == abi::kDescriptorBytes);

SealedDescriptor seal(const abi::BufferDescriptor& slot);
SealedDescriptor seal(const abi::ImageDescriptor& slot);

/// Writes the slot to `to`; zeros, where `from` is none.
void unseal(const SealedDescriptor& from, std::byte* to);

}  // namespace etzel::icd
