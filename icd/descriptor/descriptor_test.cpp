// Set layouts, pools and updates, on a device that has nothing.
#include <gtest/gtest.h>

#include <vector>

#include "icd/descriptor/descriptors.h"
#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/queue/queue.h"

namespace etzel::icd {
namespace {

class DescriptorTest : public testing::Test {
 protected:
  ~DescriptorTest() override {
    if (pool) DestroyDescriptorPool(vk(), pool, nullptr);
    for (VkDescriptorSetLayout l : layouts) DestroyDescriptorSetLayout(vk(), l, nullptr);
  }
  VkDevice vk() { return handleOf(&device); }
  VkDescriptorSetLayout layout(std::vector<VkDescriptorSetLayoutBinding> bindings, const void* next = nullptr) {
    VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, next, 0,
                                         uint32_t(bindings.size()), bindings.data()};
    VkDescriptorSetLayout l = VK_NULL_HANDLE;
    EXPECT_EQ(CreateDescriptorSetLayout(vk(), &info, nullptr, &l), VK_SUCCESS);
    layouts.push_back(l);
    return l;
  }
  void makePool(uint32_t sets, std::vector<VkDescriptorPoolSize> sizes) {
    VkDescriptorPoolCreateInfo info{
        VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, sets, uint32_t(sizes.size()), sizes.data()};
    ASSERT_EQ(CreateDescriptorPool(vk(), &info, nullptr, &pool), VK_SUCCESS);
  }
  VkResult allocate(VkDescriptorSetLayout l, VkDescriptorSet* set) {
    VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, 1, &l};
    return AllocateDescriptorSets(vk(), &info, set);
  }
  VkBuffer bufferAt(std::byte* data, uint64_t size) {
    buffer.data = data;
    buffer.size = size;
    return handleOf(&buffer);
  }
  static const abi::BufferDescriptor& slot(VkDescriptorSet set, uint32_t index) {
    return reinterpret_cast<const abi::BufferDescriptor*>(cast<DescriptorSet>(set)->memory)[index];
  }

  Device device;
  Buffer buffer;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  std::vector<VkDescriptorSetLayout> layouts;
};

constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr VkDescriptorType kDynamic = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;

TEST_F(DescriptorTest, BindingsFollowEachOtherByNumberAndDynamicOnesTakeNoMemory) {
  const auto& data = *cast<DescriptorSetLayout>(layout({{7, kStorage, 2, VK_SHADER_STAGE_ALL, nullptr},
                                                        {1, kStorage, 3, VK_SHADER_STAGE_ALL, nullptr},
                                                        {4, kDynamic, 2, VK_SHADER_STAGE_ALL, nullptr}}))
                          ->data;
  EXPECT_EQ(data.find(1)->byteOffset, 0u);
  EXPECT_EQ(data.find(7)->byteOffset, 3u * abi::kDescriptorBytes);
  EXPECT_EQ(data.bytes, 5u * abi::kDescriptorBytes);
  EXPECT_EQ(data.dynamicCount, 2u);
  EXPECT_EQ(data.find(2), nullptr);
}

TEST_F(DescriptorTest, AWriteRunsOverIntoTheNextBindings) {
  makePool(1, {{kStorage, 4}});
  VkDescriptorSet set = VK_NULL_HANDLE;
  ASSERT_EQ(allocate(layout({{0, kStorage, 2, VK_SHADER_STAGE_ALL, nullptr},
                             {1, kStorage, 0, VK_SHADER_STAGE_ALL, nullptr},
                             {2, kStorage, 2, VK_SHADER_STAGE_ALL, nullptr}}),
                     &set),
            VK_SUCCESS);
  std::byte bytes[256];
  const VkBuffer b = bufferAt(bytes, sizeof bytes);
  const VkDescriptorBufferInfo infos[3] = {{b, 0, 16}, {b, 32, VK_WHOLE_SIZE}, {b, 240, 64}};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = set, write.dstBinding = 0, write.dstArrayElement = 1, write.descriptorCount = 3;
  write.descriptorType = kStorage, write.pBufferInfo = infos;
  UpdateDescriptorSets(vk(), 1, &write, 0, nullptr);
  EXPECT_EQ(slot(set, 0).address, 0u);  // a null descriptor
  EXPECT_EQ(slot(set, 1).size, 16u);
  EXPECT_EQ(slot(set, 2).size, 224u);  // the rest of the buffer
  EXPECT_EQ(slot(set, 3).size, 16u);   // never beyond the buffer's end
  EXPECT_EQ(slot(set, 3).address, reinterpret_cast<uintptr_t>(bytes) + 240);
}

