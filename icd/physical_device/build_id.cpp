#include "icd/physical_device/build_id.h"

#include <elf.h>
#include <link.h>
#include <sys/random.h>

#include <algorithm>
#include <cstring>

#include "runtime/base/types.h"

namespace etzel::icd {
namespace {

struct Search {
  uintptr_t here;
  std::array<uint8_t, VK_UUID_SIZE> id{};
  bool found = false;
};

/// Looks for the note of the build id in one segment of notes.
void searchNotes(const std::byte* at, size_t bytes, Search& search) {
  constexpr size_t align = 4;
  ElfW(Nhdr) note;
  while (bytes >= sizeof note) {
    std::memcpy(&note, at, sizeof note);
    const size_t name = alignUp<size_t>(note.n_namesz, align), data = alignUp<size_t>(note.n_descsz, align);
    if (name + data > bytes - sizeof note) return;
    const std::byte* text = at + sizeof note;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(text, "GNU", 4) == 0) {
      std::memcpy(search.id.data(), text + name, std::min<size_t>(note.n_descsz, search.id.size()));
      search.found = note.n_descsz >= search.id.size();
      return;
    }
    at += sizeof note + name + data;
    bytes -= sizeof note + name + data;
  }
}

int searchObject(dl_phdr_info* object, size_t, void* user) {
  Search& search = *static_cast<Search*>(user);
  const auto inside = [&](const ElfW(Phdr) & h) {
    const uintptr_t begin = object->dlpi_addr + h.p_vaddr;
    return h.p_type == PT_LOAD && search.here >= begin && search.here - begin < h.p_memsz;
  };
  const ElfW(Phdr)* end = object->dlpi_phdr + object->dlpi_phnum;
  if (!std::any_of(object->dlpi_phdr, end, inside)) return 0;
  for (const ElfW(Phdr)* h = object->dlpi_phdr; h != end && !search.found; ++h)
    if (h->p_type == PT_NOTE)
      searchNotes(reinterpret_cast<const std::byte*>(object->dlpi_addr + h->p_vaddr), h->p_memsz, search);
  return 1;
}

std::array<uint8_t, VK_UUID_SIZE> findBuildId() {
  Search search{reinterpret_cast<uintptr_t>(&searchObject)};
  dl_iterate_phdr(searchObject, &search);
  if (!search.found && getrandom(search.id.data(), search.id.size(), 0) != ssize_t(search.id.size()))
    search.id.fill(0xff);
  return search.id;
}

}  // namespace

std::array<uint8_t, VK_UUID_SIZE> buildId() {
  static const std::array<uint8_t, VK_UUID_SIZE> id = findBuildId();
  return id;
}

}  // namespace etzel::icd
