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
  bool hasRoomFor(uint64_t mib, uint64_t swapMib = 0) {
    return groupsHaveRoomFor(mib * kMiB, {folder / "groups", folder / "fs"}, swapMib * kMiB);
  }
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

TEST_F(MemoryLimits, RoomIsWhatTheKernelCanGiveButASixteenth) {
  write("groups", "0::/app");
  EXPECT_TRUE(hasRoomFor(1 << 20));  // no limit
  write("fs/app/memory.max", "268435456");
  write("fs/app/memory.current", "104857600");
  EXPECT_TRUE(hasRoomFor(256 - 16 - 100));
  EXPECT_FALSE(hasRoomFor(256 - 16 - 99));
  EXPECT_FALSE(hasRoomFor(1 << 30));
  // Pages of files go first, whether they were used lately or not.
  write("fs/app/memory.stat", "anon 94371840\ninactive_file 4194304\nactive_file 6291456\ninactive_anon 94371840");
  EXPECT_TRUE(hasRoomFor(256 - 16 - 90));
  EXPECT_FALSE(hasRoomFor(256 - 16 - 89));
  // Swap space, as much as there is and the group may have.
  EXPECT_TRUE(hasRoomFor(256 - 16 - 80, 10));
  write("fs/app/memory.swap.max", "20971520");
  write("fs/app/memory.swap.current", "12582912");
  EXPECT_TRUE(hasRoomFor(256 - 16 - 82, 10));
  EXPECT_FALSE(hasRoomFor(256 - 16 - 81, 10));
  // A tighter group around it.
  write("fs/memory.max", "134217728");
  write("fs/memory.current", "117440512");
  EXPECT_TRUE(hasRoomFor(8));
  EXPECT_FALSE(hasRoomFor(9));
}

TEST_F(MemoryLimits, RoomInVersion1) {
  write("groups", "4:memory:/app");
  write("fs/memory/app/memory.limit_in_bytes", "268435456");
  write("fs/memory/app/memory.usage_in_bytes", "104857600");
  write("fs/memory/app/memory.stat", "inactive_file 1\ntotal_inactive_file 4194304\ntotal_active_file 6291456");
  EXPECT_TRUE(hasRoomFor(256 - 16 - 90));
  EXPECT_FALSE(hasRoomFor(256 - 16 - 89));
  EXPECT_TRUE(hasRoomFor(256 - 16 - 80, 10));
  // A limit on both together, which leaves nothing for swap space.
  write("fs/memory/app/memory.memsw.limit_in_bytes", "268435456");
  write("fs/memory/app/memory.memsw.usage_in_bytes", "104857600");
  EXPECT_TRUE(hasRoomFor(256 - 16 - 90, 10));
  EXPECT_FALSE(hasRoomFor(256 - 16 - 89, 10));
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
