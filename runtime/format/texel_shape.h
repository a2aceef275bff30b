// What texels of a layout are made of, for code that is made for each.
#pragma once

#include <bit>

#include "runtime/format/format.h"

namespace etzel::format {

struct TexelShape {
  Numeric numeric = Numeric::Float;  ///< also of layouts whose words may be integers
  Channel channel[4];                ///< R, G, B, A
  uint32_t bytes = 0;                ///< of a texel; 0: the layout says nothing of it
};
constexpr TexelShape shapeOf(TexelLayout layout) {
  constexpr auto Word = Numeric::Float;
  using enum Numeric;
  switch (layout) {
#define ETZEL_LAYOUT(name, numeric, r, rs, g, gs, b, bs, a, as) \
  case TexelLayout::name:                                       \
    return {numeric, {{r, rs}, {g, gs}, {b, bs}, {a, as}}, (r + g + b + a + 7) / 8};
#include "runtime/format/texel_layout.def"
#undef ETZEL_LAYOUT
    default: return {};
  }
}

/// What hasCodesInWords() says of a format.
constexpr bool hasCodesInWords(const TexelShape& s) {
  if (s.bytes > 16 || !std::has_single_bit(s.bytes)) return false;
  const auto fits = [&](Channel c) {
    if (c.bits == 0) return true;
    if (c.shift / 32 != (c.shift + c.bits - 1) / 32) return false;
    switch (s.numeric) {
      case Numeric::Unorm:
      case Numeric::Snorm: return c.bits <= 16;
      case Numeric::Uint:
      case Numeric::Sint: return c.bits <= 16 || c.bits == 32;
      case Numeric::Float: return c.bits == 16 || c.bits == 32;
      case Numeric::Ufloat: return c.bits == 10 || c.bits == 11;  // others share their exponent
      default: return false;
    }
  };
  return fits(s.channel[0]) && fits(s.channel[1]) && fits(s.channel[2]) && fits(s.channel[3]);
}

}  // namespace etzel::format
