// Bytes in descriptor buffers that are no descriptors read as null ones, whatever they are.
#include <cstring>
#include <random>

#include "add.comp.h"
#include "gpu.h"
#include "image.comp.h"

namespace etzel::driver_test {
namespace {

constexpr uint32_t kSlotBytes = 32, kSlots = 4;  ///< the layout of Gpu: two buffers, the output, a storage image

/// A device whose sets lie in one buffer.
class Garbled {
 public:
  Garbled() : gpu_(&address_, {VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME}, features()) {
    slots_ = addressed(kSlots * kSlotBytes, VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT);
    output = addressed(1024, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    VkDescriptorSetLayoutBinding bindings[] = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2, VK_SHADER_STAGE_ALL, nullptr},
                                               {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, nullptr},
                                               {3, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_ALL, nullptr}};
    VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    info.bindingCount = 3;
    info.pBindings = bindings;
    layout_ = gpu_.makePipelineLayout(gpu_.make(info), 12);
  }

  VkPipeline pipeline(std::span<const uint32_t> code) {
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = gpu_.makeModule(code);
    info.stage.pName = "main";
    info.layout = layout_;
    return gpu_.make(info);
  }

  uint8_t* slot(uint32_t i) { return reinterpret_cast<uint8_t*>(slots_.words) + i * kSlotBytes; }
  void describe(uint32_t i, const Buffer& buffer) {
    const VkDescriptorAddressInfoEXT at{VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT, nullptr, addressOf(buffer),
                                        buffer.bytes, VK_FORMAT_UNDEFINED};
    VkDescriptorGetInfoEXT info{VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT};
    info.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    info.data.pStorageBuffer = &at;
    proc<PFN_vkGetDescriptorEXT>("vkGetDescriptorEXT")(gpu_.device, &info, kSlotBytes, slot(i));
  }

  VkResult run(VkPipeline pipeline) {
    return gpu_.submit([&](VkCommandBuffer commands) {
      const uint32_t push[3] = {100, 1, 1}, first = 0;
      const VkDeviceSize offset = 0;
      const VkDescriptorBufferBindingInfoEXT buffer{VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT, nullptr,
                                                    addressOf(slots_),
                                                    VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT};
      vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      proc<PFN_vkCmdBindDescriptorBuffersEXT>("vkCmdBindDescriptorBuffersEXT")(commands, 1, &buffer);
      proc<PFN_vkCmdSetDescriptorBufferOffsetsEXT>("vkCmdSetDescriptorBufferOffsetsEXT")(
          commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &first, &offset);
      vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_ALL, 0, 12, push);
      vkCmdDispatch(commands, 1, 1, 1);
    });
  }
  VkDeviceAddress addressOf(const Buffer& buffer) const {
    const VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer.buffer};
    return vkGetBufferDeviceAddress(gpu_.device, &info);
  }

  Buffer output;

 private:
  static VkPhysicalDeviceFeatures features() {
    VkPhysicalDeviceFeatures f{};
    f.shaderStorageBufferArrayDynamicIndexing = VK_TRUE;
    return f;
  }
  Buffer addressed(VkDeviceSize bytes, VkBufferUsageFlags usage) {
    VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = bytes;
    info.usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    Gpu::Bound bound;
    const VkBuffer buffer =
        gpu_.make(info, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, &bound, &flags);
    return {buffer, static_cast<uint32_t*>(bound.data), bytes};
  }
  template <class F>
  F proc(const char* name) {
    return reinterpret_cast<F>(vkGetDeviceProcAddr(gpu_.device, name));
  }

  VkPhysicalDeviceDescriptorBufferFeaturesEXT buffers_{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT,
                                                       nullptr, VK_TRUE};
  VkPhysicalDeviceBufferDeviceAddressFeatures address_{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
                                                       &buffers_, VK_TRUE};
  Gpu gpu_;
  Buffer slots_;
  VkPipelineLayout layout_{};
};

// Where nothing lies, and where the process's own memory does.
TEST(DescriptorBuffer, BytesThatAreNoDescriptorsReadZero) {
  Garbled g;
  const VkPipeline add = g.pipeline(add_comp), image = g.pipeline(image_comp);
  std::mt19937_64 random(3);
  for (int round = 0; round < 64; ++round) {
    const uint64_t pointer = round % 2 ? random() >> 17 : reinterpret_cast<uintptr_t>(&g) & ~uint64_t{63};
    const uint64_t patterns[4][4] = {{pointer, 4096, 0, 0},
                                     {0, 0, pointer, pointer},
                                     {random(), random(), random(), random()},
                                     {pointer, pointer, round % 4u, pointer}};
    for (uint32_t i = 0; i < kSlots; ++i) std::memcpy(g.slot(i), patterns[round / 2 % 4], kSlotBytes);
    g.describe(2, g.output);
    std::memset(g.output.words, 0xFF, 1024);
    VK_OK(g.run(add));
    for (uint32_t i = 0; i < 64; ++i) ASSERT_EQ(g.output.words[i], 100u) << round;
    VK_OK(g.run(image));
    for (uint32_t i = 0; i < 64; ++i) ASSERT_EQ(g.output.words[i], 0u) << round;
  }
}

TEST(DescriptorBuffer, ADescriptorWithABitChangedIsNone) {
  Garbled g;
  const VkPipeline add = g.pipeline(add_comp);
  g.describe(1, g.output);
  g.describe(2, g.output);
  g.output.words[0] = 7;
  VK_OK(g.run(add));
  EXPECT_EQ(g.output.words[0], 107u);
  for (uint32_t bit = 0; bit < kSlotBytes * 8; ++bit) {
    g.slot(1)[bit / 8] ^= uint8_t(1u << bit % 8);
    g.output.words[0] = 7;
    VK_OK(g.run(add));
    EXPECT_EQ(g.output.words[0], 100u) << bit;
    g.slot(1)[bit / 8] ^= uint8_t(1u << bit % 8);
  }
}

}  // namespace
}  // namespace etzel::driver_test
