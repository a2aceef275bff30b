#include "tests/out_of_memory/origin.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace oom {
namespace {

struct Function {
  uintptr_t begin = 0, end = 0;
  const char* name = nullptr;  ///< in the mapped file
  Origin origin = Origin::Neutral;
};
std::vector<Function>& functions() {
  static auto* all = new std::vector<Function>;
  return *all;
}

/// By the mangled name. A template of the C++ runtime belongs to whose types it has.
Origin originOfName(std::string_view name) {
  const auto has = [&](const char* part) { return name.find(part) != name.npos; };
  if (has("5etzel")) return Origin::Driver;
  if (has("4llvm") || has("8spvtools") || name.starts_with("spv") || name.starts_with("_GLOBAL__sub_I_"))
    return Origin::Library;
  return Origin::Neutral;
}

}  // namespace

bool readSymbols(const void* address) {
  Dl_info info{};
  if (!dladdr(address, &info)) return false;
  const int fd = open(info.dli_fname, O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (fd < 0 || fstat(fd, &status) != 0) return false;
  // Stays mapped: the names are in it.
  void* mapped = mmap(nullptr, size_t(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (mapped == MAP_FAILED) return false;
  const auto* file = static_cast<const char*>(mapped);
  const auto& header = *reinterpret_cast<const ElfW(Ehdr)*>(file);
  const auto* sections = reinterpret_cast<const ElfW(Shdr)*>(file + header.e_shoff);
  const auto base = reinterpret_cast<uintptr_t>(info.dli_fbase);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const auto* symbols = reinterpret_cast<const ElfW(Sym)*>(file + sections[i].sh_offset);
    const char* names = file + sections[sections[i].sh_link].sh_offset;
    for (size_t s = 0; s < sections[i].sh_size / sizeof *symbols; ++s) {
      const ElfW(Sym)& symbol = symbols[s];
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_size) continue;
      const char* name = names + symbol.st_name;
      functions().push_back(
          {base + symbol.st_value, base + symbol.st_value + symbol.st_size, name, originOfName(name)});
    }
  }
  std::sort(functions().begin(), functions().end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return !functions().empty();
}

namespace {

/// Return addresses lie behind their call, which may be the last instruction of its function.
const Function* find(const void* address) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(address) - 1;
  auto it = std::upper_bound(functions().begin(), functions().end(), at,
                             [](uintptr_t wanted, const Function& f) { return wanted < f.begin; });
  if (it == functions().begin()) return nullptr;
  --it;
  return at < it->end ? &*it : nullptr;
}

}  // namespace

Origin originOf(const void* address) {
  const Function* f = find(address);
  return f ? f->origin : Origin::Outside;
}

bool isOwn(void* const* frames, int count) {
  for (int i = 0; i < count; ++i) {
    const Origin origin = originOf(frames[i]);
    if (origin == Origin::Driver) return true;
    if (origin == Origin::Library) return false;
  }
  return true;
}

std::string nameOf(const void* address) {
  if (const Function* f = find(address)) {
    int status = 0;
    char* readable = abi::__cxa_demangle(f->name, nullptr, nullptr, &status);
    std::string name = status == 0 ? readable : f->name;
    std::free(readable);
    if (name.size() > 150) name.resize(150);
    return name;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%p", address);
  return text;
}

}  // namespace oom
