// ETZEL_DEBUG=fence=…: memory begins, or ends, at a page that nobody may touch.
#include <csignal>
#include <cstdlib>

#include "gpu.h"

namespace etzel::driver_test {
namespace {

constexpr VkDeviceSize kBytes = 64 * 3;

/// In a process of its own: all bytes of small memory and one byte `beyond` its first (negative) or its last.
void touch(const char* flags, int64_t beyond) {
  setenv("ETZEL_DEBUG", flags, 1);
  const Gpu gpu(nullptr);
  VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, kBytes, 0};
  while (!(gpu.memory.memoryTypes[info.memoryTypeIndex].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT))
    ++info.memoryTypeIndex;  // the first one: others are for what is mapped again
  VkDeviceMemory memory{};
  void* data = nullptr;
  if (vkAllocateMemory(gpu.device, &info, nullptr, &memory) != VK_SUCCESS ||
      vkMapMemory(gpu.device, memory, 0, VK_WHOLE_SIZE, 0, &data) != VK_SUCCESS)
    std::_Exit(2);
  volatile char* bytes = static_cast<char*>(data);
  for (VkDeviceSize i = 0; i < kBytes; ++i) {
    if (bytes[i] != 0) std::_Exit(3);
    bytes[i] = 1;
  }
  if (beyond) bytes[beyond < 0 ? beyond : static_cast<int64_t>(kBytes) - 1 + beyond] = 1;
  vkFreeMemory(gpu.device, memory, nullptr);
  std::_Exit(0);
}

void expectInside(const char* flags) { EXPECT_EXIT(touch(flags, 0), testing::ExitedWithCode(0), "") << flags; }
void expectFault(const char* flags, int64_t beyond) {
  EXPECT_EXIT(touch(flags, beyond), testing::KilledBySignal(SIGSEGV), "") << flags;
}

TEST(FenceDeathTest, MemoryBeginsBehindAPageThatNobodyMayTouch) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own, which reads the flags
  expectInside("fence=begin");
  expectFault("fence=begin", -1);
}

TEST(FenceDeathTest, MemoryEndsAtAPageThatNobodyMayTouch) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  expectInside("fence=end");
  expectFault("fence=end", 1);
}

}  // namespace
}  // namespace etzel::driver_test
