// What a hostile or careless application may do must end in an error code or in zeros, never in a crash.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "add.comp.h"
#include "endless.comp.h"
#include "gpu.h"
#include "image.comp.h"

namespace etzel::driver_test {
namespace {

TEST(BadInput, EveryTruncationOfAModuleIsAnErrorCode) {
  Gpu gpu;
  const std::span<const uint32_t> whole(add_comp);
  for (size_t words = 1; words < whole.size(); ++words) {
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkResult r = gpu.makeComputePipeline(whole.first(words), &pipeline);
    EXPECT_TRUE(r == VK_ERROR_INVALID_SHADER_NV || r == VK_ERROR_UNKNOWN) << words << " words gave " << r;
    vkDestroyPipeline(gpu.device, pipeline, nullptr);
  }
}

TEST(BadInput, DamagedModulesNeverCrash) {
  Gpu gpu;
  std::mt19937 random(1);
  uint32_t rejected = 0;
  for (int round = 0; round < 1500; ++round) {
    std::vector<uint32_t> words(std::begin(add_comp), std::end(add_comp));
    const int damage = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < damage; ++i) {
      uint32_t& w = words[random() % words.size()];
      w = random() % 2 ? random() : w ^ 1u << random() % 32;
    }
    VkPipeline pipeline = VK_NULL_HANDLE;
    if (gpu.makeComputePipeline(words, &pipeline) != VK_SUCCESS) ++rejected;
    vkDestroyPipeline(gpu.device, pipeline, nullptr);
  }
  EXPECT_GT(rejected, 700u);
}

TEST(BadInput, RandomWordsAreRejected) {
  Gpu gpu;
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    std::vector<uint32_t> words(5 + random() % 200);
    for (uint32_t& w : words) w = random();
    if (round % 2) words[0] = 0x07230203, words[1] = 0x00010000, words[3] = 1000;
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_NE(gpu.makeComputePipeline(words, &pipeline), VK_SUCCESS);
  }
}

TEST(BadInput, UnknownStructuresInChainsAreSkipped) {
  VkBaseInStructure unknown{static_cast<VkStructureType>(1999999999), nullptr};
  Gpu gpu(&unknown);
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  properties.pNext = &unknown;
  vkGetPhysicalDeviceProperties2(gpu.physical, &properties);
  EXPECT_NE(properties.properties.deviceName[0], '\0');
}

TEST(BadInput, BuffersReadZeroAndIgnoreWritesBeyondTheirEnds) {
  VkPhysicalDeviceFeatures features{};
  features.robustBufferAccess = VK_TRUE;
  features.shaderStorageBufferArrayDynamicIndexing = VK_TRUE;
  Gpu gpu(nullptr, {}, features);
  const Buffer source = gpu.makeBuffer(256), guard = gpu.makeBuffer(65536), result = gpu.makeBuffer(1024);
  for (int i = 0; i < 64; ++i) source.words[i] = 7;
  std::memset(guard.words, 0xAB, guard.bytes);
  gpu.bindBuffers(&source, &guard, result);
  VkPipeline pipeline;
  VK_OK(gpu.makeComputePipeline(add_comp, &pipeline));
  // 512 invocations read 4 bytes each from a 256-byte buffer and write to a 1024-byte one.
  const uint32_t push[3] = {100, 1, 0};
  VK_OK(gpu.run(pipeline, 8, push));
  for (uint32_t i = 0; i < 256; ++i) EXPECT_EQ(result.words[i], i < 64 ? 107u : 100u) << i;
  for (uint32_t i = 0; i < 65536 / 4; ++i) ASSERT_EQ(guard.words[i], 0xABABABABu);
  // Offsets that wrap around 32 bits.
  const uint32_t wrapping[3] = {5, 0x10000001, 0};
  VK_OK(gpu.run(pipeline, 8, wrapping));
  // Each element is one of the buffer or 0, and element 1 lies beyond the end.
  for (uint32_t i = 0; i < 256; ++i) EXPECT_TRUE(result.words[i] == 5 || result.words[i] == 12) << result.words[i];
  EXPECT_EQ(result.words[0], 12u);
  EXPECT_EQ(result.words[1], 5u);
  vkDestroyPipeline(gpu.device, pipeline, nullptr);
}

