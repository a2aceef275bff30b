#include "icd/cmd/bindings.h"

#include <gtest/gtest.h>

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
      for (uint32_t k = 0; k < counts[i]; ++k) set[i].dynamic.push_back({1000u * (i + 1) + 100 * k, 16, {64, 0}});
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

}  // namespace
}  // namespace etzel::icd
