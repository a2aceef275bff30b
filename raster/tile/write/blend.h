// Blending and logical operations on eight pixels ("Blending", "Logical Operations").
#pragma once

#include "raster/lanes.h"
#include "raster/tile/draw/tile_draw.h"

namespace etzel::raster::ETZEL_TARGET {

struct Color8 {
  F32x8 c[4];
};

ETZEL_INLINE F32x8 clampFor(BlendClamp kind, F32x8 v) {
  if (kind == BlendClamp::Unorm) return clamp(v, 0.0f, 1.0f);
  if (kind == BlendClamp::Snorm) return clamp(v, -1.0f, 1.0f);
  return v;
}

/// Factors of components [first, end); 3 is alpha.
template <uint32_t first, uint32_t end>
ETZEL_INLINE void blendFactors(VkBlendFactor f, const Color8& s, const Color8& d, const Color8& s1,
                               const float* constants, F32x8* factor) {
  const F32x8 one = splat<F32x8>(1.0f);
  auto each = [&](auto&& value) __attribute__((always_inline)) {
    for (uint32_t c = first; c < end; ++c) factor[c] = value(c);
  };
  switch (f) {
    case VK_BLEND_FACTOR_ZERO: return each([&](uint32_t) { return splat<F32x8>(0.0f); });
    case VK_BLEND_FACTOR_SRC_COLOR: return each([&](uint32_t c) { return s.c[c]; });
    case VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR: return each([&](uint32_t c) { return one - s.c[c]; });
    case VK_BLEND_FACTOR_DST_COLOR: return each([&](uint32_t c) { return d.c[c]; });
    case VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR: return each([&](uint32_t c) { return one - d.c[c]; });
    case VK_BLEND_FACTOR_SRC_ALPHA: return each([&](uint32_t) { return s.c[3]; });
    case VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA: return each([&](uint32_t) { return one - s.c[3]; });
    case VK_BLEND_FACTOR_DST_ALPHA: return each([&](uint32_t) { return d.c[3]; });
    case VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA: return each([&](uint32_t) { return one - d.c[3]; });
    case VK_BLEND_FACTOR_CONSTANT_COLOR: return each([&](uint32_t c) { return splat<F32x8>(constants[c]); });
    case VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR:
      return each([&](uint32_t c) { return splat<F32x8>(1.0f - constants[c]); });
    case VK_BLEND_FACTOR_CONSTANT_ALPHA: return each([&](uint32_t) { return splat<F32x8>(constants[3]); });
    case VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA:
      return each([&](uint32_t) { return splat<F32x8>(1.0f - constants[3]); });
    case VK_BLEND_FACTOR_SRC_ALPHA_SATURATE:
      return each([&](uint32_t c) { return c == 3 ? one : minimum(s.c[3], one - d.c[3]); });
    case VK_BLEND_FACTOR_SRC1_COLOR: return each([&](uint32_t c) { return s1.c[c]; });
    case VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR: return each([&](uint32_t c) { return one - s1.c[c]; });
    case VK_BLEND_FACTOR_SRC1_ALPHA: return each([&](uint32_t) { return s1.c[3]; });
    case VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA: return each([&](uint32_t) { return one - s1.c[3]; });
    default: return each([&](uint32_t) { return one; });
  }
}

ETZEL_INLINE F32x8 blendOp(VkBlendOp op, F32x8 s, F32x8 sf, F32x8 d, F32x8 df) {
  switch (op) {
    case VK_BLEND_OP_SUBTRACT: return s * sf - d * df;
    case VK_BLEND_OP_REVERSE_SUBTRACT: return d * df - s * sf;
    case VK_BLEND_OP_MIN: return minimum(s, d);
    case VK_BLEND_OP_MAX: return maximum(s, d);
    default: return s * sf + d * df;
  }
}

/// Operands are already clamped for fixed-point attachments; the encoder clamps the result.
inline Color8 blendColors(const ColorTarget& t, const Color8& s, const Color8& d, const Color8& s1) {
  const BlendAttachment& b = t.equation;
  F32x8 sf[4], df[4];
  blendFactors<0, 3>(b.srcColor, s, d, s1, t.constants, sf);
  blendFactors<0, 3>(b.dstColor, s, d, s1, t.constants, df);
  blendFactors<3, 4>(b.srcAlpha, s, d, s1, t.constants, sf);
  blendFactors<3, 4>(b.dstAlpha, s, d, s1, t.constants, df);
  Color8 r;
  for (uint32_t c = 0; c < 4; ++c) r.c[c] = blendOp(c == 3 ? b.alphaOp : b.colorOp, s.c[c], sf[c], d.c[c], df[c]);
  return r;
}

/// On any words: the operation is bitwise.
template <class V>
ETZEL_INLINE V logicOp(VkLogicOp op, V s, V d) {
  switch (op) {
    case VK_LOGIC_OP_CLEAR: return s ^ s;
    case VK_LOGIC_OP_AND: return s & d;
    case VK_LOGIC_OP_AND_REVERSE: return s & ~d;
    case VK_LOGIC_OP_AND_INVERTED: return ~s & d;
    case VK_LOGIC_OP_NO_OP: return d;
    case VK_LOGIC_OP_XOR: return s ^ d;
    case VK_LOGIC_OP_OR: return s | d;
    case VK_LOGIC_OP_NOR: return ~(s | d);
    case VK_LOGIC_OP_EQUIVALENT: return ~(s ^ d);
    case VK_LOGIC_OP_INVERT: return ~d;
    case VK_LOGIC_OP_OR_REVERSE: return s | ~d;
    case VK_LOGIC_OP_COPY_INVERTED: return ~s;
    case VK_LOGIC_OP_OR_INVERTED: return ~s | d;
    case VK_LOGIC_OP_NAND: return ~(s & d);
    case VK_LOGIC_OP_SET: return ~(s ^ s);
    default: return s;
  }
}

}  // namespace etzel::raster::ETZEL_TARGET
