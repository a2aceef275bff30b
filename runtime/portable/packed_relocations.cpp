// The driver's relative relocations are packed (DT_RELR), which takes 2.7 MB less. Dynamic linkers of glibc before 2.36
// leave such relocations undone, so that this does them there, before all else of the driver runs; the version that
// asks for a linker which knows them is weak (cmake/weaken_relr.py). gABI, "Relative Relocation Table".
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" {
// Made by the static linker. Hidden: an address that code computes needs no relocation.
[[gnu::visibility("hidden")]] extern const ElfW(Ehdr) __ehdr_start;
[[gnu::visibility("hidden"), gnu::used]] void etzelRelocate();
}

namespace {

// Not in the headers of glibc before 2.36.
constexpr int64_t kRelrSize = 35, kRelr = 36;
/// Holds its own address once relocations are done.
const void* const kItself = &kItself;

/// Even words are addresses of words; the odd ones behind have a bit for each of the next 63 words, and so on.
void relocate(uintptr_t base, const uintptr_t* table, size_t count) {
  constexpr size_t kWordsPerMask = 8 * sizeof(uintptr_t) - 1;
  uintptr_t* next = nullptr;
  for (size_t i = 0; i < count; ++i) {
    if ((table[i] & 1) == 0) {
      next = reinterpret_cast<uintptr_t*>(base + table[i]);
      *next++ += base;
      continue;
    }
    uintptr_t* word = next;
    for (uintptr_t mask = table[i] >> 1; mask; mask >>= 1, ++word)
      if (mask & 1) *word += base;
    next += kWordsPerMask;
  }
}

}  // namespace

/// DT_INIT: called before the functions of DT_INIT_ARRAY, whose addresses are relocated as well.
void etzelRelocate() {
  if (*const_cast<const void* const volatile*>(&kItself) == &kItself) return;
  const auto base = reinterpret_cast<uintptr_t>(&__ehdr_start), page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(base + __ehdr_start.e_phoff);
  const uintptr_t* table = nullptr;
  size_t bytes = 0;
  uintptr_t low = 0, high = 0;  // what becomes read-only after relocation, in pages as the dynamic linker rounds
  for (int i = 0; i < __ehdr_start.e_phnum; ++i) {
    const uintptr_t start = base + segments[i].p_vaddr;
    if (segments[i].p_type == PT_GNU_RELRO) low = start & -page, high = (start + segments[i].p_memsz) & -page;
    if (segments[i].p_type != PT_DYNAMIC) continue;
    for (const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(start); entry->d_tag != DT_NULL; ++entry) {
      // Linkers that know the tag may have put the address itself there.
      const uintptr_t at = entry->d_un.d_ptr;
      if (entry->d_tag == kRelr) table = reinterpret_cast<const uintptr_t*>(at < base ? base + at : at);
      if (entry->d_tag == kRelrSize && !bytes) bytes = entry->d_un.d_val;
    }
  }
  if (!table) return;
  void* const relocated = reinterpret_cast<void*>(low);
  if (high > low && mprotect(relocated, high - low, PROT_READ | PROT_WRITE) != 0) {
    constexpr char kMessage[] = "etzel: the system lets nobody relocate the driver, and this glibc does not do it\n";
    (void)!write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
    std::abort();
  }
  relocate(base, table, bytes / sizeof *table);
  if (high > low) mprotect(relocated, high - low, PROT_READ);
}
