// Swapchains of headless surfaces: who holds which image, what may be waited for, and what is told of presents.
#include "icd/wsi/swapchain.h"

#include <gtest/gtest.h>
#include <vulkan/vk_icd.h>

#include <cstdlib>

#include "icd/cmd/buffer/command_buffer.h"
#include "icd/entry_points.h"
#include "icd/memory/heap_views.h"
#include "icd/object/device.h"
#include "icd/queue/queue.h"

namespace etzel::icd {
namespace {

class SwapchainTest : public testing::Test {
 protected:
  SwapchainTest() {
    device.pool = std::make_unique<task::Pool>(1);
    device.heapViews = std::make_shared<HeapViews>();
    device.queues.push_back(std::make_unique<Queue>(&device, 0, 0));
    headless.base.platform = VK_ICD_WSI_PLATFORM_HEADLESS;
    VkSwapchainCreateInfoKHR info{VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR};
    info.surface = (VkSurfaceKHR)(uintptr_t)&headless;
    info.minImageCount = 3;
    info.imageFormat = VK_FORMAT_B8G8R8A8_UNORM;
    info.imageExtent = {8, 8};
    info.imageArrayLayers = 1;
    info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    info.presentMode = VK_PRESENT_MODE_IMMEDIATE_KHR;
    info.flags = VK_SWAPCHAIN_CREATE_PRESENT_TIMING_BIT_EXT;
    EXPECT_EQ(CreateSwapchain(vk(), &info, nullptr, &swapchain), VK_SUCCESS);
    VkSemaphoreCreateInfo semaphore{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    EXPECT_EQ(CreateSemaphore(vk(), &semaphore, nullptr, &acquired), VK_SUCCESS);
  }
  ~SwapchainTest() override {
    device.queues.clear();
    DestroySwapchain(vk(), swapchain, nullptr);
    DestroySemaphore(vk(), acquired, nullptr);
  }
  VkDevice vk() { return handleOf(&device); }
  VkQueue queue() { return handleOf(device.queues[0].get()); }

  Device device;
  VkIcdSurfaceHeadless headless{};
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;
  VkSemaphore acquired = VK_NULL_HANDLE;
};

TEST_F(SwapchainTest, OneSemaphoreForAllFramesInFlightHangsNobody) {
  // SDL's testvulkan, vkmark and Qt acquire with a semaphore whose last wait the queue has not come to yet.
  VkEventCreateInfo eventInfo{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
  VkEvent event = VK_NULL_HANDLE;
  ASSERT_EQ(CreateEvent(vk(), &eventInfo, nullptr, &event), VK_SUCCESS);
  VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  VkCommandPool pool = VK_NULL_HANDLE;
  ASSERT_EQ(CreateCommandPool(vk(), &poolInfo, nullptr, &pool), VK_SUCCESS);
  VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool,
                                       VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  VkCommandBuffer commands = VK_NULL_HANDLE;
  ASSERT_EQ(AllocateCommandBuffers(vk(), &allocate, &commands), VK_SUCCESS);
  VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  EXPECT_EQ(BeginCommandBuffer(commands, &begin), VK_SUCCESS);
  CmdWaitEvents2(commands, 1, &event, nullptr);
  EXPECT_EQ(EndCommandBuffer(commands), VK_SUCCESS);
  VkSubmitInfo hold{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  hold.commandBufferCount = 1;
  hold.pCommandBuffers = &commands;
  EXPECT_EQ(QueueSubmit(queue(), 1, &hold, VK_NULL_HANDLE), VK_SUCCESS);

  VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence done = VK_NULL_HANDLE;
  ASSERT_EQ(CreateFence(vk(), &fenceInfo, nullptr, &done), VK_SUCCESS);
  for (uint32_t frame = 0; frame < 3; ++frame) {
    uint32_t index = ~0u;
    ASSERT_EQ(AcquireNextImage(vk(), swapchain, 0, acquired, VK_NULL_HANDLE, &index), VK_SUCCESS);
    VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo render{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    render.waitSemaphoreCount = 1;
    render.pWaitSemaphores = &acquired;
    render.pWaitDstStageMask = &stage;
    EXPECT_EQ(QueueSubmit(queue(), 1, &render, VK_NULL_HANDLE), VK_SUCCESS);
    VkPresentInfoKHR present{VK_STRUCTURE_TYPE_PRESENT_INFO_KHR};
    present.swapchainCount = 1;
    present.pSwapchains = &swapchain;
    present.pImageIndices = &index;
    EXPECT_EQ(QueuePresent(queue(), &present), VK_SUCCESS);
  }
  EXPECT_EQ(QueueSubmit(queue(), 0, nullptr, done), VK_SUCCESS);
  EXPECT_EQ(SetEvent(vk(), event), VK_SUCCESS);
  EXPECT_EQ(WaitForFences(vk(), 1, &done, true, 10'000'000'000), VK_SUCCESS);
  DestroyFence(vk(), done, nullptr);
  DestroyEvent(vk(), event, nullptr);
  DestroyCommandPool(vk(), pool, nullptr);
}

TEST_F(SwapchainTest, AnAcquireThatNothingCanEndTimesOut) {
  uint32_t index = 0;
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(AcquireNextImage(vk(), swapchain, UINT64_MAX, acquired, VK_NULL_HANDLE, &index), VK_SUCCESS);
  EXPECT_EQ(AcquireNextImage(vk(), swapchain, 0, acquired, VK_NULL_HANDLE, &index), VK_NOT_READY);
  setenv("ETZEL_TIMEOUT_MS", "50", 1);
  EXPECT_EQ(AcquireNextImage(vk(), swapchain, UINT64_MAX, acquired, VK_NULL_HANDLE, &index), VK_TIMEOUT);
  unsetenv("ETZEL_TIMEOUT_MS");
}

TEST_F(SwapchainTest, AWaitForAPresentThatCannotComeIsOver) {
  const uint64_t id = 1;
  uint32_t index = 0;
  ASSERT_EQ(AcquireNextImage(vk(), swapchain, 0, acquired, VK_NULL_HANDLE, &index), VK_SUCCESS);
  VkPresentIdKHR number{VK_STRUCTURE_TYPE_PRESENT_ID_KHR, nullptr, 1, &id};
  VkPresentInfoKHR present{VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, &number};
  present.swapchainCount = 1;
  present.pSwapchains = &swapchain;
  present.pImageIndices = &index;
  ASSERT_EQ(QueuePresent(queue(), &present), VK_SUCCESS);
  EXPECT_EQ(WaitForPresent(vk(), swapchain, 1, 10'000'000'000), VK_SUCCESS);
  EXPECT_EQ(WaitForPresent(vk(), swapchain, 2, 0), VK_TIMEOUT);
  cast<Swapchain>(swapchain)->retire();
  EXPECT_EQ(WaitForPresent(vk(), swapchain, 2, UINT64_MAX), VK_ERROR_OUT_OF_DATE_KHR);
  EXPECT_EQ(WaitForPresent(vk(), swapchain, 1, 0), VK_SUCCESS);
}

TEST_F(SwapchainTest, ReleasedImagesAreFree) {
  uint32_t held[3];
  for (uint32_t& index : held)
    ASSERT_EQ(AcquireNextImage(vk(), swapchain, 0, acquired, VK_NULL_HANDLE, &index), VK_SUCCESS);
  const VkReleaseSwapchainImagesInfoKHR info{VK_STRUCTURE_TYPE_RELEASE_SWAPCHAIN_IMAGES_INFO_KHR, nullptr, swapchain, 1,
                                             &held[1]};
  ASSERT_EQ(ReleaseSwapchainImages(vk(), &info), VK_SUCCESS);
  uint32_t index = ~0u;
  EXPECT_EQ(AcquireNextImage(vk(), swapchain, 0, acquired, VK_NULL_HANDLE, &index), VK_SUCCESS);
  EXPECT_EQ(index, held[1]);
  EXPECT_EQ(AcquireNextImage(vk(), swapchain, 0, acquired, VK_NULL_HANDLE, &index), VK_NOT_READY);
}

/// Presents with the timing.
VkResult presentTimed(VkQueue queue, VkSwapchainKHR swapchain, uint32_t index, const VkPresentTimingInfoEXT& timing,
                      VkSemaphore wait = VK_NULL_HANDLE, VkFence fence = VK_NULL_HANDLE) {
  VkSwapchainPresentFenceInfoEXT done{VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT, nullptr, 1, &fence};
  VkPresentTimingsInfoEXT timings{VK_STRUCTURE_TYPE_PRESENT_TIMINGS_INFO_EXT, &done, 1, &timing};
  VkPresentInfoKHR info{VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, &timings};
  info.waitSemaphoreCount = wait ? 1 : 0;
  info.pWaitSemaphores = &wait;
  info.swapchainCount = 1;
  info.pSwapchains = &swapchain;
  info.pImageIndices = &index;
  return QueuePresent(queue, &info);
}

TEST_F(SwapchainTest, APresentWithoutRoomForItsResultWaitsAndLeavesTheImage) {
  VkPresentTimingInfoEXT timing{VK_STRUCTURE_TYPE_PRESENT_TIMING_INFO_EXT};
  timing.timeDomainId = VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT;
  timing.presentStageQueries = VK_PRESENT_STAGE_QUEUE_OPERATIONS_END_BIT_EXT;
  VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence done = VK_NULL_HANDLE;
  ASSERT_EQ(CreateFence(vk(), &fenceInfo, nullptr, &done), VK_SUCCESS);
  uint32_t index = ~0u;
  ASSERT_EQ(AcquireNextImage(vk(), swapchain, 0, acquired, VK_NULL_HANDLE, &index), VK_SUCCESS);
  EXPECT_EQ(presentTimed(queue(), swapchain, index, timing, acquired, done), VK_ERROR_PRESENT_TIMING_QUEUE_FULL_EXT);
  // The semaphore was waited for, as the present's fence says.
  EXPECT_EQ(WaitForFences(vk(), 1, &done, true, 10'000'000'000), VK_SUCCESS);
  EXPECT_EQ(cast<Swapchain>(swapchain)->slots[index].state, Swapchain::Slot::State::Acquired);
  timing.presentStageQueries = 0;
  EXPECT_EQ(presentTimed(queue(), swapchain, index, timing), VK_SUCCESS);
  DestroyFence(vk(), done, nullptr);
}

TEST_F(SwapchainTest, PresentsTellWhenTheirQueueEndedAndWhenTheyWereTaken) {
  ASSERT_EQ(SetSwapchainPresentTimingQueueSize(vk(), swapchain, 1), VK_SUCCESS);
  VkPresentTimingInfoEXT timing{VK_STRUCTURE_TYPE_PRESENT_TIMING_INFO_EXT};
  timing.timeDomainId = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
  timing.presentStageQueries =
      VK_PRESENT_STAGE_QUEUE_OPERATIONS_END_BIT_EXT | VK_PRESENT_STAGE_REQUEST_DEQUEUED_BIT_EXT;
  cast<Swapchain>(swapchain)->mode = VK_PRESENT_MODE_FIFO_KHR;
  uint32_t index = ~0u;
  ASSERT_EQ(AcquireNextImage(vk(), swapchain, 0, acquired, VK_NULL_HANDLE, &index), VK_SUCCESS);
  const uint64_t before = nowNs();
  timing.targetTime = before + 30'000'000;
  ASSERT_EQ(presentTimed(queue(), swapchain, index, timing, acquired), VK_SUCCESS);
  VkPresentStageTimeEXT stages[kPresentStages];
  VkPastPresentationTimingEXT result{VK_STRUCTURE_TYPE_PAST_PRESENTATION_TIMING_EXT};
  result.pPresentStages = stages;
  const VkPastPresentationTimingInfoEXT info{VK_STRUCTURE_TYPE_PAST_PRESENTATION_TIMING_INFO_EXT, nullptr, 0,
                                             swapchain};
  VkPastPresentationTimingPropertiesEXT past{VK_STRUCTURE_TYPE_PAST_PRESENTATION_TIMING_PROPERTIES_EXT};
  past.pPresentationTimings = &result;
  const uint64_t patience = before + 10'000'000'000;
  do past.presentationTimingCount = 1;
  while (GetPastPresentationTiming(vk(), &info, &past) == VK_SUCCESS && !past.presentationTimingCount &&
         nowNs() < patience);
  ASSERT_EQ(past.presentationTimingCount, 1u);
  ASSERT_EQ(result.presentStageCount, 2u);
  EXPECT_EQ(result.timeDomain, VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT);
  // The queue had nothing else to do; the picture waited for its time all the same.
  EXPECT_GE(stages[0].time, before);
  EXPECT_GE(stages[1].time, stages[0].time);
  EXPECT_GE(stages[1].time, timing.targetTime);
  EXPECT_LE(stages[1].time, nowNs());
}

TEST_F(SwapchainTest, APictureThatIsWantedMuchLaterHoldsUpNobodysEnd) {
  cast<Swapchain>(swapchain)->mode = VK_PRESENT_MODE_FIFO_KHR;
  VkPresentTimingInfoEXT timing{VK_STRUCTURE_TYPE_PRESENT_TIMING_INFO_EXT};
  timing.timeDomainId = VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT;
  timing.targetTime = UINT64_MAX;
  uint32_t index = ~0u;
  ASSERT_EQ(AcquireNextImage(vk(), swapchain, 0, acquired, VK_NULL_HANDLE, &index), VK_SUCCESS);
  ASSERT_EQ(presentTimed(queue(), swapchain, index, timing, acquired), VK_SUCCESS);
  // The swapchain is destroyed with the test.
}

}  // namespace
}  // namespace etzel::icd
