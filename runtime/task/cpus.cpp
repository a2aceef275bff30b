#include "runtime/task/cpus.h"

#include <sched.h>

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

/// The least quota of a group and of those around it.
template <class Quota>
uint32_t leastUpwards(std::string path, Quota quota) {
  uint32_t least = 0;
  for (;;) {
    if (const uint32_t q = quota(path)) least = least ? std::min(least, q) : q;
    if (path.empty() || path == "/") return least;
    path.erase(std::max<size_t>(path.rfind('/'), 0));
  }
}

bool lists(const std::string& controllers, const std::string& wanted) {
  std::istringstream in(controllers);
  for (std::string one; std::getline(in, one, ',');)
    if (one == wanted) return true;
  return false;
}

}  // namespace

uint32_t quotaCpus(const std::string& groups, const std::string& mounted) {
  std::ifstream in(groups);
  uint32_t least = 0;
  // Lines are "id:controllers:path"; version 2 has id 0 and no controllers ("cgroups(7)").
  for (std::string line; std::getline(in, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    uint32_t quota = 0;
    if (controllers.empty()) {
      quota = leastUpwards(path, [&](const std::string& p) {
        const uint32_t q = quotaOf(mounted + p + "/cpu.max", "");
        return q ? q : quotaOf(mounted + "/unified" + p + "/cpu.max", "");
      });
    } else if (lists(controllers, "cpu")) {
      quota = leastUpwards(path, [&](const std::string& p) {
        for (const char* home : {"/cpu", "/cpu,cpuacct", "/cpuacct,cpu"}) {
          const std::string folder = mounted + home + p;
          if (const uint32_t q = quotaOf(folder + "/cpu.cfs_quota_us", folder + "/cpu.cfs_period_us")) return q;
        }
        return 0u;
      });
    }
    if (quota) least = least ? std::min(least, quota) : quota;
  }
  return least;
}

uint32_t affinityCpus() {
  // The kernel refuses masks that are shorter than its own.
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
    std::vector<cpu_set_t> set(CPU_ALLOC_SIZE(cpus) / sizeof(cpu_set_t));
    const size_t bytes = set.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, set.data()) == 0)
      return static_cast<uint32_t>(std::max(1, CPU_COUNT_S(bytes, set.data())));
    if (errno != EINVAL) return 1;
  }
  return 1;
}

uint32_t availableCpus() {
  const uint32_t cpus = affinityCpus(), quota = quotaCpus();
  return quota ? std::min(cpus, quota) : cpus;
}

}  // namespace etzel::task
