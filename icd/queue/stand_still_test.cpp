#include "icd/queue/stand_still.h"

#include <gtest/gtest.h>

namespace etzel::icd {
namespace {

constexpr uint64_t kMs = 1'000'000, kInterval = 200 * kMs;

TEST(StandStill, TimeWithoutProgressAddsUp) {
  StandStill work(kInterval);
  EXPECT_EQ(work.look(1000 * kMs, true), 0u);
  EXPECT_EQ(work.look(1200 * kMs, false), 200 * kMs);
  EXPECT_EQ(work.look(1450 * kMs, false), 450 * kMs);
}

TEST(StandStill, ProgressBeginsAnew) {
  StandStill work(kInterval);
  EXPECT_EQ(work.look(1000 * kMs, true), 0u);
  EXPECT_EQ(work.look(1200 * kMs, false), 200 * kMs);
  EXPECT_EQ(work.look(1400 * kMs, true), 0u);
  EXPECT_EQ(work.look(1600 * kMs, false), 200 * kMs);
}

TEST(StandStill, AProcessThatIsStoppedDoesNotStandStillMeanwhile) {
  StandStill work(kInterval);
  EXPECT_EQ(work.look(1000 * kMs, true), 0u);
  EXPECT_EQ(work.look(3600'000 * kMs, false), 2 * kInterval);
  EXPECT_EQ(work.look(3600'200 * kMs, false), 3 * kInterval);
}

}  // namespace
}  // namespace etzel::icd
