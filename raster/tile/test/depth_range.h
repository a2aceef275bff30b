// Depth of whole 8x8 blocks: bounds of what is stored and of what a primitive brings, and what they decide without
// looking at samples. Exact: a decision here is the one that every sample would make.
//
// Numbers are what the depth test compares: floats, or fixed-point codes as floats (which hold them exactly). Every
// operation that turns a position into depth is monotone, rounding, clamping and conversion included, so that the
// greatest and the least value over a rectangle lie at its corners, to the bit.
#pragma once

#include "raster/draw.h"
#include "runtime/msaa/depth_surface.h"
#include "runtime/simd/target.h"

namespace etzel::raster {

using msaa::DepthFormat;
using msaa::DepthPlane;

/// Bounds, both included. What may contain NaN is unbounded.
struct DepthRange {
  float low, high;
};
inline constexpr DepthRange kAnyDepth = {-__builtin_inff(), __builtin_inff()};

inline float depthValue(DepthFormat format, uint32_t word) {
  if (format == DepthFormat::D32F) return __builtin_bit_cast(float, word);
  return static_cast<float>(word & (format == DepthFormat::D16 ? 0xFFFFu : 0xFFFFFFu));
}
inline DepthRange rangeOfWord(DepthFormat format, uint32_t word) {
  const float v = depthValue(format, word);
  return v == v ? DepthRange{v, v} : kAnyDepth;
}

/// The ways two depths may compare, as bits; a VkCompareOp is the set of ways that pass.
enum DepthOrder : uint32_t { kDepthLess = 1, kDepthEqual = 2, kDepthGreater = 4 };
static_assert(uint32_t{VK_COMPARE_OP_LESS} == kDepthLess && uint32_t{VK_COMPARE_OP_EQUAL} == kDepthEqual &&
              uint32_t{VK_COMPARE_OP_GREATER} == kDepthGreater && VK_COMPARE_OP_ALWAYS == 7);

ETZEL_INLINE uint32_t possibleOrders(const DepthRange& n, const DepthRange& stored) {
  return uint32_t{n.low < stored.high} | (uint32_t{n.low <= stored.high} & uint32_t{n.high >= stored.low}) << 1 |
         uint32_t{n.high > stored.low} << 2;
}

enum class DepthVerdict : uint8_t { Reject, Accept, Undecided };
ETZEL_INLINE DepthVerdict verdictOf(uint32_t orders, VkCompareOp op) {
  if (!(orders & ~static_cast<uint32_t>(op))) return DepthVerdict::Accept;
  return orders & static_cast<uint32_t>(op) ? DepthVerdict::Undecided : DepthVerdict::Reject;
}

/// The outermost sample positions of a rectangle, in pixels.
struct DepthExtent {
  float x0, y0, x1, y1;
};

/// The clamp of the tile code: NaN becomes `low`.
ETZEL_INLINE float clampDepth(float v, float low, float high) {
  v = v > low ? v : low;
  return v < high ? v : high;
}
/// What a depth becomes in the attachment, as a number.
ETZEL_INLINE float convertDepth(DepthFormat format, float z) {
  if (format == DepthFormat::D32F) return z;
  const double scale = format == DepthFormat::D16 ? 65535.0 : 16777215.0;
  return static_cast<float>(__builtin_lrint(double{clampDepth(z, 0, 1)} * scale));  // ties to even
}
/// Bounds of a plane before clamping and conversion; not both finite where it may overflow. Without branches: which way
/// a plane slopes is hard to predict.
ETZEL_INLINE DepthRange rawRangeOf(const DepthPlane& p, const DepthExtent& e) {
  const float left = (e.x0 - p.x0) * p.dzdx, right = (e.x1 - p.x0) * p.dzdx;
  const float top = (e.y0 - p.y0) * p.dzdy, bottom = (e.y1 - p.y0) * p.dzdy;
  return {((left < right ? left : right) + p.z0) + (top < bottom ? top : bottom),
          ((left > right ? left : right) + p.z0) + (top > bottom ? top : bottom)};
}
ETZEL_INLINE bool isFinite(const DepthRange& r) { return __builtin_isfinite(r.low) && __builtin_isfinite(r.high); }
/// Bounds of a plane. Not for Constant ones.
ETZEL_INLINE DepthRange slopedRangeOf(const DepthPlane& p, DepthFormat format, const DepthExtent& e) {
  DepthRange r = rawRangeOf(p, e);
  if (!isFinite(r)) return kAnyDepth;
  if (p.kind == DepthPlane::Clamped) r = {clampDepth(r.low, p.low, p.high), clampDepth(r.high, p.low, p.high)};
  return {convertDepth(format, r.low), convertDepth(format, r.high)};
}
inline DepthRange rangeOf(const DepthPlane& p, DepthFormat format, const DepthExtent& e) {
  if (p.kind == DepthPlane::Constant) return rangeOfWord(format, __builtin_bit_cast(uint32_t, p.z0));
  return slopedRangeOf(p, format, e);
}

/// The ways a plane may compare to another one at the same sample. `nr`, `sr`: rangeOf() both within `e`
uint32_t planeOrders(const DepthPlane& n, const DepthRange& nr, const DepthPlane& stored, const DepthRange& sr,
                     DepthFormat format, const DepthExtent& e);

}  // namespace etzel::raster
