// Descriptor set layouts and pipeline layouts: where each binding lies ("Descriptor Set Layout", "Pipeline Layouts").
//
// In a set's memory bindings follow each other by number, 32 bytes an element. Dynamic buffers are not there: they go
// to a table that is made anew for each draw. An inline uniform block has one slot, and its bytes right behind it.
// In descriptor buffers (VK_EXT_descriptor_buffer) the application writes those bytes and nobody a slot, which goes to
// the same table; a binding of variable count has room for the most elements.
#include <algorithm>

#include "icd/descriptor/descriptors.h"
#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "icd/physical_device/limits.h"

namespace etzel::icd {
namespace {

bool isDynamic(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}
bool takesSampler(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_SAMPLER || type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
}

/// Dynamic slots that each set owns in a layout whose other sets are not known (INDEPENDENT_SETS): the place of a
/// binding must not depend on them.
constexpr uint32_t kIndependentDynamicStride = 2 * kMaxDynamicDescriptors;

std::shared_ptr<SetLayoutData> buildSetLayout(const VkDescriptorSetLayoutCreateInfo& info) {
  auto data = std::make_shared<SetLayoutData>();
  data->flags = info.flags;
  const bool inBuffer = info.flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
  const auto* flags = findNext<VkDescriptorSetLayoutBindingFlagsCreateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
  for (uint32_t i = 0; i < info.bindingCount; ++i) {
    const VkDescriptorSetLayoutBinding& from = info.pBindings[i];
    LayoutBinding& b = data->bindings.emplace_back();
    b.binding = from.binding;
    b.type = from.descriptorType;
    b.count = from.descriptorCount;
    b.stages = from.stageFlags;
    b.flags = flags && i < flags->bindingCount ? flags->pBindingFlags[i] : 0;
    if (from.pImmutableSamplers && takesSampler(from.descriptorType))
      for (uint32_t s = 0; s < from.descriptorCount; ++s)
        b.immutableSamplers.push_back(&cast<Sampler>(from.pImmutableSamplers[s])->sampler);
  }
  std::sort(data->bindings.begin(), data->bindings.end(),
            [](const LayoutBinding& a, const LayoutBinding& b) { return a.binding < b.binding; });
  for (LayoutBinding& b : data->bindings) {
    b.byteOffset = data->bytes;
    if (isDynamic(b.type)) {
      b.dynamicIndex = data->dynamicCount;
      data->dynamicCount += b.count;
    } else if (inBuffer || !(b.flags & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT)) {
      data->bytes += bindingBytes(b, b.count, inBuffer);
      if (inBuffer && b.type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) b.dynamicIndex = data->dynamicCount++;
      if (b.type != VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK && b.immutableSamplers.empty()) b.plainCount = b.count;
    }
    if (b.binding == data->withoutGaps) ++data->withoutGaps;
  }
  if (info.flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_EMBEDDED_IMMUTABLE_SAMPLERS_BIT_EXT) {
    data->embedded.resize(data->bytes / abi::kDescriptorBytes);
    initializeSetMemory(*data, reinterpret_cast<std::byte*>(data->embedded.data()), 0);
  }
  return data;
}

void placeSets(PipelineLayoutData& data, bool independent) {
  data.dynamicCount = 0;
  data.dynamicBase.clear();
  for (size_t i = 0; i < data.sets.size(); ++i) {
    const uint32_t own = data.sets[i] ? data.sets[i]->dynamicCount : 0;
    const uint32_t base = independent ? uint32_t(i) * kIndependentDynamicStride : data.dynamicCount;
    data.dynamicBase.push_back(base);
    if (own) data.dynamicCount = base + own;
  }
}

compiler::SlotHolds holdsOf(VkDescriptorType type) {
  switch (type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT: return compiler::SlotHolds::Images;
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK: return compiler::SlotHolds::Buffers;
    default: return compiler::SlotHolds::Anything;  // mutable: whatever was written last
  }
}

}  // namespace

uint32_t bindingBytes(const LayoutBinding& b, uint32_t count, bool inBuffer) {
  if (isDynamic(b.type)) return 0;
  if (b.type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
    return (inBuffer ? 0 : abi::kDescriptorBytes) + alignUp(count, abi::kDescriptorBytes);
  return count * abi::kDescriptorBytes;
}

const LayoutBinding* SetLayoutData::search(uint32_t binding) const {
  auto it = std::lower_bound(bindings.begin(), bindings.end(), binding,
                             [](const LayoutBinding& b, uint32_t n) { return b.binding < n; });
  return it != bindings.end() && it->binding == binding ? &*it : nullptr;
}

std::map<std::pair<uint32_t, uint32_t>, compiler::BindingSlot> PipelineLayoutData::bindingSlots() const {
  std::map<std::pair<uint32_t, uint32_t>, compiler::BindingSlot> slots;
  for (uint32_t s = 0; s < sets.size(); ++s) {
    if (!sets[s]) continue;
    for (const LayoutBinding& b : sets[s]->bindings) {
      compiler::BindingSlot& slot = slots[{s, b.binding}];
      slot.strideBytes = abi::kDescriptorBytes;
      slot.count = b.count;
      slot.holds = holdsOf(b.type);
      // "Valid Usage" of draws and dispatches: but for these, what a shader names statically is valid.
      constexpr VkDescriptorBindingFlags kUncertain =
          VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT | VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT |
          VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT | VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT;
      slot.certain = slot.holds == compiler::SlotHolds::Images && !(b.flags & kUncertain) &&
                     !(sets[s]->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT);
      const bool dynamic = b.dynamicIndex != ~0u;
      slot.table = dynamic ? abi::kDynamicTable : s;
      slot.byteOffset = dynamic ? (dynamicBase[s] + b.dynamicIndex) * abi::kDescriptorBytes : b.byteOffset;
      slot.inlineUniform = b.type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
      if (slot.inlineUniform) slot.count = 1;
    }
  }
  return slots;
}

std::shared_ptr<PipelineLayoutData> mergeLayouts(const std::shared_ptr<PipelineLayoutData>& a,
                                                 const std::shared_ptr<PipelineLayoutData>& b) {
  if (!a || a == b) return b;
  if (!b) return a;
  auto merged = std::make_shared<PipelineLayoutData>(*a);
  merged->sets.resize(std::max(a->sets.size(), b->sets.size()));
  for (size_t i = 0; i < b->sets.size(); ++i)
    if (!merged->sets[i]) merged->sets[i] = b->sets[i];
  if (merged->pushRanges.empty()) merged->pushRanges = b->pushRanges;
  merged->independentSets = a->independentSets || b->independentSets;
  placeSets(*merged, merged->independentSets);
  return merged;
}

std::shared_ptr<PipelineLayoutData> makePipelineLayoutData(uint32_t setCount, const VkDescriptorSetLayout* sets,
                                                           uint32_t rangeCount, const VkPushConstantRange* ranges,
                                                           bool independentSets) {
  auto data = std::make_shared<PipelineLayoutData>();
  for (uint32_t i = 0; i < setCount; ++i) {
    auto* set = cast<DescriptorSetLayout>(sets[i]);
    data->sets.push_back(set ? set->data : nullptr);
  }
  data->pushRanges.assign(ranges, ranges + rangeCount);
  data->independentSets = independentSets;
  placeSets(*data, independentSets);
  return data;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorSetLayout(VkDevice handle,
                                                         const VkDescriptorSetLayoutCreateInfo* pCreateInfo,
                                                         const VkAllocationCallbacks* pAllocator,
                                                         VkDescriptorSetLayout* pSetLayout) {
  return createObject<DescriptorSetLayout>(
      handle, pAllocator, pSetLayout, "a descriptor set layout",
      [&](DescriptorSetLayout& layout) { layout.data = buildSetLayout(*pCreateInfo); });
}

ETZEL_DESTROY(DescriptorSetLayout)

VKAPI_ATTR void VKAPI_CALL GetDescriptorSetLayoutSupport(VkDevice, const VkDescriptorSetLayoutCreateInfo* pCreateInfo,
                                                         VkDescriptorSetLayoutSupport* pSupport) {
  const auto* flags = findNext<VkDescriptorSetLayoutBindingFlagsCreateInfo>(
      pCreateInfo->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
  const VkDescriptorSetLayoutBinding* variable = nullptr;
  uint64_t descriptors = 0, dynamic = 0;
  bool fits = true;
  for (uint32_t i = 0; i < pCreateInfo->bindingCount; ++i) {
    const VkDescriptorSetLayoutBinding& b = pCreateInfo->pBindings[i];
    if (flags && i < flags->bindingCount &&
        flags->pBindingFlags[i] & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT)
      variable = &b;
    if (b.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
      fits &= b.descriptorCount <= 4096;
      descriptors += 1;
      if (pCreateInfo->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT) dynamic += 1;
    } else {
      descriptors += b.descriptorCount;
    }
    if (isDynamic(b.descriptorType)) dynamic += b.descriptorCount;
  }
  pSupport->supported = fits && descriptors <= kMaxDescriptors && dynamic <= kIndependentDynamicStride;
  for (auto* s = static_cast<VkBaseOutStructure*>(pSupport->pNext); s; s = s->pNext) {
    if (s->sType != VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT) continue;
    uint64_t room = 0;
    if (variable && pSupport->supported)
      room = variable->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK
                 ? 4096
                 : kMaxDescriptors - (descriptors - variable->descriptorCount);
    reinterpret_cast<VkDescriptorSetVariableDescriptorCountLayoutSupport*>(s)->maxVariableDescriptorCount =
        uint32_t(room);
  }
}

VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineLayout(VkDevice handle, const VkPipelineLayoutCreateInfo* pCreateInfo,
                                                    const VkAllocationCallbacks* pAllocator,
                                                    VkPipelineLayout* pPipelineLayout) {
  return createObject<PipelineLayout>(
      handle, pAllocator, pPipelineLayout, "a pipeline layout", [&](PipelineLayout& layout) {
        layout.data = makePipelineLayoutData(pCreateInfo->setLayoutCount, pCreateInfo->pSetLayouts,
                                             pCreateInfo->pushConstantRangeCount, pCreateInfo->pPushConstantRanges,
                                             pCreateInfo->flags & VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT);
      });
}

ETZEL_DESTROY(PipelineLayout)

}  // namespace etzel::icd
