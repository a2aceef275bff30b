// Texels of eight pixels to shader colours and back, component by component: by the bits and places that the format's
// row names, so that one routine does for all formats whose components are codes inside of 32-bit words
// (ColorTarget::byLanes). Gives what format::encoder() and format::decoder() give.
#pragma once

#include "raster/lanes.h"
#include "runtime/base/assert.h"
#include "runtime/format/format.h"
#include "runtime/simd/half.h"

namespace etzel::raster::ETZEL_TARGET {

/// Shader colours as words: float bits, or integers for integer attachments.
struct Source8 {
  U32x8 c[4];
};

/// Texels of eight lanes: the first words of all, the second ones, ... Bits beyond a texel's size are 0 or ignored.
struct TexelWords {
  U32x8 word[4];
};

/// format::floatToUfloat(): unsigned floats of 11 and 10 bits.
ETZEL_INLINE U32x8 encodeUfloat(F32x8 v, uint32_t bits) {
  const uint32_t drop = 28 - bits, infinity = 31u << (bits - 5);
  const U32x8 rebased = bitCast<U32x8>(v) - splat(112u << 23);
  const U32x8 normal = (rebased + splat((1u << (drop - 1)) - 1) + (rebased >> drop & 1u)) >> drop;
  // Below the least normal number the last place is always worth the same.
  const U32x8 small = bitCast<U32x8>(roundToInt(v * splat(bits == 11 ? 0x1p20f : 0x1p19f)));
  U32x8 code = select(less(v, splat(0x1p-14f)), small, normal);
  code = select(less(bitCast<I32x8>(code), bitCast<I32x8>(splat(infinity))), code, splat(infinity - 1));
  code = select(greater(v, splat(0.0f)), code, U32x8{});
  code = select(equal(v, splat(__builtin_inff())), splat(infinity), code);
  return select(equal(v, v), code, splat(infinity | 1));
}

/// The codes of one component.
ETZEL_INLINE U32x8 encodeComponent(format::Numeric numeric, uint32_t bits, U32x8 source) {
  using format::Numeric;
  const F32x8 v = bitCast<F32x8>(source);
  const uint32_t most = bits < 32 ? (1u << bits) - 1 : ~0u;
  switch (numeric) {
    case Numeric::Unorm: {
      const F32x8 unit = clamp(v, 0.0f, 1.0f);
      return bitCast<U32x8>(bits > 12 ? roundScaledToInt(unit, static_cast<double>(most))
                                      : roundToInt(unit * static_cast<float>(most)));
    }
    case Numeric::Snorm: {
      const F32x8 unit = select(equal(v, v), clamp(v, -1.0f, 1.0f), F32x8{});
      return bitCast<U32x8>(roundScaledToInt(unit, static_cast<double>(most >> 1))) & most;
    }
    case Numeric::Uint: return minimum(source, splat(most));
    case Numeric::Sint: {
      const auto limit = static_cast<int32_t>(most >> 1);
      return bitCast<U32x8>(clamp(bitCast<I32x8>(source), -limit - 1, limit)) & most;
    }
    case Numeric::Float: return bits == 16 ? floatToHalf(v) : source;
    case Numeric::Ufloat: return encodeUfloat(v, bits);
    default: ETZEL_ASSERT(false); return source;
  }
}

/// The numbers of one component's codes. Not of integers: nothing that is computed needs them.
ETZEL_INLINE U32x8 decodeComponent(format::Numeric numeric, uint32_t bits, U32x8 code) {
  using format::Numeric;
  switch (numeric) {
    case Numeric::Unorm:
      return bitCast<U32x8>(convert<F32x8>(bitCast<I32x8>(code)) / static_cast<float>((1u << bits) - 1));
    case Numeric::Snorm: {
      const I32x8 number = bitCast<I32x8>(code << (32 - bits)) >> (32 - bits);
      return bitCast<U32x8>(maximum(convert<F32x8>(number) / static_cast<float>((1u << (bits - 1)) - 1), splat(-1.0f)));
    }
    case Numeric::Float: return bits == 16 ? bitCast<U32x8>(halfToFloat(code)) : code;
    case Numeric::Ufloat: return bitCast<U32x8>(halfToFloat(code << (15 - bits)));
    default: ETZEL_ASSERT(false); return code;
  }
}

/// \pre the target's format is one of ColorTarget::byLanes. Through memory, as no vectors pass through calls.
__attribute__((noinline)) inline void encodeLanes(const format::FormatInfo& f, const Source8& source, TexelWords& to) {
  for (uint32_t w = 0; w * 4 < f.blockBytes; ++w) {
    U32x8 word = {};
    for (uint32_t c = 0; c < 4; ++c) {
      const format::Channel channel = f.channel[c];
      if (channel.bits && channel.shift / 32u == w)
        word |= encodeComponent(f.numeric, channel.bits, source.c[c]) << (channel.shift & 31);
    }
    to.word[w] = word;
  }
}

/// \pre the same, and the format has no integers
__attribute__((noinline)) inline void decodeLanes(const format::FormatInfo& f, const TexelWords& from, Source8& to) {
  for (uint32_t c = 0; c < 4; ++c) {
    const format::Channel channel = f.channel[c];
    if (!channel.bits) {
      to.c[c] = c == 3 ? bitCast<U32x8>(splat(1.0f)) : U32x8{};
      continue;
    }
    const U32x8 word = from.word[channel.shift / 32] >> (channel.shift & 31);
    const uint32_t most = channel.bits < 32 ? (1u << channel.bits) - 1 : ~0u;
    to.c[c] = decodeComponent(f.numeric, channel.bits, word & most);
  }
}

/// Texels of 8 or 16 bytes as they follow one another, in lane order.
ETZEL_INLINE void joinTexels(TexelWords t, uint32_t texelBytes, std::byte* bytes) {
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

}  // namespace etzel::raster::ETZEL_TARGET
