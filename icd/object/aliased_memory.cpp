#include "icd/object/aliased_memory.h"

#include <sys/mman.h>
#include <unistd.h>

namespace etzel::icd {
namespace {

bool aliasesPage() {
  const uint64_t bytes = hostPageBytes();
  void* shared = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return false;
  std::byte* const second = mapNothing(nullptr, bytes);
  bool same = second && mapAgain(static_cast<std::byte*>(shared), bytes, second);
  if (same) {
    *static_cast<volatile std::byte*>(shared) = std::byte{1};
    same = *static_cast<volatile std::byte*>(second) == std::byte{1};
  }
  if (second) munmap(second, bytes);
  munmap(shared, bytes);
  return same;
}

}  // namespace

uint64_t hostPageBytes() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
  return bytes;
}

bool systemAliasesMemory() {
  static const bool aliases = aliasesPage();
  return aliases;
}

std::byte* mapNothing(std::byte* at, uint64_t bytes) {
  const int fixed = at ? MAP_FIXED : 0;
  void* p = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  madvise(p, bytes, MADV_NOHUGEPAGE);  // one of those would take 2 MiB at the first store
  return static_cast<std::byte*>(p);
}

// mremap(), Notes: with an old size of zero it makes another mapping of the same shared pages. Nothing needs a file.
bool mapAgain(std::byte* memory, uint64_t bytes, std::byte* at) {
  return mremap(memory, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at) == at;
}

}  // namespace etzel::icd
