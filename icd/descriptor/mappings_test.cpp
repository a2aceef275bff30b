// Bindings that are mapped to descriptor heaps: what the compiler is told, and what draws are given.
#include "icd/descriptor/mappings.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

namespace etzel::icd {
namespace {

using compiler::DescriptorMapping;

MappedRecord used(MappedRecord::Kind kind, uint32_t offset, uint32_t pushOffset, uint32_t addressOffset) {
  MappedRecord r;
  r.kind = kind, r.offset = offset, r.pushOffset = pushOffset, r.addressOffset = addressOffset, r.isUsed = 1;
  return r;
}

class Buffers : public testing::Test {
 protected:
  Buffers() {
    memory_.heap = {reinterpret_cast<uintptr_t>(heap_), sizeof heap_, {}};
    memory_.pushData = push_;
  }
  template <class T>
  void push(uint32_t at, T value) {
    std::memcpy(push_ + at, &value, sizeof value);
  }
  abi::BufferDescriptor slotOf(const MappedRecord& r) const { return MappedSlot(r).bufferSlot(memory_); }

  alignas(16) std::byte heap_[512] = {}, push_[256] = {};
  MappedMemory memory_;
};

TEST_F(Buffers, LieInTheHeapAndEndWithIt) {
  push<uint32_t>(8, 100);
  const auto slot = slotOf(used(MappedRecord::HeapData, 64, 8, 0));
  EXPECT_EQ(slot.address, reinterpret_cast<uintptr_t>(heap_) + 164);
  EXPECT_EQ(slot.size, 512u - 164u);
  push<uint32_t>(8, 448);
  EXPECT_EQ(slotOf(used(MappedRecord::HeapData, 64, 8, 0)).size, 0u);
}

TEST_F(Buffers, LieInThePushData) {
  const auto slot = slotOf(used(MappedRecord::PushData, 48, 0, 0));
  EXPECT_EQ(slot.address, reinterpret_cast<uintptr_t>(push_) + 48);
  EXPECT_EQ(slot.size, 208u);
}

TEST_F(Buffers, LieBehindAddresses) {
  push(16, reinterpret_cast<uintptr_t>(heap_));
  EXPECT_EQ(slotOf(used(MappedRecord::PushAddress, 0, 16, 0)).address, reinterpret_cast<uintptr_t>(heap_));
  const uint64_t behind = 0x1234567890;
  std::memcpy(heap_ + 24, &behind, sizeof behind);
  EXPECT_EQ(slotOf(used(MappedRecord::IndirectAddress, 0, 16, 24)).address, behind);
  // Nothing lies behind no address.
  EXPECT_EQ(slotOf(used(MappedRecord::IndirectAddress, 0, 32, 24)).size, 0u);
  EXPECT_EQ(slotOf(used(MappedRecord::PushAddress, 0, 250, 0)).size, 0u);
}

TEST_F(Buffers, AreNotLookedForWhereTheShaderHasNone) {
  push<uint64_t>(16, 1);
  MappedRecord r = used(MappedRecord::IndirectAddress, 0, 16, 0);
  r.isUsed = 0;
  EXPECT_EQ(slotOf(r).size, 0u);
}

TEST(SamplerRecord, IsAllThatTheCreateInfoSays) {
  VkSamplerCustomBorderColorCreateInfoEXT color{VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT};
  color.customBorderColor.float32[2] = 0.5f;
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, &color};
  info.magFilter = VK_FILTER_LINEAR, info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
  info.borderColor = VK_BORDER_COLOR_FLOAT_CUSTOM_EXT, info.maxLod = 3, info.unnormalizedCoordinates = VK_TRUE;
  tex::Sampler fromInfo, fromRecord;
  makeSampler(fromInfo, info);
  makeSampler(fromRecord, recordOf(info));
  EXPECT_EQ(fromRecord.magFilter, VK_FILTER_LINEAR);
  EXPECT_EQ(fromRecord.address[2], fromInfo.address[2]);
  EXPECT_EQ(fromRecord.border.word[2], std::bit_cast<uint32_t>(0.5f));
  EXPECT_EQ(fromRecord.maxLod, 3);
  EXPECT_TRUE(fromRecord.unnormalized);
  EXPECT_FALSE(fromRecord.ycbcr.enabled);
  VkSamplerCreateInfo other = info;
  other.maxLod = 2;
  EXPECT_NE(recordOf(other), recordOf(info));
}

TEST(Mappings, SayWhereDescriptorsLieAndNumberWhatIsMade) {
  VkSamplerCreateInfo sampler{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  VkDescriptorSetAndBindingMappingEXT rows[3]{};
  rows[0].source = VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_DATA_EXT, rows[0].bindingCount = 1;
  rows[1].source = VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT;
  auto& index = rows[1].sourceData.pushIndex;
  index = {32, 4, 64, 96, &sampler, VK_TRUE, 128, 8, 160, 192};
  rows[2].source = VK_DESCRIPTOR_MAPPING_SOURCE_INDIRECT_ADDRESS_EXT;
  const VkShaderDescriptorSetAndBindingMappingInfoEXT info{
      VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT, nullptr, 3, rows};
  const auto all = mappingsOf(&info);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].madeSlot, 0u);
  EXPECT_EQ(all[1].embedded, 1u);
  EXPECT_EQ(all[2].madeSlot, 2u);
  EXPECT_EQ(all[1].source, DescriptorMapping::PushIndex);
  EXPECT_EQ(all[1].resource.offset, 32u);
  EXPECT_EQ(all[1].resource.pushOffset, 4u);
  EXPECT_EQ(all[1].resource.indexStride, 64u);
  EXPECT_EQ(all[1].resource.arrayStride, 96u);
  EXPECT_EQ(all[1].packsIndices, 1u);
  EXPECT_EQ(all[1].sampler.offset, 128u);
  EXPECT_EQ(all[1].sampler.pushOffset, 8u);
  EXPECT_EQ(all[1].sampler.indexStride, 160u);
  EXPECT_EQ(all[1].sampler.arrayStride, 192u);
  EXPECT_TRUE(mappingsOf(nullptr).empty());
}

