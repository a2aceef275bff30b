// "Advanced Blend Operations" (VK_EXT_blend_operation_advanced) against the equations of the chapter, in double.
#include <algorithm>
#include <array>
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

using Color = std::array<double, 4>;
using Rgb = std::array<double, 3>;

struct Operation {
  const char* name;
  VkBlendOp op;
  int x, y, z;  ///< the table's X, Y and Z; -1: an operation of premultiplied colours
};
const Operation operations[] = {
    {"zero", VK_BLEND_OP_ZERO_EXT, 0, 0, 0},
    {"src", VK_BLEND_OP_SRC_EXT, 1, 1, 0},
    {"dst", VK_BLEND_OP_DST_EXT, 1, 0, 1},
    {"src_over", VK_BLEND_OP_SRC_OVER_EXT, 1, 1, 1},
    {"dst_over", VK_BLEND_OP_DST_OVER_EXT, 1, 1, 1},
    {"src_in", VK_BLEND_OP_SRC_IN_EXT, 1, 0, 0},
    {"dst_in", VK_BLEND_OP_DST_IN_EXT, 1, 0, 0},
    {"src_out", VK_BLEND_OP_SRC_OUT_EXT, 0, 1, 0},
    {"dst_out", VK_BLEND_OP_DST_OUT_EXT, 0, 0, 1},
    {"src_atop", VK_BLEND_OP_SRC_ATOP_EXT, 1, 0, 1},
    {"dst_atop", VK_BLEND_OP_DST_ATOP_EXT, 1, 1, 0},
    {"xor", VK_BLEND_OP_XOR_EXT, 0, 1, 1},
    {"multiply", VK_BLEND_OP_MULTIPLY_EXT, 1, 1, 1},
    {"screen", VK_BLEND_OP_SCREEN_EXT, 1, 1, 1},
    {"overlay", VK_BLEND_OP_OVERLAY_EXT, 1, 1, 1},
    {"darken", VK_BLEND_OP_DARKEN_EXT, 1, 1, 1},
    {"lighten", VK_BLEND_OP_LIGHTEN_EXT, 1, 1, 1},
    {"color_dodge", VK_BLEND_OP_COLORDODGE_EXT, 1, 1, 1},
    {"color_burn", VK_BLEND_OP_COLORBURN_EXT, 1, 1, 1},
    {"hard_light", VK_BLEND_OP_HARDLIGHT_EXT, 1, 1, 1},
    {"soft_light", VK_BLEND_OP_SOFTLIGHT_EXT, 1, 1, 1},
    {"difference", VK_BLEND_OP_DIFFERENCE_EXT, 1, 1, 1},
    {"exclusion", VK_BLEND_OP_EXCLUSION_EXT, 1, 1, 1},
    {"invert", VK_BLEND_OP_INVERT_EXT, 1, 0, 1},
    {"invert_rgb", VK_BLEND_OP_INVERT_RGB_EXT, 1, 0, 1},
    {"linear_dodge", VK_BLEND_OP_LINEARDODGE_EXT, 1, 1, 1},
    {"linear_burn", VK_BLEND_OP_LINEARBURN_EXT, 1, 1, 1},
    {"vivid_light", VK_BLEND_OP_VIVIDLIGHT_EXT, 1, 1, 1},
    {"linear_light", VK_BLEND_OP_LINEARLIGHT_EXT, 1, 1, 1},
    {"pin_light", VK_BLEND_OP_PINLIGHT_EXT, 1, 1, 1},
    {"hard_mix", VK_BLEND_OP_HARDMIX_EXT, 1, 1, 1},
    {"hue", VK_BLEND_OP_HSL_HUE_EXT, 1, 1, 1},
    {"saturation", VK_BLEND_OP_HSL_SATURATION_EXT, 1, 1, 1},
    {"color", VK_BLEND_OP_HSL_COLOR_EXT, 1, 1, 1},
    {"luminosity", VK_BLEND_OP_HSL_LUMINOSITY_EXT, 1, 1, 1},
    {"plus", VK_BLEND_OP_PLUS_EXT, -1, 0, 0},
    {"plus_clamped", VK_BLEND_OP_PLUS_CLAMPED_EXT, -1, 0, 0},
    {"plus_clamped_alpha", VK_BLEND_OP_PLUS_CLAMPED_ALPHA_EXT, -1, 0, 0},
    {"plus_darker", VK_BLEND_OP_PLUS_DARKER_EXT, -1, 0, 0},
    {"minus", VK_BLEND_OP_MINUS_EXT, -1, 0, 0},
    {"minus_clamped", VK_BLEND_OP_MINUS_CLAMPED_EXT, -1, 0, 0},
    {"contrast", VK_BLEND_OP_CONTRAST_EXT, -1, 0, 0},
    {"invert_ovg", VK_BLEND_OP_INVERT_OVG_EXT, -1, 0, 0},
    {"red", VK_BLEND_OP_RED_EXT, -1, 0, 0},
    {"green", VK_BLEND_OP_GREEN_EXT, -1, 0, 0},
    {"blue", VK_BLEND_OP_BLUE_EXT, -1, 0, 0},
};

