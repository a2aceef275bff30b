// Shader colours to texels of every colour format and back, eight at once. Texels of up to four bytes travel as one
// word per lane, wider ones as bytes.
#pragma once

#include "raster/lanes.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/write/byte_color.h"
#include "runtime/format/srgb_lanes.h"
#include "runtime/format/texel_lanes.h"
#include "runtime/simd/half.h"

namespace etzel::raster::ETZEL_TARGET {

using namespace format::ETZEL_TARGET;

ETZEL_INLINE U32x8 unorm8(F32x8 v) { return bitCast<U32x8>(roundToInt(clamp(v, 0.0f, 1.0f) * splat<F32x8>(255.0f))); }
inline U32x8 srgb8(F32x8 v) { return format::linearToSrgb8(v); }
ETZEL_INLINE F32x8 fromUnorm8(U32x8 v) { return fromByte(v & 255u); }

/// Transposes to the texels that the format table converts.
ETZEL_INLINE void toTexels(const Source8& s, format::Texel* texels) {
  for (uint32_t i = 0; i < kWarpLanes; ++i)
    for (uint32_t c = 0; c < 4; ++c) texels[i].word[c] = s.c[c][i];
}
ETZEL_INLINE Source8 fromTexels(const format::Texel* texels) {
  Source8 s;
  for (uint32_t i = 0; i < kWarpLanes; ++i)
    for (uint32_t c = 0; c < 4; ++c) s.c[c][i] = texels[i].word[c];
  return s;
}

/// To texels of at most four bytes. `layout` is t.layout, or Other for those that have no case here.
template <TexelLayout layout>
ETZEL_INLINE U32x8 encodeWords(const ColorTarget& t, const Source8& s) {
  switch (layout) {
    case TexelLayout::Rgba8:
      return unorm8(bitCast<F32x8>(s.c[0])) | unorm8(bitCast<F32x8>(s.c[1])) << 8 |
             unorm8(bitCast<F32x8>(s.c[2])) << 16 | unorm8(bitCast<F32x8>(s.c[3])) << 24;
    case TexelLayout::Bgra8:
      return unorm8(bitCast<F32x8>(s.c[2])) | unorm8(bitCast<F32x8>(s.c[1])) << 8 |
             unorm8(bitCast<F32x8>(s.c[0])) << 16 | unorm8(bitCast<F32x8>(s.c[3])) << 24;
    case TexelLayout::Rgba8Srgb:
      return srgb8(bitCast<F32x8>(s.c[0])) | srgb8(bitCast<F32x8>(s.c[1])) << 8 | srgb8(bitCast<F32x8>(s.c[2])) << 16 |
             unorm8(bitCast<F32x8>(s.c[3])) << 24;
    case TexelLayout::Bgra8Srgb:
      return srgb8(bitCast<F32x8>(s.c[2])) | srgb8(bitCast<F32x8>(s.c[1])) << 8 | srgb8(bitCast<F32x8>(s.c[0])) << 16 |
             unorm8(bitCast<F32x8>(s.c[3])) << 24;
    case TexelLayout::R8: return unorm8(bitCast<F32x8>(s.c[0]));
    case TexelLayout::R32: return s.c[0];
    default: break;
  }
  if (t.byLanes) {
    TexelWords words;
    encodeLanes(*t.info, s, words);
    return words.word[0];
  }
  format::Texel texels[kWarpLanes];
  toTexels(s, texels);
  std::byte bytes[kWarpLanes * 4];
  t.encode(texels, bytes, kWarpLanes);
  U32x8 words = {};
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    uint32_t word = 0;
    __builtin_memcpy(&word, bytes + i * t.surface.texelBytes, t.surface.texelBytes);
    words[i] = word;
  }
  return words;
}