TEST(Mappings, OfBinariesMayBeAnything) {
  DescriptorMapping made, embedded;
  made.source = DescriptorMapping::Made, made.madeSlot = 0;
  embedded.embedded = 1;
  std::vector<DescriptorMapping> mappings{made, embedded};
  std::vector<MappedRecord> records(2);
  records[0].kind = MappedRecord::PushAddress;
  EXPECT_TRUE(areWhole({}, {}));
  ASSERT_TRUE(areWhole(mappings, records));
  const auto refuses = [&](auto change) {
    std::vector<DescriptorMapping> m = mappings;
    std::vector<MappedRecord> r = records;
    change(m, r);
    return !areWhole(m, r);
  };
  EXPECT_TRUE(refuses([](auto&, auto& r) { r.pop_back(); }));
  EXPECT_TRUE(refuses([](auto& m, auto&) { m[0].madeSlot = 1; })) << "a sampler is no buffer";
  EXPECT_TRUE(refuses([](auto& m, auto&) { m[1].embedded = 0; })) << "a buffer is no sampler";
  EXPECT_TRUE(refuses([](auto& m, auto&) { m[1].resource.pushOffset = 249; }));
  EXPECT_TRUE(refuses([](auto& m, auto&) { m[1].sampler.pushOffset = ~0u; }));
  EXPECT_TRUE(refuses([](auto& m, auto&) { m[1].source = DescriptorMapping::Source(5); }));
  EXPECT_TRUE(refuses([](auto&, auto& r) { r[0].kind = MappedRecord::Kind(5); }));
  EXPECT_TRUE(refuses([](auto&, auto& r) { r[1].sampler.state[1] = 7; }));
  EXPECT_TRUE(refuses([](auto&, auto& r) { r[1].sampler.reduction = 3; }));
  EXPECT_TRUE(refuses([](auto&, auto& r) { r[1].sampler.conversion[9] = 7; }));
}

}  // namespace
}  // namespace etzel::icd
