// Devices and pipelines come and go without leaving anything behind. Under the address sanitizer every leak fails the
// program; without sanitizers, whose own memory hides it, the process's size is watched.
#include <cstdio>
#include <cstdlib>

#include "gpu.h"

#include "add.comp.h"

namespace etzel::driver_test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSizesTell = false;
#else
constexpr bool kSizesTell = true;
#endif

/// The generator's number in the header makes each module different, so that none is found in a cache.
void makeAndDestroy(const Gpu& gpu, uint32_t number) {
  std::vector<uint32_t> words(std::begin(add_comp), std::end(add_comp));
  words[2] = number << 4;
  VkPipeline pipeline = VK_NULL_HANDLE;
  EXPECT_EQ(VK_SUCCESS, gpu.makeComputePipeline(words, &pipeline));
  vkDestroyPipeline(gpu.device, pipeline, nullptr);
}

TEST(Lifetime, AThousandDevicesLeaveNothingBehind) {
  for (int i = 0; i < 50; ++i) Gpu gpu;
  const long before = privateKilobytes();
  for (int i = 0; i < 950; ++i) Gpu gpu;
  const long after = privateKilobytes();
  std::printf("950 devices: grew by %ld KB\n", after - before);
  if (kSizesTell) {
    EXPECT_LT(after - before, 2 * 1024);
  }
}

TEST(Lifetime, TenThousandPipelinesLeaveNothingBehind) {
  Gpu gpu;
  for (uint32_t i = 0; i < 1000; ++i) makeAndDestroy(gpu, i);
  const long before = privateKilobytes();
  for (uint32_t i = 1000; i < 10000; ++i) makeAndDestroy(gpu, i);
  const long after = privateKilobytes();
  std::printf("9000 pipelines: grew by %ld KB\n", after - before);
  if (kSizesTell) {
    EXPECT_LT(after - before, 4 * 1024);
  }
}

// In a process of its own, where nothing else has left anything.
TEST(LifetimeDeathTest, AnIdleDeviceIsSmall) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    Gpu gpu;
    const long size = privateKilobytes();
    std::fprintf(stderr, "%ld KB with an idle device", size);
    std::_Exit(kSizesTell && size > 6 * 1024);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "idle device");
}

// LLVM's first use comes after the handler's registration, so nothing of it may be torn down before the handler runs.
TEST(LifetimeDeathTest, AnExitHandlerMayUseAndDestroyADevice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own, which the driver is new to
  static Gpu* gpu;
  static const auto compile = [](uint32_t number) { makeAndDestroy(*gpu, number); };
  const auto run = [] {
    setenv("ETZEL_DEBUG", "jit-now", 1);
    gpu = new Gpu;
    std::atexit([] {
      compile(2);
      delete gpu;
      std::fputs("gone", stderr);
    });
    compile(1);
    std::exit(0);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "gone");
}

}  // namespace
}  // namespace etzel::driver_test
