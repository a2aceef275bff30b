#include "icd/object/captured_addresses.h"

#include <sys/mman.h>

#include <atomic>
#include <bit>

#include "runtime/base/types.h"

namespace etzel::icd {
namespace {

/// Programs and their heaps lie above or below, libraries and what is mapped anywhere near the end of all addresses.
constexpr uint64_t kFirst = uint64_t{1} << 44, kEnd = uint64_t{5} << 44;
/// Between two pieces: the largest page that the host may use, so that sizes a little larger still fit in a replay.
constexpr uint64_t kApart = 2 << 20;
constexpr int kTries = 64;

/// What of kFirst to kEnd was handed out already.
std::atomic<uint64_t> used{0};

uint64_t nextPlace(uint64_t bytes) {
  const uint64_t whole = alignUp<uint64_t>(bytes, kApart);
  const uint64_t begin = used.fetch_add(whole);
  return kFirst + begin % (kEnd - kFirst);
}

std::byte* mapAt(uint64_t at, uint64_t bytes, int flags, int fd) {
  void* const wanted = std::bit_cast<void*>(static_cast<uintptr_t>(at));
  void* p = mmap(wanted, bytes, PROT_READ | PROT_WRITE, flags | (at ? MAP_FIXED_NOREPLACE : 0), fd, 0);
  if (p == MAP_FAILED) return nullptr;
  if (!at || p == wanted) return static_cast<std::byte*>(p);
  munmap(p, bytes);  // kernels before 4.17 take the address for a wish
  return nullptr;
}

}  // namespace

std::byte* mapForReplay(uint64_t at, uint64_t bytes, int flags, int fd) {
  if (at) return mapAt(at, bytes, flags, fd);
  for (int i = 0; i < kTries && bytes < kEnd - kFirst; ++i)
    if (std::byte* p = mapAt(nextPlace(bytes), bytes, flags, fd)) return p;
  return mapAt(0, bytes, flags, fd);
}

}  // namespace etzel::icd
