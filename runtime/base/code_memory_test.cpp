#include "runtime/base/code_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

namespace etzel {
namespace {

constexpr size_t kBytes = 4096;

TEST(CodeMemory, PagesRunAndAreNoLongerWritten) {
  void* pages = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  std::memset(pages, 0, kBytes);
  ASSERT_TRUE(makeExecutable(pages, kBytes));
  EXPECT_EQ(mprotect(pages, kBytes, PROT_READ), 0);
  munmap(pages, kBytes);
  EXPECT_FALSE(isCodeRefused());
}

TEST(CodeMemory, MemoryThatIsNotThereIsNotARefusal) {
  void* pages = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  munmap(pages, kBytes);
  EXPECT_FALSE(makeExecutable(pages, kBytes));
  EXPECT_FALSE(isCodeRefused());
}

}  // namespace
}  // namespace etzel
