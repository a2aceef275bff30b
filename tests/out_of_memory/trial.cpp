#include "tests/out_of_memory/trial.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/out_of_memory/allocator.h"
#include "tests/out_of_memory/callbacks.h"

namespace oom {
namespace {

constexpr unsigned kPatienceSeconds = 120;  // what takes one of them takes more where much else runs

int entriesOf(const char* folder) {
  DIR* dir = opendir(folder);
  if (!dir) return 0;
  int count = 0;
  while (readdir(dir)) ++count;
  closedir(dir);
  return count;
}

/// The failures of a trial, as long as they are on.
class Failing {
 public:
  Failing(const Trial& trial, Callbacks* callbacks) : callbacks_(callbacks) {
    switch (trial.fault) {
      case Fault::None: arm(Mode::Count, 0); break;
      case Fault::Once: arm(Mode::Once, trial.at); break;
      case Fault::FromThenOn: arm(Mode::FromThenOn, trial.at); break;
      case Fault::NoCallbackFault: callbacks_->arm(Mode::Count, 0); break;
      case Fault::CallbackOnce: callbacks_->arm(Mode::Once, trial.at); break;
      case Fault::CallbackFromThenOn: callbacks_->arm(Mode::FromThenOn, trial.at); break;
      case Fault::AddressSpace: limit(trial.at); break;
    }
  }
  ~Failing() { end(); }
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;

  void end() {
    disarm();
    if (callbacks_) callbacks_->disarm();
    if (limited_) setrlimit(RLIMIT_AS, &before_);
    limited_ = false;
  }

 private:
  void limit(uint64_t more) {
    unsigned long pages = 0;
    if (FILE* f = std::fopen("/proc/self/statm", "r")) {
      if (std::fscanf(f, "%lu", &pages) != 1) pages = 0;
      std::fclose(f);
    }
    getrlimit(RLIMIT_AS, &before_);
    const rlimit now{pages * uint64_t(sysconf(_SC_PAGESIZE)) + more, before_.rlim_max};
    limited_ = setrlimit(RLIMIT_AS, &now) == 0;
  }
  Callbacks* callbacks_;
  rlimit before_{};
  bool limited_ = false;
};

VkResult prepare(Scenario& scenario, Gpu& gpu) {
  OOM_TRY(gpu.open(scenario.needs));
  return scenario.prepare(gpu);
}
/// Destroys what act() made, down to what prepare() found.
void clean(const Scenario& scenario, Gpu& gpu) {
  gpu.release();
  if (scenario.needs < Level::Device && gpu.device) {
    gpu.vk.DestroyDevice(gpu.device, gpu.callbacks);
    gpu.device = VK_NULL_HANDLE;
  }
  if (scenario.needs < Level::Instance) gpu.close();
}

void recordHeld(Report& report) {
  for (const auto& [size, count] : held()) {
    if (report.sizeCount == Report::kMaxSizes) break;
    report.sizes[report.sizeCount] = size;
    report.counts[report.sizeCount++] = count;
  }
  report.descriptors = entriesOf("/proc/self/fd");
  // A thread that was joined is still there for a moment, which is long where much else runs.
  constexpr int kOneThread = 3;  // and the folder's two entries
  for (int wait = 0; (report.threads = entriesOf("/proc/self/task")) > kOneThread && wait < 10'000; ++wait)
    usleep(1000);
}

void run(const Trial& trial, Report& report) {
  std::unique_ptr<Callbacks> callbacks;
  if (trial.fault >= Fault::NoCallbackFault && trial.fault <= Fault::CallbackFromThenOn)
    callbacks = std::make_unique<Callbacks>();
  Gpu gpu(callbacks ? callbacks->get() : nullptr);
  auto scenario = trial.entry->make();
  gpu.windows = scenario->windows;
  gpu.place = trial.place;
  if ((report.prepared = prepare(*scenario, gpu)) != VK_SUCCESS) return;
  {
    Failing failing(trial, callbacks.get());
    report.result = scenario->act(gpu);
    clean(*scenario, gpu);
    failing.end();
    report.requests = callbacks ? callbacks->requested() : requested();
    report.refused = callbacks ? callbacks->refused() : refused();
  }
  if (!callbacks) std::copy_n(refusedAt(), Report::kMaxFrames, report.refusedAt);
  if (gpu.device && gpu.vk.DeviceWaitIdle(gpu.device) == VK_ERROR_DEVICE_LOST) {
    gpu.vk.DestroyDevice(gpu.device, gpu.callbacks);
    gpu.device = VK_NULL_HANDLE;
  }
  report.reopened = gpu.open(Level::Device);
  if (report.reopened != VK_SUCCESS) return;
  report.probe = gpu.probe();
  gpu.close();
  scenario = trial.entry->make();
  report.again = prepare(*scenario, gpu);
  if (report.again == VK_SUCCESS) report.again = scenario->act(gpu);
  clean(*scenario, gpu);
  gpu.close();
  report.callbacksHeld = callbacks ? callbacks->held() : 0;
}

/// Sets the environment of a trial. A value that its entry does not say is a folder. \returns that folder, to be
/// removed
std::string setEnvironment(const Trial& trial) {
  const std::string all(trial.entry->environment);
  const size_t equals = all.find('=');
  std::string value = all.substr(equals + 1), folder;
  if (!trial.fills.empty()) {
    value = trial.fills;
    setenv("ETZEL_DEBUG", "jit-now", 1);
  } else if (value.empty()) {
    char name[] = "/tmp/etzel-oom-XXXXXX";
    if (mkdtemp(name)) value = folder = name;
    if (!trial.filled.empty()) std::filesystem::copy(trial.filled, folder, std::filesystem::copy_options::recursive);
  }
  setenv(all.substr(0, equals).c_str(), value.c_str(), 1);
  return folder;
}

}  // namespace

pid_t start(const Trial& trial, Report& report) {
  report.done = false;
  report.sizeCount = 0;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  alarm(kPatienceSeconds);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::string folder;
  if (trial.entry->environment) folder = setEnvironment(trial);
  if (trial.explained) traceHeld();
  if (!trial.entry->segments) refuseSegments();
  report.prepared = report.result = report.reopened = report.probe = report.again = VK_ERROR_UNKNOWN;
  run(trial, report);
  recordHeld(report);
  if (trial.fault == Fault::None) {
    const std::vector<bool> own = ownRequests();
    std::copy_n(own.begin(), std::min(own.size(), Report::kMaxRequests), report.own);
  }
  if (trial.explained) printHeld(trial.explained);
  if (!folder.empty()) std::filesystem::remove_all(folder);
  report.done = true;
  _exit(0);
}

}  // namespace oom
