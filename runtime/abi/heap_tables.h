// Descriptor tables of VK_EXT_descriptor_heap, behind those that descriptor.h names.
#pragma once

#include "runtime/abi/descriptor.h"

namespace etzel::abi {

inline constexpr uint32_t kResourceHeapTable = 34;
inline constexpr uint32_t kSamplerHeapTable = 35;
inline constexpr uint32_t kHeapBytesTable = 36;    ///< two buffers: what lies in the resource and the sampler heap
inline constexpr uint32_t kFirstMappedTable = 37;  ///< plus the stage: embedded samplers, and buffers made for a draw

}  // namespace etzel::abi
