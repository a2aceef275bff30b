// Blending and logic operations against the equations of "Blending" and "Logical Operations".
#include <algorithm>
#include <array>
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"
#include "cts-subset/support/half.h"

namespace etzel::cts {
namespace {

using Color = std::array<double, 4>;
const Color constants = {0.2, 0.4, 0.6, 0.8};
const char* const factorNames[] = {"zero",
                                   "one",
                                   "src_color",
                                   "one_minus_src_color",
                                   "dst_color",
                                   "one_minus_dst_color",
                                   "src_alpha",
                                   "one_minus_src_alpha",
                                   "dst_alpha",
                                   "one_minus_dst_alpha",
                                   "const_color",
                                   "one_minus_const_color",
                                   "const_alpha",
                                   "one_minus_const_alpha",
                                   "alpha_saturate",
                                   "src1_color",
                                   "one_minus_src1_color",
                                   "src1_alpha",
                                   "one_minus_src1_alpha"};
const char* const opNames[] = {"add", "subtract", "reverse_subtract", "min", "max"};

double factor(VkBlendFactor f, const Color& s, const Color& s1, const Color& d, int c) {
  switch (f) {
    case VK_BLEND_FACTOR_ZERO: return 0;
    case VK_BLEND_FACTOR_ONE: return 1;
    case VK_BLEND_FACTOR_SRC_COLOR: return s[size_t(c)];
    case VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR: return 1 - s[size_t(c)];
    case VK_BLEND_FACTOR_DST_COLOR: return d[size_t(c)];
    case VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR: return 1 - d[size_t(c)];
    case VK_BLEND_FACTOR_SRC_ALPHA: return s[3];
    case VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA: return 1 - s[3];
    case VK_BLEND_FACTOR_DST_ALPHA: return d[3];
    case VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA: return 1 - d[3];
    case VK_BLEND_FACTOR_CONSTANT_COLOR: return constants[size_t(c)];
    case VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR: return 1 - constants[size_t(c)];
    case VK_BLEND_FACTOR_CONSTANT_ALPHA: return constants[3];
    case VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA: return 1 - constants[3];
    case VK_BLEND_FACTOR_SRC_ALPHA_SATURATE: return c == 3 ? 1 : std::min(s[3], 1 - d[3]);
    case VK_BLEND_FACTOR_SRC1_COLOR: return s1[size_t(c)];
    case VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR: return 1 - s1[size_t(c)];
    case VK_BLEND_FACTOR_SRC1_ALPHA: return s1[3];
    case VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA: return 1 - s1[3];
    default: return 0;
  }
}

double combine(VkBlendOp op, double s, double sf, double d, double df) {
  switch (op) {
    case VK_BLEND_OP_ADD: return s * sf + d * df;
    case VK_BLEND_OP_SUBTRACT: return s * sf - d * df;
    case VK_BLEND_OP_REVERSE_SUBTRACT: return d * df - s * sf;
    case VK_BLEND_OP_MIN: return std::min(s, d);
    default: return std::max(s, d);
  }
}

double toLinear(double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); }
double toSrgb(double c) { return c <= 0.0031308 ? c * 12.92 : 1.055 * std::pow(c, 1 / 2.4) - 0.055; }

struct BlendCase {
  VkFormat format;
  VkPipelineColorBlendAttachmentState state;
};

void blend(Gpu& gpu, const BlendCase& b) {
  bool isFloat = b.format == VK_FORMAT_R32G32B32A32_SFLOAT || b.format == VK_FORMAT_R16G16B16A16_SFLOAT;
  bool srgb = b.format == VK_FORMAT_R8G8B8A8_SRGB;
  if (!(gpu.formatFeatures(b.format) & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT))
    throw NotSupported("blending of the format");
  auto dual = [](VkBlendFactor f) {
    return f >= VK_BLEND_FACTOR_SRC1_COLOR && f <= VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA;
  };
  bool needsDual = dual(b.state.srcColorBlendFactor) || dual(b.state.dstColorBlendFactor) ||
                   dual(b.state.srcAlphaBlendFactor) || dual(b.state.dstAlphaBlendFactor);
  if (needsDual) gpu.require(gpu.features.features.dualSrcBlend, "dualSrcBlend");
  // A 32-bit float copy of the destination is the input; the target is filled by drawing it without blending.
  const uint32_t size = 16;
  Image target =
      gpu.image({.format = b.format, .width = size, .height = size, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  const char* pattern =
      "vec4 destination(ivec2 p) { return vec4(p.x, p.y, 15 - p.x, (p.x * 5 + p.y * 3) & 15) / 15.0; }\n"
      "vec4 source(ivec2 p) { return vec4(p.y, 15 - p.x, p.x ^ p.y, (p.x * 3 + p.y * 7) & 15) / 15.0; }\n";
  DrawState fill;
  fill.vert = coverAll();
  fill.frag = std::string("#version 450\nlayout(location=0) out vec4 color;\n") + pattern +
              "void main() { color = destination(ivec2(gl_FragCoord.xy)); }\n";
  fill.colors = {target};
  draw(gpu, fill);
  DrawState s;
  s.vert = coverAll();
  s.frag = std::string("#version 450\nlayout(location=0, index=0) out vec4 color;\n") +
           (needsDual ? "layout(location=0, index=1) out vec4 color1;\n" : "") + pattern +
           "void main() { ivec2 p = ivec2(gl_FragCoord.xy); color = source(p);" +
           (needsDual ? " color1 = source(p.yx).wxyz;" : "") + " }\n";
  s.colors = {target};
  s.attachment = b.state;
  s.attachment.blendEnable = VK_TRUE;
  for (int c = 0; c < 4; ++c) s.blend.blendConstants[c] = float(constants[size_t(c)]);
  draw(gpu, s);

  Image readable = target;
  size_t texel = b.format == VK_FORMAT_R32G32B32A32_SFLOAT ? 16 : b.format == VK_FORMAT_R16G16B16A16_SFLOAT ? 8 : 4;
  auto bytes = gpu.download(readable, texel);
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 16; ++x) {
      auto source = [](int px, int py) {
        return Color{py / 15.0, (15 - px) / 15.0, (px ^ py) / 15.0, ((px * 3 + py * 7) & 15) / 15.0};
      };
      Color d = {x / 15.0, y / 15.0, (15 - x) / 15.0, ((x * 5 + y * 3) & 15) / 15.0}, sc = source(x, y),
            t = source(y, x), s1 = {t[3], t[0], t[1], t[2]};
      if (srgb)
        for (int c = 0; c < 3; ++c) d[size_t(c)] = toLinear(std::lround(toSrgb(d[size_t(c)]) * 255) / 255.0);
      for (int c = 0; c < 4; ++c) {
        bool alpha = c == 3;
        double want = combine(alpha ? b.state.alphaBlendOp : b.state.colorBlendOp, sc[size_t(c)],
                              factor(alpha ? b.state.srcAlphaBlendFactor : b.state.srcColorBlendFactor, sc, s1, d, c),
                              d[size_t(c)],
                              factor(alpha ? b.state.dstAlphaBlendFactor : b.state.dstColorBlendFactor, sc, s1, d, c));
        if (!(b.state.colorWriteMask >> c & 1)) want = d[size_t(c)];
        double got, tolerance = 1.01 / 255;
        size_t at = size_t(y * 16 + x) * 4 + size_t(c);
        if (texel == 16)
          got = reinterpret_cast<float*>(bytes.data())[at], tolerance = 1e-5;
        else if (texel == 8)
          got = double(reinterpret_cast<Half*>(bytes.data())[at]), tolerance = 3e-3;
        else if (b.format == VK_FORMAT_A2B10G10R10_UNORM_PACK32) {
          uint32_t word = reinterpret_cast<uint32_t*>(bytes.data())[y * 16 + x];
          got = c == 3 ? (word >> 30) / 3.0 : (word >> (10 * c) & 1023) / 1023.0;
          // The destination's alpha has two bits, which all results that read it inherit.
          tolerance = c == 3 ? 0.34 : 1.5 / 1023;
        } else {
          int index = b.format == VK_FORMAT_B8G8R8A8_UNORM && c < 3 ? 2 - c : c;
          got = bytes[size_t(y * 16 + x) * 4 + size_t(index)] / 255.0;
        }
        if (!isFloat) want = std::clamp(want, 0.0, 1.0);
        if (srgb && c < 3) want = toSrgb(want), tolerance = 3.1 / 255;  // a linear 1 / 1023
        ASSERT_NEAR(got, want, tolerance) << "pixel " << x << "," << y << " channel " << c;
      }
    }
}

const char* formatName(VkFormat f) {
  switch (f) {
    case VK_FORMAT_R8G8B8A8_UNORM: return "rgba8";
    case VK_FORMAT_B8G8R8A8_UNORM: return "bgra8";
    case VK_FORMAT_R8G8B8A8_SRGB: return "srgba8";
    case VK_FORMAT_A2B10G10R10_UNORM_PACK32: return "rgb10a2";
    case VK_FORMAT_R16G16B16A16_SFLOAT: return "rgba16f";
    default: return "rgba32f";
  }
}

void logicCase(Gpu& gpu, VkLogicOp op, VkFormat format, uint32_t bits, const char* type) {
  gpu.require(gpu.features.features.logicOp, "logicOp");
  Image target = gpu.image({.format = format, .width = 16, .height = 16, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  uint32_t bytes = bits / 8 * (format == VK_FORMAT_R32_UINT ? 1 : 4);
  std::vector<uint32_t> before(16 * 16 * bytes / 4);
  Random random(3);
  for (auto& w : before) w = random.next();
  gpu.upload(target, before.data(), before.size() * 4);
  DrawState s;
  s.vert = coverAll();
  bool unorm = format == VK_FORMAT_R8G8B8A8_UNORM;
  s.frag =
      writes(unorm ? "vec4(204.0, 85.0, 240.0, 15.0) / 255.0" : std::string(type) + "(0xcc, 0x55, 0xf0, 0x0f)", type);
  if (format == VK_FORMAT_R32_UINT) s.frag = writes("0x0ff055ccu", "uint");
  s.colors = {target};
  s.blend.logicOpEnable = VK_TRUE;
  s.blend.logicOp = op;
  draw(gpu, s);
  auto got = gpu.download(target, bytes);
  uint32_t source[4] = {0x0ff055cc, 0x0ff055cc, 0x0ff055cc, 0x0ff055cc};
  if (bits == 16) source[0] = source[2] = 0x005500cc, source[1] = source[3] = 0x000f00f0;
  if (bits == 32 && bytes == 16) source[0] = 0xcc, source[1] = 0x55, source[2] = 0xf0, source[3] = 0x0f;
  for (size_t i = 0; i < before.size(); ++i) {
    uint32_t a = source[i % (bytes / 4 == 1 ? 1 : bytes / 4)], d = before[i], want = 0;
    // Bit 3 - (2 s + d) of the operation's number, in the order of the table of VkLogicOp, is not its truth table;
    // spell it.
    switch (op) {
      case VK_LOGIC_OP_CLEAR: want = 0; break;
      case VK_LOGIC_OP_AND: want = a & d; break;
      case VK_LOGIC_OP_AND_REVERSE: want = a & ~d; break;
      case VK_LOGIC_OP_COPY: want = a; break;
      case VK_LOGIC_OP_AND_INVERTED: want = ~a & d; break;
      case VK_LOGIC_OP_NO_OP: want = d; break;
      case VK_LOGIC_OP_XOR: want = a ^ d; break;
      case VK_LOGIC_OP_OR: want = a | d; break;
      case VK_LOGIC_OP_NOR: want = ~(a | d); break;
      case VK_LOGIC_OP_EQUIVALENT: want = ~(a ^ d); break;
      case VK_LOGIC_OP_INVERT: want = ~d; break;
      case VK_LOGIC_OP_OR_REVERSE: want = a | ~d; break;
      case VK_LOGIC_OP_COPY_INVERTED: want = ~a; break;
      case VK_LOGIC_OP_OR_INVERTED: want = ~a | d; break;
      case VK_LOGIC_OP_NAND: want = ~(a & d); break;
      default: want = ~0u; break;
    }
    uint32_t value;
    memcpy(&value, &got[i * 4], 4);
    ASSERT_EQ(value, want) << "word " << i << " destination " << std::hex << d << " source " << a;
  }
}

}  // namespace

void registerBlend() {
  for (int src = 0; src < 19; ++src)
    for (int dst = 0; dst < 19; ++dst) {
      if (dst == VK_BLEND_FACTOR_SRC_ALPHA_SATURATE && src % 3) continue;
      BlendCase b{VK_FORMAT_R8G8B8A8_UNORM,
                  {VK_TRUE, VkBlendFactor(src), VkBlendFactor(dst), VkBlendOp((src + dst) % 3), VkBlendFactor(dst),
                   VkBlendFactor(src), VkBlendOp((src + 2 * dst) % 5), 15}};
      add(text("blend.factors.%s.%s", factorNames[src], factorNames[dst]), [b](Gpu& gpu) { blend(gpu, b); });
    }
  for (VkFormat format : {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R16G16B16A16_SFLOAT,
                          VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_A2B10G10R10_UNORM_PACK32})
    for (int op = 0; op < 5; ++op)
      for (auto [src, dst] : {std::pair(VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA),
                              std::pair(VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_SRC_COLOR),
                              std::pair(VK_BLEND_FACTOR_DST_COLOR, VK_BLEND_FACTOR_CONSTANT_COLOR)}) {
        BlendCase b{
            format,
            {VK_TRUE, src, dst, VkBlendOp(op), VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO, VkBlendOp((op + 1) % 3), 15}};
        add(text("blend.formats.%s.%s.%s", formatName(format), opNames[op], factorNames[src]),
            [b](Gpu& gpu) { blend(gpu, b); });
      }
  for (uint32_t mask = 0; mask < 16; ++mask) {
    BlendCase b{VK_FORMAT_R8G8B8A8_UNORM,
                {VK_TRUE, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD, VK_BLEND_FACTOR_ONE,
                 VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD, mask}};
    add(text("blend.write_mask.%u", mask), [b](Gpu& gpu) { blend(gpu, b); });
  }
  for (int op = 0; op < 16; ++op) {
    add(text("logic_op.rgba8.op%d", op),
        [=](Gpu& gpu) { logicCase(gpu, VkLogicOp(op), VK_FORMAT_R8G8B8A8_UNORM, 8, "vec4"); });
    add(text("logic_op.rgba8ui.op%d", op),
        [=](Gpu& gpu) { logicCase(gpu, VkLogicOp(op), VK_FORMAT_R8G8B8A8_UINT, 8, "uvec4"); });
    add(text("logic_op.r32ui.op%d", op),
        [=](Gpu& gpu) { logicCase(gpu, VkLogicOp(op), VK_FORMAT_R32_UINT, 32, "uvec4"); });
    add(text("logic_op.rgba16ui.op%d", op),
        [=](Gpu& gpu) { logicCase(gpu, VkLogicOp(op), VK_FORMAT_R16G16B16A16_UINT, 16, "uvec4"); });
  }
}

}  // namespace etzel::cts
