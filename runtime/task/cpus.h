// How many threads may really run at once: the CPUs of the process's affinity mask (any number of them), and what
// control groups let it have of their time (containers).
#pragma once

#include <sched.h>

#include "runtime/base/control_groups.h"
#include "runtime/base/types.h"

namespace etzel::task {

/// At least 1. A quota of 2.5 CPUs counts as 3: one thread more than would always run.
uint32_t availableCpus();

/// sched_getaffinity() of this process; tests have other kernels.
using ReadAffinity = int (*)(size_t bytes, cpu_set_t* mask);
int readAffinity(size_t bytes, cpu_set_t* mask);

/// CPUs of the affinity mask, however long the kernel's is.
uint32_t affinityCpus(ReadAffinity read = readAffinity);

/// The least quota of the control groups around this process; 0 without one. Version 2 (cpu.max) and version 1
/// (cpu.cfs_quota_us) are known.
uint32_t quotaCpus(const ControlGroups& where = {});

}  // namespace etzel::task