TEST(BadInput, DescriptorArrayIndicesBeyondTheEndReadZero) {
  VkPhysicalDeviceFeatures features{};
  features.shaderStorageBufferArrayDynamicIndexing = VK_TRUE;
  Gpu gpu(nullptr, {}, features);
  const Buffer source = gpu.makeBuffer(1024), result = gpu.makeBuffer(1024);
  for (int i = 0; i < 256; ++i) source.words[i] = 7;
  gpu.bindBuffers(&source, &source, result);
  VkPipeline pipeline;
  VK_OK(gpu.makeComputePipeline(add_comp, &pipeline));
  for (const uint32_t index : {2u, 3u, 1000u, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
    const uint32_t push[3] = {100, 1, index};
    VK_OK(gpu.run(pipeline, 4, push));
    for (uint32_t i = 0; i < 256; ++i) ASSERT_EQ(result.words[i], 100u) << index;
  }
  vkDestroyPipeline(gpu.device, pipeline, nullptr);
}

TEST(BadInput, NullDescriptorsReadZero) {
  VkPhysicalDeviceRobustness2FeaturesEXT robustness{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT};
  robustness.nullDescriptor = VK_TRUE;
  VkPhysicalDeviceFeatures features{};
  features.shaderStorageBufferArrayDynamicIndexing = VK_TRUE;
  Gpu gpu(&robustness, {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME}, features);
  const Buffer result = gpu.makeBuffer(1024);
  gpu.bindBuffers(nullptr, nullptr, result);
  VkPipeline pipeline;
  VK_OK(gpu.makeComputePipeline(add_comp, &pipeline));
  const uint32_t push[3] = {100, 1, 1};
  VK_OK(gpu.run(pipeline, 4, push));
  for (uint32_t i = 0; i < 256; ++i) ASSERT_EQ(result.words[i], 100u);
  vkDestroyPipeline(gpu.device, pipeline, nullptr);
}

TEST(BadInput, TexelsOutsideOfAnImageReadZero) {
  Gpu gpu;
  const Image image = gpu.makeImage({16, 16}, VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_STORAGE_BIT);
  const Buffer result = gpu.makeBuffer(256);
  std::memset(result.words, 0xFF, 256);
  gpu.bindBuffers(&result, &result, result);
  const VkDescriptorImageInfo info{VK_NULL_HANDLE, image.view, VK_IMAGE_LAYOUT_GENERAL};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = gpu.set;
  write.dstBinding = 3;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
  write.pImageInfo = &info;
  vkUpdateDescriptorSets(gpu.device, 1, &write, 0, nullptr);
  VkPipeline pipeline;
  VK_OK(gpu.makeComputePipeline(image_comp, &pipeline));
  VK_OK(gpu.run(pipeline, 1, nullptr, image.image));
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(result.words[i], 0u) << i;
  vkDestroyPipeline(gpu.device, pipeline, nullptr);
}

TEST(BadInput, AShaderThatNeverEndsLosesTheDeviceAndSparesTheProcess) {
  setenv("ETZEL_TIMEOUT_MS", "1000", 1);
  {
    Gpu gpu;
    const Buffer result = gpu.makeBuffer(1024);
    std::memset(result.words, 0, 1024);
    gpu.bindBuffers(&result, &result, result);
    VkPipeline pipeline;
    VK_OK(gpu.makeComputePipeline(endless_comp, &pipeline));
    EXPECT_EQ(gpu.run(pipeline, 4), VK_ERROR_DEVICE_LOST);
    EXPECT_GT(result.words[1], 0u);
    EXPECT_EQ(vkDeviceWaitIdle(gpu.device), VK_ERROR_DEVICE_LOST);
    vkDestroyPipeline(gpu.device, pipeline, nullptr);
  }
  unsetenv("ETZEL_TIMEOUT_MS");
  // A new device works.
  VkPhysicalDeviceFeatures features{};
  features.shaderStorageBufferArrayDynamicIndexing = VK_TRUE;
  Gpu gpu(nullptr, {}, features);
  const Buffer source = gpu.makeBuffer(1024), result = gpu.makeBuffer(1024);
  for (uint32_t i = 0; i < 256; ++i) source.words[i] = 1000 + i;
  gpu.bindBuffers(&source, &source, result);
  VkPipeline pipeline;
  VK_OK(gpu.makeComputePipeline(add_comp, &pipeline));
  const uint32_t push[3] = {7, 1, 0};
  VK_OK(gpu.run(pipeline, 4, push));
  for (uint32_t i = 0; i < 256; ++i) EXPECT_EQ(result.words[i], 1007 + i);
  vkDestroyPipeline(gpu.device, pipeline, nullptr);
}

TEST(BadInput, AllocationsBeyondTheHeapFail) {
  Gpu gpu;
  VkPhysicalDeviceMemoryProperties p;
  vkGetPhysicalDeviceMemoryProperties(gpu.physical, &p);
  VkMemoryAllocateInfo mi{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  mi.allocationSize = p.memoryHeaps[0].size + (1ull << 40);
  VkDeviceMemory memory;
  EXPECT_EQ(vkAllocateMemory(gpu.device, &mi, nullptr, &memory), VK_ERROR_OUT_OF_DEVICE_MEMORY);
}

/// Memory that other processes can have, as a file descriptor.
VkResult importMemory(const Gpu& gpu, int fd, VkDeviceMemory* memory) {
  const VkImportMemoryFdInfoKHR import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, nullptr,
                                       VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, fd};
  const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &import, 65536, 0};
  return vkAllocateMemory(gpu.device, &info, nullptr, memory);
}

TEST(BadInput, NobodyCanTakeSharedMemoryAway) {
  Gpu gpu(nullptr, {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME});
  const VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, nullptr,
                                            VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &exported, 65536, 0};
  VkDeviceMemory memory, second;
  VK_OK(vkAllocateMemory(gpu.device, &info, nullptr, &memory));
  const VkMemoryGetFdInfoKHR get{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, nullptr, memory,
                                 VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  const auto getFd = reinterpret_cast<PFN_vkGetMemoryFdKHR>(vkGetDeviceProcAddr(gpu.device, "vkGetMemoryFdKHR"));
  int fd = -1;
  VK_OK(getFd(gpu.device, &get, &fd));
  EXPECT_NE(ftruncate(fd, 0), 0);
  VK_OK(importMemory(gpu, fd, &second));  // the descriptor is the driver's now
  vkFreeMemory(gpu.device, second, nullptr);
  vkFreeMemory(gpu.device, memory, nullptr);
  // A peer could shrink this one, and every process that looks at it would end.
  const int open = memfd_create("unsealed", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(open, 65536), 0);
  EXPECT_EQ(importMemory(gpu, open, &second), VK_ERROR_INVALID_EXTERNAL_HANDLE);
  close(open);
}

}  // namespace
}  // namespace etzel::driver_test
