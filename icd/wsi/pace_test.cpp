#include "icd/wsi/pace.h"

#include <gtest/gtest.h>

namespace etzel::icd {
namespace {

constexpr VkPresentModeKHR kFifo = VK_PRESENT_MODE_FIFO_KHR;
constexpr uint64_t kStart = 1'000'000'000'000;  // ns

TEST(Pace, TheFirstPictureHasItsTurnAtOnce) {
  const Pace pace;
  EXPECT_EQ(pace.turn(kFifo, {}), 0u);
  EXPECT_EQ(pace.turn(kFifo, {.ns = 50'000'000, .relative = true}), 0u) << "relative to what was never presented";
  EXPECT_EQ(pace.turn(kFifo, {.ns = kStart}), kStart);
}

TEST(Pace, ACycleLastsFromThePictureThatBeganIt) {
  Pace pace;
  pace.shown(kFifo, kStart, kStart);
  EXPECT_EQ(pace.turn(kFifo, {}), kStart + kRefreshNs);
  EXPECT_FALSE(pace.cycleOver(kStart + kRefreshNs - 1));
  EXPECT_TRUE(pace.cycleOver(kStart + kRefreshNs));
  // A picture that comes after a long time has a whole cycle, too.
  const uint64_t late = kStart + 100 * kRefreshNs;
  pace.shown(kFifo, late, late + 10);
  EXPECT_EQ(pace.turn(kFifo, {}), late + kRefreshNs);
}

TEST(Pace, WakingUpLateDoesNotAddUp) {
  Pace pace;
  uint64_t turn = kStart;
  for (int i = 0; i < 60; ++i) {
    pace.shown(kFifo, turn, turn + 200'000);
    turn = pace.turn(kFifo, {});
  }
  EXPECT_EQ(turn, kStart + 60 * kRefreshNs);
  pace.shown(kFifo, turn, turn + 3 * kRefreshNs);  // unless it is later than a cycle
  EXPECT_EQ(pace.turn(kFifo, {}), turn + 4 * kRefreshNs);
}

TEST(Pace, TargetTimesAreTheEarliest) {
  Pace pace;
  pace.shown(kFifo, kStart, kStart + 5);
  EXPECT_EQ(pace.turn(kFifo, {.ns = kStart + 1}), kStart + kRefreshNs) << "a cycle is not cut short";
  EXPECT_EQ(pace.turn(kFifo, {.ns = kStart + 2 * kRefreshNs + 3}), kStart + 2 * kRefreshNs + 3);
  // Counted from when the picture before was shown, not from when it could have been.
  EXPECT_EQ(pace.turn(kFifo, {.ns = 40'000'000, .relative = true}), kStart + 5 + 40'000'000);
  EXPECT_EQ(pace.turn(kFifo, {.ns = 1, .relative = true}), kStart + kRefreshNs);
  EXPECT_EQ(pace.turn(kFifo, {.ns = UINT64_MAX, .relative = true}), UINT64_MAX);
}

TEST(Pace, ModesWithoutCyclesWaitForNothing) {
  Pace pace;
  pace.shown(kFifo, kStart, kStart);
  for (const VkPresentModeKHR mode : {VK_PRESENT_MODE_IMMEDIATE_KHR, VK_PRESENT_MODE_MAILBOX_KHR})
    EXPECT_EQ(pace.turn(mode, {.ns = 2 * kStart}), 0u);
  // A thousand pictures of a mailbox leave a FIFO one cycle to wait for.
  for (int i = 0; i < 1000; ++i) pace.shown(VK_PRESENT_MODE_MAILBOX_KHR, kStart + i, kStart + i);
  EXPECT_EQ(pace.turn(kFifo, {}), kStart + 999 + kRefreshNs);
}

TEST(Pace, APictureThatIsNotWantedYetTakesNobodysPlace) {
  EXPECT_TRUE(Pace::due({}, kStart));
  EXPECT_TRUE(Pace::due({.ns = kStart}, kStart));
  EXPECT_FALSE(Pace::due({.ns = kStart + 1}, kStart));
  EXPECT_FALSE(Pace::due({.ns = 1, .relative = true}, kStart)) << "counted from one that is not shown";
}

}  // namespace
}  // namespace etzel::icd
