// What the static C++ runtime and LLVM of the build host take from a glibc newer than 2.34, so that one binary runs
// with all glibc from 2.34 on. Hidden: the application's own calls go where they always went.
#include <elf.h>
#include <link.h>
#include <sys/random.h>

#include <cstdint>

namespace {

/// struct dl_find_object where DLFO_STRUCT_HAS_EH_DBASE is 0 (glibc manual, "Dynamic Linker Introspection").
struct FoundObject {
  unsigned long long flags;
  void* mapStart;
  void* mapEnd;
  link_map* map;
  void* ehFrame;
  unsigned long long reserved[7];
};

struct Search {
  uintptr_t pc;
  FoundObject* found;
};

/// Fills the result if one of the module's loaded segments holds the address and there is unwind data for it.
int visit(dl_phdr_info* info, size_t, void* argument) {
  const Search& search = *static_cast<Search*>(argument);
  const ElfW(Phdr)* unwind = nullptr;
  uintptr_t start = 0, end = 0;
  bool inside = false;
  for (uint32_t i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_GNU_EH_FRAME) unwind = &segment;
    if (segment.p_type != PT_LOAD) continue;
    const uintptr_t low = info->dlpi_addr + segment.p_vaddr, high = low + segment.p_memsz;
    if (end == 0) start = low;
    end = high;
    inside = inside || (search.pc >= low && search.pc < high);
  }
  if (!inside || !unwind) return 0;
  *search.found = {};
  search.found->mapStart = reinterpret_cast<void*>(start);
  search.found->mapEnd = reinterpret_cast<void*>(end);
  search.found->ehFrame = reinterpret_cast<void*>(info->dlpi_addr + unwind->p_vaddr);
  return 1;
}

}  // namespace

// Under names of their own, since a newer glibc's headers declare them too.
extern "C" {

[[gnu::visibility("hidden")]] int etzelFindObject(void* pc, FoundObject* result) __asm__("_dl_find_object");
[[gnu::visibility("hidden")]] uint32_t etzelRandom() __asm__("arc4random");

/// glibc 2.35; libgcc's unwinder asks it where unwind data is. 0: found. `map` stays null, which the unwinder never
/// reads.
int etzelFindObject(void* pc, FoundObject* result) {
  Search search{reinterpret_cast<uintptr_t>(pc), result};
  return dl_iterate_phdr(visit, &search) == 1 ? 0 : -1;
}

/// glibc 2.36; std::random_device and LLVM's names of temporary files.
uint32_t etzelRandom() {
  uint32_t value = 0;
  while (getrandom(&value, sizeof value, 0) != sizeof value) {
  }
  return value;
}
}
