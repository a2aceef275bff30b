// How many threads may really run at once: the CPUs of the process's affinity mask (any number of them), and what
// control groups let it have of their time (containers).
#pragma once

#include <string>

#include "runtime/base/types.h"

namespace etzel::task {

/// At least 1. A quota of 2.5 CPUs counts as 3: one thread more than would always run.
uint32_t availableCpus();

/// CPUs of the affinity mask.
uint32_t affinityCpus();

/// The least quota of the control groups that /proc/self/cgroup (`groups`) names, below the folder where they are
/// mounted; 0 without one. Version 2 (cpu.max) and version 1 (cpu.cfs_quota_us) are known.
uint32_t quotaCpus(const std::string& groups = "/proc/self/cgroup", const std::string& mounted = "/sys/fs/cgroup");

}  // namespace etzel::task
