// Descriptor set layouts, pools, sets and pipeline layouts. A set is a byte array of 32-byte slots (abi/descriptor.h),
// so shaders read it as it is.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "compiler/compiler.h"
#include "icd/memory/resources.h"
#include "icd/object/object.h"

namespace etzel::icd {

struct LayoutBinding {
  uint32_t binding = 0;
  VkDescriptorType type = VK_DESCRIPTOR_TYPE_SAMPLER;
  uint32_t count = 0;  ///< elements (inline uniform blocks: bytes)
  VkShaderStageFlags stages = 0;
  VkDescriptorBindingFlags flags = 0;
  uint32_t byteOffset = 0;  ///< of element 0 in the set's memory
  /// First slot of this binding among the dynamic ones of the set, which are made anew for each draw: of dynamic
  /// buffers, and of inline uniform blocks in descriptor buffers, whose bytes alone lie there.
  uint32_t dynamicIndex = ~0u;
  std::vector<const tex::Sampler*> immutableSamplers;
  /// Elements that are slots and nothing else, in every set: neither dynamic nor inline nor of variable count, and
  /// without immutable samplers. 0 for bindings that are not like that.
  uint32_t plainCount = 0;
};

/// Whether a slot of an image, whatever its binding's type, was written as an input attachment: writes leave it in the
/// first word, for bindings of mutable type (VK_EXT_mutable_descriptor_type). Slots of buffers have no view.
inline bool isInputSlot(const abi::ImageDescriptor& slot) { return slot.mark != 0; }
inline void markSlot(abi::ImageDescriptor& slot, bool input) { slot.mark = input; }

/// Reference counted: pipelines and sets outlive the application's handle.
struct SetLayoutData {
  std::vector<LayoutBinding> bindings;  ///< sorted by binding
  uint32_t bytes = 0;                   ///< of a set, without its variable-count tail
  uint32_t dynamicCount = 0;            ///< dynamic slots
  uint32_t withoutGaps = 0;             ///< the first bindings, as far as their numbers count up from 0
  VkDescriptorSetLayoutCreateFlags flags = 0;
  /// VK_DESCRIPTOR_SET_LAYOUT_CREATE_EMBEDDED_IMMUTABLE_SAMPLERS_BIT_EXT: the memory of every set.
  std::vector<abi::BufferDescriptor> embedded;
  const LayoutBinding* find(uint32_t binding) const {
    return binding < withoutGaps ? &bindings[binding] : search(binding);
  }

 private:
  const LayoutBinding* search(uint32_t binding) const;
};

/// Bytes that `count` elements of a binding take in a set's memory; 0 for dynamic buffers. `inBuffer`: of a descriptor
/// buffer.
uint32_t bindingBytes(const LayoutBinding& binding, uint32_t count, bool inBuffer = false);

struct DescriptorSetLayout : Object {
  using Handle = VkDescriptorSetLayout;
  std::shared_ptr<SetLayoutData> data;
};

struct PipelineLayoutData {
  std::vector<std::shared_ptr<SetLayoutData>> sets;  ///< null where the set is absent
  std::vector<uint32_t> dynamicBase;                 ///< per set: its first slot in the dynamic table
  uint32_t dynamicCount = 0;
  std::vector<VkPushConstantRange> pushRanges;
  bool independentSets = false;  ///< VK_EXT_graphics_pipeline_library: each set's dynamic slots have a fixed place
  /// What the compiler needs: where each binding is. Dynamic buffers are in abi::kDynamicTable.
  std::map<std::pair<uint32_t, uint32_t>, compiler::BindingSlot> bindingSlots() const;
};
struct PipelineLayout : Object {
  using Handle = VkPipelineLayout;
  std::shared_ptr<PipelineLayoutData> data;
};

std::shared_ptr<PipelineLayoutData> makePipelineLayoutData(uint32_t setCount, const VkDescriptorSetLayout* sets,
                                                           uint32_t rangeCount, const VkPushConstantRange* ranges,
                                                           bool independentSets);

/// The layout of a pipeline that is linked from libraries: every set that either knows.
std::shared_ptr<PipelineLayoutData> mergeLayouts(const std::shared_ptr<PipelineLayoutData>& a,
                                                 const std::shared_ptr<PipelineLayoutData>& b);

struct DescriptorPool;

/// A dynamic uniform or storage buffer before its offset is added, which makes the slot that shaders see.
struct DynamicBuffer {
  abi::BufferDescriptor slot{};
  uint64_t bytesLeft = 0;  ///< from the slot's address to the buffer's end: limits the size behind an offset
};

struct DescriptorSet : Object {
  using Handle = VkDescriptorSet;
  DescriptorPool* pool = nullptr;
  std::shared_ptr<SetLayoutData> layout;
  std::byte* memory = nullptr;  ///< what shaders read; in the allocation of the set, unless pushed
  uint32_t bytes = 0;
  std::vector<DynamicBuffer> dynamic;  ///< indexed by dynamicIndex
  uint32_t variableCount = 0;          ///< elements of the variable-count binding
};

/// The kinds of descriptors that pools count: those of Vulkan 1.0, inline uniform blocks, mutable ones.
inline constexpr size_t kCountedDescriptors = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT + 3;

struct DescriptorPool : Object {
  using Handle = VkDescriptorPool;
  std::vector<DescriptorSet*> sets;
  uint32_t maxSets = 0;
  VkDescriptorPoolCreateFlags flags = 0;
  std::array<uint64_t, kCountedDescriptors> capacity{};  ///< descriptors of each kind that a pool counts
  const VkAllocationCallbacks* callbacks = nullptr;      ///< of the device, or copied below
  VkAllocationCallbacks ownCallbacks{};
};

/// Puts into a new set's zeroed memory what applications never write: immutable samplers, and the addresses of inline
/// uniform blocks.
void initializeSetMemory(const SetLayoutData& layout, std::byte* memory, uint32_t variableCount);

struct DescriptorUpdateTemplate : Object {
  using Handle = VkDescriptorUpdateTemplate;
  std::vector<VkDescriptorUpdateTemplateEntry> entries;
  std::shared_ptr<SetLayoutData> layout;
  VkDescriptorUpdateTemplateType type{};
  std::shared_ptr<PipelineLayoutData> pipelineLayout;  ///< push descriptors
  uint32_t set = 0;
  VkPipelineBindPoint bindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;  ///< push descriptors
};

/// Applies one write to a set's memory (or a push descriptor block of the same layout).
void writeDescriptor(DescriptorSet& set, const VkWriteDescriptorSet& write);
void copyDescriptor(const VkCopyDescriptorSet& copy);
/// A zeroed slot of a sampled or storage image, a combined image sampler or an input attachment.
void writeImageSlot(std::byte* slot, VkDescriptorType type, const VkDescriptorImageInfo& info);
void updateWithTemplate(DescriptorSet& set, const DescriptorUpdateTemplate& tmpl, const void* data);

}  // namespace etzel::icd
