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

/// 8-bit codes to what a shader sees. Alpha is never sRGB-encoded.
void toTexels(const Rgba8* source, size_t count, bool srgb, Texel* texels);

void decodeBc(const FormatInfo& info, const std::byte* block, Texel* texels);
void decodeEtc(const FormatInfo& info, const std::byte* block, Texel* texels);
void decodeAstc(const FormatInfo& info, const std::byte* block, Texel* texels);

}  // namespace etzel::format
