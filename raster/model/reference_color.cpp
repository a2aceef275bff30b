// Colour output of the reference: one sample, one operation after the other in single precision.
#include <bit>
#include <cmath>

#include "raster/model/reference.h"

namespace etzel::raster::model {
namespace {

using format::Numeric;
using Color = std::array<float, 4>;

Color floatsOf(const format::Texel& t) {
  Color c;
  for (uint32_t i = 0; i < 4; ++i) c[i] = std::bit_cast<float>(t.word[i]);
  return c;
}
format::Texel texelOf(const Color& c) {
  format::Texel t;
  for (uint32_t i = 0; i < 4; ++i) t.word[i] = std::bit_cast<uint32_t>(c[i]);
  return t;
}

/// Formats whose components are unsigned normalized bytes are converted here.
bool isBytes(const PlainPlane& p) {
  if (p.info->numeric != Numeric::Unorm || !p.info->isColor()) return false;
  for (const format::Channel& c : p.info->channel)
    if (c.bits && (c.bits != 8 || c.shift % 8)) return false;
  return true;
}
Color decodeOne(const PlainPlane& p, const std::byte* texel) {
  if (!isBytes(p)) {
    format::Texel t{};
    p.decode(texel, &t, 1);
    return floatsOf(t);
  }
  Color c = {0, 0, 0, 1};
  for (uint32_t i = 0; i < 4; ++i)
    if (p.info->channel[i].bits)
      c[i] = static_cast<float>(std::to_integer<int>(texel[p.info->channel[i].shift / 8])) / 255.0f;
  return c;
}
void encodeOne(const PlainPlane& p, const Color& c, std::byte* texel) {
  if (!isBytes(p)) {
    const format::Texel t = texelOf(c);
    p.encode(&t, texel, 1);
    return;
  }
  for (uint32_t i = 0; i < 4; ++i) {
    if (!p.info->channel[i].bits) continue;
    const float v = c[i] > 0 ? (c[i] < 1 ? c[i] : 1.0f) : 0.0f;
    texel[p.info->channel[i].shift / 8] = static_cast<std::byte>(std::nearbyint(v * 255.0f));
  }
}

/// "Blending": fixed-point attachments clamp what goes into the equation.
float clampFor(const PlainPlane& p, float v) {
  const Numeric n = p.info->numeric;
  if (n == Numeric::Unorm || n == Numeric::Srgb) return v > 0 ? (v < 1 ? v : 1.0f) : 0.0f;
  if (n == Numeric::Snorm) return v > -1 ? (v < 1 ? v : 1.0f) : -1.0f;
  return v;
}

struct Operands {
  Color source, second, old, constant;
};

float factorOf(VkBlendFactor f, uint32_t c, const Operands& o) {
  const bool inverse = f == VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR || f == VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR ||
                       f == VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA || f == VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA ||
                       f == VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR || f == VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA ||
                       f == VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR || f == VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA;
  float v = 0;
  switch (f) {
    case VK_BLEND_FACTOR_ZERO: return 0;
    case VK_BLEND_FACTOR_ONE: return 1;
    case VK_BLEND_FACTOR_SRC_ALPHA_SATURATE: return c == 3 ? 1.0f : std::min(o.source[3], 1.0f - o.old[3]);
    case VK_BLEND_FACTOR_SRC_COLOR:
    case VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR: v = o.source[c]; break;
    case VK_BLEND_FACTOR_DST_COLOR:
    case VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR: v = o.old[c]; break;
    case VK_BLEND_FACTOR_SRC_ALPHA:
    case VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA: v = o.source[3]; break;
    case VK_BLEND_FACTOR_DST_ALPHA:
    case VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA: v = o.old[3]; break;
    case VK_BLEND_FACTOR_CONSTANT_COLOR:
    case VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR: v = o.constant[c]; break;
    case VK_BLEND_FACTOR_CONSTANT_ALPHA:
    case VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA: v = o.constant[3]; break;
    case VK_BLEND_FACTOR_SRC1_COLOR:
    case VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR: v = o.second[c]; break;
    default: v = o.second[3]; break;
  }
  return inverse ? 1.0f - v : v;
}

Color blend(const PlainPlane& p, const BlendAttachment& b, const DrawState& state, Color source, Color second,
            const Color& old) {
  Operands o{source, second, old, {}};
  for (uint32_t c = 0; c < 4; ++c) {
    o.source[c] = clampFor(p, o.source[c]), o.second[c] = clampFor(p, o.second[c]);
    o.constant[c] = clampFor(p, state.blendConstants[c]);
  }
  Color r;
  for (uint32_t c = 0; c < 4; ++c) {
    const float s = o.source[c], d = o.old[c];
    const float sf = s * factorOf(c == 3 ? b.srcAlpha : b.srcColor, c, o);
    const float df = d * factorOf(c == 3 ? b.dstAlpha : b.dstColor, c, o);
    switch (c == 3 ? b.alphaOp : b.colorOp) {
      case VK_BLEND_OP_SUBTRACT: r[c] = sf - df; break;
      case VK_BLEND_OP_REVERSE_SUBTRACT: r[c] = df - sf; break;
      case VK_BLEND_OP_MIN: r[c] = s < d ? s : d; break;
      case VK_BLEND_OP_MAX: r[c] = s > d ? s : d; break;
      default: r[c] = sf + df; break;
    }
  }
  return r;
}

/// "Logical Operations": the table.
uint32_t logic(VkLogicOp op, uint32_t s, uint32_t d) {
  switch (op) {
    case VK_LOGIC_OP_CLEAR: return 0;
    case VK_LOGIC_OP_AND: return s & d;
    case VK_LOGIC_OP_AND_REVERSE: return s & ~d;
    case VK_LOGIC_OP_COPY: return s;
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
    default: return ~0u;
  }
}

bool lets(const PlainPlane& p, VkColorComponentFlags mask, uint32_t bit) {
  for (uint32_t c = 0; c < 4; ++c) {
    const format::Channel& channel = p.info->channel[c];
    if (channel.bits && bit >= channel.shift && bit < uint32_t{channel.shift} + channel.bits) return mask >> c & 1;
  }
  return false;
}

}  // namespace

void writeSample(const DrawState& state, uint32_t attachment, PlainPlane& plane, const Outputs& shaded,
                 std::byte* texel) {
  const BlendAttachment& b = state.blend[attachment];
  const Numeric numeric = plane.info->numeric;
  const bool floats = numeric == Numeric::Float || numeric == Numeric::Ufloat;
  const bool logicOp = state.logicOpEnable && !floats && numeric != Numeric::Srgb;
  std::byte next[16];
  if (plane.info->isInteger()) {
    plane.encode(&shaded.color[attachment], next, 1);
  } else {
    Color source = floatsOf(shaded.color[attachment]), second = floatsOf(shaded.second);
    if (state.alphaToOne) source[3] = second[3] = 1;
    // "Logical Operations": where they are enabled, no attachment blends.
    if (b.enable && !state.logicOpEnable) source = blend(plane, b, state, source, second, decodeOne(plane, texel));
    encodeOne(plane, source, next);
  }
  for (uint32_t i = 0; i < plane.bytes; ++i) {
    uint32_t v = std::to_integer<uint32_t>(next[i]), old = std::to_integer<uint32_t>(texel[i]), mask = 0;
    if (logicOp) v = logic(state.logicOp, v, old);
    if (b.writeMask == 0xF) {
      mask = 0xFF;
    } else {
      for (uint32_t bit = 0; bit < 8; ++bit) mask |= uint32_t{lets(plane, b.writeMask, i * 8 + bit)} << bit;
    }
    texel[i] = static_cast<std::byte>((old & ~mask) | (v & mask));
  }
}

}  // namespace etzel::raster::model
