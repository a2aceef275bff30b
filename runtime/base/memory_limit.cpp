#include "runtime/base/memory_limit.h"

#include <algorithm>
#include <fstream>

namespace etzel {
namespace {

/// The number that a file begins with, or `otherwise`: version 2 says "max" for no limit.
uint64_t numberIn(const std::string& file, uint64_t otherwise) {
  uint64_t number = 0;
  return std::ifstream(file) >> number ? number : otherwise;
}

/// What a file of lines "name number" says of `name`; 0 without it.
uint64_t lineOf(const std::string& file, const std::string& name) {
  std::ifstream in(file);
  uint64_t number = 0;
  for (std::string key; in >> key >> number;)
    if (key == name) return number;
  return 0;
}

/// The files of one version of control groups.
struct Files {
  const char *limit, *used, *droppable;  ///< the last: a name in memory.stat
};

void lower(MemoryLimit& least, const std::string& folder, const Files& files) {
  const uint64_t limit = numberIn(folder + files.limit, MemoryLimit::kNone);
  // No group has no memory; version 1 says "no limit" with a number that no machine has.
  if (limit == 0 || limit >= MemoryLimit::kNone / 4) return;
  const uint64_t used = numberIn(folder + files.used, 0);
  const uint64_t held = used - std::min(used, lineOf(folder + "/memory.stat", files.droppable));
  least.bytes = std::min(least.bytes, limit);
  least.free = std::min(least.free, limit - std::min(limit, held));
}

}  // namespace

MemoryLimit memoryLimit(const ControlGroups& where) {
  MemoryLimit least;
  forEachGroup(
      where, "memory",
      [&](const std::string& folder) {
        lower(least, folder, {"/memory.max", "/memory.current", "inactive_file"});
      },
      [&](const std::string& folder) {
        lower(least, folder, {"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"});
      });
  return least;
}

}  // namespace etzel
