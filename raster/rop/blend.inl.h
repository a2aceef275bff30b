// Blending and logical operations on eight pixels ("Blending", "Logical Operations"). Part of the tile code: included
// once per instruction set.

struct Color8 {
  F8 c[4];
};

ETZEL_INLINE F8 clampFor(BlendClamp clamp, F8 v) {
  if (clamp == BlendClamp::Unorm) return clampF(v, 0.0f, 1.0f);
  if (clamp == BlendClamp::Snorm) return clampF(v, -1.0f, 1.0f);
  return v;
}

/// Factor of component `c` (3: alpha).
ETZEL_INLINE F8 blendFactor(VkBlendFactor f, uint32_t c, const Color8& s, const Color8& d, const Color8& s1,
                            const float* constants) {
  const F8 one = splat(1.0f);
  switch (f) {
    case VK_BLEND_FACTOR_ZERO: return splat(0.0f);
    case VK_BLEND_FACTOR_SRC_COLOR: return s.c[c];
    case VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR: return one - s.c[c];
    case VK_BLEND_FACTOR_DST_COLOR: return d.c[c];
    case VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR: return one - d.c[c];
    case VK_BLEND_FACTOR_SRC_ALPHA: return s.c[3];
    case VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA: return one - s.c[3];
    case VK_BLEND_FACTOR_DST_ALPHA: return d.c[3];
    case VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA: return one - d.c[3];
    case VK_BLEND_FACTOR_CONSTANT_COLOR: return splat(constants[c]);
    case VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR: return splat(1.0f - constants[c]);
    case VK_BLEND_FACTOR_CONSTANT_ALPHA: return splat(constants[3]);
    case VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA: return splat(1.0f - constants[3]);
    case VK_BLEND_FACTOR_SRC_ALPHA_SATURATE: return c == 3 ? one : min8(s.c[3], one - d.c[3]);
    case VK_BLEND_FACTOR_SRC1_COLOR: return s1.c[c];
    case VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR: return one - s1.c[c];
    case VK_BLEND_FACTOR_SRC1_ALPHA: return s1.c[3];
    case VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA: return one - s1.c[3];
    default: return one;
  }
}

ETZEL_INLINE F8 blendOp(VkBlendOp op, F8 s, F8 sf, F8 d, F8 df) {
  switch (op) {
    case VK_BLEND_OP_SUBTRACT: return s * sf - d * df;
    case VK_BLEND_OP_REVERSE_SUBTRACT: return d * df - s * sf;
    case VK_BLEND_OP_MIN: return min8(s, d);
    case VK_BLEND_OP_MAX: return max8(s, d);
    default: return s * sf + d * df;
  }
}

/// Operands are already clamped for fixed-point attachments; the encoder clamps the result.
inline Color8 blendColors(const ColorTarget& t, const Color8& s, const Color8& d, const Color8& s1) {
  const BlendAttachment& b = t.equation;
  Color8 r;
  for (uint32_t c = 0; c < 4; ++c) {
    bool alpha = c == 3;
    F8 sf = blendFactor(alpha ? b.srcAlpha : b.srcColor, c, s, d, s1, t.constants);
    F8 df = blendFactor(alpha ? b.dstAlpha : b.dstColor, c, s, d, s1, t.constants);
    r.c[c] = blendOp(alpha ? b.alphaOp : b.colorOp, s.c[c], sf, d.c[c], df);
  }
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
