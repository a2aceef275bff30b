// Decoders of compressed blocks, one file per family: bc.cpp, etc.cpp, astc.cpp. Internal to format/; everyone else
// calls decodeBlock().
#pragma once

#include "runtime/format/format.h"

namespace etzel::format {

/// A texel of 8-bit codes, R first.
struct Rgba8 {
  uint8_t c[4];
};

/// The low `bits` bits of a number in two's complement, 1 to 32.
constexpr int32_t signExtend(int32_t v, uint32_t bits) {
  return static_cast<int32_t>(static_cast<uint32_t>(v) << (32 - bits)) >> (32 - bits);
}

/// Blocks of 4x4 texels that are four 8-bit codes. \returns false: the format has others, nothing happened
bool decodeCodes(const FormatInfo& info, const std::byte* block, Rgba8 texels[16]);
bool decodeBcCodes(const FormatInfo& info, const std::byte* block, Rgba8 texels[16]);
bool decodeEtcCodes(const FormatInfo& info, const std::byte* block, Rgba8 texels[16]);

// Blocks of all other formats.
void decodeBc(const FormatInfo& info, const std::byte* block, Texel* texels);
void decodeEtc(const FormatInfo& info, const std::byte* block, Texel* texels);
void decodeAstc(const FormatInfo& info, const std::byte* block, Texel* texels);

}  // namespace etzel::format
