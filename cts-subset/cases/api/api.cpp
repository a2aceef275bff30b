// Limits, memory, aliasing, synchronization and caches: what the API promises apart from drawing.
#include <algorithm>
#include <thread>

#include "cts-subset/cases/api/reports.h"
#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {

void registerApi() {
  struct Limit {
    const char* name;
    double (*value)(const VkPhysicalDeviceLimits&);
    double least;  ///< "Required Limits"; negative: at most
  };
#define L(field, least)                                                            \
  {                                                                                \
#field, [](const VkPhysicalDeviceLimits& l) { return double(l.field); }, least \
  }
  static const Limit limits[] = {L(maxImageDimension1D, 4096),
                                 L(maxImageDimension2D, 4096),
                                 L(maxImageDimension3D, 256),
                                 L(maxImageDimensionCube, 4096),
                                 L(maxImageArrayLayers, 256),
                                 L(maxTexelBufferElements, 65536),
                                 L(maxUniformBufferRange, 16384),
                                 L(maxStorageBufferRange, 1 << 27),
                                 L(maxPushConstantsSize, 128),
                                 L(maxMemoryAllocationCount, 4096),
                                 L(maxSamplerAllocationCount, 4000),
                                 L(maxBoundDescriptorSets, 4),
                                 L(maxPerStageDescriptorSamplers, 16),
                                 L(maxPerStageDescriptorUniformBuffers, 12),
                                 L(maxPerStageDescriptorStorageBuffers, 4),
                                 L(maxPerStageDescriptorSampledImages, 16),
                                 L(maxPerStageDescriptorStorageImages, 4),
                                 L(maxPerStageDescriptorInputAttachments, 4),
                                 L(maxDescriptorSetUniformBuffersDynamic, 8),
                                 L(maxDescriptorSetStorageBuffersDynamic, 4),
                                 L(maxVertexInputAttributes, 16),
                                 L(maxVertexInputBindings, 16),
                                 L(maxVertexInputAttributeOffset, 2047),
                                 L(maxVertexInputBindingStride, 2048),
                                 L(maxVertexOutputComponents, 64),
                                 L(maxFragmentInputComponents, 64),
                                 L(maxFragmentOutputAttachments, 4),
                                 L(maxComputeSharedMemorySize, 16384),
                                 L(maxComputeWorkGroupCount[0], 65535),
                                 L(maxComputeWorkGroupInvocations, 128),
                                 L(maxComputeWorkGroupSize[0], 128),
                                 L(maxComputeWorkGroupSize[2], 64),
                                 L(subPixelPrecisionBits, 4),
                                 L(subTexelPrecisionBits, 4),
                                 L(mipmapPrecisionBits, 4),
                                 L(maxSamplerLodBias, 2),
                                 L(maxViewportDimensions[0], 4096),
                                 L(viewportBoundsRange[1], 8191),
                                 L(maxFramebufferWidth, 4096),
                                 L(maxFramebufferLayers, 256),
                                 L(maxColorAttachments, 4),
                                 L(minTexelBufferOffsetAlignment, -256),
                                 L(minUniformBufferOffsetAlignment, -256),
                                 L(minStorageBufferOffsetAlignment, -256),
                                 L(minMemoryMapAlignment, 64),
                                 L(maxTexelOffset, 7),
                                 L(minTexelOffset, -0.0)};
#undef L
  for (auto& l : limits)
    add(text("api.limits.%s", l.name), [&l](Gpu& gpu) {
      double v = l.value(gpu.limits());
      if (!strcmp(l.name, "minTexelOffset"))
        EXPECT_LE(v, -8);
      else if (l.least < 0)
        EXPECT_LE(v, -l.least);
      else
        EXPECT_GE(v, l.least);
    });
}

