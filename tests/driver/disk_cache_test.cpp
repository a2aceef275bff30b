// The cache on disk as applications meet it: what one process made hot is hot in the next from its first use, with the
// same results, whatever became of the folder meanwhile. Each life of the application is a process of its own.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "gpu.h"
#include "testing/vk/commands.h"

#include "thousand.comp.h"

namespace etzel::driver_test {
namespace {

namespace fs = std::filesystem;
using Environment = std::map<std::string, std::string>;  // an empty value: not set

/// What a life does, in its environment.
constexpr const char* kReport = "ETZEL_TEST_REPORT";  ///< where it writes what it saw
constexpr const char* kHeat = "ETZEL_TEST_HEAT";      ///< it goes on until its code is optimized
constexpr const char* kData = "ETZEL_TEST_DATA";      ///< VkPipelineCache data: read if it is there, else written

/// What a life saw.
struct Seen {
  uint64_t instructions = 0, optimized = 0;  ///< of the pipeline when it was made
  uint64_t result = 0;                       ///< of the buffer's bytes
  uint64_t madeInNs = 0;                     ///< the pipeline, its module included, by the caller's processor time
  bool operator==(const Seen& o) const {
    return instructions == o.instructions && optimized == o.optimized && result == o.result;
  }
};

/// What this thread has computed so far: machines are busy.
uint64_t processorNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec);
}

class Life {
 public:
  Life() : gpu_(&features_, {VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME}) {}

  void run() {
    const char* data = std::getenv(kData);
    const VkPipelineCache cache = data ? makeCache(data) : VK_NULL_HANDLE;
    const uint64_t began = processorNs();
    const VkPipeline pipeline = gpu_.makePipeline(gpu_.makeModule(thousand_comp), gpu_.layout, nullptr, cache);
    const uint64_t madeInNs = processorNs() - began;
    Seen seen{statistic(pipeline, "Instructions"), statistic(pipeline, "Optimized"), 0, madeInNs};
    const Buffer output = gpu_.makeBuffer(kGroups * 64 * 4);
    gpu_.bindBuffers(nullptr, nullptr, output);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    do {
      VK_OK(gpu_.run(pipeline, kGroups));
    } while (std::getenv(kHeat) && !statistic(pipeline, "Optimized") && std::chrono::steady_clock::now() < deadline);
    seen.result = 0xcbf29ce484222325ull;
    for (uint32_t i = 0; i < kGroups * 64; ++i) seen.result = (seen.result ^ output.words[i]) * 0x100000001b3ull;
    if (data && !fs::exists(data)) save(cache, data);
    std::ofstream(std::getenv(kReport)) << seen.instructions << ' ' << seen.optimized << ' ' << seen.result << ' '
                                        << seen.madeInNs;
  }

 private:
  static constexpr uint32_t kGroups = 500;

  VkPipelineCache makeCache(const char* path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    info.initialDataSize = bytes.size(), info.pInitialData = bytes.data();
    return gpu_.make(info);
  }
  void save(VkPipelineCache cache, const char* path) const {
    size_t size = 0;
    VK_OK(vkGetPipelineCacheData(gpu_.device, cache, &size, nullptr));
    std::vector<char> bytes(size);
    VK_OK(vkGetPipelineCacheData(gpu_.device, cache, &size, bytes.data()));
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(size));
  }
  uint64_t statistic(VkPipeline pipeline, const char* name) const {
    const auto get = reinterpret_cast<PFN_vkGetPipelineExecutableStatisticsKHR>(
        vkGetDeviceProcAddr(gpu_.device, "vkGetPipelineExecutableStatisticsKHR"));
    VkPipelineExecutableInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR};
    info.pipeline = pipeline;
    uint32_t count = 0;
    get(gpu_.device, &info, &count, nullptr);
    std::vector<VkPipelineExecutableStatisticKHR> all(count, {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR});
    get(gpu_.device, &info, &count, all.data());
    for (const auto& s : all)
      if (std::strcmp(s.name, name) == 0) return s.value.u64;
    ADD_FAILURE() << "no statistic " << name;
    return 0;
  }

  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR features_{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR, nullptr, VK_TRUE};
  Gpu gpu_;
};

