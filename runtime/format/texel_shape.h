// What texels of a layout are made of, for code that is made for each.
#pragma once

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

}  // namespace etzel::format
