// ETZEL_DEBUG=check-addresses: addresses reach live buffers only, in every executor.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "gpu.h"

#include "reach.comp.h"

namespace etzel::driver_test {
namespace {

constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

/// A buffer in the middle of memory that has no other.
struct Reachable {
  VkDeviceMemory memory{};
  VkBuffer buffer{};
  uint32_t* words = nullptr;
  uint64_t address = 0;
};

Reachable makeReachable(const Gpu& gpu) {
  Reachable r;
  VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo memory{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, 4096, 0};
  for (uint32_t i = 0; i < gpu.memory.memoryTypeCount; ++i)
    if (gpu.memory.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) memory.memoryTypeIndex = i;
  EXPECT_EQ(VK_SUCCESS, vkAllocateMemory(gpu.device, &memory, nullptr, &r.memory));
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = 64, info.usage = kUsage;
  EXPECT_EQ(VK_SUCCESS, vkCreateBuffer(gpu.device, &info, nullptr, &r.buffer));
  EXPECT_EQ(VK_SUCCESS, vkBindBufferMemory(gpu.device, r.buffer, r.memory, 1024));
  void* data = nullptr;
  EXPECT_EQ(VK_SUCCESS, vkMapMemory(gpu.device, r.memory, 0, VK_WHOLE_SIZE, 0, &data));
  r.words = static_cast<uint32_t*>(data);
  for (uint32_t i = 0; i < 1024; ++i) r.words[i] = 100;
  const VkBufferDeviceAddressInfo which{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, r.buffer};
  r.address = vkGetBufferDeviceAddress(gpu.device, &which);
  return r;
}

/// Whether all that is outside of a live buffer read zero and stayed as it was, in a process with these flags.
bool staysInside(const char* flags) {
  setenv("ETZEL_DEBUG", flags, 1);
  VkPhysicalDeviceBufferDeviceAddressFeatures features{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES};
  features.bufferDeviceAddress = VK_TRUE;
  Gpu gpu(&features);
  const Buffer output = gpu.makeBuffer(64);
  gpu.bindBuffers(nullptr, nullptr, output);
  VkPipeline pipeline = VK_NULL_HANDLE;
  if (gpu.makeComputePipeline(reach_comp, &pipeline) != VK_SUCCESS) return false;
  const Reachable r = makeReachable(gpu);
  bool good = true;
  const auto reach = [&](int64_t bytes, bool isInside) {
    const uint64_t at = r.address + static_cast<uint64_t>(bytes);
    const uint32_t push[3] = {static_cast<uint32_t>(at), static_cast<uint32_t>(at >> 32), 5};
    output.words[0] = output.words[1] = 77;
    good &= gpu.run(pipeline, 1, push) == VK_SUCCESS;
    good &= output.words[0] == (isInside ? 100u : 0u) && output.words[1] == output.words[0];
    uint32_t& word = r.words[(1024 + bytes) / 4];
    good &= word == (isInside ? 106u : 100u);
    word = 100;
  };
  reach(0, true), reach(60, true);
  reach(-4, false), reach(64, false), reach(62, false), reach(2000, false);
  vkDestroyBuffer(gpu.device, r.buffer, nullptr);
  reach(0, false);
  vkFreeMemory(gpu.device, r.memory, nullptr);
  vkDestroyPipeline(gpu.device, pipeline, nullptr);
  return good;
}

void expectStaysInside(const char* flags) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own, which reads the flags
  const auto run = [&] { std::_Exit(staysInside(flags) ? 0 : 1); };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "in no live buffer") << flags;
}

TEST(CheckAddressesDeathTest, TheInterpreterStaysInside) { expectStaysInside("check-addresses,no-jit"); }
TEST(CheckAddressesDeathTest, QuickCodeStaysInside) { expectStaysInside("check-addresses"); }
TEST(CheckAddressesDeathTest, OptimizedCodeStaysInside) { expectStaysInside("check-addresses,jit-now"); }

}  // namespace
}  // namespace etzel::driver_test
