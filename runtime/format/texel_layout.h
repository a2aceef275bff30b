// The texels that hot code knows by their shape: one classification, which texture units, colour output, transfers and
// native code share. A layout says what the bits of a texel are (texel_layout.def); FormatInfo::layout has a format's.
// What has no name here is decoded and encoded through format.h, with the same results.
#pragma once

#include <cstdint>

namespace etzel::format {

enum class TexelLayout : uint8_t {
  None,    ///< no single texels: several planes, or two texels that share their colour
  Other,   ///< decoded by format::decoder, texel by texel; also depth with stencil, which lie in planes of their own
  Blocks,  ///< compressed: format::decodeBlock decodes whole blocks
#define ETZEL_LAYOUT(name, ...) name,
#include "runtime/format/texel_layout.def"
#undef ETZEL_LAYOUT
  kCount
};

// The four orders of four bytes of fixed-point colour. Alpha is always linear.
constexpr bool isBytes4(TexelLayout t) { return t >= TexelLayout::Rgba8 && t <= TexelLayout::Bgra8Srgb; }
constexpr bool isBlueFirst(TexelLayout t) { return t == TexelLayout::Bgra8 || t == TexelLayout::Bgra8Srgb; }
constexpr bool isSrgb(TexelLayout t) { return t == TexelLayout::Rgba8Srgb || t == TexelLayout::Bgra8Srgb; }
/// Formats that show every bit of a 32-bit float: a weighted average of equal texels must be that texel to the last
/// bit, though rounded weights may bring it an ulp outside of what it averages.
constexpr bool showsFloats(TexelLayout t) {
  return t == TexelLayout::R32 || t == TexelLayout::Rg32 || t == TexelLayout::Rgba32;
}

}  // namespace etzel::format
