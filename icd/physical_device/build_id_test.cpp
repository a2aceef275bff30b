// The build's id is what the linker wrote of its content: as the file of this program has it, read another way.
#include "icd/physical_device/build_id.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>

#include "icd/entry_points.h"
#include "runtime/base/types.h"

namespace etzel::icd {
namespace {

/// The build id in the notes of an ELF file's sections; empty: there is none.
std::string idInFile(const std::string& file) {
  ElfW(Ehdr) header;
  std::memcpy(&header, file.data(), sizeof header);
  for (uint32_t i = 0; i < header.e_shnum; ++i) {
    ElfW(Shdr) section;
    std::memcpy(&section, file.data() + header.e_shoff + i * sizeof section, sizeof section);
    ElfW(Nhdr) note;
    for (size_t at = 0; section.sh_type == SHT_NOTE && at + sizeof note <= section.sh_size;) {
      const char* p = file.data() + section.sh_offset + at;
      std::memcpy(&note, p, sizeof note);
      const size_t name = alignUp<size_t>(note.n_namesz, 4);
      if (note.n_type == NT_GNU_BUILD_ID && std::strcmp(p + sizeof note, "GNU") == 0)
        return std::string(p + sizeof note + name, note.n_descsz);
      at += sizeof note + name + alignUp<size_t>(note.n_descsz, 4);
    }
  }
  return {};
}

TEST(BuildId, IsOfTheBuildsContent) {
  // Its size is asked of what was opened: emulators open the program, but tell of a link what is true of themselves.
  std::ifstream program("/proc/self/exe", std::ios::binary | std::ios::ate);
  std::string file(static_cast<size_t>(program.tellg()), '\0');  // large, so not byte by byte
  program.seekg(0).read(file.data(), std::streamsize(file.size()));
  const std::string written = idInFile(file);
  ASSERT_GE(written.size(), size_t{VK_UUID_SIZE});  // --build-id=sha1
  const auto id = buildId();
  EXPECT_TRUE(std::equal(id.begin(), id.end(), reinterpret_cast<const uint8_t*>(written.data())));
  VkPhysicalDeviceProperties p;
  GetPhysicalDeviceProperties(VK_NULL_HANDLE, &p);
  EXPECT_EQ(std::memcmp(p.pipelineCacheUUID, id.data(), VK_UUID_SIZE), 0);
}

}  // namespace
}  // namespace etzel::icd
