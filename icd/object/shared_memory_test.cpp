#include "icd/object/shared_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

namespace etzel::icd {
namespace {

TEST(SharedMemory, NobodyCanShrinkIt) {
  const Fd fd = createSharedMemory("test", 8192);
  ASSERT_TRUE(fd);
  EXPECT_TRUE(isSharedMemory(fd.get(), 8192));
  EXPECT_NE(ftruncate(fd.get(), 4096), 0);
  EXPECT_NE(fcntl(fd.get(), F_ADD_SEALS, F_SEAL_WRITE), 0) << "nor take writing away";
}

TEST(SharedMemory, WhatIsTooSmallUnsealedOrNoMemoryIsNone) {
  const Fd fd = createSharedMemory("test", 4096), unsealed(memfd_create("unsealed", MFD_CLOEXEC));
  ASSERT_EQ(ftruncate(unsealed.get(), 4096), 0);
  EXPECT_FALSE(isSharedMemory(fd.get(), 4097));
  EXPECT_FALSE(isSharedMemory(unsealed.get(), 4096));
  EXPECT_FALSE(isSharedMemory(-1, 0));
}

TEST(SharedMemory, ASystemThatMakesItSaysSo) { EXPECT_TRUE(systemSharesMemory()); }

}  // namespace
}  // namespace etzel::icd
