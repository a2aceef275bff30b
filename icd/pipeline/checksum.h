// What data from applications begin with: notices damage, not forgers (FNV-1a, 64 bits).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace etzel::icd {

inline uint64_t checksumOf(std::span<const std::byte> bytes) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (std::byte b : bytes) h = (h ^ static_cast<uint64_t>(b)) * 0x100000001b3ull;
  return h;
}

}  // namespace etzel::icd
