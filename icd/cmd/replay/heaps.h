// Descriptor heaps as a command buffer binds them (VK_EXT_descriptor_heap), and the tables that shaders see of them: a
// copy of each heap in which all but sealed descriptors is null (descriptor_copies.h), what lies in the heaps as bytes,
// and for each stage the slots that its mappings make (icd/descriptor/mappings.h). Used by Replay on its queue's
// thread.
#pragma once

#include "icd/cmd/pass/implicit_images.h"
#include "icd/cmd/replay/descriptor_copies.h"
#include "icd/descriptor/mappings.h"
#include "icd/memory/heap_views.h"
#include "runtime/base/arena.h"

namespace etzel::icd {

/// A stage's slots, or null.
using StageSlots = const MappedSlots*;

class Heaps {
 public:
  void bindResources(VkDeviceAddress address, uint64_t bytes) { bind(resources_, address, bytes); }
  void bindSamplers(VkDeviceAddress address, uint64_t bytes) { bind(samplers_, address, bytes); }
  /// The heaps may hold something else, and nothing that reads what they held waits any more.
  void reread() { copies_.forget(); }
  void reset();
  /// Writes the tables into `context`, whose push data are those of the draw. `slots`: by stage. Memory made here comes
  /// from `arena`. `implicit` with its samples: as for Bindings::apply.
  void apply(abi::DispatchContext& context, const StageSlots (&slots)[6], Arena& arena, HeapViews& views,
             const ImplicitImages* implicit = nullptr, uint32_t implicitSamples = 0);

 private:
  struct Heap {
    const std::byte* place = nullptr;
    uint64_t bytes = 0;
  };
  void bind(Heap& heap, VkDeviceAddress address, uint64_t bytes) {
    heap = {reinterpret_cast<const std::byte*>(address), bytes};
    isBound_ = true;
  }
  void applyHeap(abi::DispatchContext& context, uint32_t table, const Heap& heap, abi::BufferDescriptor& bytes);

  Heap resources_, samplers_;
  bool isBound_ = false;
  DescriptorCopies copies_;
};

}  // namespace etzel::icd
