// Quotas of containers, as control groups of both versions write them down.
#include "runtime/task/cpus.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>

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
  uint32_t quota() { return quotaCpus(folder / "groups", folder / "fs"); }
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
  write("groups", "nonsense\n::\n0::/app\n");
  write("fs/app/cpu.max", "-7 x");
  EXPECT_EQ(quota(), 0u);
}

TEST(Cpus, TheAffinityMaskCounts) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(affinityCpus(), static_cast<uint32_t>(CPU_COUNT(&before)));
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i)
    if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(affinityCpus(), 1u);
  EXPECT_EQ(availableCpus(), 1u);
  sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace etzel::task
