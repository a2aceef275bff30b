// Command buffers: recording, and what a queue does with batches besides running shaders.
#include "tests/out_of_memory/scenario.h"

namespace oom {
namespace {

constexpr uint64_t kPatienceNs = 20'000'000'000;

/// More commands than a block of memory holds, of many kinds.
class Recording : public Scenario {
 public:
  VkResult prepare(Gpu& gpu) override {
    OOM_TRY(gpu.makeBuffer(65536, &buffer_));
    OOM_TRY(gpu.makeBufferLayout(1, &layout_));
    const VkEventCreateInfo eventInfo{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    OOM_TRY(gpu.make(gpu.vk.CreateEvent, gpu.vk.DestroyEvent, eventInfo, &event_));
    VkCommandPool pool;
    OOM_TRY(gpu.makePool(&pool));
    OOM_TRY(gpu.makeCommands(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, &primary_));
    return gpu.makeCommands(pool, VK_COMMAND_BUFFER_LEVEL_SECONDARY, &secondary_);
  }
  VkResult act(Gpu& gpu) override {
    const VkCommandBufferInheritanceInfo inheritance{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, &inheritance};
    OOM_TRY(gpu.vk.BeginCommandBuffer(secondary_, &info));
    for (uint32_t i = 0; i < 500; ++i) gpu.vk.CmdFillBuffer(secondary_, buffer_.buffer, 0, 4, i);
    OOM_TRY(gpu.vk.EndCommandBuffer(secondary_));
    OOM_TRY(gpu.begin(primary_));
    std::vector<std::byte> data(16384);
    VkMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    VkDependencyInfo dependency{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    dependency.memoryBarrierCount = 1;
    dependency.pMemoryBarriers = &barrier;
    const VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, nullptr, "a label"};
    for (uint32_t i = 0; i < 60; ++i) {
      gpu.vk.CmdBeginDebugUtilsLabelEXT(primary_, &label);
      gpu.vk.CmdUpdateBuffer(primary_, buffer_.buffer, 0, data.size(), data.data());
      gpu.vk.CmdPipelineBarrier2(primary_, &dependency);
      gpu.vk.CmdSetEvent2(primary_, event_, &dependency);
      gpu.vk.CmdWaitEvents2(primary_, 1, &event_, &dependency);
      gpu.pushBuffer(primary_, layout_, 0, buffer_.buffer);
      gpu.vk.CmdExecuteCommands(primary_, 1, &secondary_);
      const VkBufferCopy copy{0, 32768, 64};
      gpu.vk.CmdCopyBuffer(primary_, buffer_.buffer, buffer_.buffer, 1, &copy);
      gpu.vk.CmdEndDebugUtilsLabelEXT(primary_);
    }
    return gpu.vk.EndCommandBuffer(primary_);
  }

 private:
  Buffer buffer_;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkEvent event_ = VK_NULL_HANDLE;
  VkCommandBuffer primary_ = VK_NULL_HANDLE, secondary_ = VK_NULL_HANDLE;
};

/// Batches on a queue's thread, with semaphores of both kinds, and one that is done at once.
class Submission : public Scenario {
 public:
  VkResult prepare(Gpu& gpu) override {
    OOM_TRY(gpu.makeBuffer(1 << 20, &buffer_));
    VkCommandPool pool;
    OOM_TRY(gpu.makePool(&pool));
    OOM_TRY(gpu.makeCommands(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, &large_));
    OOM_TRY(gpu.makeCommands(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, &small_));
    OOM_TRY(gpu.begin(large_));
    for (uint32_t i = 0; i < 16; ++i) gpu.vk.CmdFillBuffer(large_, buffer_.buffer, 0, VK_WHOLE_SIZE, i);
    OOM_TRY(gpu.vk.EndCommandBuffer(large_));
    OOM_TRY(gpu.begin(small_));
    gpu.vk.CmdFillBuffer(small_, buffer_.buffer, 4, 4, 77);
    OOM_TRY(gpu.vk.EndCommandBuffer(small_));
    const VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                         VK_SEMAPHORE_TYPE_TIMELINE, 0};
    VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
    OOM_TRY(gpu.make(gpu.vk.CreateSemaphore, gpu.vk.DestroySemaphore, info, &timeline_));
    info.pNext = nullptr;
    OOM_TRY(gpu.make(gpu.vk.CreateSemaphore, gpu.vk.DestroySemaphore, info, &binary_));
    const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    OOM_TRY(gpu.make(gpu.vk.CreateFence, gpu.vk.DestroyFence, fence, &fence_));
    return VK_SUCCESS;
  }

  VkResult act(Gpu& gpu) override {
    const VkResult r = submitAll(gpu);
    // What was submitted may wait for what was not: nothing else could go on.
    const VkSemaphoreSignalInfo go{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, timeline_, 1};
    OOM_TRY(gpu.vk.SignalSemaphore(gpu.device, &go));
    if (r != VK_SUCCESS) {
      (void)gpu.vk.DeviceWaitIdle(gpu.device);
      return r;
    }
    OOM_TRY(gpu.vk.WaitForFences(gpu.device, 1, &fence_, VK_TRUE, kPatienceNs));
    return buffer_.words[1] == 77 && buffer_.words[2] == 15 ? VK_SUCCESS : VK_ERROR_UNKNOWN;
  }

