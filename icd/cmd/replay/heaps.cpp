#include "icd/cmd/replay/heaps.h"

#include <algorithm>
#include <cstring>

#include "icd/descriptor/descriptors.h"
#include "runtime/abi/heap_tables.h"

namespace etzel::icd {
namespace {

/// A copy of the heap whose input attachments have as many samples as the subpass. What else lies there may be of
/// images that are gone.
const std::byte* withInputViews(const std::byte* table, uint32_t bytes, Arena& arena, HeapViews& views,
                                const ImplicitImages& implicit, uint32_t samples) {
  auto* copy = static_cast<std::byte*>(arena.allocate(std::max(bytes, 1u), 64));
  std::memcpy(copy, table, bytes);
  for (uint32_t at = 0; at + abi::kDescriptorBytes <= bytes; at += abi::kDescriptorBytes) {
    auto* slot = reinterpret_cast<abi::ImageDescriptor*>(copy + at);
    if (!isInputSlot(*slot) || !slot->view || !views.has(slot->view) || slot->view->samples > 1) continue;
    auto* view = arena.make<tex::ImageView>();
    implicit.inputView(*slot->view, samples, *view, *arena.make<mem::PlaneLayout>());
    slot->view = view;
  }
  return copy;
}

}  // namespace

void Heaps::reset() {
  resources_ = samplers_ = {};
  isBound_ = false;
  copies_.clear();
}

void Heaps::applyHeap(abi::DispatchContext& context, uint32_t table, const Heap& heap, abi::BufferDescriptor& bytes) {
  const DescriptorCopies::Set read = heap.place ? copies_.read(heap.place, heap.bytes) : DescriptorCopies::Set{};
  context.table[table] = read.slots.data();
  context.tableBytes[table] = uint32_t(read.slots.size());
  bytes = {reinterpret_cast<uintptr_t>(read.buffer.data()), std::min<uint64_t>(heap.bytes, read.buffer.size()), {}};
}

void Heaps::apply(abi::DispatchContext& context, const StageSlots (&slots)[6], Arena& arena, HeapViews& views,
                  const ImplicitImages* implicit, uint32_t implicitSamples) {
  MappedMemory memory;
  memory.pushData = context.pushConstants;
  if (isBound_) {
    auto* heaps = arena.make<abi::BufferDescriptor>(2);
    applyHeap(context, abi::kResourceHeapTable, resources_, heaps[0]);
    applyHeap(context, abi::kSamplerHeapTable, samplers_, heaps[1]);
    context.table[abi::kHeapBytesTable] = reinterpret_cast<const std::byte*>(heaps);
    context.tableBytes[abi::kHeapBytesTable] = 2 * abi::kDescriptorBytes;
    memory.heap = heaps[0];
    if (implicitSamples)
      context.table[abi::kResourceHeapTable] =
          withInputViews(context.table[abi::kResourceHeapTable], context.tableBytes[abi::kResourceHeapTable], arena,
                         views, *implicit, implicitSamples);
  }
  for (uint32_t stage = 0; stage < std::size(slots); ++stage) {
    const uint32_t table = abi::kFirstMappedTable + stage;
    const uint32_t count = slots[stage] ? uint32_t(slots[stage]->size()) : 0;
    context.table[table] = nullptr, context.tableBytes[table] = 0;
    if (!count) continue;
    auto* made = static_cast<std::byte*>(arena.allocate(count * abi::kDescriptorBytes, 64));
    for (uint32_t i = 0; i < count; ++i) {
      const MappedSlot& slot = (*slots[stage])[i];
      if (slot.sampler) {
        const abi::ImageDescriptor d{.sampler = slot.sampler.get()};
        std::memcpy(made + i * sizeof d, &d, sizeof d);
      } else {
        const abi::BufferDescriptor d = slot.bufferSlot(memory);
        std::memcpy(made + i * sizeof d, &d, sizeof d);
      }
    }
    context.table[table] = made, context.tableBytes[table] = count * abi::kDescriptorBytes;
  }
}

}  // namespace etzel::icd
