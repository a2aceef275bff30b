// The words of a module before anything is known of them ("Physical Layout of a SPIR-V Module and Instruction").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string_view>

namespace etzel::spirv {

inline constexpr size_t kHeaderWords = 5;

/// An instruction as it stands in the module, its first word included.
using Words = std::span<const uint32_t>;
inline spv::Op opOf(Words inst) { return static_cast<spv::Op>(inst[0] & 0xffff); }

/// Whether the words come in the other byte order than the host's, which is legal.
inline bool isSwapped(Words words) { return !words.empty() && words[0] == __builtin_bswap32(spv::MagicNumber); }

/// Calls `see(instruction)` for each, while it returns true. \returns whether the words are instructions to the end, or
/// to where `see` ended.
template <class F>
bool forEach(std::span<const uint32_t> words, F see) {
  for (size_t at = kHeaderWords; at < words.size();) {
    const uint32_t length = words[at] >> 16;
    if (length == 0 || length > words.size() - at) return false;
    if (!see(words.subspan(at, length))) return true;
    at += length;
  }
  return true;
}

/// Whether a module declares a capability. Any words may be given, in either byte order.
bool declares(std::span<const uint32_t> words, spv::Capability capability);

/// Whether a module imports an extended instruction set of that name. Any words may be given, in either byte order.
bool imports(std::span<const uint32_t> words, std::string_view set);

}  // namespace etzel::spirv
