#include "icd/memory/memory_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "icd/memory/resources.h"
#include "icd/object/aliased_memory.h"
#include "icd/object/captured_addresses.h"
#include "icd/physical_device/memory_types.h"
#include "runtime/base/debug_flags.h"
#include "runtime/base/huge_pages.h"

namespace etzel::icd {
namespace {

constexpr size_t kMapBytes = 64 * 1024;  ///< from here on pages come from mmap, lazily
constexpr size_t kFenceAlignment =
    64;  ///< of addresses of memory that ends at a fence: what buffers and images ask for

/// Whether pages come from mmap whatever their number: they can be mapped again, or are none until somebody writes.
bool isMapped(const DeviceMemory& m) {
  return m.fd >= 0 || m.placed || m.typeIndex == kSparseMemoryType || m.typeIndex == kLazyMemoryType;
}

/// ETZEL_DEBUG=fence=…: the side of memory beside which a page lies that nobody may touch.
enum class Fence { None, Begin, End };
Fence fence() {
  static const Fence side = [] {
    const std::string_view said = debugOption(DebugOption::Fence);
    return said == "begin" ? Fence::Begin : said == "end" ? Fence::End : Fence::None;
  }();
  return side;
}

/// Pages between two fences.
std::byte* allocateFenced(uint64_t bytes) {
  const size_t page = hostPageBytes(), size = roundToPages(bytes);
  void* p = mmap(nullptr, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  std::byte* first = static_cast<std::byte*>(p) + page;
  if (mprotect(first, size, PROT_READ | PROT_WRITE) != 0) {
    munmap(p, size + 2 * page);
    return nullptr;
  }
  return fence() == Fence::End ? first + (size - alignUp<size_t>(bytes, kFenceAlignment)) : first;
}

void freeFenced(std::byte* data, uint64_t bytes) {
  const size_t page = hostPageBytes();
  munmap(data - reinterpret_cast<uintptr_t>(data) % page - page, roundToPages(bytes) + 2 * page);
}

}  // namespace

size_t roundToPages(uint64_t bytes) { return alignUp<size_t>(bytes, hostPageBytes()); }

std::byte* allocatePages(const DeviceMemory& m, uint64_t at) {
  const size_t size = roundToPages(m.size);
  if (!isMapped(m)) {
    if (fence() != Fence::None) return allocateFenced(m.size);
    if (m.size < kMapBytes) {
      void* p = std::aligned_alloc(hostPageBytes(), size);
      if (p) std::memset(p, 0, size);
      return static_cast<std::byte*>(p);
    }
  }
  const int sharing = m.typeIndex == kSparseMemoryType ? MAP_SHARED : MAP_PRIVATE;
  const int flags = sharing | MAP_ANONYMOUS | MAP_NORESERVE;
  if (m.placed) return mapForReplay(at, size, flags, -1);
  if (!isMapped(m) && size >= kHugePageBytes) return static_cast<std::byte*>(mapForHugePages(size));
  void* p = mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, -1, 0);
  return p == MAP_FAILED ? nullptr : static_cast<std::byte*>(p);
}

void freePages(const DeviceMemory& m) {
  if (!isMapped(m) && fence() != Fence::None)
    freeFenced(m.data, m.size);
  else if (!isMapped(m) && m.size < kMapBytes)
    std::free(m.data);
  else
    munmap(m.data, roundToPages(m.size));
}

void expectWrites(const DeviceMemory& m, uint64_t at, uint64_t bytes) {
  if (isMapped(m) || m.imported || fence() != Fence::None) return;
  const uint64_t first = alignUp<uint64_t>(at, kHugePageBytes), end = (at + bytes) / kHugePageBytes * kHugePageBytes;
  if (first < end) wishHugePages(m.data + first, end - first);
}

uint64_t residentBytes(const DeviceMemory& m) {
  constexpr uint64_t kAsked = 4096;  // pages at a time
  const uint64_t page = hostPageBytes(), pages = roundToPages(m.size) / page;
  unsigned char resident[kAsked];
  uint64_t bytes = 0;
  for (uint64_t first = 0; first < pages; first += kAsked) {
    const uint64_t count = std::min(kAsked, pages - first);
    if (mincore(m.data + first * page, count * page, resident) != 0) return m.size;
    bytes += page * static_cast<uint64_t>(
                        std::count_if(resident, resident + count, [](unsigned char r) { return (r & 1) != 0; }));
  }
  return std::min(bytes, m.size);
}

}  // namespace etzel::icd