void registerMemory() {
  for (uint32_t size : {4u, 60u, 1024u, 65536u})
    for (uint32_t offset : {0u, 4u, 36u})
      add(text("memory.fill_copy_update.bytes%u.at%u", size, offset), [=](Gpu& gpu) {
        Buffer a = gpu.buffer(size + 128), b = gpu.buffer(size + 128);
        for (uint32_t i = 0; i < size + 128; ++i) a.as<uint8_t>()[i] = uint8_t(i * 7);
        uint32_t word = 0x01020304;
        gpu.submit([&](VkCommandBuffer cmd) {
          vkCmdFillBuffer(cmd, b.handle, 0, VK_WHOLE_SIZE, 0xabababab);
          fullBarrier(cmd);
          VkBufferCopy copy{offset, offset + 8, size};
          vkCmdCopyBuffer(cmd, a.handle, b.handle, 1, &copy);
          fullBarrier(cmd);
          vkCmdUpdateBuffer(cmd, b.handle, offset, 4, &word);
        });
        for (uint32_t i = 0; i < size + 128; ++i) {
          uint8_t want = 0xab;
          if (i >= offset + 8 && i < offset + 8 + size) want = uint8_t((i - 8) * 7);
          if (i >= offset && i < offset + 4) want = uint8_t(4 - (i - offset));
          ASSERT_EQ(b.as<uint8_t>()[i], want) << i;
        }
      });
  for (uint32_t shift : {0u, 256u, 4096u})
    add(text("memory.aliased_buffers.shift%u", shift), [=](Gpu& gpu) {
      Buffer whole = gpu.buffer(16384);
      VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
      info.size = 4096;
      info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
      VkBuffer alias;
      CTS_VK(vkCreateBuffer(gpu.device, &info, nullptr, &alias));
      gpu.later([&gpu, alias] { vkDestroyBuffer(gpu.device, alias, nullptr); });
      VkMemoryRequirements needs;
      vkGetBufferMemoryRequirements(gpu.device, alias, &needs);
      gpu.require(shift % needs.alignment == 0, "alignment");
      CTS_VK(vkBindBufferMemory(gpu.device, alias, whole.memory, shift));
      gpu.submit([&](VkCommandBuffer cmd) { vkCmdFillBuffer(cmd, alias, 0, 4096, 0x12345678); });
      for (uint32_t i = 0; i < 4096; ++i)
        ASSERT_EQ(whole.as<uint32_t>()[i], i >= shift / 4 && i < shift / 4 + 1024 ? 0x12345678u : 0) << i;
    });
  registerMemoryReports();
  registerAddressReports();
}

void registerSynchronization() {
  for (uint64_t steps : {1u, 4u, 32u})
    add(text("sync.timeline.steps%u", unsigned(steps)), [=](Gpu& gpu) {
      VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr, VK_SEMAPHORE_TYPE_TIMELINE,
                                     5};
      VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
      VkSemaphore semaphore;
      CTS_VK(vkCreateSemaphore(gpu.device, &info, nullptr, &semaphore));
      gpu.later([&gpu, semaphore] { vkDestroySemaphore(gpu.device, semaphore, nullptr); });
      // The queue waits for odd values that the host signals, and answers with even ones.
      for (uint64_t i = 0; i < steps; ++i) {
        uint64_t wait = 6 + i * 2, signal = wait + 1;
        VkTimelineSemaphoreSubmitInfo values{
            VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 1, &wait, 1, &signal};
        VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
        VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, &values, 1, &semaphore, &stage, 0, nullptr, 1, &semaphore};
        CTS_VK(vkQueueSubmit(gpu.queue, 1, &submit, VK_NULL_HANDLE));
      }
      for (uint64_t i = 0; i < steps; ++i) {
        uint64_t now = 0, target = 7 + i * 2;
        CTS_VK(vkGetSemaphoreCounterValue(gpu.device, semaphore, &now));
        EXPECT_EQ(now, target - 2);
        VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, semaphore, target - 1};
        CTS_VK(vkSignalSemaphore(gpu.device, &signal));
        VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &semaphore, &target};
        CTS_VK(vkWaitSemaphores(gpu.device, &wait, 5000000000ull));
      }
    });
  add("sync.event.host_sets", [](Gpu& gpu) {
    VkEventCreateInfo info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkEvent event;
    CTS_VK(vkCreateEvent(gpu.device, &info, nullptr, &event));
    gpu.later([&gpu, event] { vkDestroyEvent(gpu.device, event, nullptr); });
    EXPECT_EQ(vkGetEventStatus(gpu.device, event), VK_EVENT_RESET);
    CTS_VK(vkSetEvent(gpu.device, event));
    EXPECT_EQ(vkGetEventStatus(gpu.device, event), VK_EVENT_SET);
    gpu.submit([&](VkCommandBuffer cmd) { vkCmdResetEvent(cmd, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT); });
    EXPECT_EQ(vkGetEventStatus(gpu.device, event), VK_EVENT_RESET);
    gpu.submit([&](VkCommandBuffer cmd) { vkCmdSetEvent(cmd, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT); });
    EXPECT_EQ(vkGetEventStatus(gpu.device, event), VK_EVENT_SET);
  });
  add("sync.fence.status", [](Gpu& gpu) {
    VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    CTS_VK(vkCreateFence(gpu.device, &info, nullptr, &fence));
    gpu.later([&gpu, fence] { vkDestroyFence(gpu.device, fence, nullptr); });
    EXPECT_EQ(vkGetFenceStatus(gpu.device, fence), VK_NOT_READY);
    EXPECT_EQ(vkWaitForFences(gpu.device, 1, &fence, VK_TRUE, 1000), VK_TIMEOUT);
    CTS_VK(vkQueueSubmit(gpu.queue, 0, nullptr, fence));
    CTS_VK(vkWaitForFences(gpu.device, 1, &fence, VK_TRUE, 50000000000ull));
    CTS_VK(vkResetFences(gpu.device, 1, &fence));
    EXPECT_EQ(vkGetFenceStatus(gpu.device, fence), VK_NOT_READY);
  });
}

