// How much memory control groups let this process have (containers): the limits of all groups around it.
#pragma once

#include <cstdint>
#include <limits>

#include "runtime/base/control_groups.h"

namespace etzel {

struct MemoryLimit {
  static constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();
  uint64_t bytes = kNone;  ///< the least limit
  uint64_t free = kNone;   ///< what the fullest group has left; pages of files that it could drop count as free
};

/// Read anew with every call. Knows version 2 (memory.max) and version 1 (memory.limit_in_bytes).
MemoryLimit memoryLimit(const ControlGroups& where = {});

}  // namespace etzel