// Not a test of its own: what the processes run that the tests below start.
TEST(DiskCacheLife, Runs) {
  if (!std::getenv(kReport)) GTEST_SKIP() << "run by the tests of the cache on disk";
  Life().run();
}

class DiskCacheTest : public testing::Test {
 protected:
  DiskCacheTest() {
    char path[] = "/tmp/etzel-driver-test-XXXXXX";
    root_ = mkdtemp(path);
    folder_ = root_ / "cache";
  }
  ~DiskCacheTest() override { fs::remove_all(root_); }
  void SetUp() override {
    if (live({{"ETZEL_CACHE", "off"}, {"ETZEL_DEBUG", "jit-now"}}).optimized == 0)
      GTEST_SKIP() << "nothing is optimized by this build, or for this host";
  }

  struct Process {
    pid_t pid;
    fs::path report;
  };
  Process start(Environment environment) {
    const fs::path report = root_ / ("report" + std::to_string(++lives_));
    environment[kReport] = report;
    const pid_t pid = fork();
    if (pid == 0) {
      for (const auto& [name, value] : environment)
        value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
      execl("/proc/self/exe", "etzel_driver_test", "--gtest_filter=DiskCacheLife.Runs", "--gtest_brief=1", nullptr);
      _exit(127);
    }
    return {pid, report};
  }
  static Seen end(const Process& process) {
    int status = -1;
    EXPECT_EQ(waitpid(process.pid, &status, 0), process.pid);
    EXPECT_EQ(status, 0);
    Seen seen;
    std::ifstream(process.report) >> seen.instructions >> seen.optimized >> seen.result >> seen.madeInNs;
    EXPECT_GE(seen.instructions, 1000u);
    return seen;
  }
  Seen live(const Environment& environment) { return end(start(environment)); }
  /// Lives with the cache in the test's folder.
  Seen heat() { return live({{"ETZEL_CACHE", folder_}, {kHeat, "1"}}); }
  Seen look() { return live({{"ETZEL_CACHE", folder_}}); }
  std::vector<fs::path> entries(const fs::path& folder) const {
    std::vector<fs::path> all;
    if (fs::exists(folder))
      for (const auto& e : fs::directory_iterator(folder))
        if (e.path().extension() == ".etz") all.push_back(e.path());
    return all;
  }

  fs::path root_, folder_;
  int lives_ = 0;
};

TEST_F(DiskCacheTest, ASecondProcessRunsOptimizedCodeAtOnce) {
  const Seen first = heat(), second = look();
  EXPECT_EQ(first.optimized, 0u);
  EXPECT_EQ(second.optimized, 1u);
  EXPECT_EQ(second.result, first.result);
  const Seen interpreted = live({{"ETZEL_CACHE", folder_}, {"ETZEL_DEBUG", "no-jit"}});
  EXPECT_EQ(interpreted.optimized, 0u);
  EXPECT_EQ(interpreted.result, first.result);
  EXPECT_EQ(live({{"ETZEL_CACHE", "off"}}).optimized, 0u);
  EXPECT_EQ(live({{"ETZEL_CACHE", folder_}, {"ETZEL_DEBUG", "isa=x86_64_v1"}}).optimized, 0u);  // another host's
}

// A process that has not seen it has a pipeline of 1,000 instructions in a quarter of the time of the process that
// compiled it, at most.
TEST_F(DiskCacheTest, ASecondProcessHasAPipelineInAQuarterOfTheTime) {
  const Seen first = heat();
  uint64_t least = UINT64_MAX;
  for (int life = 0; life < 5; ++life) {
    const Seen seen = look();
    EXPECT_EQ(seen.optimized, 1u);
    least = std::min(least, seen.madeInNs);
  }
  std::printf("%.0f us for a pipeline of %llu instructions, %.0f us without the cache\n", double(least) / 1000,
              static_cast<unsigned long long>(first.instructions), double(first.madeInNs) / 1000);
  EXPECT_LE(least, first.madeInNs / 4);
}

