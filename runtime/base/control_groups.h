// Control groups ("cgroups(7)"): the folders in which the kernel shows what a process's groups let it have. Versions 1
// and 2; a limit of any group around the process's own counts as well. What the files in the folders say is known by
// those who ask: CPUs (runtime/task/cpus.h), memory (memory_limit.h).
#pragma once

#include <functional>
#include <string>

namespace etzel {

/// Where a process's groups are written down, and where their folders are. Tests have others.
struct ControlGroups {
  std::string groups = "/proc/self/cgroup";
  std::string mounted = "/sys/fs/cgroup";
};

/// Calls `unified` with each folder of version 2 and `own` with each of version 1 that may belong to a group with
/// `controller` ("cpu", "memory") over this process: its own first, then those around it. Not all of them exist.
void forEachGroup(const ControlGroups& where, const std::string& controller,
                  const std::function<void(const std::string& folder)>& unified,
                  const std::function<void(const std::string& folder)>& own);

}  // namespace etzel