template <TexelLayout layout>
ETZEL_INLINE Source8 decodeWords(const ColorTarget& t, U32x8 words) {
  const U32x8 one = bitCast<U32x8>(splat<F32x8>(1.0f)), zero = {};
  U32x8 b0 = words, b1 = words >> 8, b2 = words >> 16, b3 = words >> 24;
  switch (layout) {
    case TexelLayout::Rgba8:
      return {{bitCast<U32x8>(fromUnorm8(b0)), bitCast<U32x8>(fromUnorm8(b1)), bitCast<U32x8>(fromUnorm8(b2)),
               bitCast<U32x8>(fromUnorm8(b3))}};
    case TexelLayout::Bgra8:
      return {{bitCast<U32x8>(fromUnorm8(b2)), bitCast<U32x8>(fromUnorm8(b1)), bitCast<U32x8>(fromUnorm8(b0)),
               bitCast<U32x8>(fromUnorm8(b3))}};
    case TexelLayout::Rgba8Srgb:
    case TexelLayout::Bgra8Srgb: {
      constexpr uint32_t red = layout == TexelLayout::Bgra8Srgb ? 2 : 0;
      F32x8 color[3];
      format::srgbToLinear(words, color);
      return {{bitCast<U32x8>(color[red]), bitCast<U32x8>(color[1]), bitCast<U32x8>(color[2 - red]),
               bitCast<U32x8>(fromUnorm8(b3))}};
    }
    case TexelLayout::R8: return {{bitCast<U32x8>(fromUnorm8(b0)), zero, zero, one}};
    case TexelLayout::R32: return {{words, zero, zero, one}};
    default: break;
  }
  if (t.byLanes) {
    Source8 s;
    decodeLanes(*t.info, {{words}}, s);
    return s;
  }
  std::byte bytes[kWarpLanes * 4];
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    uint32_t word = words[i];
    __builtin_memcpy(bytes + i * t.surface.texelBytes, &word, t.surface.texelBytes);
  }
  format::Texel texels[kWarpLanes];
  t.decode(bytes, texels, kWarpLanes);
  return fromTexels(texels);
}

/// Colours as halves, in lane order.
ETZEL_INLINE void encodeHalves(const Source8& s, std::byte* bytes) {
  U16x8 h[4];
  for (uint32_t c = 0; c < 4; ++c) h[c] = floatToHalves(bitCast<F32x8>(s.c[c]));
  const U32x4 rgLow = bitCast<U32x4>(interleaveLow(h[0], h[1])), rgHigh = bitCast<U32x4>(interleaveHigh(h[0], h[1]));
  const U32x4 baLow = bitCast<U32x4>(interleaveLow(h[2], h[3])), baHigh = bitCast<U32x4>(interleaveHigh(h[2], h[3]));
  store(bytes, interleaveLow(rgLow, baLow)), store(bytes + 16, interleaveHigh(rgLow, baLow));
  store(bytes + 32, interleaveLow(rgHigh, baHigh)), store(bytes + 48, interleaveHigh(rgHigh, baHigh));
}

ETZEL_INLINE Source8 decodeHalves(const std::byte* bytes) {
  const U32x8 first = load<U32x8>(bytes), last = load<U32x8>(bytes + 32);
  const U32x8 rg = __builtin_shufflevector(first, last, 0, 2, 4, 6, 8, 10, 12, 14);
  const U32x8 ba = __builtin_shufflevector(first, last, 1, 3, 5, 7, 9, 11, 13, 15);
  const auto number = [](U32x8 half) __attribute__((always_inline)) { return bitCast<U32x8>(halfToFloat(half)); };
  return {{number(rg), number(rg >> 16), number(ba), number(ba >> 16)}};
}

/// To texels of more than four bytes, in lane order.
inline void encodeBytes(const ColorTarget& t, const Source8& s, std::byte* bytes) {
  if (t.layout == TexelLayout::Rgba16F) return encodeHalves(s, bytes);
  if (t.layout == TexelLayout::Rgba32) return joinTexels({{s.c[0], s.c[1], s.c[2], s.c[3]}}, 16, bytes);
  if (t.byLanes) {
    TexelWords words;
    encodeLanes(*t.info, s, words);
    return joinTexels(words, t.surface.texelBytes, bytes);
  }
  format::Texel texels[kWarpLanes];
  toTexels(s, texels);
  t.encode(texels, bytes, kWarpLanes);
}
inline Source8 decodeBytes(const ColorTarget& t, const std::byte* bytes) {
  if (t.layout == TexelLayout::Rgba16F) return decodeHalves(bytes);
  if (t.layout == TexelLayout::Rgba32) {
    const TexelWords words = splitTexels(bytes, 16);
    return {{words.word[0], words.word[1], words.word[2], words.word[3]}};
  }
  if (t.byLanes) {
    Source8 s;
    decodeLanes(*t.info, splitTexels(bytes, t.surface.texelBytes), s);
    return s;
  }
  format::Texel texels[kWarpLanes];
  t.decode(bytes, texels, kWarpLanes);
  return fromTexels(texels);
}

}  // namespace etzel::raster::ETZEL_TARGET