TEST_F(DiskCacheTest, DamagedEntriesAreIgnoredAndReplaced) {
  const Seen first = heat();
  for (const fs::path& path : entries(folder_)) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(fs::file_size(path) / 2));
    file.write("damage", 6);
  }
  const Seen damaged = heat();
  EXPECT_EQ(damaged.optimized, 0u);
  EXPECT_EQ(damaged.result, first.result);
  EXPECT_EQ(look().optimized, 1u);
  for (const fs::path& path : entries(folder_)) fs::resize_file(path, fs::file_size(path) / 2);
  EXPECT_EQ(look().result, first.result);
}

TEST_F(DiskCacheTest, ProcessesMayShareItAllAtOnce) {
  std::vector<Process> processes;
  for (int i = 0; i < 3; ++i) processes.push_back(start({{"ETZEL_CACHE", folder_}, {kHeat, "1"}}));
  const Seen first = end(processes[0]);
  EXPECT_EQ(end(processes[1]).result, first.result);
  EXPECT_EQ(end(processes[2]).result, first.result);
  EXPECT_EQ(look().optimized, 1u);
}

TEST_F(DiskCacheTest, NothingNeedsAFolder) {
  const Seen first = live({{"ETZEL_CACHE", "off"}, {kHeat, "1"}});
  for (const std::string folder : {"/proc/nowhere", "/dev/null", "relative"}) {
    const Seen seen = live({{"ETZEL_CACHE", folder}, {kHeat, "1"}});
    EXPECT_EQ(seen, first) << folder;
  }
  EXPECT_FALSE(fs::exists("relative"));
  EXPECT_EQ(live({{"ETZEL_CACHE", ""}, {"XDG_CACHE_HOME", ""}, {"HOME", ""}}).result, first.result);
}

TEST_F(DiskCacheTest, ItLiesWhereCachesOfUsersLie) {
  const fs::path home = root_ / "home", caches = root_ / "caches";
  fs::create_directory(home);
  live({{"ETZEL_CACHE", ""}, {"XDG_CACHE_HOME", ""}, {"HOME", home}});
  EXPECT_EQ(entries(home / ".cache" / "etzel").size(), 1u);
  live({{"ETZEL_CACHE", ""}, {"XDG_CACHE_HOME", caches}, {"HOME", home}});
  EXPECT_EQ(entries(caches / "etzel").size(), 1u);
}

TEST_F(DiskCacheTest, PipelineCacheDataCarryOptimizedCodeForItsUserAlone) {
  const fs::path data = root_ / "data";
  const Seen first = live({{"ETZEL_CACHE", folder_}, {kHeat, "1"}, {kData, data}});
  ASSERT_TRUE(fs::exists(data));
  for (const fs::path& path : entries(folder_)) fs::remove(path);  // the application's data are all that is left
  const Seen second = live({{"ETZEL_CACHE", folder_}, {kData, data}});
  EXPECT_EQ(second.optimized, 1u);
  EXPECT_EQ(second.result, first.result);
  // Who has another secret, or none, takes the programs and makes the code.
  const Seen other = live({{"ETZEL_CACHE", root_ / "other"}, {kData, data}});
  EXPECT_EQ(other.optimized, 0u);
  EXPECT_EQ(other.result, first.result);
  EXPECT_EQ(live({{"ETZEL_CACHE", "off"}, {kData, data}}).optimized, 0u);
}

// Saved early, as most applications do: the code that came later is on disk.
TEST_F(DiskCacheTest, OldPipelineCacheDataAreNoObstacle) {
  const fs::path data = root_ / "data";
  live({{"ETZEL_CACHE", folder_}, {kData, data}});
  EXPECT_EQ(live({{"ETZEL_CACHE", folder_}, {kData, data}, {kHeat, "1"}}).optimized, 0u);
  EXPECT_EQ(live({{"ETZEL_CACHE", folder_}, {kData, data}}).optimized, 1u);
}

}  // namespace
}  // namespace etzel::driver_test
