// Whether the system still has memory to give: asked before libraries are called that end the process, or leave behind
// what they had, when they get none.
#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace etzel {

inline bool systemHasRoomFor(size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return false;
  munmap(p, bytes);
  return true;
}

}  // namespace etzel