 private:
  VkResult submitAll(Gpu& gpu) {
    const VkSemaphoreSubmitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, timeline_, 1, 0, 0};
    const VkSemaphoreSubmitInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, binary_, 0, 0, 0};
    const VkCommandBufferSubmitInfo bodies[2] = {{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, large_, 0},
                                                 {VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, small_, 0}};
    const VkSubmitInfo2 infos[2] = {
        {VK_STRUCTURE_TYPE_SUBMIT_INFO_2, nullptr, 0, 1, &wait, 1, &bodies[0], 1, &signal},
        {VK_STRUCTURE_TYPE_SUBMIT_INFO_2, nullptr, 0, 1, &signal, 1, &bodies[1], 0, nullptr}};
    return gpu.vk.QueueSubmit2(gpu.queue, 2, infos, fence_);
  }

  Buffer buffer_;
  VkCommandBuffer large_ = VK_NULL_HANDLE, small_ = VK_NULL_HANDLE;
  VkSemaphore timeline_ = VK_NULL_HANDLE, binary_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
};

/// Copies, blits, resolves, queries: what commands need while they run.
class Transfers : public Scenario {
 public:
  VkResult prepare(Gpu& gpu) override {
    constexpr VkImageUsageFlags kUsage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    OOM_TRY(gpu.makeBuffer(kSize * kSize * 4, &buffer_));
    OOM_TRY(gpu.makeImage(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, kUsage, {kSize, kSize}, &from_));
    OOM_TRY(gpu.makeImage(VK_FORMAT_B8G8R8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, kUsage, {kSize, kSize}, &to_));
    OOM_TRY(gpu.makeImage(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_8_BIT, kUsage | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                          {kSize, kSize}, &many_));
    VkQueryPoolCreateInfo queries{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
    queries.queryCount = 4;
    OOM_TRY(gpu.make(gpu.vk.CreateQueryPool, gpu.vk.DestroyQueryPool, queries, &queries_));
    VkCommandPool pool;
    OOM_TRY(gpu.makePool(&pool));
    OOM_TRY(gpu.makeCommands(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, &commands_));
    const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    OOM_TRY(gpu.make(gpu.vk.CreateFence, gpu.vk.DestroyFence, fence, &fence_));
    return record(gpu);
  }
  VkResult act(Gpu& gpu) override {
    OOM_TRY(gpu.submitAndWait(commands_, fence_));
    for (uint32_t i = 0; i < kSize * kSize; ++i)
      if (buffer_.words[i] != 0xFF0000FF) return VK_ERROR_UNKNOWN;
    return VK_SUCCESS;
  }

 private:
  static constexpr uint32_t kSize = 128;

  VkResult record(Gpu& gpu) const {
    constexpr VkImageLayout kLayout = VK_IMAGE_LAYOUT_GENERAL;
    const VkImageSubresourceLayers layers{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    const VkExtent3D extent{kSize, kSize, 1};
    const VkClearColorValue blue{{0, 0, 1, 1}};
    OOM_TRY(gpu.begin(commands_));
    gpu.vk.CmdResetQueryPool(commands_, queries_, 0, 4);
    gpu.vk.CmdWriteTimestamp2(commands_, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, queries_, 0);
    gpu.vk.CmdClearColorImage(commands_, many_.image, kLayout, &blue, 1, &range);
    const VkImageResolve resolve{layers, {}, layers, {}, extent};
    gpu.vk.CmdResolveImage(commands_, many_.image, kLayout, from_.image, kLayout, 1, &resolve);
    // Blue of one format is blue of the other, whose first byte that is; half of the size and back.
    VkImageBlit blit{layers, {{}, {kSize, kSize, 1}}, layers, {{}, {kSize / 2, kSize / 2, 1}}};
    gpu.vk.CmdBlitImage(commands_, from_.image, kLayout, to_.image, kLayout, 1, &blit, VK_FILTER_LINEAR);
    blit.dstOffsets[1] = {kSize, kSize, 1};
    gpu.vk.CmdBlitImage(commands_, from_.image, kLayout, to_.image, kLayout, 1, &blit, VK_FILTER_NEAREST);
    VkBufferImageCopy copy{};
    copy.imageSubresource = layers;
    copy.imageExtent = extent;
    gpu.vk.CmdCopyImageToBuffer(commands_, to_.image, kLayout, buffer_.buffer, 1, &copy);
    gpu.vk.CmdCopyBufferToImage(commands_, buffer_.buffer, from_.image, kLayout, 1, &copy);
    return gpu.vk.EndCommandBuffer(commands_);
  }

  Buffer buffer_;
  Image from_, to_, many_;
  VkQueryPool queries_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
};

}  // namespace

std::vector<Entry> commandScenarios() {
  return {{"recording", makeScenario<Recording>},
          {"submitting", makeScenario<Submission>},
          {"copies, blits, resolves", makeScenario<Transfers>}};
}

}  // namespace oom
