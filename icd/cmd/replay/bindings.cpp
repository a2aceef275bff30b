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
    for (uint32_t i = 0, at = b.byteOffset; i < count && at < set.bytes; ++i, at += abi::kDescriptorBytes) {
      auto* slot = reinterpret_cast<abi::ImageDescriptor*>(copy + at);
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

Bindings::PlacedSet* Bindings::putPlaced(const PipelineLayoutData& layout, uint32_t set) {
  if (set >= abi::kMaxSets || set >= layout.sets.size() || !layout.sets[set]) return nullptr;
  if (!placed_[set]) placed_[set] = std::make_unique<PlacedSet>();
  PlacedSet& placed = *placed_[set];
  placed.set.layout = layout.sets[set];
  placed.set.memory = nullptr;
  placed.set.bytes = 0;
  placed.set.dynamic.assign(placed.set.layout->dynamicCount, {});
  bound_[set] = {};
  bound_[set].set = &placed.set;
  used_ = std::max(used_, set + 1);
  dirty_ = true;
  return &placed;
}

void Bindings::place(const PipelineLayoutData& layout, uint32_t set, const std::byte* memory) {
  PlacedSet* placed = putPlaced(layout, set);
  if (!placed) return;
  placed->place = memory;
  placed->read = !memory;
}

void Bindings::embed(const PipelineLayoutData& layout, uint32_t set) {
  PlacedSet* placed = putPlaced(layout, set);
  if (!placed) return;
  placed->place = nullptr;
  placed->read = true;
  // Shaders write no samplers.
  auto& samplers = const_cast<std::vector<abi::BufferDescriptor>&>(placed->set.layout->embedded);
  placed->set.memory = reinterpret_cast<std::byte*>(samplers.data());
  placed->set.bytes = uint32_t(samplers.size() * sizeof samplers[0]);
}

void Bindings::reread() {
  copies_.forget();
  for (uint32_t i = 0; i < used_; ++i)
    if (placed_[i] && placed_[i]->place) placed_[i]->read = false, dirty_ = true;
}

void Bindings::readPlaced(PlacedSet& placed) {
  DescriptorSet& set = placed.set;
  const DescriptorCopies::Set read = copies_.read(placed.place, set.layout->bytes);
  set.memory = read.slots.data();
  set.bytes = uint32_t(read.slots.size());
  for (const LayoutBinding& b : set.layout->bindings) {
    if (b.flags & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT)
      set.variableCount = std::min(b.count, (std::max(set.bytes, b.byteOffset) - b.byteOffset) / abi::kDescriptorBytes);
    if (b.dynamicIndex == ~0u || b.byteOffset >= read.buffer.size()) continue;
    const auto block = read.buffer.subspan(b.byteOffset);
    set.dynamic[b.dynamicIndex].slot = {
        reinterpret_cast<uintptr_t>(block.data()), std::min<uint64_t>(b.count, block.size()), {}};
  }
  placed.read = true;
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
    if (placed_[i] && b.set == &placed_[i]->set && !placed_[i]->read) readPlaced(*placed_[i]);
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
  copies_.clear();
  used_ = 0;
  layout_ = nullptr;
  dirty_ = true;
}

}  // namespace etzel::icd
