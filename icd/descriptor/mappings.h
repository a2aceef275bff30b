// Bindings that a stage maps to descriptor heaps (VK_EXT_descriptor_heap): what the compiler is told, and what the
// driver itself makes for each draw or dispatch, since it lies in no heap: embedded samplers, and buffers whose address
// the push data has, or the heap itself.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "compiler/spirv/shader_source.h"
#include "icd/memory/sampler_record.h"
#include "runtime/abi/descriptor.h"
#include "runtime/abi/kernel.h"
#include "runtime/tex/view.h"

namespace etzel::icd {

/// The resource heap as bytes, and the push data.
struct MappedMemory {
  abi::BufferDescriptor heap{};
  const std::byte* pushData = nullptr;  ///< 256 bytes
};

/// What a slot of a stage's mapped table is made of, as words: shader binaries keep it.
struct MappedRecord {
  enum Kind : uint32_t { Sampler, HeapData, PushData, PushAddress, IndirectAddress } kind = Sampler;
  uint32_t offset = 0;         ///< of the data in the heap or the push data
  uint32_t pushOffset = 0;     ///< of an address, or of a further offset
  uint32_t addressOffset = 0;  ///< of an address behind another
  uint32_t isUsed = 0;         ///< by the shader; other addresses may be anything
  SamplerRecord sampler;
};
static_assert(std::has_unique_object_representations_v<MappedRecord>);

struct MappedSlot {
  MappedRecord record;
  std::unique_ptr<tex::Sampler> sampler;  ///< of MappedRecord::Sampler
  explicit MappedSlot(const MappedRecord& r);
  /// The slot of a draw; not of samplers.
  abi::BufferDescriptor bufferSlot(const MappedMemory& memory) const;
};
using MappedSlots = std::vector<MappedSlot>;

/// VkShaderDescriptorSetAndBindingMappingInfoEXT of a chain, as the compiler wants it; empty without one.
std::vector<compiler::DescriptorMapping> mappingsOf(const void* chain);
/// The slots that those name, for a kernel that was made with them.
std::vector<MappedRecord> mappedRecords(const void* chain, const abi::Kernel& kernel);
/// Whether both may have come from a chain: what a shader binary has may be anything.
bool areWhole(std::span<const compiler::DescriptorMapping> mappings, std::span<const MappedRecord> records);
/// Null where there are none.
std::shared_ptr<const MappedSlots> makeSlots(std::span<const MappedRecord> records);

}  // namespace etzel::icd
