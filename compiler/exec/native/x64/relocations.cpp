// "System V Application Binary Interface, AMD64", Relocation Types.
#include "compiler/exec/native/code/relocations.h"

#include <llvm/BinaryFormat/ELF.h>

#include <cstring>

namespace etzel::native {

using namespace llvm::ELF;

const std::byte kTrap{0xCC};

void writeStub(std::byte* stub, uint64_t at, uint64_t slot) {
  constexpr uint8_t kJump[] = {0xFF, 0x25};  // jmp [rip + distance]
  std::memcpy(stub, kJump, sizeof kJump);
  writeDistance<int32_t>(std::span(stub + sizeof kJump, sizeof(int32_t)), at + sizeof kJump + sizeof(int32_t), slot);
}

Reference meaningOf(uint32_t relocation) {
  switch (relocation) {
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
    case R_X86_64_PC64: return Reference::Place;
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX: return Reference::Slot;
    default: return Reference::Unknown;
  }
}

bool writeReference(uint32_t relocation, std::span<std::byte> bytes, uint64_t at, uint64_t to) {
  if (relocation == R_X86_64_PC64) return writeDistance<int64_t>(bytes, at, to);
  return writeDistance<int32_t>(bytes, at, to);
}

}  // namespace etzel::native
