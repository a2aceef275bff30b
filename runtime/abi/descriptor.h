// Descriptors as shaders see them in memory. A descriptor set is a byte array of 32-byte slots; a *handle* names one
// slot: bits 31-27 the table, bits 26-0 the slot's byte offset divided by 16. Tables 0-29 are the bound sets, table
// 30 holds push descriptors' and dynamic buffers' slots of the draw (already offset), table 31 is the null table.
// Update-after-bind and descriptor buffers need nothing more: a set is only memory.
#pragma once

#include "runtime/base/types.h"

namespace etzel::tex {
struct ImageView;
struct Sampler;
}  // namespace etzel::tex

namespace etzel::abi {

using DescriptorHandle = uint32_t;
inline constexpr uint32_t kDescriptorBytes = 32;
inline constexpr uint32_t kMaxSets = 30;
inline constexpr uint32_t kDynamicTable = 30;
inline constexpr uint32_t kNullTable = 31;
inline constexpr uint32_t kTableCount = 32;
inline constexpr DescriptorHandle kNullHandle = kNullTable << 27;

constexpr DescriptorHandle makeHandle(uint32_t table, uint32_t byteOffset) { return table << 27 | byteOffset / 16; }

/// Uniform and storage buffers. All zero is the null descriptor: size 0, so every access is out of bounds.
struct BufferDescriptor {
  uint64_t address;  ///< host pointer
  uint64_t size;     ///< bytes that may be accessed
  uint64_t reserved[2];
};
/// Sampled and storage images, samplers, combined image samplers, input attachments, texel buffers. Null pointers
/// are the null descriptor: reads give 0, writes do nothing.
struct ImageDescriptor {
  const tex::ImageView* view;
  const tex::Sampler* sampler;
  uint64_t reserved[2];
};
static_assert(sizeof(BufferDescriptor) == kDescriptorBytes && sizeof(ImageDescriptor) == kDescriptorBytes);

}  // namespace etzel::abi
