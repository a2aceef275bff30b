// Quotas of containers, as control groups of both versions write them down.
#include "runtime/task/cpus.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <vector>

namespace etzel::task {
namespace {

class Quota : public testing::Test {
 protected:
  Quota() {
    std::string name = std::filesystem::temp_directory_path() / "etzel-cpus-XXXXXX";
    folder = mkdtemp(name.data());
  }
  ~Quota() override { std::filesystem::remove_all(folder); }
  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((folder / path).parent_path());
    std::ofstream(folder / path) << text << '\n';
  }
  uint32_t quota() { return quotaCpus({folder / "groups", folder / "fs"}); }
  std::filesystem::path folder;
};

TEST_F(Quota, Version2) {
  write("groups", "0::/app/worker");
  EXPECT_EQ(quota(), 0u);
  write("fs/app/worker/cpu.max", "max 100000");
  EXPECT_EQ(quota(), 0u);
  write("fs/app/worker/cpu.max", "200000 100000");
  EXPECT_EQ(quota(), 2u);
  write("fs/app/worker/cpu.max", "250000 100000");
  EXPECT_EQ(quota(), 3u);
  write("fs/app/worker/cpu.max", "1000 100000");
  EXPECT_EQ(quota(), 1u);
}

TEST_F(Quota, TheTightestGroupAroundCounts) {
  write("groups", "0::/app/worker");
  write("fs/app/worker/cpu.max", "800000 100000");
  write("fs/app/cpu.max", "200000 100000");
  EXPECT_EQ(quota(), 2u);
  write("fs/cpu.max", "100000 100000");  // inside of a container, its own group is the root
  EXPECT_EQ(quota(), 1u);
}

TEST_F(Quota, Version1) {
  write("groups", "12:memory:/app\n4:cpu,cpuacct:/app\n0::/");
  write("fs/cpu,cpuacct/app/cpu.cfs_period_us", "100000");
  write("fs/cpu,cpuacct/app/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(quota(), 0u);
  write("fs/cpu,cpuacct/app/cpu.cfs_quota_us", "400000");
  EXPECT_EQ(quota(), 4u);
}

TEST_F(Quota, NoGroupsOrNonsenseIsNoQuota) {
  EXPECT_EQ(quota(), 0u);
  write("groups", "nonsense\n::\n0::app\n0::/app\n");
  write("fs/app/cpu.max", "-7 x");
  EXPECT_EQ(quota(), 0u);
}

/// A mask that is long enough for any kernel.
using Mask = std::vector<cpu_set_t>;
constexpr int kMaskCpus = 1 << 16;
Mask emptyMask() { return Mask(CPU_ALLOC_SIZE(kMaskCpus) / sizeof(cpu_set_t)); }
size_t bytesOf(const Mask& mask) { return mask.size() * sizeof(cpu_set_t); }

TEST(Cpus, TheAffinityMaskCounts) {
  Mask before = emptyMask(), one = emptyMask();
  ASSERT_EQ(sched_getaffinity(0, bytesOf(before), before.data()), 0);
  EXPECT_EQ(affinityCpus(), static_cast<uint32_t>(CPU_COUNT_S(bytesOf(before), before.data())));
  for (int i = 0; i < kMaskCpus && CPU_COUNT_S(bytesOf(one), one.data()) == 0; ++i)
    if (CPU_ISSET_S(i, bytesOf(before), before.data())) CPU_SET_S(i, bytesOf(one), one.data());
  ASSERT_EQ(sched_setaffinity(0, bytesOf(one), one.data()), 0);
  EXPECT_EQ(affinityCpus(), 1u);
  EXPECT_EQ(availableCpus(), 1u);
  sched_setaffinity(0, bytesOf(before), before.data());
}

/// As kernels with masks of 8,192 CPUs do it: shorter ones are refused. Every third CPU of the first 6,000 is there.
int ofALargeHost(size_t bytes, cpu_set_t* mask) {
  if (bytes < 8192 / 8) {
    errno = EINVAL;
    return -1;
  }
  for (int i = 0; i < 6000; i += 3) CPU_SET_S(i, bytes, mask);
  return 0;
}
int ofNoKernel(size_t, cpu_set_t*) {
  errno = EPERM;
  return -1;
}

TEST(Cpus, MasksOfMoreThan1024CpusAreCountedWhole) {
  EXPECT_EQ(affinityCpus(ofALargeHost), 2000u);
  EXPECT_EQ(affinityCpus(ofNoKernel), 1u);
}

}  // namespace
}  // namespace etzel::task
