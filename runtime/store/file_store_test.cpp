// A folder of files as several processes see it: whole files or none, the user's own or none, never more than the
// limit.
#include "runtime/store/file_store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace etzel::store {
namespace {

namespace fs = std::filesystem;

class FileStoreTest : public testing::Test {
 protected:
  FileStoreTest() {
    char path[] = "/tmp/etzel-store-XXXXXX";
    root_ = mkdtemp(path);
  }
  ~FileStoreTest() override { fs::remove_all(root_); }

  std::string folder() const { return root_ / "cache" / "etzel"; }
  static std::vector<std::byte> filled(size_t count, int value) { return {count, std::byte(value)}; }
  size_t files(const char* suffix) const {
    return std::count_if(fs::directory_iterator(folder()), fs::directory_iterator(),
                         [&](const auto& e) { return e.path().extension() == suffix; });
  }
  void age(const std::string& name, time_t seconds) const {
    const timespec t{time(nullptr) - seconds, 0}, both[2] = {t, t};
    ASSERT_EQ(utimensat(AT_FDCWD, (folder() + "/" + name).c_str(), both, 0), 0);
  }

  fs::path root_;
};

TEST_F(FileStoreTest, WhatIsWrittenIsReadByOthersAndReplaced) {
  FileStore a(folder(), 1 << 20), b(folder(), 1 << 20);
  EXPECT_FALSE(a.read("x"));
  EXPECT_FALSE(fs::exists(folder()));  // looking leaves nothing behind
  ASSERT_TRUE(a.write("x", filled(100, 1)));
  EXPECT_EQ(b.read("x"), filled(100, 1));
  ASSERT_TRUE(b.write("x", filled(7, 2)));
  EXPECT_EQ(a.read("x"), filled(7, 2));
  EXPECT_EQ(files(".tmp"), 0u);
  struct stat s;
  ASSERT_EQ(stat(folder().c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0700u);
}

TEST_F(FileStoreTest, FilesThatOthersMayWriteAreNotThere) {
  FileStore store(folder(), 1 << 20);
  ASSERT_TRUE(store.write("x", filled(9, 1)));
  const std::string path = folder() + "/x.etz";
  ASSERT_EQ(chmod(path.c_str(), 0620), 0);
  EXPECT_FALSE(store.read("x"));
  ASSERT_EQ(chmod(path.c_str(), 0602), 0);
  EXPECT_FALSE(store.read("x"));
  ASSERT_EQ(chmod(path.c_str(), 0644), 0);
  EXPECT_TRUE(store.read("x"));
  fs::rename(path, folder() + "/elsewhere");
  fs::create_symlink(folder() + "/elsewhere", path);
  EXPECT_FALSE(store.read("x"));
  fs::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(store.read("x"));  // and does not wait for a writer
}

TEST_F(FileStoreTest, AFolderThatOthersMayWriteIsNotUsed) {
  fs::create_directories(folder());
  ASSERT_EQ(chmod(folder().c_str(), 0777), 0);
  FileStore store(folder(), 1 << 20);
  EXPECT_FALSE(store.write("x", filled(9, 1)));
  EXPECT_TRUE(fs::is_empty(folder()));
}

TEST_F(FileStoreTest, WhatBelongsToAnotherUserIsNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  FileStore store(folder(), 1 << 20);
  ASSERT_TRUE(store.write("x", filled(9, 1)));
  ASSERT_EQ(chown((folder() + "/x.etz").c_str(), 65534, 65534), 0);
  EXPECT_FALSE(store.read("x"));
  ASSERT_EQ(chown(folder().c_str(), 65534, 65534), 0);
  EXPECT_FALSE(store.write("y", filled(9, 1)));
  // Nor is a folder of one's own behind another user's link.
  const std::string link = root_ / "link", own = root_ / "own";
  fs::create_directory(own);
  ASSERT_EQ(chmod(own.c_str(), 0700), 0);
  fs::create_symlink(own, link);
  EXPECT_TRUE(FileStore(link, 1 << 20).write("x", filled(9, 1)));
  ASSERT_EQ(lchown(link.c_str(), 65534, 65534), 0);
  EXPECT_FALSE(FileStore(link, 1 << 20).write("x", filled(9, 1)));
}

TEST_F(FileStoreTest, FoldersThatCannotBeHoldNothing) {
  std::ofstream(root_ / "file") << "no folder";
  for (const std::string& path : {std::string(root_ / "file"), std::string(root_ / "file/below"),
                                  std::string("/proc/x"), std::string("/dev/null"), std::string("")}) {
    FileStore store(path, 1 << 20);
    EXPECT_FALSE(store.read("x")) << path;
    EXPECT_FALSE(store.write("x", filled(9, 1))) << path;
    EXPECT_FALSE(store.readOrMake("y", filled(9, 1))) << path;
  }
}

// As on a full disk: the write ends early with an error.
TEST_F(FileStoreTest, WhereThereIsNoRoomTheOldFileStays) {
  FileStore store(folder(), 1 << 20);
  ASSERT_TRUE(store.write("x", filled(10, 1)));
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit most{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &most);
    _exit(store.write("x", filled(5000, 2)) ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(store.read("x"), filled(10, 1));
  EXPECT_EQ(files(".tmp"), 0u);
}

TEST_F(FileStoreTest, TheOldestGoAndWhatIsReadIsNew) {
  constexpr uint64_t kLimit = 100'000;
  {
    FileStore store(folder(), kLimit);
    for (int i = 0; i < 9; ++i) ASSERT_TRUE(store.write("f" + std::to_string(i), filled(10'000, i)));
    ASSERT_TRUE(store.readOrMake("kept", filled(30'000, 9)));
    for (int i = 0; i < 9; ++i) age("f" + std::to_string(i) + ".etz", 100'000 - i);
    age("kept.keep", 200'000);
    EXPECT_TRUE(store.read("f0"));  // the oldest is used
  }
  std::ofstream(folder() + "/left-0.tmp") << "half";
  std::ofstream(folder() + "/busy-0.tmp") << "half";
  age("left-0.tmp", 100'000);
  FileStore store(folder(), kLimit);  // another process
  ASSERT_TRUE(store.write("new", filled(20'000, 9)));
  EXPECT_TRUE(store.read("new"));
  EXPECT_TRUE(store.read("f0"));
  EXPECT_FALSE(store.read("f1"));
  EXPECT_TRUE(store.read("f8"));
  EXPECT_TRUE(store.readOrMake("kept", {}));
  EXPECT_FALSE(fs::exists(folder() + "/left-0.tmp"));
  EXPECT_TRUE(fs::exists(folder() + "/busy-0.tmp"));
  uint64_t total = 0;
  for (const auto& e : fs::directory_iterator(folder()))
    if (e.path().extension() == ".etz") total += e.file_size();
  EXPECT_LE(total, kLimit);
}

// Writers and readers of the same names in several processes: each read gives a whole file.
TEST_F(FileStoreTest, ConcurrentProcessesSeeWholeFiles) {
  constexpr int kProcesses = 4, kRounds = 150;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = fork();
    if (child == 0) {
      FileStore store(folder(), 200'000);  // evicting, too
      for (int i = 0; i < kRounds; ++i) {
        const std::string name = "f" + std::to_string((i + p) % 7);
        if (!store.write(name, filled(20'000 + 1000 * p, p))) _exit(1);
        const auto bytes = store.read(name);
        if (!bytes) continue;  // evicted by another
        const int owner = static_cast<int>((*bytes)[0]);
        if (*bytes != filled(20'000 + 1000 * owner, owner)) _exit(2);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(files(".tmp"), 0u);
}

TEST_F(FileStoreTest, ProcessesThatMakeAFileAtOnceGetTheSame) {
  std::vector<std::optional<std::vector<std::byte>>> got(4);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] { got[i] = FileStore(folder(), 1000).readOrMake("secret", filled(32, i + 1)); });
  for (std::thread& t : threads) t.join();
  ASSERT_TRUE(got[0]);
  for (const auto& g : got) EXPECT_EQ(g, got[0]);
  struct stat s;
  ASSERT_EQ(stat((folder() + "/secret.keep").c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0600u);
}

}  // namespace
}  // namespace etzel::store