TEST_F(DescriptorTest, PoolsCountTexelBuffersTogether) {
  makePool(2, {{VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 2}});
  const auto both = [&](uint32_t uniform) {
    return layout({{0, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, uniform, VK_SHADER_STAGE_ALL, nullptr},
                   {1, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 1, VK_SHADER_STAGE_ALL, nullptr}});
  };
  VkDescriptorSet a = VK_NULL_HANDLE, b = VK_NULL_HANDLE;
  EXPECT_EQ(allocate(both(1), &a), VK_SUCCESS);
  EXPECT_EQ(allocate(both(2), &b), VK_ERROR_OUT_OF_POOL_MEMORY);
}

TEST_F(DescriptorTest, AnExhaustedPoolSaysSoAndGivesAgainWhatWasFreed) {
  makePool(2, {{kStorage, 3}});
  const VkDescriptorSetLayout two = layout({{0, kStorage, 2, VK_SHADER_STAGE_ALL, nullptr}});
  VkDescriptorSet a = VK_NULL_HANDLE, b = VK_NULL_HANDLE, c = VK_NULL_HANDLE;
  ASSERT_EQ(allocate(two, &a), VK_SUCCESS);
  ASSERT_EQ(allocate(two, &b), VK_SUCCESS);  // more than it has together: no set has more
  EXPECT_EQ(allocate(two, &c), VK_ERROR_OUT_OF_POOL_MEMORY);
  EXPECT_EQ(c, VkDescriptorSet(VK_NULL_HANDLE));
  ASSERT_EQ(FreeDescriptorSets(vk(), pool, 1, &a), VK_SUCCESS);
  EXPECT_EQ(allocate(two, &c), VK_SUCCESS);
}

TEST_F(DescriptorTest, ImmutableSamplersSurviveWritesAndCopies) {
  Sampler fixed, other;
  const VkSampler immutable = handleOf(&fixed);
  const VkDescriptorType type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  makePool(2, {{type, 2}});
  VkDescriptorSet a = VK_NULL_HANDLE, b = VK_NULL_HANDLE;
  ASSERT_EQ(allocate(layout({{0, type, 1, VK_SHADER_STAGE_ALL, &immutable}}), &a), VK_SUCCESS);
  ASSERT_EQ(allocate(layout({{0, type, 1, VK_SHADER_STAGE_ALL, nullptr}}), &b), VK_SUCCESS);
  ImageView view;
  const VkDescriptorImageInfo info{handleOf(&other), handleOf(&view), VK_IMAGE_LAYOUT_GENERAL};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = b, write.descriptorCount = 1, write.descriptorType = type, write.pImageInfo = &info;
  VkCopyDescriptorSet copy{VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET};
  copy.srcSet = b, copy.dstSet = a, copy.descriptorCount = 1;
  UpdateDescriptorSets(vk(), 1, &write, 1, &copy);
  const auto& image = reinterpret_cast<const abi::ImageDescriptor&>(slot(a, 0));
  EXPECT_EQ(image.view, &view.sampled);
  EXPECT_EQ(image.sampler, &fixed.sampler);
  EXPECT_EQ(reinterpret_cast<const abi::ImageDescriptor&>(slot(b, 0)).sampler, &other.sampler);
}

// As a shader sees it that takes a slot for another kind, also after the slot had that kind.
/// What a slot holds of each kind of descriptor that has one; dynamic buffers lie elsewhere, inline blocks in sets of
/// their own.
struct Kind {
  VkDescriptorType type;
  bool bytes, view, sampler;
};
constexpr Kind kKinds[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, true, false, false},
                           {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, true, false, false},
                           {VK_DESCRIPTOR_TYPE_SAMPLER, false, false, true},
                           {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, false, true, true},
                           {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, false, true, false},
                           {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, false, true, false},
                           {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, false, true, false},
                           {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, false, true, false},
                           {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, false, true, false}};

