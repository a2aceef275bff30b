#include "runtime/task/cpus.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <vector>

namespace etzel::task {
namespace {

/// CPUs of one group's quota; 0: none. `file` holds "quota period" (version 2) or the quota alone (version 1).
uint32_t quotaOf(const std::string& file, const std::string& periodFile) {
  std::ifstream in(file);
  std::string quota;
  long long period = 0;
  if (!(in >> quota) || quota == "max") return 0;
  if (periodFile.empty())
    in >> period;
  else
    std::ifstream(periodFile) >> period;
  long long time = 0;
  std::istringstream(quota) >> time;
  if (time <= 0 || period <= 0) return 0;  // version 1 says -1 for none
  return static_cast<uint32_t>(std::clamp<long long>(divideUp(time, period), 1, 1 << 20));
}

}  // namespace

uint32_t quotaCpus(const ControlGroups& where) {
  uint32_t least = 0;
  const auto lower = [&](uint32_t quota) {
    if (quota) least = least ? std::min(least, quota) : quota;
  };
  forEachGroup(
      where, "cpu", [&](const std::string& folder) { lower(quotaOf(folder + "/cpu.max", "")); },
      [&](const std::string& folder) { lower(quotaOf(folder + "/cpu.cfs_quota_us", folder + "/cpu.cfs_period_us")); });
  return least;
}

int readAffinity(size_t bytes, cpu_set_t* mask) { return sched_getaffinity(0, bytes, mask); }

uint32_t affinityCpus(ReadAffinity read) {
  // The kernel refuses masks that are shorter than its own.
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
    std::vector<cpu_set_t> set(CPU_ALLOC_SIZE(cpus) / sizeof(cpu_set_t));
    const size_t bytes = set.size() * sizeof(cpu_set_t);
    if (read(bytes, set.data()) == 0) return static_cast<uint32_t>(std::max(1, CPU_COUNT_S(bytes, set.data())));
    if (errno != EINVAL) return 1;
  }
  return 1;
}

uint32_t availableCpus() {
  const uint32_t cpus = affinityCpus(), quota = quotaCpus();
  return quota ? std::min(cpus, quota) : cpus;
}

}  // namespace etzel::task
