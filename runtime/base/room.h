// Whether the system, and the control groups around this process, still has memory to give: asked before libraries are
// called that end the process, or leave behind what they had, when they get none.
#pragma once

#include <sys/mman.h>

#include <cstddef>

#include "runtime/base/memory_limit.h"

namespace etzel {

/// \param written  how much of it will be written to: addresses alone count against no group
inline bool systemHasRoomFor(size_t bytes, size_t written) {
  if (!groupsHaveRoomFor(written)) return false;
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return false;
  munmap(p, bytes);
  return true;
}
inline bool systemHasRoomFor(size_t bytes) { return systemHasRoomFor(bytes, bytes); }

}  // namespace etzel
