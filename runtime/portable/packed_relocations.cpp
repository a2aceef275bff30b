// The driver's relative relocations are packed (DT_RELR), which takes 2.7 MB less. Dynamic linkers of glibc before 2.36
// leave such relocations undone, so that this does them there, before all else of the driver runs; the version that
// asks for a linker which knows them is weak (cmake/weaken_relr.py). gABI, "Relative Relocation Table".
//
// Those of LLVM's tables, nine of ten, are the table's end, which the same script takes off the size that linkers are
// told: processes that optimize no shader keep 300 pages as they are in the file.
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
[[gnu::visibility("hidden"), gnu::used]] void etzelRelocateLlvm();

// By icd/deferred_llvm.ld.
[[gnu::visibility("hidden")]] extern const std::byte etzel_llvm_data_begin[], etzel_llvm_data_end[];

/// Words of the table behind those that the dynamic linker knows of: written into the file by cmake/weaken_relr.py.
[[gnu::visibility("hidden"), gnu::used, gnu::section(".data")]] volatile uint64_t etzelDeferredWords = 0;
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

struct Table {
  const uintptr_t* words = nullptr;
  size_t count = 0;
};

/// Of the dynamic section at `entry`.
Table tableOf(uintptr_t base, const ElfW(Dyn) * entry) {
  Table table;
  for (; entry->d_tag != DT_NULL; ++entry) {
    // Linkers that know the tag may have put the address itself there.
    const uintptr_t at = entry->d_un.d_ptr;
    if (entry->d_tag == kRelr) table.words = reinterpret_cast<const uintptr_t*>(at < base ? base + at : at);
    if (entry->d_tag == kRelrSize && !table.count) table.count = entry->d_un.d_val / sizeof(uintptr_t);
  }
  return table;
}

/// What the loaded driver's segments say.
struct Driver {
  uintptr_t base = 0;
  uintptr_t low = 0, high = 0;  ///< what becomes read-only after relocation, in pages as the dynamic linker rounds
  Table table;
};

Driver lookAround() {
  Driver d{.base = reinterpret_cast<uintptr_t>(&__ehdr_start)};
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(d.base + __ehdr_start.e_phoff);
  for (int i = 0; i < __ehdr_start.e_phnum; ++i) {
    const uintptr_t start = d.base + segments[i].p_vaddr;
    if (segments[i].p_type == PT_GNU_RELRO) d.low = start & -page, d.high = (start + segments[i].p_memsz) & -page;
    if (segments[i].p_type == PT_DYNAMIC) d.table = tableOf(d.base, reinterpret_cast<const ElfW(Dyn)*>(start));
  }
  return d;
}

}  // namespace

/// DT_INIT: called before the functions of DT_INIT_ARRAY, whose addresses are relocated as well.
void etzelRelocate() {
  if (*const_cast<const void* const volatile*>(&kItself) == &kItself) return;
  const Driver d = lookAround();
  if (!d.table.words) return;
  void* const relocated = reinterpret_cast<void*>(d.low);
  if (d.high > d.low && mprotect(relocated, d.high - d.low, PROT_READ | PROT_WRITE) != 0) {
    constexpr char kMessage[] = "etzel: the system lets nobody relocate the driver, and this glibc does not do it\n";
    (void)!write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
    std::abort();
  }
  relocate(d.base, d.table.words, d.table.count);
  if (d.high > d.low) mprotect(relocated, d.high - d.low, PROT_READ);
}

/// Called once, by one thread, before anything of LLVM is used (compiler/exec/native/deferred_init.cpp).
void etzelRelocateLlvm() {
  if (!etzelDeferredWords) return;
  const Driver d = lookAround();
  relocate(d.base, d.table.words + d.table.count, etzelDeferredWords);
  // Whole pages that hold nothing else; others stay writable.
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = (reinterpret_cast<uintptr_t>(etzel_llvm_data_begin) + page - 1) & -page;
  const uintptr_t last = reinterpret_cast<uintptr_t>(etzel_llvm_data_end) & -page;
  if (last > first) mprotect(reinterpret_cast<void*>(first), last - first, PROT_READ);
}
