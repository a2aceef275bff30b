// Texels of eight pixels to numbers and back, by code that is made for their layout: of those whose components are
// codes of known kinds. Gives what format::encoder() and format::decoder() give; texel_lanes.h has the same for any
// format.
#pragma once

#include "runtime/format/texel_lanes.h"
#include "runtime/format/texel_shape.h"

namespace etzel::format::ETZEL_TARGET {

/// Components that the layout lacks are not looked at.
template <TexelLayout layout>
ETZEL_INLINE TexelWords encodeShape(const Source8& s) {
  constexpr TexelShape shape = shapeOf(layout);
  TexelWords t;
#pragma GCC unroll 4
  for (uint32_t w = 0; w * 4 < shape.bytes; ++w) {
    t.word[w] = U32x8{};
#pragma GCC unroll 4
    for (uint32_t c = 0; c < 4; ++c)
      if (const Channel channel = shape.channel[c]; channel.bits && channel.shift / 32u == w)
        t.word[w] |= encodeComponent(shape.numeric, channel.bits, s.c[c]) << (channel.shift & 31);
  }
  return t;
}

/// code / (2^bits - 1), to the bit. Tests try all codes of the layouts.
template <uint32_t bits>
ETZEL_INLINE F32x8 fromCode(U32x8 code) {
  constexpr double kPower = 1.0 / (1u << bits), kRest = 1.0 / ((1u << bits) - 1) - kPower;
  const F32x8 x = convert<F32x8>(bitCast<I32x8>(code));
  return addProduct(x, splat<F32x8>(static_cast<float>(kPower)), x * splat<F32x8>(static_cast<float>(kRest)));
}

/// Components that the layout lacks are 0, alpha 1.
template <TexelLayout layout>
ETZEL_INLINE Source8 decodeShape(const TexelWords& t) {
  constexpr TexelShape shape = shapeOf(layout);
  Source8 s = {};
  const auto decode = [&]<uint32_t c>() __attribute__((always_inline)) {
    constexpr Channel channel = shape.channel[c];
    if constexpr (channel.bits == 0) {
      s.c[c] = c == 3 ? bitCast<U32x8>(splat<F32x8>(1.0f)) : U32x8{};
    } else {
      constexpr uint32_t most = channel.bits < 32 ? (1u << channel.bits) - 1 : ~0u;
      const U32x8 code = t.word[channel.shift / 32] >> (channel.shift & 31) & most;
      if constexpr (shape.numeric == Numeric::Unorm)
        s.c[c] = bitCast<U32x8>(fromCode<channel.bits>(code));
      else
        s.c[c] = decodeComponent(shape.numeric, channel.bits, code);
    }
  };
  decode.template operator()<0>(), decode.template operator()<1>(), decode.template operator()<2>();
  decode.template operator()<3>();
  return s;
}

}  // namespace etzel::format::ETZEL_TARGET
