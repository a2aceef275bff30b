#include "icd/wsi/present_timing.h"

#include <gtest/gtest.h>

#include "icd/wsi/pace.h"

namespace etzel::icd {
namespace {

constexpr auto kEnd = VK_PRESENT_STAGE_QUEUE_OPERATIONS_END_BIT_EXT;
constexpr auto kDequeued = VK_PRESENT_STAGE_REQUEST_DEQUEUED_BIT_EXT;
constexpr auto kVisible = VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_VISIBLE_BIT_EXT;
constexpr auto kPartial = VK_PAST_PRESENTATION_TIMING_ALLOW_PARTIAL_RESULTS_BIT_EXT;
constexpr auto kAnyOrder = VK_PAST_PRESENTATION_TIMING_ALLOW_OUT_OF_ORDER_RESULTS_BIT_EXT;

VkPresentTimingInfoEXT asking(VkPresentStageFlagsEXT stages) {
  VkPresentTimingInfoEXT info{VK_STRUCTURE_TYPE_PRESENT_TIMING_INFO_EXT};
  info.timeDomainId = VK_TIME_DOMAIN_SWAPCHAIN_LOCAL_EXT;
  info.presentStageQueries = stages;
  return info;
}

/// What a call to fetch() gave.
struct Fetched {
  explicit Fetched(PresentTimings& from, VkPastPresentationTimingFlagsEXT flags = 0, uint32_t room = 8) {
    for (size_t i = 0; i < 8; ++i) timings[i].pPresentStages = stages[i];
    properties.presentationTimingCount = room;
    properties.pPresentationTimings = timings;
    result = from.fetch(flags, properties);
  }
  uint32_t count() const { return properties.presentationTimingCount; }
  VkPastPresentationTimingPropertiesEXT properties{};
  VkPastPresentationTimingEXT timings[8]{};
  VkPresentStageTimeEXT stages[8][kPresentStages]{};
  VkResult result;
};

TEST(TimingProperties, OnlyASurfaceWithoutAScreenHasKnownCycles) {
  VkSwapchainTimingPropertiesEXT p{VK_STRUCTURE_TYPE_SWAPCHAIN_TIMING_PROPERTIES_EXT};
  fillTimingProperties(true, p);
  EXPECT_EQ(p.refreshDuration, kRefreshNs);
  EXPECT_EQ(p.refreshInterval, UINT64_MAX) << "a rate that varies";
  fillTimingProperties(false, p);
  EXPECT_EQ(p.refreshDuration, 0u);
  EXPECT_EQ(p.refreshInterval, 0u);
}

TEST(PresentTimings, ThereIsNoRoomBeforeItIsAskedFor) {
  PresentTimings t;
  EXPECT_EQ(t.reserve(1, asking(kEnd)), 0u);
  EXPECT_EQ(t.resize(2), VK_SUCCESS);
  EXPECT_NE(t.reserve(1, asking(kEnd)), 0u);
  EXPECT_NE(t.reserve(2, asking(kEnd)), 0u);
  EXPECT_EQ(t.reserve(3, asking(kEnd)), 0u);
  EXPECT_EQ(t.resize(1), VK_NOT_READY);
  EXPECT_EQ(t.resize(3), VK_SUCCESS);
  EXPECT_NE(t.reserve(3, asking(kEnd)), 0u);
}

TEST(PresentTimings, ACompleteResultIsGivenOnceAndFreesItsPlace) {
  PresentTimings t;
  t.resize(1);
  const uint64_t number = t.reserve(7, asking(kEnd | kDequeued));
  t.note(number, kEnd, 100);
  EXPECT_EQ(Fetched(t).count(), 0u);
  t.note(number, kDequeued, 200);
  VkPastPresentationTimingPropertiesEXT asked{};
  EXPECT_EQ(t.fetch(0, asked), VK_SUCCESS);
  EXPECT_EQ(asked.presentationTimingCount, 1u);
  EXPECT_EQ(asked.timeDomainsCounter, kTimingCounter);
  EXPECT_EQ(asked.timingPropertiesCounter, kTimingCounter);
  EXPECT_EQ(t.reserve(8, asking(kEnd)), 0u) << "counting frees nothing";
  const Fetched got(t);
  ASSERT_EQ(got.count(), 1u);
  EXPECT_EQ(got.timings[0].presentId, 7u);
  EXPECT_EQ(got.timings[0].timeDomain, VK_TIME_DOMAIN_SWAPCHAIN_LOCAL_EXT);
  EXPECT_EQ(got.timings[0].timeDomainId, uint64_t(VK_TIME_DOMAIN_SWAPCHAIN_LOCAL_EXT));
  EXPECT_TRUE(got.timings[0].reportComplete);
  ASSERT_EQ(got.timings[0].presentStageCount, 2u);
  EXPECT_EQ(got.stages[0][0].stage, VkPresentStageFlagsEXT(kEnd));
  EXPECT_EQ(got.stages[0][0].time, 100u);
  EXPECT_EQ(got.stages[0][1].stage, VkPresentStageFlagsEXT(kDequeued));
  EXPECT_EQ(got.stages[0][1].time, 200u);
  EXPECT_EQ(Fetched(t).count(), 0u);
  EXPECT_NE(t.reserve(8, asking(kEnd)), 0u);
}

TEST(PresentTimings, WhatIsNeverKnownIsZero) {
  PresentTimings t;
  t.resize(1);
  VkPresentTimingInfoEXT info = asking(kEnd | kDequeued | kVisible);
  info.timeDomainId = 12345;  // that there is not
  info.targetTime = 77;
  const uint64_t number = t.reserve(0, info);
  t.note(number, kEnd, 100);
  t.finish(number);
  const Fetched got(t);
  ASSERT_EQ(got.count(), 1u);
  ASSERT_EQ(got.timings[0].presentStageCount, 3u);
  EXPECT_EQ(got.stages[0][0].time, 100u);
  EXPECT_EQ(got.stages[0][1].time, 0u);
  EXPECT_EQ(got.stages[0][2].stage, VkPresentStageFlagsEXT(kVisible));
  EXPECT_EQ(got.stages[0][2].time, 0u);
  EXPECT_EQ(got.timings[0].targetTime, 77u);
  EXPECT_EQ(got.timings[0].timeDomain, VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT);
}

TEST(PresentTimings, PartsAreGivenWhereTheyAreAllowed) {
  PresentTimings t;
  t.resize(2);
  const uint64_t first = t.reserve(1, asking(kEnd | kDequeued)), second = t.reserve(2, asking(kEnd | kDequeued));
  EXPECT_EQ(Fetched(t, kPartial).count(), 0u) << "nothing is known";
  t.note(first, kEnd, 100);
  for (int again = 0; again < 2; ++again) {
    const Fetched got(t, kPartial);
    ASSERT_EQ(got.count(), 1u);
    EXPECT_FALSE(got.timings[0].reportComplete);
    EXPECT_EQ(got.timings[0].presentStageCount, 1u);
  }
  t.finish(first);
  t.note(second, kEnd, 300);
  const Fetched got(t, kPartial);
  ASSERT_EQ(got.count(), 2u);
  EXPECT_TRUE(got.timings[0].reportComplete);
  EXPECT_EQ(got.timings[0].presentStageCount, 2u);
  EXPECT_FALSE(got.timings[1].reportComplete);
  EXPECT_EQ(Fetched(t, kPartial).count(), 1u);
}

TEST(PresentTimings, ResultsComeInTheOrderOfPresentsUnlessAnyWillDo) {
  PresentTimings t;
  t.resize(3);
  const uint64_t first = t.reserve(1, asking(kEnd)), second = t.reserve(2, asking(kEnd)),
                 third = t.reserve(3, asking(kEnd));
  t.note(second, kEnd, 5);
  t.note(third, kEnd, 6);
  EXPECT_EQ(Fetched(t).count(), 0u);
  const Fetched early(t, kAnyOrder, 1);
  EXPECT_EQ(early.result, VK_INCOMPLETE);
  ASSERT_EQ(early.count(), 1u);
  EXPECT_EQ(early.timings[0].presentId, 2u);
  t.note(first, kEnd, 7);
  const Fetched rest(t);
  EXPECT_EQ(rest.result, VK_SUCCESS);
  ASSERT_EQ(rest.count(), 2u);
  EXPECT_EQ(rest.timings[0].presentId, 1u);
  EXPECT_EQ(rest.timings[1].presentId, 3u);
}

TEST(PresentTimings, APresentThatFailedLeavesNothing) {
  PresentTimings t;
  t.resize(1);
  t.drop(t.reserve(1, asking(kEnd)));
  EXPECT_EQ(Fetched(t, kPartial | kAnyOrder).count(), 0u);
  EXPECT_NE(t.reserve(2, asking(kEnd)), 0u);
  t.drop(0);
  t.inChild();
  EXPECT_EQ(Fetched(t).count(), 1u) << "what a child inherits is over";
}

}  // namespace
}  // namespace etzel::icd