void registerPipelineCache() {
  add("pipeline_cache.header", [](Gpu& gpu) {
    VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    VkPipelineCache cache;
    CTS_VK(vkCreatePipelineCache(gpu.device, &info, nullptr, &cache));
    gpu.later([&gpu, cache] { vkDestroyPipelineCache(gpu.device, cache, nullptr); });
    size_t size = 0;
    CTS_VK(vkGetPipelineCacheData(gpu.device, cache, &size, nullptr));
    ASSERT_GE(size, sizeof(VkPipelineCacheHeaderVersionOne));
    std::vector<uint8_t> data(size);
    CTS_VK(vkGetPipelineCacheData(gpu.device, cache, &size, data.data()));
    VkPipelineCacheHeaderVersionOne header;
    memcpy(&header, data.data(), sizeof header);
    EXPECT_EQ(header.headerVersion, VK_PIPELINE_CACHE_HEADER_VERSION_ONE);
    EXPECT_EQ(header.vendorID, gpu.properties.properties.vendorID);
    EXPECT_EQ(header.deviceID, gpu.properties.properties.deviceID);
    EXPECT_EQ(memcmp(header.pipelineCacheUUID, gpu.properties.properties.pipelineCacheUUID, VK_UUID_SIZE), 0);
  });
  for (uint32_t damage : {0u, 4u, 12u, 20u, 40u, 100u})
    add(text("pipeline_cache.damaged.at%u", damage), [=](Gpu& gpu) {
      // Whatever the bytes are, the cache is created (perhaps empty) and pipelines work.
      VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
      std::vector<uint8_t> data(256, 0x5a);
      memcpy(data.data() + 16, gpu.properties.properties.pipelineCacheUUID, VK_UUID_SIZE);
      data[damage] ^= 0xff;
      info.initialDataSize = data.size();
      info.pInitialData = data.data();
      CTS_VK(vkCreatePipelineCache(gpu.device, &info, nullptr, &gpu.cache));
      gpu.later([&gpu] { vkDestroyPipelineCache(gpu.device, gpu.cache, nullptr), gpu.cache = VK_NULL_HANDLE; });
      Buffer r = gpu.buffer(16);
      Dispatch d{text("#version 450\nlayout(binding=0) buffer R { uint r; };\nvoid main() { r = %uu; }\n", damage + 1)};
      d.bindings = {storage(r)};
      gpu.dispatch(d);
      EXPECT_EQ(r.as<uint32_t>()[0], damage + 1);
    });
}

}  // namespace etzel::cts
