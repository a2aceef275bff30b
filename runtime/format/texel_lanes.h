// Texels of eight pixels to shader colours and back, component by component: by the bits and places that the format's
// row names, so that one routine does for all formats whose components are codes inside of 32-bit words
// (format::hasCodesInWords()). Gives what format::encoder() and format::decoder() give.
#pragma once

#include "runtime/format/component_lanes.h"

namespace etzel::format::ETZEL_TARGET {

/// Shader colours as words: float bits, or integers for integer attachments.
struct Source8 {
  U32x8 c[4];
};

/// Texels of eight lanes: the first words of all, the second ones, ... Bits beyond a texel's size are 0 or ignored.
struct TexelWords {
  U32x8 word[4];
};

/// \pre format::hasCodesInWords(f). Through memory, as no vectors pass through calls.
__attribute__((noinline)) inline void encodeLanes(const FormatInfo& f, const Source8& source, TexelWords& to) {
  for (uint32_t w = 0; w * 4 < f.blockBytes; ++w) {
    U32x8 word = {};
    for (uint32_t c = 0; c < 4; ++c) {
      const Channel channel = f.channel[c];
      if (channel.bits && channel.shift / 32u == w)
        word |= encodeComponent(f.numeric, channel.bits, source.c[c]) << (channel.shift & 31);
    }
    to.word[w] = word;
  }
}

/// \pre the same
__attribute__((noinline)) inline void decodeLanes(const FormatInfo& f, const TexelWords& from, Source8& to) {
  for (uint32_t c = 0; c < 4; ++c) {
    const Channel channel = f.channel[c];
    if (!channel.bits) {
      to.c[c] = splat(c < 3 ? 0u : f.isInteger() ? 1u : 0x3F800000u);
      continue;
    }
    const U32x8 word = from.word[channel.shift / 32] >> (channel.shift & 31);
    const uint32_t most = channel.bits < 32 ? (1u << channel.bits) - 1 : ~0u;
    to.c[c] = decodeComponent(f.numeric, channel.bits, word & most);
  }
}

/// Texels of 1, 2, 4, 8 or 16 bytes as they follow one another, in lane order.
ETZEL_INLINE void joinTexels(TexelWords t, uint32_t texelBytes, std::byte* bytes) {
  if (texelBytes == 1) return store(bytes, bytesOfWords(t.word[0]));
  if (texelBytes == 2) return store(bytes, narrow(t.word[0]));
  if (texelBytes == 4) return store(bytes, t.word[0]);
  if (texelBytes == 8) {
    const U32x8 even = shuffleHalves<0, 4, 1, 5>(t.word[0], t.word[1]);
    const U32x8 odd = shuffleHalves<2, 6, 3, 7>(t.word[0], t.word[1]);
    store(bytes, lowHalf(even)), store(bytes + 16, lowHalf(odd));
    store(bytes + 32, highHalf(even)), store(bytes + 48, highHalf(odd));
    return;
  }
  transposeHalves(t.word[0], t.word[1], t.word[2], t.word[3]);
#pragma GCC unroll 4
  for (uint32_t i = 0; i < 4; ++i)
    store(bytes + i * 16, lowHalf(t.word[i])), store(bytes + 64 + i * 16, highHalf(t.word[i]));
}
/// The opposite.
ETZEL_INLINE TexelWords splitTexels(const std::byte* bytes, uint32_t texelBytes) {
  if (texelBytes == 1) return {{loadBytes(bytes)}};
  if (texelBytes == 2) return {{widen(load<U16x8>(bytes))}};
  if (texelBytes == 4) return {{load<U32x8>(bytes)}};
  TexelWords t = {};
  if (texelBytes == 8) {
    const U32x8 even = join(load<U32x4>(bytes), load<U32x4>(bytes + 32));
    const U32x8 odd = join(load<U32x4>(bytes + 16), load<U32x4>(bytes + 48));
    t.word[0] = shuffleHalves<0, 2, 4, 6>(even, odd), t.word[1] = shuffleHalves<1, 3, 5, 7>(even, odd);
    return t;
  }
#pragma GCC unroll 4
  for (uint32_t i = 0; i < 4; ++i) t.word[i] = join(load<U32x4>(bytes + i * 16), load<U32x4>(bytes + 64 + i * 16));
  transposeHalves(t.word[0], t.word[1], t.word[2], t.word[3]);
  return t;
}

}  // namespace etzel::format::ETZEL_TARGET