double component(VkBlendOp op, double s, double d) {
  switch (op) {
    case VK_BLEND_OP_SRC_EXT:
    case VK_BLEND_OP_SRC_OVER_EXT:
    case VK_BLEND_OP_SRC_IN_EXT:
    case VK_BLEND_OP_SRC_ATOP_EXT: return s;
    case VK_BLEND_OP_DST_EXT:
    case VK_BLEND_OP_DST_OVER_EXT:
    case VK_BLEND_OP_DST_IN_EXT:
    case VK_BLEND_OP_DST_ATOP_EXT: return d;
    case VK_BLEND_OP_MULTIPLY_EXT: return s * d;
    case VK_BLEND_OP_SCREEN_EXT: return s + d - s * d;
    case VK_BLEND_OP_OVERLAY_EXT: return d <= 0.5 ? 2 * s * d : 1 - 2 * (1 - s) * (1 - d);
    case VK_BLEND_OP_DARKEN_EXT: return std::min(s, d);
    case VK_BLEND_OP_LIGHTEN_EXT: return std::max(s, d);
    case VK_BLEND_OP_COLORDODGE_EXT: return d <= 0 ? 0 : s < 1 ? std::min(1.0, d / (1 - s)) : 1;
    case VK_BLEND_OP_COLORBURN_EXT: return d >= 1 ? 1 : s > 0 ? 1 - std::min(1.0, (1 - d) / s) : 0;
    case VK_BLEND_OP_HARDLIGHT_EXT: return s <= 0.5 ? 2 * s * d : 1 - 2 * (1 - s) * (1 - d);
    case VK_BLEND_OP_SOFTLIGHT_EXT:
      if (s <= 0.5) return d - (1 - 2 * s) * d * (1 - d);
      return d + (2 * s - 1) * (d <= 0.25 ? d * ((16 * d - 12) * d + 3) : std::sqrt(d) - d);
    case VK_BLEND_OP_DIFFERENCE_EXT: return std::fabs(d - s);
    case VK_BLEND_OP_EXCLUSION_EXT: return s + d - 2 * s * d;
    case VK_BLEND_OP_INVERT_EXT: return 1 - d;
    case VK_BLEND_OP_INVERT_RGB_EXT: return s * (1 - d);
    case VK_BLEND_OP_LINEARDODGE_EXT: return std::min(1.0, s + d);
    case VK_BLEND_OP_LINEARBURN_EXT: return std::max(0.0, s + d - 1);
    case VK_BLEND_OP_VIVIDLIGHT_EXT:
      if (s <= 0 || s >= 1) return s <= 0 ? 0 : 1;
      return s < 0.5 ? 1 - std::min(1.0, (1 - d) / (2 * s)) : std::min(1.0, d / (2 * (1 - s)));
    case VK_BLEND_OP_LINEARLIGHT_EXT: return std::clamp(2 * s + d - 1, 0.0, 1.0);
    case VK_BLEND_OP_PINLIGHT_EXT:
      if (2 * s - 1 > d) return s < 0.5 ? 0 : 2 * s - 1;
      return s < 0.5 * d ? 2 * s : d;
    case VK_BLEND_OP_HARDMIX_EXT: return s + d < 1 ? 0 : 1;
    default: return 0;
  }
}

double lum(const Rgb& c) { return 0.30 * c[0] + 0.59 * c[1] + 0.11 * c[2]; }
double low(const Rgb& c) { return *std::min_element(c.begin(), c.end()); }
double high(const Rgb& c) { return *std::max_element(c.begin(), c.end()); }
Rgb setLum(Rgb c, const Rgb& like) {
  const double difference = lum(like) - lum(c);
  for (double& v : c) v += difference;
  const double l = lum(c), least = low(c), most = high(c);
  for (double& v : c) {
    if (least < 0) v = l + (v - l) * l / (l - least);
    if (most > 1) v = l + (v - l) * (1 - l) / (most - l);
  }
  return c;
}
Rgb setLumSat(Rgb c, const Rgb& saturation, const Rgb& like) {
  const double least = low(c), range = high(c) - least, wanted = high(saturation) - low(saturation);
  for (double& v : c) v = range > 0 ? (v - least) * wanted / range : 0;
  return setLum(c, like);
}

