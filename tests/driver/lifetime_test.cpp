// Devices and pipelines come and go without leaving anything behind. Under the address sanitizer every leak fails the
// program; everywhere the resident size is watched.
#include "gpu.h"

#include "add.comp.h"

namespace etzel::driver_test {
namespace {

TEST(Lifetime, AnIdleDeviceIsSmall) {
  const long before = residentKilobytes();
  Gpu gpu;
  const long with = residentKilobytes();
  std::printf("resident: %ld KB in all, %ld KB of them for an idle device\n", with, with - before);
#ifndef __SANITIZE_ADDRESS__
  EXPECT_LT(with, 40 * 1024);
#endif
}

TEST(Lifetime, AThousandDevicesLeaveNothingBehind) {
  for (int i = 0; i < 50; ++i) Gpu gpu;
  const long before = residentKilobytes();
  for (int i = 0; i < 950; ++i) Gpu gpu;
  const long after = residentKilobytes();
  std::printf("950 devices: resident grew by %ld KB\n", after - before);
#ifndef __SANITIZE_ADDRESS__
  EXPECT_LT(after - before, 2 * 1024);
#endif
}

TEST(Lifetime, TenThousandPipelinesLeaveNothingBehind) {
  Gpu gpu;
  std::vector<uint32_t> words(std::begin(add_comp), std::end(add_comp));
  // The generator's number in the header makes each module different, so that none is found in a cache.
  const auto make = [&](uint32_t number) {
    words[2] = number << 4;
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_EQ(VK_SUCCESS, gpu.makeComputePipeline(words, &pipeline));
    vkDestroyPipeline(gpu.device, pipeline, nullptr);
  };
  for (uint32_t i = 0; i < 1000; ++i) make(i);
  const long before = residentKilobytes();
  for (uint32_t i = 1000; i < 10000; ++i) make(i);
  const long after = residentKilobytes();
  std::printf("9000 pipelines: resident grew by %ld KB\n", after - before);
#ifndef __SANITIZE_ADDRESS__
  EXPECT_LT(after - before, 4 * 1024);
#endif
}

}  // namespace
}  // namespace etzel::driver_test
