// Decoders of compressed blocks, one file per family: bc.cpp, etc.cpp, astc.cpp. Internal to format/; everyone else
// calls decodeBlock().
#pragma once

#include "runtime/format/format.h"

namespace etzel::format {

/// A texel of 8-bit codes, R first.
struct Rgba8 {
  uint8_t c[4];
};

/// 8-bit codes to what a shader sees. Alpha is never sRGB-encoded.
void toTexels(const Rgba8* source, size_t count, bool srgb, Texel* texels);

void decodeBc(const FormatInfo& info, const std::byte* block, Texel* texels);
void decodeEtc(const FormatInfo& info, const std::byte* block, Texel* texels);
void decodeAstc(const FormatInfo& info, const std::byte* block, Texel* texels);

}  // namespace etzel::format
