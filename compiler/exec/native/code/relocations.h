// What the linker (link.cpp) asks of a kind of host: its relocations, and jumps to imports. Addresses count from the
// image's first byte, which lies at the beginning of a page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace etzel::native {

/// Fills gaps in the text: runs as an instruction that traps.
extern const std::byte kTrap;

/// A jump to what the slot of an import holds, and how long it may be.
inline constexpr uint64_t kStubBytes = 16;
void writeStub(std::byte* stub, uint64_t at, uint64_t slot);

/// What a relocation's symbol stands for.
enum class Reference : uint8_t {
  Unknown,
  Place,  ///< where the symbol is; an import's stub
  Slot,   ///< where the address of an import is
};
Reference meaningOf(uint32_t relocation);

/// Completes the bytes at address `at`, which refer to `to`, addend included. False: they have no room for that
/// distance. \pre meaningOf() knows the relocation
bool writeReference(uint32_t relocation, std::span<std::byte> bytes, uint64_t at, uint64_t to);

/// Writes the distance from `at`, as a number of that type. False: there is no room for it.
template <class Number>
bool writeDistance(std::span<std::byte> bytes, uint64_t at, uint64_t to) {
  const auto distance = static_cast<int64_t>(to - at);
  const auto number = static_cast<Number>(distance);
  if (bytes.size() < sizeof number || number != distance) return false;
  std::memcpy(bytes.data(), &number, sizeof number);
  return true;
}

}  // namespace etzel::native
