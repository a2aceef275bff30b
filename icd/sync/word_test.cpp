// Shared payloads: two words over one page, and temporary imports.
#include "icd/sync/word.h"

#include <gtest/gtest.h>
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