Rgb function(VkBlendOp op, const Rgb& s, const Rgb& d) {
  switch (op) {
    case VK_BLEND_OP_HSL_HUE_EXT: return setLumSat(s, d, d);
    case VK_BLEND_OP_HSL_SATURATION_EXT: return setLumSat(d, s, d);
    case VK_BLEND_OP_HSL_COLOR_EXT: return setLum(s, d);
    case VK_BLEND_OP_HSL_LUMINOSITY_EXT: return setLum(d, s);
    default: return {component(op, s[0], d[0]), component(op, s[1], d[1]), component(op, s[2], d[2])};
  }
}

/// Of premultiplied colours.
Color additional(VkBlendOp op, const Color& s, const Color& d) {
  const double sa = s[3], da = d[3], a = std::min(1.0, sa + da);
  Color r = d;
  for (size_t c = 0; c < 4; ++c) switch (op) {
      case VK_BLEND_OP_PLUS_EXT: r[c] = s[c] + d[c]; break;
      case VK_BLEND_OP_PLUS_CLAMPED_EXT: r[c] = std::min(1.0, s[c] + d[c]); break;
      case VK_BLEND_OP_PLUS_CLAMPED_ALPHA_EXT: r[c] = std::min(a, s[c] + d[c]); break;
      case VK_BLEND_OP_PLUS_DARKER_EXT: r[c] = c == 3 ? a : std::max(0.0, a - ((sa - s[c]) + (da - d[c]))); break;
      case VK_BLEND_OP_MINUS_EXT: r[c] = d[c] - s[c]; break;
      case VK_BLEND_OP_MINUS_CLAMPED_EXT: r[c] = std::max(0.0, d[c] - s[c]); break;
      case VK_BLEND_OP_CONTRAST_EXT: r[c] = c == 3 ? da : da / 2 + 2 * (d[c] - da / 2) * (s[c] - sa / 2); break;
      case VK_BLEND_OP_INVERT_OVG_EXT: r[c] = c == 3 ? sa + da - sa * da : sa * (1 - d[c]) + (1 - sa) * d[c]; break;
      default: r[c] = c == size_t(op - VK_BLEND_OP_RED_EXT) ? s[c] : d[c]; break;
    }
  return r;
}

Color expected(const Operation& o, const VkPipelineColorBlendAdvancedStateCreateInfoEXT& state, Color s, Color d) {
  Color r;
  if (o.x < 0) {
    for (size_t c = 0; c < 3; ++c) s[c] *= state.srcPremultiplied ? 1 : s[3], d[c] *= state.dstPremultiplied ? 1 : d[3];
    r = additional(o.op, s, d);
  } else {
    for (size_t c = 0; c < 3; ++c) s[c] /= state.srcPremultiplied ? s[3] : 1, d[c] /= state.dstPremultiplied ? d[3] : 1;
    const double sa = s[3], da = d[3];
    double p0 = sa * da, p1 = sa * (1 - da), p2 = da * (1 - sa);
    if (state.blendOverlap == VK_BLEND_OVERLAP_CONJOINT_EXT)
      p0 = std::min(sa, da), p1 = std::max(sa - da, 0.0), p2 = std::max(da - sa, 0.0);
    if (state.blendOverlap == VK_BLEND_OVERLAP_DISJOINT_EXT)
      p0 = std::max(sa + da - 1, 0.0), p1 = std::min(sa, 1 - da), p2 = std::min(da, 1 - sa);
    const Rgb f = function(o.op, {s[0], s[1], s[2]}, {d[0], d[1], d[2]});
    for (size_t c = 0; c < 3; ++c) r[c] = f[c] * p0 * o.x + o.y * s[c] * p1 + o.z * d[c] * p2;
    r[3] = o.x * p0 + o.y * p1 + o.z * p2;
  }
  for (size_t c = 0; c < 3 && !state.dstPremultiplied && r[3] != 0; ++c) r[c] /= r[3];
  return r;
}

