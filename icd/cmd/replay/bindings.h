// What is bound at one pipeline bind point: descriptor sets, dynamic offsets, push descriptors; and how they become the
// descriptor tables of a draw or dispatch (abi/descriptor.h). Used by Replay on its queue's thread.
#pragma once

#include <memory>
#include <vector>

#include "icd/cmd/pass/implicit_images.h"
#include "icd/cmd/replay/descriptor_copies.h"
#include "icd/descriptor/descriptors.h"
#include "runtime/abi/kernel.h"
#include "runtime/base/arena.h"

namespace etzel::icd {

class Bindings {
 public:
  /// One vkCmdBindDescriptorSets. `offsets` must live as long as the command buffer; sets may be null.
  void bind(uint32_t firstSet, DescriptorSet* const* sets, uint32_t count, const uint32_t* offsets,
            uint32_t offsetCount);
  /// vkCmdPushDescriptorSetKHR: updates replay-owned memory of that set.
  void push(const PipelineLayoutData& layout, uint32_t set, const VkWriteDescriptorSet* writes, uint32_t count);
  /// VK_EXT_descriptor_buffer: the set lies there; null: nowhere. `layout` must live as long as the command buffer.
  void place(const PipelineLayoutData& layout, uint32_t set, const std::byte* memory);
  /// The same with the samplers that the set's layout has itself.
  void embed(const PipelineLayoutData& layout, uint32_t set);
  /// Descriptor buffers may hold something else, and nothing that reads what they held waits any more.
  void reread();
  void setLayout(const PipelineLayoutData* layout);
  /// Writes the tables into `context` if they changed. Memory made here comes from `arena`. `implicit` with its
  /// samples: single-sampled input attachments are read as that many samples (icd/cmd/pass/implicit_images.h).
  void apply(abi::DispatchContext& context, Arena& arena, const ImplicitImages* implicit = nullptr,
             uint32_t implicitSamples = 0);
  /// The arena was reset: what apply() made there is gone.
  void invalidate() { dirty_ = true; }
  void reset();

 private:
  struct PushSet {
    DescriptorSet set;
    std::vector<abi::BufferDescriptor> memory;
  };
  struct Bound {
    DescriptorSet* set = nullptr;
    const uint32_t* offsets = nullptr;  ///< of this set alone
    uint32_t offsetCount = 0;
    bool pushed = false;
  };
  /// In a descriptor buffer.
  struct PlacedSet {
    DescriptorSet set;
    const std::byte* place = nullptr;  ///< null: the driver's own memory
    bool read = true;                  ///< `set` has what lies there
  };
  PlacedSet* putPlaced(const PipelineLayoutData& layout, uint32_t set);
  void readPlaced(PlacedSet& placed);

  Bound bound_[abi::kMaxSets];
  uint32_t used_ = 0;  ///< sets at and above are unbound
  std::unique_ptr<PushSet> push_[abi::kMaxSets];
  std::unique_ptr<PlacedSet> placed_[abi::kMaxSets];
  DescriptorCopies copies_;
  const PipelineLayoutData* layout_ = nullptr;
  bool dirty_ = true;
};

}  // namespace etzel::icd
