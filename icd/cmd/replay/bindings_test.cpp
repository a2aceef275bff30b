#include "icd/cmd/replay/bindings.h"

#include <gtest/gtest.h>

#include <cstring>

#include "icd/memory/descriptor_ranges.h"

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

/// A buffer for descriptors, and a layout of `count` storage buffers for sets in it.
class DescriptorBufferTest : public testing::Test {
 protected:
  static constexpr uint64_t kSlots = 8, kBytes = kSlots * abi::kDescriptorBytes;
  DescriptorBufferTest() { addDescriptorRange(this, bytes(), kBytes); }
  ~DescriptorBufferTest() override { removeDescriptorRange(this, bytes()); }

  void useLayout(uint32_t count) {
    auto set = std::make_shared<SetLayoutData>();
    LayoutBinding binding;
    binding.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    binding.count = binding.plainCount = count;
    set->bindings = {binding};
    set->bytes = count * abi::kDescriptorBytes;
    layout.sets = {set};
    layout.dynamicBase = {0};
    bindings.setLayout(&layout);
  }
  const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(buffer); }
  /// What a shader sees in slot `i` of the set.
  const abi::BufferDescriptor& seen(uint32_t i) {
    bindings.apply(context, arena);
    return reinterpret_cast<const abi::BufferDescriptor*>(context.table[0])[i];
  }
  static SealedDescriptor good(uint64_t address) { return seal(abi::BufferDescriptor{address, 64, {}}); }

  alignas(64) SealedDescriptor buffer[kSlots] = {};
  PipelineLayoutData layout;
  Bindings bindings;
  Arena arena;
  abi::DispatchContext context;
};

TEST_F(DescriptorBufferTest, BytesThatAreNoDescriptorsAreNull) {
  useLayout(4);
  buffer[2] = good(0x1000);
  buffer[3] = {{0x2000, 64, 1}, 0x1234};
  const abi::BufferDescriptor raw{0x3000, 64, {}};
  std::memcpy(&buffer[4], &raw, sizeof raw);
  std::memset(&buffer[5], 0xAB, sizeof buffer[5]);
  bindings.place(layout, 0, bytes() + 64);
  EXPECT_EQ(seen(0).address, 0x1000u);
  EXPECT_EQ(seen(0).size, 64u);
  for (const uint32_t i : {1, 2, 3}) EXPECT_EQ(seen(i).size | seen(i).nothing[0] | seen(i).nothing[1], 0u) << i;
  EXPECT_EQ(context.tableBytes[0], 4 * abi::kDescriptorBytes);
}

TEST_F(DescriptorBufferTest, SetsEndWithTheirBuffer) {
  useLayout(1000);  // a variable count, say
  buffer[kSlots - 1] = good(0x1000);
  bindings.place(layout, 0, bytes() + kBytes - 64);
  EXPECT_EQ(seen(1).address, 0x1000u);
  EXPECT_EQ(context.tableBytes[0], 64u);
}

TEST_F(DescriptorBufferTest, AddressesOfNoDescriptorBufferHoldNoSet) {
  useLayout(1);
  SealedDescriptor elsewhere = good(0x1000);
  bindings.place(layout, 0, bytes());  // and there is a copy to be mistaken for
  bindings.apply(context, arena);
  for (const std::byte* place : {reinterpret_cast<const std::byte*>(&elsewhere), bytes() + kBytes, bytes() + 8,
                                 bytes() - 1, reinterpret_cast<const std::byte*>(~uintptr_t{31})}) {
    bindings.place(layout, 0, place);
    bindings.apply(context, arena);
    EXPECT_EQ(context.table[0], nullptr);
    EXPECT_EQ(context.tableBytes[0], 0u);
  }
}

TEST_F(DescriptorBufferTest, WhatWasReadStaysUntilABarrier) {
  useLayout(2);
  buffer[0] = good(0x1000);
  bindings.place(layout, 0, bytes());
  EXPECT_EQ(seen(0).address, 0x1000u);
  buffer[0] = good(0x2000);
  bindings.invalidate();
  EXPECT_EQ(seen(0).address, 0x1000u);
  bindings.reread();
  EXPECT_EQ(seen(0).address, 0x2000u);
}

TEST_F(DescriptorBufferTest, AnEarlierDrawKeepsItsSet) {
  useLayout(2);
  buffer[0] = good(0x1000), buffer[2] = good(0x2000);
  bindings.place(layout, 0, bytes());
  const abi::BufferDescriptor& first = seen(0);
  bindings.place(layout, 0, bytes() + 64);
  EXPECT_EQ(seen(0).address, 0x2000u);
  EXPECT_EQ(first.address, 0x1000u);
}

}  // namespace
}  // namespace etzel::icd
