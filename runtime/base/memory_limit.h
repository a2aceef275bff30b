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

/// Whether the groups around this process leave room for `bytes` more. A limit refuses nothing: the kernel ends a
/// process that writes to a page too many, so who is about to ask for much asks this first. What the kernel could drop
/// or swap out counts as room; a sixteenth of each limit is kept for what nobody asks about (stacks, tables of pages).
/// Asks for no memory but the first time; without limits at that time it always says yes, at no cost. Any thread.
bool groupsHaveRoomFor(uint64_t bytes);
/// The same of other groups, and with that much swap space.
bool groupsHaveRoomFor(uint64_t bytes, const ControlGroups& where, uint64_t freeSwapBytes);

/// What the machine has, or the least limit of the groups around this process.
uint64_t physicalBytes();

/// Read anew with every call. Knows version 2 (memory.max) and version 1 (memory.limit_in_bytes).
MemoryLimit memoryLimit(const ControlGroups& where = {});

}  // namespace etzel