/// Whether component `c` of a result is defined: "If any R, G, or B component of the color is non-zero and the A
/// component is zero, the result is considered ill-formed, and the corresponding component of the blend result is
/// undefined"; "If the A component of any input or result color is less than zero, the color is considered ill-formed,
/// and all components of the blend result are undefined". What rounding leaves of a zero may be on either side of it.
bool defined(const Color& result, size_t c) {
  if (result[3] == 0) return c == 3 || result[c] == 0;
  return result[3] > 1e-6;
}

void blend(Gpu& gpu, const Operation& o, VkBlendOverlapEXT overlap, bool premultiplied) {
  gpu.require(gpu.extensions.count(VK_EXT_BLEND_OPERATION_ADVANCED_EXTENSION_NAME), "advanced blending");
  VkPhysicalDeviceBlendOperationAdvancedPropertiesEXT can{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BLEND_OPERATION_ADVANCED_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &can};
  vkGetPhysicalDeviceProperties2(gpu.physical, &properties);
  gpu.require(
      can.advancedBlendAllOperations && can.advancedBlendCorrelatedOverlap && can.advancedBlendNonPremultipliedSrcColor,
      "all advanced blend operations");
  // Pixel (x, y): no colour is greater than its alpha, and none lies where an operation jumps.
  const auto source = [](int i) -> Color {
    const double a = 0.3 + 0.09 * (i % 8);
    return {a * (0.05 + 0.123 * (i % 7)), a * 0.61, a * (0.97 - 0.131 * (i % 7)), a};
  };
  const auto destination = [](int i) -> Color {
    const double a = 0.25 + 0.1 * (i / 8);
    return {a * 0.13, a * (0.07 + 0.117 * (i / 8)), a * (0.94 - 0.119 * (i / 8)), a};
  };
  std::vector<float> old;
  for (int i = 0; i < 64; ++i)
    for (double v : destination(i)) old.push_back(float(v));
  Image image = gpu.image(
      {.format = VK_FORMAT_R32G32B32A32_SFLOAT, .width = 8, .height = 8, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  gpu.upload(image, old.data(), old.size() * 4);
  VkPipelineColorBlendAdvancedStateCreateInfoEXT state{
      VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_ADVANCED_STATE_CREATE_INFO_EXT, nullptr, premultiplied,
      premultiplied || !can.advancedBlendNonPremultipliedDstColor, overlap};
  DrawState s;
  s.vert = coverAll();
  s.frag =
      "#version 450\nlayout(location=0) out vec4 color;\nvoid main() { uint i = uint(gl_FragCoord.y) * 8u + "
      "uint(gl_FragCoord.x); float a = 0.3 + 0.09 * float(i % 8u); color = vec4(a * (0.05 + 0.123 * float(i % 7u)), a "
      "* "
      "0.61, a * (0.97 - 0.131 * float(i % 7u)), a); }\n";
  s.colors = {image};
  s.blend.pNext = &state;
  s.attachment.blendEnable = VK_TRUE;
  s.attachment.colorBlendOp = s.attachment.alphaBlendOp = o.op;
  draw(gpu, s);
  const auto bytes = gpu.download(image, 16);
  int compared = 0;
  for (int i = 0; i < 64; ++i) {
    const Color want = expected(o, state, source(i), destination(i));
    for (size_t c = 0; c < 4; ++c) {
      if (!defined(want, c)) continue;
      float got;
      memcpy(&got, &bytes[size_t(i) * 16 + c * 4], 4);
      ASSERT_NEAR(double(got), want[c], 2e-3) << "pixel " << i << " channel " << c;
      ++compared;
    }
  }
  ASSERT_GT(compared, 100);
}

}  // namespace

void registerBlendAdvanced() {
  for (const Operation& o : operations) {
    add(text("blend.advanced.%s.uncorrelated", o.name),
        [&o](Gpu& gpu) { blend(gpu, o, VK_BLEND_OVERLAP_UNCORRELATED_EXT, true); });
    add(text("blend.advanced.%s.base_colors", o.name),
        [&o](Gpu& gpu) { blend(gpu, o, VK_BLEND_OVERLAP_UNCORRELATED_EXT, false); });
    if (o.x < 0) continue;
    add(text("blend.advanced.%s.conjoint", o.name),
        [&o](Gpu& gpu) { blend(gpu, o, VK_BLEND_OVERLAP_CONJOINT_EXT, true); });
    add(text("blend.advanced.%s.disjoint", o.name),
        [&o](Gpu& gpu) { blend(gpu, o, VK_BLEND_OVERLAP_DISJOINT_EXT, true); });
  }
}

}  // namespace etzel::cts
