// Memory limits of containers, as control groups of both versions write them down.
#include "runtime/base/memory_limit.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace etzel {
namespace {

constexpr uint64_t kMiB = 1 << 20;

class MemoryLimits : public testing::Test {
 protected:
  MemoryLimits() {
    std::string name = std::filesystem::temp_directory_path() / "etzel-memory-XXXXXX";
    folder = mkdtemp(name.data());
  }
  ~MemoryLimits() override { std::filesystem::remove_all(folder); }
  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((folder / path).parent_path());
    std::ofstream(folder / path) << text << '\n';
  }
  MemoryLimit limit() { return memoryLimit({folder / "groups", folder / "fs"}); }
  std::filesystem::path folder;
};

TEST_F(MemoryLimits, Version2) {
  write("groups", "0::/app/worker");
  EXPECT_EQ(limit().bytes, MemoryLimit::kNone);
  write("fs/app/worker/memory.max", "max");
  EXPECT_EQ(limit().bytes, MemoryLimit::kNone);
  EXPECT_EQ(limit().free, MemoryLimit::kNone);
  write("fs/app/worker/memory.max", "268435456");
  write("fs/app/worker/memory.current", "104857600");
  write("fs/app/worker/memory.stat", "anon 94371840\nfile 10485760\ninactive_file 4194304\nactive_file 6291456");
  EXPECT_EQ(limit().bytes, 256 * kMiB);
  EXPECT_EQ(limit().free, (256 - 100 + 4) * kMiB);
}

TEST_F(MemoryLimits, TheTightestGroupAroundCounts) {
  write("groups", "0::/app/worker");
  write("fs/app/worker/memory.max", "1073741824");
  write("fs/app/memory.max", "268435456");
  EXPECT_EQ(limit().bytes, 256 * kMiB);
  write("fs/app/memory.current", "269484032");  // a limit that was made smaller
  EXPECT_EQ(limit().free, 0u);
  write("fs/memory.max", "134217728");  // inside of a container, its own group is the root
  EXPECT_EQ(limit().bytes, 128 * kMiB);
}

TEST_F(MemoryLimits, Version1) {
  write("groups", "12:cpu,cpuacct:/app\n4:memory:/app\n0::/");
  write("fs/memory/app/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(limit().bytes, MemoryLimit::kNone);
  write("fs/memory/app/memory.limit_in_bytes", "268435456");
  write("fs/memory/app/memory.usage_in_bytes", "104857600");
  write("fs/memory/app/memory.stat", "inactive_file 1\ntotal_inactive_file 4194304");
  EXPECT_EQ(limit().bytes, 256 * kMiB);
  EXPECT_EQ(limit().free, (256 - 100 + 4) * kMiB);
  write("fs/memory/memory.limit_in_bytes", "134217728");  // the path is the host's, the folder the container's
  EXPECT_EQ(limit().bytes, 128 * kMiB);
}

TEST_F(MemoryLimits, NoGroupsOrNonsenseIsNoLimit) {
  EXPECT_EQ(limit().bytes, MemoryLimit::kNone);
  write("groups", "nonsense\n::\n0::app\n0::/app");
  write("fs/app/memory.max", "-x");
  write("fs/memory.max", "0");
  EXPECT_EQ(limit().bytes, MemoryLimit::kNone);
}

}  // namespace
}  // namespace etzel
