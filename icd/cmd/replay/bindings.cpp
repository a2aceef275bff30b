#include "icd/cmd/replay/bindings.h"

#include <algorithm>
#include <cstring>

#include "runtime/mutant/mutant.h"

namespace etzel::icd {
namespace {

// Immutable samplers are never written by the application, so a fresh push descriptor set starts with them.
void placeImmutableSamplers(const SetLayoutData& layout, std::byte* memory) {
  for (const LayoutBinding& b : layout.bindings)
    for (size_t i = 0; i < b.immutableSamplers.size(); ++i) {
      auto* slot = reinterpret_cast<abi::ImageDescriptor*>(memory + b.byteOffset + i * abi::kDescriptorBytes);
      slot->sampler = b.immutableSamplers[i];
    }
}

const std::byte* snapshot(Arena& arena, const std::byte* memory, uint32_t bytes) {
  void* copy = arena.allocate(std::max(bytes, 1u), 64);
  std::memcpy(copy, memory, bytes);
  return static_cast<const std::byte*>(copy);
}

bool mayHoldInputs(const LayoutBinding& b) {
  return b.type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT || b.type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT;
}

bool mayHoldInputs(const DescriptorSet& set) {
  return set.layout && std::any_of(set.layout->bindings.begin(), set.layout->bindings.end(),
                                   [](const LayoutBinding& b) { return mayHoldInputs(b); });
}

/// A copy of the set whose input attachments have as many samples as the subpass.
const std::byte* withInputViews(const DescriptorSet& set, Arena& arena, const ImplicitImages& implicit,
                                uint32_t samples) {
  auto* copy = static_cast<std::byte*>(arena.allocate(std::max(set.bytes, 1u), 64));
  std::memcpy(copy, set.memory, set.bytes);
  for (const LayoutBinding& b : set.layout->bindings) {
    if (!mayHoldInputs(b)) continue;
    const bool variable = b.flags & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT;
    const uint32_t count = variable ? set.variableCount : b.count;
    for (uint32_t i = 0; i < count; ++i) {
      auto* slot = reinterpret_cast<abi::ImageDescriptor*>(copy + b.byteOffset + i * abi::kDescriptorBytes);
      if (!isInputSlot(*slot) || !slot->view || slot->view->samples > 1) continue;
      auto* view = arena.make<tex::ImageView>();
      implicit.inputView(*slot->view, samples, *view, *arena.make<mem::PlaneLayout>());
      slot->view = view;
    }
  }
  return copy;
}

}  // namespace

void Bindings::bind(uint32_t firstSet, DescriptorSet* const* sets, uint32_t count, const uint32_t* offsets,
                    uint32_t offsetCount) {
  for (uint32_t i = 0; i < count && firstSet + i < abi::kMaxSets; ++i) {
    Bound& b = bound_[firstSet + i];
    b = {};
    b.set = sets[i];
    if (!b.set) continue;
    uint32_t n = std::min<uint32_t>(b.set->layout ? b.set->layout->dynamicCount : 0, offsetCount);
    b.offsets = offsets;
    b.offsetCount = n;
    offsets += n;
    offsetCount -= n;
    used_ = std::max(used_, firstSet + i + 1);
  }
  dirty_ = true;
}

void Bindings::push(const PipelineLayoutData& layout, uint32_t set, const VkWriteDescriptorSet* writes,
                    uint32_t count) {
  if (set >= abi::kMaxSets || set >= layout.sets.size() || !layout.sets[set]) return;
  std::unique_ptr<PushSet>& p = push_[set];
  const std::shared_ptr<SetLayoutData>& wanted = layout.sets[set];
  if (!p) p = std::make_unique<PushSet>();
  if (p->set.layout != wanted) {
    p->set.layout = wanted;
    p->memory.assign((wanted->bytes + sizeof(abi::BufferDescriptor) - 1) / sizeof(abi::BufferDescriptor), {});
    p->set.memory = reinterpret_cast<std::byte*>(p->memory.data());
    p->set.bytes = wanted->bytes;
    p->set.dynamic.assign(wanted->dynamicCount, {});
    placeImmutableSamplers(*wanted, p->set.memory);
  }
  for (uint32_t i = 0; i < count; ++i) writeDescriptor(p->set, writes[i]);
  bound_[set] = {};
  bound_[set].set = &p->set;
  bound_[set].pushed = true;
  used_ = std::max(used_, set + 1);
  dirty_ = true;
}

void Bindings::place(const PipelineLayoutData& layout, uint32_t set, std::byte* memory) {
  if (set >= abi::kMaxSets || set >= layout.sets.size() || !layout.sets[set]) return;
  if (!placed_[set]) placed_[set] = std::make_unique<DescriptorSet>();
  DescriptorSet& placed = *placed_[set];
  placed.layout = layout.sets[set];
  placed.memory = memory;
  placed.bytes = placed.layout->bytes;
  placed.dynamic.assign(placed.layout->dynamicCount, {});
  for (const LayoutBinding& b : placed.layout->bindings) {
    if (b.flags & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT) placed.variableCount = b.count;
    if (b.dynamicIndex != ~0u && memory)
      placed.dynamic[b.dynamicIndex].slot = {reinterpret_cast<uintptr_t>(memory) + b.byteOffset, b.count, {}};
  }
  bound_[set] = {};
  bound_[set].set = &placed;
  used_ = std::max(used_, set + 1);
  dirty_ = true;
}

void Bindings::setLayout(const PipelineLayoutData* layout) {
  if (layout_ == layout) return;
  layout_ = layout;
  dirty_ = true;
}

void Bindings::apply(abi::DispatchContext& context, Arena& arena, const ImplicitImages* implicit,
                     uint32_t implicitSamples) {
  if (!dirty_ && !implicitSamples) return;
  dirty_ = implicitSamples != 0;
  for (uint32_t i = 0; i < used_; ++i) {
    const Bound& b = bound_[i];
    context.table[i] = nullptr;
    context.tableBytes[i] = 0;
    if (!b.set || !b.set->memory) continue;
    // Draws that still wait in the rasterizer keep what was pushed before them: each change gets its own copy.
    context.table[i] = b.pushed ? snapshot(arena, b.set->memory, b.set->bytes) : b.set->memory;
    context.tableBytes[i] = b.set->bytes;
    if (implicitSamples && mayHoldInputs(*b.set))
      context.table[i] = withInputViews(*b.set, arena, *implicit, implicitSamples);
  }
  context.table[abi::kDynamicTable] = nullptr;
  context.tableBytes[abi::kDynamicTable] = 0;
  if (!layout_ || !layout_->dynamicCount) return;
  auto* table = arena.make<abi::BufferDescriptor>(layout_->dynamicCount);
  for (uint32_t i = 0; i < used_ && i < layout_->sets.size() && i < layout_->dynamicBase.size(); ++i) {
    const Bound& b = bound_[i];
    if (!b.set || !layout_->sets[i]) continue;
    uint32_t room = layout_->dynamicCount - std::min(layout_->dynamicCount, layout_->dynamicBase[i]);
    uint32_t n = std::min({room, layout_->sets[i]->dynamicCount, uint32_t(b.set->dynamic.size())});
    for (uint32_t k = 0; k < n; ++k) {
      const DynamicBuffer& from = b.set->dynamic[k];
      abi::BufferDescriptor slot = from.slot;
      if (slot.address && k < b.offsetCount && !mutated(Mutant::DynamicOffset)) {
        slot.address += b.offsets[k];
        slot.size = std::min(slot.size, from.bytesLeft - std::min<uint64_t>(from.bytesLeft, b.offsets[k]));
      }
      table[layout_->dynamicBase[i] + k] = slot;
    }
  }
  context.table[abi::kDynamicTable] = reinterpret_cast<const std::byte*>(table);
  context.tableBytes[abi::kDynamicTable] = layout_->dynamicCount * abi::kDescriptorBytes;
}

void Bindings::reset() {
  for (uint32_t i = 0; i < used_; ++i) {
    bound_[i] = {};
    push_[i].reset();
    placed_[i].reset();
  }
  used_ = 0;
  layout_ = nullptr;
  dirty_ = true;
}

}  // namespace etzel::icd
