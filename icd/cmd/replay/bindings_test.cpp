#include "icd/cmd/replay/bindings.h"

#include <gtest/gtest.h>

#include <cstring>

namespace etzel::icd {
namespace {

const abi::BufferDescriptor& dynamicSlot(const abi::DispatchContext& c, uint32_t slot) {
  return reinterpret_cast<const abi::BufferDescriptor*>(c.table[abi::kDynamicTable])[slot];
}

struct TwoSets {
  std::shared_ptr<SetLayoutData> data[2] = {std::make_shared<SetLayoutData>(), std::make_shared<SetLayoutData>()};
  PipelineLayoutData layout;
  DescriptorSet set[2];
  alignas(32) std::byte memory[2][64] = {};
  TwoSets() {
    const uint32_t counts[2] = {1, 2};
    for (int i = 0; i < 2; ++i) {
      data[i]->bytes = 64;
      data[i]->dynamicCount = counts[i];
      set[i].layout = data[i];
      set[i].memory = memory[i];
      set[i].bytes = 64;
      for (uint32_t k = 0; k < counts[i]; ++k) set[i].dynamic.push_back({{1000u * (i + 1) + 100 * k, 16, {}}, 64});
      layout.sets.push_back(data[i]);
    }
    layout.dynamicBase = {0, 1};
    layout.dynamicCount = 3;
  }
};

TEST(Bindings, DynamicOffsetsAreDealtOutInSetOrder) {
  TwoSets t;
  Bindings b;
  Arena arena;
  abi::DispatchContext context;
  DescriptorSet* sets[2] = {&t.set[0], &t.set[1]};
  const uint32_t offsets[3] = {1, 2, 3};
  b.setLayout(&t.layout);
  b.bind(0, sets, 2, offsets, 3);
  b.apply(context, arena);
  EXPECT_EQ(context.table[1], t.memory[1]);
  EXPECT_EQ(context.tableBytes[abi::kDynamicTable], 3 * abi::kDescriptorBytes);
  EXPECT_EQ(dynamicSlot(context, 0).address, 1001u);
  EXPECT_EQ(dynamicSlot(context, 1).address, 2002u);
  EXPECT_EQ(dynamicSlot(context, 2).address, 2103u);
}

TEST(Bindings, RebindingLeavesTheTablesOfEarlierDrawsAlone) {
  TwoSets t;
  Bindings b;
  Arena arena;
  abi::DispatchContext first, second;
  DescriptorSet* sets[1] = {&t.set[0]};
  const uint32_t before = 8, after = 24;
  b.setLayout(&t.layout);
  b.bind(0, sets, 1, &before, 1);
  b.apply(first, arena);
  b.bind(0, sets, 1, &after, 1);
  b.apply(second, arena);
  EXPECT_EQ(dynamicSlot(first, 0).address, 1008u);
  EXPECT_EQ(dynamicSlot(second, 0).address, 1024u);
}

TEST(Bindings, ASetThatTheLayoutLacksDoesNotReachTheDynamicTable) {
  TwoSets t;
  t.layout.sets.resize(1);
  t.layout.dynamicBase.resize(1);
  t.layout.dynamicCount = 1;
  Bindings b;
  Arena arena;
  abi::DispatchContext context;
  DescriptorSet* sets[2] = {&t.set[0], &t.set[1]};
  const uint32_t offsets[3] = {};
  b.bind(0, sets, 2, offsets, 3);
  b.setLayout(&t.layout);
  b.apply(context, arena);
  EXPECT_EQ(context.tableBytes[abi::kDynamicTable], abi::kDescriptorBytes);
}

// Of bindings of mutable type each slot says itself what it holds.
TEST(Bindings, InputAttachmentsGetTheSamplesOfTheSubpassInACopy) {
  for (const auto& [first, second] : {std::pair{VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT},
                                      std::pair{VK_DESCRIPTOR_TYPE_MUTABLE_EXT, VK_DESCRIPTOR_TYPE_MUTABLE_EXT}}) {
    TwoSets t;
    LayoutBinding storage, input;
    storage.type = first, storage.count = 1;
    input.type = second, input.binding = 1, input.count = 1;
    input.byteOffset = abi::kDescriptorBytes;
    t.data[0]->bindings = {storage, input};
    mem::PlaneLayout plane;
    plane.samplePitch = 64;
    ImageView view;
    view.storage.plane = &plane;
    const VkDescriptorImageInfo image{VK_NULL_HANDLE, handleOf(&view), VK_IMAGE_LAYOUT_GENERAL};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.descriptorCount = 1;
    write.pImageInfo = &image;
    const auto put = [&](uint32_t binding, VkDescriptorType type) {
      write.dstBinding = binding;
      write.descriptorType = type;
      writeDescriptor(t.set[0], write);
    };
    if (first == VK_DESCRIPTOR_TYPE_MUTABLE_EXT) put(0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT);  // and then no longer
    put(0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE);
    put(1, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT);
    Bindings b;
    Arena arena;
    abi::DispatchContext context;
    ImplicitImages implicit;
    DescriptorSet* sets[1] = {&t.set[0]};
    const uint32_t offset = 0;
    b.setLayout(&t.layout);
    b.bind(0, sets, 1, &offset, 1);
    b.apply(context, arena, &implicit, 4);
    const auto* slots = reinterpret_cast<const abi::ImageDescriptor*>(context.table[0]);
    EXPECT_EQ(slots[0].view, &view.storage);
    ASSERT_NE(slots[1].view, &view.storage);
    EXPECT_EQ(slots[1].view->samples, 4u);
    EXPECT_EQ(slots[1].view->plane->samplePitch, 0u);
    b.apply(context, arena);  // another subpass
    EXPECT_EQ(context.table[0], t.memory[0]);
  }
}

}  // namespace
}  // namespace etzel::icd