TEST_F(DescriptorTest, ASlotOfAnotherKindIsEmpty) {
  makePool(1, {{kStorage, 1}});
  VkDescriptorSet set = VK_NULL_HANDLE;
  ASSERT_EQ(allocate(layout({{0, kStorage, 1, VK_SHADER_STAGE_ALL, nullptr}}), &set), VK_SUCCESS);
  std::byte memory[256];
  const VkDescriptorBufferInfo bufferInfo{bufferAt(memory, sizeof memory), 16, VK_WHOLE_SIZE};
  Sampler sampler;
  ImageView view;
  BufferView texels;
  const VkDescriptorImageInfo imageInfo{handleOf(&sampler), handleOf(&view), VK_IMAGE_LAYOUT_GENERAL};
  const VkBufferView texelInfo = handleOf(&texels);
  const auto put = [&](const Kind& kind) {
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set, write.descriptorCount = 1, write.descriptorType = kind.type;
    write.pBufferInfo = &bufferInfo, write.pImageInfo = &imageInfo, write.pTexelBufferView = &texelInfo;
    UpdateDescriptorSets(vk(), 1, &write, 0, nullptr);
  };
  for (const Kind& before : kKinds)
    for (const Kind& kind : kKinds) {
      put(before);
      put(kind);
      const abi::BufferDescriptor& bytes = slot(set, 0);
      const auto& image = reinterpret_cast<const abi::ImageDescriptor&>(bytes);
      EXPECT_EQ(bytes.size, kind.bytes ? sizeof memory - 16 : 0) << before.type << " then " << kind.type;
      EXPECT_EQ(image.view != nullptr, kind.view) << before.type << " then " << kind.type;
      EXPECT_EQ(image.sampler != nullptr, kind.sampler) << before.type << " then " << kind.type;
    }
}

TEST_F(DescriptorTest, InlineBlocksArePointedAtAndWrittenByByte) {
  const VkDescriptorType type = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
  makePool(1, {{type, 20}});
  VkDescriptorSet set = VK_NULL_HANDLE;
  ASSERT_EQ(allocate(layout({{0, type, 20, VK_SHADER_STAGE_ALL, nullptr}}), &set), VK_SUCCESS);
  const uint32_t value = 0x12345678;
  VkWriteDescriptorSetInlineUniformBlock block{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK, nullptr, 4,
                                               &value};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, &block};
  write.dstSet = set, write.dstArrayElement = 8, write.descriptorCount = 4, write.descriptorType = type;
  UpdateDescriptorSets(vk(), 1, &write, 0, nullptr);
  EXPECT_EQ(slot(set, 0).size, 20u);
  EXPECT_EQ(reinterpret_cast<const uint32_t*>(slot(set, 0).address)[2], value);
}

TEST_F(DescriptorTest, LayoutsSayWhatTheirSlotsHold) {
  const VkDescriptorSetLayout set = layout({{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, nullptr},
                                            {1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1, VK_SHADER_STAGE_ALL, nullptr},
                                            {2, kDynamic, 1, VK_SHADER_STAGE_ALL, nullptr}});
  const auto slots = makePipelineLayoutData(1, &set, 0, nullptr, false)->bindingSlots();
  EXPECT_EQ(slots.at({0, 0}).holds, compiler::SlotHolds::Buffers);
  EXPECT_EQ(slots.at({0, 1}).holds, compiler::SlotHolds::Images);
  EXPECT_EQ(slots.at({0, 2}).holds, compiler::SlotHolds::Buffers);
}

TEST_F(DescriptorTest, LayoutsSayWhichDescriptorsAreValidUnread) {
  const auto isCertain = [&](VkDescriptorType type, VkDescriptorBindingFlags flags) {
    const VkDescriptorSetLayoutBindingFlagsCreateInfo next{
        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, nullptr, 1, &flags};
    const VkDescriptorSetLayout set = layout({{0, type, 1, VK_SHADER_STAGE_ALL, nullptr}}, &next);
    return makePipelineLayoutData(1, &set, 0, nullptr, false)->bindingSlots().at({0, 0}).certain;
  };
  EXPECT_TRUE(isCertain(VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 0));
  EXPECT_TRUE(isCertain(VK_DESCRIPTOR_TYPE_SAMPLER, 0));
  EXPECT_FALSE(isCertain(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0));
  EXPECT_FALSE(isCertain(VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT));
  EXPECT_FALSE(isCertain(VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT));
}

TEST_F(DescriptorTest, IndependentSetsKeepTheirDynamicPlacesWhateverTheOthersAre) {
  const VkDescriptorSetLayout one = layout({{0, kDynamic, 1, VK_SHADER_STAGE_ALL, nullptr}});
  const VkDescriptorSetLayout five = layout({{0, kDynamic, 5, VK_SHADER_STAGE_ALL, nullptr}});
  const VkDescriptorSetLayout absent[2] = {VK_NULL_HANDLE, one}, full[2] = {five, one};
  const auto a = makePipelineLayoutData(2, absent, 0, nullptr, true);
  const auto b = makePipelineLayoutData(2, full, 0, nullptr, true);
  EXPECT_EQ(a->bindingSlots().at({1, 0}).byteOffset, b->bindingSlots().at({1, 0}).byteOffset);
  EXPECT_EQ(mergeLayouts(a, b)->bindingSlots().at({0, 0}).byteOffset, 0u);
}

}  // namespace
}  // namespace etzel::icd
