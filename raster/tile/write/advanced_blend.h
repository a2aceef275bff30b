// Advanced blend operations on eight pixels ("Advanced Blend Operations", VK_EXT_blend_operation_advanced). Which
// operation it is, is the same for all of them. Colours are base colours, not multiplied by alpha, unless a name says
// so.
#pragma once

#include "raster/tile/write/blend.h"

namespace etzel::raster::ETZEL_TARGET {

ETZEL_INLINE F32x8 one() { return splat<F32x8>(1.0f); }
ETZEL_INLINE F32x8 zero() { return splat<F32x8>(0.0f); }
ETZEL_INLINE F32x8 times(float k, F32x8 v) { return splat<F32x8>(k) * v; }
ETZEL_INLINE F32x8 atMost1(F32x8 v) { return minimum(v, one()); }

ETZEL_INLINE F32x8 softLight(F32x8 s, F32x8 d) {
  const F32x8 strength = times(2, s) - one(), half = splat<F32x8>(0.5f), quarter = splat<F32x8>(0.25f);
  const F32x8 dark = d + strength * d * (one() - d);
  const F32x8 low = d + strength * d * ((times(16, d) - splat<F32x8>(12.0f)) * d + splat<F32x8>(3.0f));
  const F32x8 high = d + strength * (sqrt(maximum(d, zero())) - d);
  return s <= half ? dark : d <= quarter ? low : high;
}
ETZEL_INLINE F32x8 vividLight(F32x8 s, F32x8 d) {
  const F32x8 burn = one() - atMost1((one() - d) / times(2, s)), dodge = atMost1(d / times(2, one() - s));
  return s <= zero() ? zero() : s < splat<F32x8>(0.5f) ? burn : s < one() ? dodge : one();
}
ETZEL_INLINE F32x8 pinLight(F32x8 s, F32x8 d) {
  const F32x8 light = times(2, s) - one(), half = splat<F32x8>(0.5f);
  return light > d ? (s < half ? zero() : light) : (s < times(0.5f, d) ? times(2, s) : d);
}

/// f(Cs, Cd) of "f/X/Y/Z Advanced Blend Operations" that take each component by itself.
inline F32x8 blendComponent(VkBlendOp op, F32x8 s, F32x8 d) {
  const F32x8 both = s * d, sum = s + d, half = splat<F32x8>(0.5f);
  const F32x8 inverse = one() - times(2, (one() - s) * (one() - d));  // of overlay and hard light
  switch (op) {
    case VK_BLEND_OP_SRC_EXT:
    case VK_BLEND_OP_SRC_OVER_EXT:
    case VK_BLEND_OP_SRC_IN_EXT:
    case VK_BLEND_OP_SRC_ATOP_EXT: return s;
    case VK_BLEND_OP_DST_EXT:
    case VK_BLEND_OP_DST_OVER_EXT:
    case VK_BLEND_OP_DST_IN_EXT:
    case VK_BLEND_OP_DST_ATOP_EXT: return d;
    case VK_BLEND_OP_MULTIPLY_EXT: return both;
    case VK_BLEND_OP_SCREEN_EXT: return sum - both;
    case VK_BLEND_OP_OVERLAY_EXT: return d <= half ? times(2, both) : inverse;
    case VK_BLEND_OP_DARKEN_EXT: return minimum(s, d);
    case VK_BLEND_OP_LIGHTEN_EXT: return maximum(s, d);
    case VK_BLEND_OP_COLORDODGE_EXT: return d <= zero() ? zero() : s < one() ? atMost1(d / (one() - s)) : one();
    case VK_BLEND_OP_COLORBURN_EXT: return d >= one() ? one() : s > zero() ? one() - atMost1((one() - d) / s) : zero();
    case VK_BLEND_OP_HARDLIGHT_EXT: return s <= half ? times(2, both) : inverse;
    case VK_BLEND_OP_SOFTLIGHT_EXT: return softLight(s, d);
    case VK_BLEND_OP_DIFFERENCE_EXT: return maximum(s - d, d - s);
    case VK_BLEND_OP_EXCLUSION_EXT: return sum - times(2, both);
    case VK_BLEND_OP_INVERT_EXT: return one() - d;
    case VK_BLEND_OP_INVERT_RGB_EXT: return s * (one() - d);
    case VK_BLEND_OP_LINEARDODGE_EXT: return atMost1(sum);
    case VK_BLEND_OP_LINEARBURN_EXT: return maximum(sum - one(), zero());
    case VK_BLEND_OP_VIVIDLIGHT_EXT: return vividLight(s, d);
    case VK_BLEND_OP_LINEARLIGHT_EXT: return clamp(s + sum - one(), 0.0f, 1.0f);
    case VK_BLEND_OP_PINLIGHT_EXT: return pinLight(s, d);
    case VK_BLEND_OP_HARDMIX_EXT: return sum < one() ? zero() : one();
    default: return zero();
  }
}

// "Hue-Saturation-Luminosity Advanced Blend Operations": the pseudocode there.
ETZEL_INLINE F32x8 luminosity(const F32x8* c) { return times(0.30f, c[0]) + times(0.59f, c[1]) + times(0.11f, c[2]); }
ETZEL_INLINE F32x8 least(const F32x8* c) { return minimum(minimum(c[0], c[1]), c[2]); }
ETZEL_INLINE F32x8 most(const F32x8* c) { return maximum(maximum(c[0], c[1]), c[2]); }

/// `base` with the luminosity of `like`, brought into range.
inline void setLuminosity(const F32x8* base, const F32x8* like, F32x8* out) {
  const F32x8 wanted = luminosity(like), difference = wanted - luminosity(base);
  for (uint32_t c = 0; c < 3; ++c) out[c] = base[c] + difference;
  const F32x8 lum = luminosity(out), low = least(out), high = most(out);
  for (uint32_t c = 0; c < 3; ++c) {
    out[c] = low < zero() ? lum + (out[c] - lum) * lum / (lum - low) : out[c];
    out[c] = high > one() ? lum + (out[c] - lum) * (one() - lum) / (high - lum) : out[c];
  }
}
/// `base` with the saturation of one colour and the luminosity of another.
inline void setSaturation(const F32x8* base, const F32x8* saturation, const F32x8* like, F32x8* out) {
  const F32x8 low = least(base), range = most(base) - low, wanted = most(saturation) - least(saturation);
  F32x8 stretched[3];
  for (uint32_t c = 0; c < 3; ++c) stretched[c] = range > zero() ? (base[c] - low) * wanted / range : zero();
  setLuminosity(stretched, like, out);
}

inline void blendFunction(VkBlendOp op, const F32x8* s, const F32x8* d, F32x8* f) {
  switch (op) {
    case VK_BLEND_OP_HSL_HUE_EXT: return setSaturation(s, d, d, f);
    case VK_BLEND_OP_HSL_SATURATION_EXT: return setSaturation(d, s, d, f);
    case VK_BLEND_OP_HSL_COLOR_EXT: return setLuminosity(s, d, f);
    case VK_BLEND_OP_HSL_LUMINOSITY_EXT: return setLuminosity(d, s, f);
    default:
      for (uint32_t c = 0; c < 3; ++c) f[c] = blendComponent(op, s[c], d[c]);
  }
}

/// X, Y and Z: whether what both cover, the source alone and the destination alone show anything.
struct BlendParts {
  bool both, source, destination;
};
ETZEL_INLINE BlendParts blendParts(VkBlendOp op) {
  switch (op) {
    case VK_BLEND_OP_ZERO_EXT: return {false, false, false};
    case VK_BLEND_OP_SRC_EXT:
    case VK_BLEND_OP_DST_ATOP_EXT: return {true, true, false};
    case VK_BLEND_OP_DST_EXT:
    case VK_BLEND_OP_SRC_ATOP_EXT:
    case VK_BLEND_OP_INVERT_EXT:
    case VK_BLEND_OP_INVERT_RGB_EXT: return {true, false, true};
    case VK_BLEND_OP_SRC_IN_EXT:
    case VK_BLEND_OP_DST_IN_EXT: return {true, false, false};
    case VK_BLEND_OP_SRC_OUT_EXT: return {false, true, false};
    case VK_BLEND_OP_DST_OUT_EXT: return {false, false, true};
    case VK_BLEND_OP_XOR_EXT: return {false, true, true};
    default: return {true, true, true};
  }
}

/// "Additional RGB Blend Operations": colours are multiplied by alpha. \returns whether `op` is one
inline bool blendPremultiplied(VkBlendOp op, const Color8& s, const Color8& d, Color8& r) {
  const F32x8 sa = s.c[3], da = d.c[3], alpha = atMost1(sa + da);
  const auto each = [&](auto&& value) __attribute__((always_inline)) {
    for (uint32_t c = 0; c < 4; ++c) r.c[c] = value(s.c[c], d.c[c]);
  };
  switch (op) {
    case VK_BLEND_OP_PLUS_EXT: each([](F32x8 a, F32x8 b) { return a + b; }); return true;
    case VK_BLEND_OP_PLUS_CLAMPED_EXT: each([](F32x8 a, F32x8 b) { return atMost1(a + b); }); return true;
    case VK_BLEND_OP_PLUS_CLAMPED_ALPHA_EXT: each([&](F32x8 a, F32x8 b) { return minimum(alpha, a + b); }); return true;
    case VK_BLEND_OP_PLUS_DARKER_EXT:
      each([&](F32x8 a, F32x8 b) { return maximum(alpha - ((sa - a) + (da - b)), zero()); });
      r.c[3] = alpha;
      return true;
    case VK_BLEND_OP_MINUS_EXT: each([](F32x8 a, F32x8 b) { return b - a; }); return true;
    case VK_BLEND_OP_MINUS_CLAMPED_EXT: each([](F32x8 a, F32x8 b) { return maximum(b - a, zero()); }); return true;
    case VK_BLEND_OP_CONTRAST_EXT:
      each([&](F32x8 a, F32x8 b) { return times(0.5f, da) + times(2, (b - times(0.5f, da)) * (a - times(0.5f, sa))); });
      r.c[3] = da;
      return true;
    case VK_BLEND_OP_INVERT_OVG_EXT:
      each([&](F32x8, F32x8 b) { return sa * (one() - b) + (one() - sa) * b; });
      r.c[3] = sa + da - sa * da;
      return true;
    case VK_BLEND_OP_RED_EXT:
    case VK_BLEND_OP_GREEN_EXT:
    case VK_BLEND_OP_BLUE_EXT:
      r = d;
      r.c[op - VK_BLEND_OP_RED_EXT] = s.c[op - VK_BLEND_OP_RED_EXT];
      return true;
    default: return false;
  }
}

/// A colour divided by its alpha; without alpha it is black.
ETZEL_INLINE Color8 baseColor(const Color8& v) {
  Color8 r = v;
  for (uint32_t c = 0; c < 3; ++c) r.c[c] = v.c[3] == zero() ? zero() : v.c[c] / v.c[3];
  return r;
}
ETZEL_INLINE Color8 premultiplied(const Color8& v) {
  return {{v.c[0] * v.c[3], v.c[1] * v.c[3], v.c[2] * v.c[3], v.c[3]}};
}

/// The f/X/Y/Z and HSL operations, of base colours. The result is multiplied by alpha.
inline Color8 blendCovered(const BlendAttachment& b, const Color8& s, const Color8& d) {
  const F32x8 sa = s.c[3], da = d.c[3];
  F32x8 both = sa * da, source = sa * (one() - da), destination = da * (one() - sa);
  if (b.overlap == VK_BLEND_OVERLAP_CONJOINT_EXT)
    both = minimum(sa, da), source = maximum(sa - da, zero()), destination = maximum(da - sa, zero());
  if (b.overlap == VK_BLEND_OVERLAP_DISJOINT_EXT)
    both = maximum(sa + da - one(), zero()), source = minimum(sa, one() - da), destination = minimum(da, one() - sa);
  const BlendParts parts = blendParts(b.colorOp);
  if (!parts.both) both = zero();
  if (!parts.source) source = zero();
  if (!parts.destination) destination = zero();
  F32x8 f[3];
  blendFunction(b.colorOp, s.c, d.c, f);
  Color8 r;
  for (uint32_t c = 0; c < 3; ++c) r.c[c] = f[c] * both + s.c[c] * source + d.c[c] * destination;
  r.c[3] = both + source + destination;
  return r;
}

inline Color8 blendAdvanced(const BlendAttachment& b, const Color8& s, const Color8& d) {
  Color8 r;
  if (!blendPremultiplied(b.colorOp, b.srcPremultiplied ? s : premultiplied(s),
                          b.dstPremultiplied ? d : premultiplied(d), r))
    r = blendCovered(b, b.srcPremultiplied ? baseColor(s) : s, b.dstPremultiplied ? baseColor(d) : d);
  if (!b.dstPremultiplied)
    for (uint32_t c = 0; c < 3; ++c) r.c[c] = r.c[3] == zero() ? r.c[c] : r.c[c] / r.c[3];
  if (b.clampResults)
    for (F32x8& c : r.c) c = clamp(c, 0.0f, 1.0f);
  return r;
}

}  // namespace etzel::raster::ETZEL_TARGET
