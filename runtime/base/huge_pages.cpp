#include "runtime/base/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>

#include "runtime/base/types.h"

namespace etzel {

void wishHugePages(void* at, size_t bytes) { madvise(at, bytes, MADV_HUGEPAGE); }

void* mapForHugePages(size_t bytes) {
  if (bytes > SIZE_MAX - kHugePageBytes) return nullptr;
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const mapped = mmap(nullptr, bytes + kHugePageBytes, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  // The system aligns to its own pages: what there is too much of, before and behind, goes back.
  std::byte* const first = static_cast<std::byte*>(mapped);
  const size_t before =
      alignUp(reinterpret_cast<uintptr_t>(first), kHugePageBytes) - reinterpret_cast<uintptr_t>(first);
  std::byte* const aligned = first + before;
  if (before != 0) munmap(first, before);
  if (before != kHugePageBytes) munmap(aligned + bytes, kHugePageBytes - before);
  return aligned;
}

}  // namespace etzel
