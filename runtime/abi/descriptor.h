// Descriptors as shaders see them in memory. A descriptor set is a byte array of 32-byte slots; a *handle* names one
// slot: bits 31-26 the table, bits 25-0 the slot's byte offset divided by 16. Tables 0-31 are the bound sets, table
// 32 holds push descriptors' and dynamic buffers' slots of the draw (already offset), table 33 is the null table.
// Update-after-bind and descriptor buffers need nothing more: a set is only memory.
#pragma once

#include <cstddef>

#include "runtime/base/types.h"

namespace etzel::tex {
struct ImageView;
struct Sampler;
}  // namespace etzel::tex

namespace etzel::abi {

using DescriptorHandle = uint32_t;
inline constexpr uint32_t kDescriptorBytes = 32;
inline constexpr uint32_t kMaxSets = 32;
inline constexpr uint32_t kDynamicTable = 32;
inline constexpr uint32_t kNullTable = 33;
inline constexpr uint32_t kNullBytes = 896;  ///< zeros that it points to: kernels read them in place of null objects
inline constexpr uint32_t kTableCount = 64;  ///< as many as a handle can name
inline constexpr uint32_t kTableShift = 26;
inline constexpr uint32_t kSlotMask = (1u << kTableShift) - 1;
inline constexpr DescriptorHandle kNullHandle = kNullTable << kTableShift;
/// Where nothing lies in workgroup memory, which begins at 0: the null pointer to it.
inline constexpr uint32_t kNullShared = ~3u;

constexpr DescriptorHandle makeHandle(uint32_t table, uint32_t byteOffset) {
  return table << kTableShift | byteOffset / 16;
}
constexpr uint32_t tableOf(DescriptorHandle handle) { return handle >> kTableShift; }
constexpr uint64_t byteOffsetOf(DescriptorHandle handle) { return uint64_t{handle & kSlotMask} * 16; }

// A shader may take a slot for another kind than was written there. The kinds' words lie where the other's are zero, so
// that a buffer has no image and no sampler, and an image has no bytes.

/// Uniform and storage buffers. All zero is the null descriptor: size 0, so every access is out of bounds.
struct BufferDescriptor {
  uint64_t address;     ///< host pointer
  uint64_t size;        ///< bytes that may be accessed
  uint64_t nothing[2];  ///< zeros, wherever shaders look
};
/// Sampled and storage images, samplers, combined image samplers, input attachments, texel buffers. Null pointers
/// are the null descriptor: reads give 0, writes do nothing.
struct ImageDescriptor {
  uint64_t mark = 0;   ///< for who writes descriptors; shaders do not look
  uint64_t bytes = 0;  ///< always
  const tex::ImageView* view = nullptr;
  const tex::Sampler* sampler = nullptr;
};
static_assert(offsetof(ImageDescriptor, bytes) == offsetof(BufferDescriptor, size));
static_assert(offsetof(ImageDescriptor, view) >= offsetof(BufferDescriptor, nothing));
static_assert(sizeof(BufferDescriptor) == kDescriptorBytes && sizeof(ImageDescriptor) == kDescriptorBytes);

}  // namespace etzel::abi
