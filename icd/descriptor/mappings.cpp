#include "icd/descriptor/mappings.h"

#include <algorithm>
#include <cstring>

#include "compiler/compiler.h"
#include "icd/memory/resources.h"
#include "icd/object/device.h"
#include "runtime/mutant/mutant.h"

namespace etzel::icd {
namespace {

using compiler::DescriptorMapping;
using Kind = MappedRecord::Kind;

constexpr uint32_t kPushBytes = 256;
/// Of a buffer that is known by its address alone: as far as shaders' offsets reach.
constexpr uint64_t kAddressedBytes = 0xFFFFFFFF;

template <class T>
T readAt(const std::byte* memory, uint32_t offset) {
  T value{};
  if (offset <= kPushBytes - sizeof value) std::memcpy(&value, memory + offset, sizeof value);
  return value;
}

/// A mapping as both sides need it.
struct Described {
  DescriptorMapping mapping;
  const VkSamplerCreateInfo* embedded = nullptr;
  MappedRecord buffer;  ///< where the source is DescriptorMapping::Made
};

/// Sources that name indices have nearly the same members.
template <class Info>
void takeIndices(Described& d, const Info& info) {
  d.mapping.resource.offset = info.heapOffset;
  d.mapping.resource.pushOffset = info.pushOffset;
  d.mapping.resource.indexStride = info.heapIndexStride;
  d.mapping.sampler.offset = info.samplerHeapOffset;
  d.mapping.sampler.pushOffset = info.samplerPushOffset;
  d.mapping.sampler.indexStride = info.samplerHeapIndexStride;
  d.mapping.packsIndices = info.useCombinedImageSamplerIndex != VK_FALSE;
  if constexpr (requires { info.addressOffset; }) {
    d.mapping.resource.addressOffset = info.addressOffset;
    d.mapping.sampler.addressOffset = info.samplerAddressOffset;
  }
  if constexpr (requires { info.heapArrayStride; }) {
    d.mapping.resource.arrayStride = info.heapArrayStride;
    d.mapping.sampler.arrayStride = info.samplerHeapArrayStride;
  }
  d.embedded = info.pEmbeddedSampler;
}

Described describe(const VkDescriptorSetAndBindingMappingEXT& from) {
  Described d;
  DescriptorMapping& m = d.mapping;
  m.set = from.descriptorSet, m.firstBinding = from.firstBinding, m.bindingCount = from.bindingCount;
  m.resources = from.resourceMask;
  const VkDescriptorMappingSourceDataEXT& data = from.sourceData;
  const auto make = [&](Kind kind, uint32_t offset, uint32_t pushOffset, uint32_t addressOffset) {
    m.source = DescriptorMapping::Made;
    d.buffer.kind = kind;
    d.buffer.offset = offset, d.buffer.pushOffset = pushOffset, d.buffer.addressOffset = addressOffset;
  };
  switch (from.source) {
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT:
      m.resource.offset = data.constantOffset.heapOffset;
      m.resource.arrayStride =
          mutated(Mutant::HeapArrayStride) ? abi::kDescriptorBytes : data.constantOffset.heapArrayStride;
      m.sampler.offset = data.constantOffset.samplerHeapOffset;
      m.sampler.arrayStride = data.constantOffset.samplerHeapArrayStride;
      d.embedded = data.constantOffset.pEmbeddedSampler;
      break;
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT:
      m.source = DescriptorMapping::PushIndex;
      takeIndices(d, data.pushIndex);
      break;
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_EXT:
      m.source = DescriptorMapping::IndirectIndex;
      takeIndices(d, data.indirectIndex);
      break;
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_ARRAY_EXT:
      m.source = DescriptorMapping::IndirectIndexArray;
      takeIndices(d, data.indirectIndexArray);
      break;
    case VK_DESCRIPTOR_MAPPING_SOURCE_RESOURCE_HEAP_DATA_EXT:
      make(MappedRecord::HeapData, data.heapData.heapOffset, data.heapData.pushOffset, 0);
      break;
    case VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_DATA_EXT: make(MappedRecord::PushData, data.pushDataOffset, 0, 0); break;
    case VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_ADDRESS_EXT:
      make(MappedRecord::PushAddress, 0, data.pushAddressOffset, 0);
      break;
    case VK_DESCRIPTOR_MAPPING_SOURCE_INDIRECT_ADDRESS_EXT:
      make(MappedRecord::IndirectAddress, 0, data.indirectAddress.pushOffset, data.indirectAddress.addressOffset);
      break;
    default: m.resources = 0; break;  // shader records belong to stages that are not offered
  }
  return d;
}

/// `visit(described)` for each mapping, with its slots numbered in order. \returns how many slots there are
template <class Visit>
uint32_t forMappings(const void* chain, Visit visit) {
  uint32_t slots = 0;
  const auto* info = findNext<VkShaderDescriptorSetAndBindingMappingInfoEXT>(
      chain, VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT);
  for (uint32_t i = 0; info && i < info->mappingCount; ++i) {
    Described d = describe(info->pMappings[i]);
    if (d.mapping.source == DescriptorMapping::Made) d.mapping.madeSlot = slots++;
    if (d.embedded) d.mapping.embedded = slots++;
    visit(d);
  }
  return slots;
}

}  // namespace

MappedSlot::MappedSlot(const MappedRecord& r) : record(r) {
  if (r.kind != MappedRecord::Sampler) return;
  sampler = std::make_unique<tex::Sampler>();
  makeSampler(*sampler, r.sampler);
}

abi::BufferDescriptor MappedSlot::bufferSlot(const MappedMemory& memory) const {
  const auto from = [](const abi::BufferDescriptor& whole, uint64_t offset) {
    return offset < whole.size ? abi::BufferDescriptor{whole.address + offset, whole.size - offset, {}}
                               : abi::BufferDescriptor{};
  };
  const auto at = [](uint64_t address) {
    return address ? abi::BufferDescriptor{address, kAddressedBytes, {}} : abi::BufferDescriptor{};
  };
  const auto& [kind, dataOffset, pushOffset, addressOffset, isUsed, unused] = record;
  if (!isUsed) return {};
  switch (kind) {
    case MappedRecord::HeapData:
      return from(memory.heap, uint64_t{dataOffset} + readAt<uint32_t>(memory.pushData, pushOffset));
    case MappedRecord::PushData:
      return from({reinterpret_cast<uintptr_t>(memory.pushData), kPushBytes, {}}, dataOffset);
    case MappedRecord::PushAddress: return at(readAt<uint64_t>(memory.pushData, pushOffset));
    case MappedRecord::IndirectAddress: {
      const uint64_t address = readAt<uint64_t>(memory.pushData, pushOffset);
      uint64_t behind = 0;
      if (address) std::memcpy(&behind, reinterpret_cast<const std::byte*>(address) + addressOffset, sizeof behind);
      return at(behind);
    }
    default: return {};
  }
}

std::vector<DescriptorMapping> mappingsOf(const void* chain) {
  std::vector<DescriptorMapping> all;
  forMappings(chain, [&](const Described& d) { all.push_back(d.mapping); });
  return all;
}

std::vector<MappedRecord> mappedRecords(const void* chain, const abi::Kernel& kernel) {
  std::vector<MappedRecord> all;
  const auto& resources = compiler::programOf(kernel).resources;
  forMappings(chain, [&](Described& d) {
    if (d.mapping.source == DescriptorMapping::Made) {
      d.buffer.isUsed = std::any_of(resources.begin(), resources.end(), [&](const isa::Resource& r) {
        return r.set == d.mapping.set && r.binding >= d.mapping.firstBinding &&
               r.binding - d.mapping.firstBinding < d.mapping.bindingCount;
      });
      all.push_back(d.buffer);
    }
    if (!d.embedded) return;
    MappedRecord embedded;
    embedded.sampler = recordOf(*d.embedded);
    all.push_back(embedded);
  });
  return all;
}

bool areWhole(std::span<const DescriptorMapping> mappings, std::span<const MappedRecord> records) {
  const auto isSlot = [&](uint32_t slot, bool ofSampler) {
    return slot < records.size() && (records[slot].kind == Kind::Sampler) == ofSampler;
  };
  const auto isPlace = [](const DescriptorMapping::Place& p) { return p.pushOffset <= kPushBytes - sizeof(uint64_t); };
  return std::all_of(mappings.begin(), mappings.end(),
                     [&](const DescriptorMapping& m) {
                       return m.source <= DescriptorMapping::Made && isPlace(m.resource) && isPlace(m.sampler) &&
                              (m.source != DescriptorMapping::Made || isSlot(m.madeSlot, false)) &&
                              (m.embedded == DescriptorMapping::kNone || isSlot(m.embedded, true));
                     }) &&
         std::all_of(records.begin(), records.end(),
                     [](const MappedRecord& r) { return r.kind <= Kind::IndirectAddress && isWhole(r.sampler); });
}

std::shared_ptr<const MappedSlots> makeSlots(std::span<const MappedRecord> records) {
  return records.empty() ? nullptr : std::make_shared<const MappedSlots>(records.begin(), records.end());
}

}  // namespace etzel::icd
