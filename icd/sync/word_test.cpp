// Shared payloads: two words over one page, and temporary imports.
#include "icd/sync/word.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace etzel::icd {
namespace {

TEST(SyncWord, AnExportedPageIsTheSamePayload) {
  SyncWord a, b;
  a.store(5);
  EXPECT_EQ(a.exportPage(), -1);  // not shared yet
  ASSERT_TRUE(a.share());
  EXPECT_EQ(a.load(), 5u);
  const int fd = a.exportPage();
  ASSERT_GE(fd, 0);
  ASSERT_TRUE(b.importPage(fd, false));
  b.store(9);
  EXPECT_EQ(a.load(), 9u);
}

TEST(SyncWord, ATemporaryPayloadHidesThePermanentOne) {
  SyncWord a, b;
  ASSERT_TRUE(a.share());
  a.store(1);
  b.store(0);
  ASSERT_TRUE(b.importPage(a.exportPage(), true));
  EXPECT_EQ(b.load(), 1u);
  EXPECT_TRUE(b.dropTemporary());
  EXPECT_EQ(b.load(), 0u);
  b.importSyncFile(-1);  // one that has signalled
  EXPECT_EQ(b.load(), 1u);
  EXPECT_TRUE(b.dropTemporary());
  EXPECT_FALSE(b.dropTemporary());
}

TEST(SyncWord, WaitsAreBoundToTheSignalsBeforeThem) {
  SyncWord a;
  EXPECT_TRUE(a.bindWait().reached());  // for nothing that could come
  const BoundSync first = a.bindSignal();
  const BoundSync waitFirst = a.bindWait();
  const BoundSync second = a.bindSignal();
  const BoundSync waitSecond = a.bindWait();
  EXPECT_FALSE(waitFirst.reached());
  SyncWord::signal(first);
  EXPECT_TRUE(waitFirst.reached());
  EXPECT_FALSE(waitSecond.reached());
  SyncWord::signal(second);
  EXPECT_TRUE(waitSecond.reached());
  SyncWord::signal(first);  // late, as queues may be: takes nothing back
  EXPECT_TRUE(waitSecond.reached());
}

TEST(SyncWord, SignalsInOneProcessAreWaitsInAnother) {
  SyncWord a, b;
  ASSERT_TRUE(a.share());
  ASSERT_TRUE(b.importPage(a.exportPage(), false));
  const BoundSync signal = a.bindSignal();
  const BoundSync wait = b.bindWait();
  EXPECT_FALSE(wait.reached());
  SyncWord::signal(signal);
  EXPECT_TRUE(wait.reached());
}

TEST(SyncWord, ASubmittedWaitKeepsTheTemporaryPayload) {
  SyncWord a, b;
  ASSERT_TRUE(a.share());
  ASSERT_TRUE(b.importPage(a.exportPage(), true));
  const BoundSync signal = a.bindSignal();
  const BoundSync wait = b.bindWait();
  EXPECT_TRUE(b.dropTemporary());
  EXPECT_FALSE(wait.reached());
  SyncWord::signal(signal);
  EXPECT_TRUE(wait.reached());
}

TEST(SyncWord, NobodyCanTakeASharedPageAway) {
  SyncWord a, b;
  ASSERT_TRUE(a.share());
  const int fd = a.exportPage();
  EXPECT_NE(ftruncate(fd, 0), 0);
  EXPECT_EQ(a.load(), 0u);
  close(fd);
  const int unsealed = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(unsealed, 4096), 0);
  EXPECT_FALSE(b.importPage(unsealed, false));
  close(unsealed);
}

TEST(SyncWord, AForeignDescriptorIsRefused) {
  SyncWord a;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_FALSE(a.importPage(ends[0], false));
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace etzel::icd
