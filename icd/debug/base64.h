// Base64 (RFC 4648), in which the debugger protocol carries memory.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/types.h"

namespace etzel::icd {

inline constexpr std::string_view kBase64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

inline std::string toBase64(std::span<const std::byte> bytes) {
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    const size_t has = std::min<size_t>(3, bytes.size() - i);
    for (size_t k = 0; k < has; ++k) group |= static_cast<uint32_t>(bytes[i + k]) << (16 - 8 * k);
    for (size_t k = 0; k < 4; ++k) out += k <= has ? kBase64Digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

/// Nothing where the text is none.
inline std::optional<std::vector<std::byte>> fromBase64(std::string_view text) {
  if (text.size() % 4) return {};
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::vector<std::byte> out;
  uint32_t group = 0, bits = 0;
  for (const char c : text) {
    const size_t digit = kBase64Digits.find(c);
    if (digit == std::string_view::npos) return {};
    group = group << 6 | static_cast<uint32_t>(digit);
    if ((bits += 6) < 8) continue;
    bits -= 8;
    out.push_back(static_cast<std::byte>(group >> bits & 255));
  }
  return out;
}

}  // namespace etzel::icd
