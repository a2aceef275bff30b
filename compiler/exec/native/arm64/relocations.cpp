// "ELF for the Arm 64-bit Architecture (AArch64)", Relocations; instructions as the Architecture Reference Manual has
// them.
#include "compiler/exec/native/code/relocations.h"

#include <llvm/BinaryFormat/ELF.h>

#include <cstring>

namespace etzel::native {
namespace {

using namespace llvm::ELF;

constexpr uint64_t kPage = 4096;  // of ADRP, whatever the system's are

uint64_t pageOf(uint64_t address) { return address & ~(kPage - 1); }

/// Whether a signed number has room in that many bits.
bool fits(int64_t number, unsigned bits) { return number >> (bits - 1) == (number < 0 ? -1 : 0); }

bool orInto(std::span<std::byte> bytes, uint64_t field) {
  uint32_t instruction;
  if (bytes.size() < sizeof instruction) return false;
  std::memcpy(&instruction, bytes.data(), sizeof instruction);
  instruction |= static_cast<uint32_t>(field);
  std::memcpy(bytes.data(), &instruction, sizeof instruction);
  return true;
}

/// B, BL: 26 bits, in instructions.
bool writeBranch(std::span<std::byte> bytes, uint64_t at, uint64_t to) {
  const auto distance = static_cast<int64_t>(to - at);
  return distance % 4 == 0 && fits(distance, 28) && orInto(bytes, static_cast<uint64_t>(distance) >> 2 & 0x3FFFFFF);
}

/// ADRP, and ADR (whose unit is a byte): 21 bits in two places.
bool writeAddress(std::span<std::byte> bytes, int64_t units) {
  const auto field = static_cast<uint64_t>(units);
  return fits(units, 21) && orInto(bytes, (field & 3) << 29 | (field >> 2 & 0x7FFFF) << 5);
}

/// The low 12 bits of an address, as ADD and loads of 2^scale bytes have them.
bool writeLow(std::span<std::byte> bytes, uint64_t to, unsigned scale) {
  const uint64_t low = to & (kPage - 1);
  return low % (uint64_t{1} << scale) == 0 && orInto(bytes, low >> scale << 10);
}

}  // namespace

const std::byte kTrap{0};  // UDF #0

void writeStub(std::byte* stub, uint64_t at, uint64_t slot) {
  constexpr uint32_t kJump[] = {0x90000010, 0xF9400210, 0xD61F0200};  // adrp x16, slot; ldr x16, [x16, slot]; br x16
  std::memcpy(stub, kJump, sizeof kJump);
  const std::span<std::byte> bytes(stub, sizeof kJump);
  writeReference(R_AARCH64_ADR_GOT_PAGE, bytes, at, slot);
  writeReference(R_AARCH64_LD64_GOT_LO12_NC, bytes.subspan(4), at + 4, slot);
}

Reference meaningOf(uint32_t relocation) {
  switch (relocation) {
    case R_AARCH64_PREL32:
    case R_AARCH64_PREL64:
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
    case R_AARCH64_ADR_PREL_LO21:
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
    case R_AARCH64_LDST16_ABS_LO12_NC:
    case R_AARCH64_LDST32_ABS_LO12_NC:
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LDST128_ABS_LO12_NC: return Reference::Place;
    case R_AARCH64_ADR_GOT_PAGE:
    case R_AARCH64_LD64_GOT_LO12_NC: return Reference::Slot;
    default: return Reference::Unknown;
  }
}

bool writeReference(uint32_t relocation, std::span<std::byte> bytes, uint64_t at, uint64_t to) {
  switch (relocation) {
    case R_AARCH64_PREL32: return writeDistance<int32_t>(bytes, at, to);
    case R_AARCH64_PREL64: return writeDistance<int64_t>(bytes, at, to);
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26: return writeBranch(bytes, at, to);
    case R_AARCH64_ADR_PREL_LO21: return writeAddress(bytes, static_cast<int64_t>(to - at));
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADR_GOT_PAGE:
      return writeAddress(bytes, static_cast<int64_t>(pageOf(to) - pageOf(at)) / static_cast<int64_t>(kPage));
    case R_AARCH64_LDST16_ABS_LO12_NC: return writeLow(bytes, to, 1);
    case R_AARCH64_LDST32_ABS_LO12_NC: return writeLow(bytes, to, 2);
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LD64_GOT_LO12_NC: return writeLow(bytes, to, 3);
    case R_AARCH64_LDST128_ABS_LO12_NC: return writeLow(bytes, to, 4);
    default: return writeLow(bytes, to, 0);  // ADD, loads and stores of bytes
  }
}

}  // namespace etzel::native
