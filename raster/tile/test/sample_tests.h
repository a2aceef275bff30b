// Depth bounds, stencil and depth tests of one sample of a 4x2 group ("Fragment Operations").
#pragma once

#include "raster/lanes.h"
#include "raster/tile/block/pixel_group.h"
#include "raster/tile/draw/tile_draw.h"

namespace etzel::raster::ETZEL_TARGET {

template <class V>  // F32x8 or I32x8
ETZEL_INLINE I32x8 compareOp(VkCompareOp op, V a, V b) {
  switch (op) {
    case VK_COMPARE_OP_NEVER: return splat<I32x8>(0);
    case VK_COMPARE_OP_LESS: return less(a, b);
    case VK_COMPARE_OP_EQUAL: return equal(a, b);
    case VK_COMPARE_OP_LESS_OR_EQUAL: return atMost(a, b);
    case VK_COMPARE_OP_GREATER: return greater(a, b);
    case VK_COMPARE_OP_NOT_EQUAL: return unequal(a, b);
    case VK_COMPARE_OP_GREATER_OR_EQUAL: return atLeast(a, b);
    default: return splat<I32x8>(-1);
  }
}

ETZEL_INLINE I32x8 stencilOp(VkStencilOp op, I32x8 value, I32x8 reference) {
  switch (op) {
    case VK_STENCIL_OP_ZERO: return splat<I32x8>(0);
    case VK_STENCIL_OP_REPLACE: return reference & 255;
    case VK_STENCIL_OP_INCREMENT_AND_CLAMP: return minimum(value + 1, splat<I32x8>(255));
    case VK_STENCIL_OP_DECREMENT_AND_CLAMP: return maximum(value - 1, splat<I32x8>(0));
    case VK_STENCIL_OP_INVERT: return ~value & 255;
    case VK_STENCIL_OP_INCREMENT_AND_WRAP: return (value + 1) & 255;
    case VK_STENCIL_OP_DECREMENT_AND_WRAP: return (value - 1) & 255;
    default: return value;
  }
}

/// What the tests of a group have in common for all its samples.
struct TestInput {
  bool frontFacing;
  float minDepth, maxDepth;     ///< of the viewport, for depth clamping
  const LaneWords* stencilRef;  ///< shader-exported references, or null
};

/// The words of a depth attachment that `z` becomes: codes for fixed point, float bits otherwise.
ETZEL_INLINE U32x8 depthCode(DepthFormat format, F32x8 z) {
  switch (format) {
    case DepthFormat::D16: return bitCast<U32x8>(roundScaledToInt(clamp(z, 0.0f, 1.0f), 65535.0));
    case DepthFormat::D24: return bitCast<U32x8>(roundScaledToInt(clamp(z, 0.0f, 1.0f), 16777215.0));
    default: return bitCast<U32x8>(z);
  }
}

/// Runs the enabled tests on `lanes` of one sample, updates stencil and depth when `write`, and returns the lanes that
/// pass. `z` is the sample's depth before clamping.
inline LaneMask testSample(const DepthStencilState& d, const TestInput& in, const PixelGroup& g, uint32_t sample,
                           LaneMask lanes, F32x8 z, bool write) {
  U32x8 oldDepth = {}, code = {};
  I32x8 depthPass = splat<I32x8>(-1);
  if (d.depthTest || d.boundsTest) {
    oldDepth = loadTexels(d.depth, g, sample, lanes);
    U32x8 stored = d.format == DepthFormat::D24 ? oldDepth & 0xFFFFFFu : oldDepth;
    if (d.boundsTest) {
      // "Depth Bounds Test": what is stored against the bounds, both in the attachment's representation.
      U32x8 low = depthCode(d.format, splat<F32x8>(d.boundsMin)), high = depthCode(d.format, splat<F32x8>(d.boundsMax));
      I32x8 inside = d.format == DepthFormat::D32F ? atLeast(bitCast<F32x8>(stored), bitCast<F32x8>(low)) &
                                                         atMost(bitCast<F32x8>(stored), bitCast<F32x8>(high))
                                                   : atLeast(bitCast<I32x8>(stored), bitCast<I32x8>(low)) &
                                                         atMost(bitCast<I32x8>(stored), bitCast<I32x8>(high));
      lanes &= laneMask(inside);
      if (lanes == 0) return 0;
    }
    if (d.depthTest) {
      // "Depth Clamping and Range Adjustment". Without it float depth keeps any value (unrestricted depth range), and
      // fixed point clamps to [0, 1] in its conversion.
      if (d.depthClamp) z = clamp(z, in.minDepth, in.maxDepth);
      code = depthCode(d.format, z);
      depthPass = d.format == DepthFormat::D32F ? compareOp(d.compare, bitCast<F32x8>(code), bitCast<F32x8>(stored))
                                                : compareOp(d.compare, bitCast<I32x8>(code), bitCast<I32x8>(stored));
    }
  }
  if (d.stencilTest) {
    const StencilFace& face = in.frontFacing ? d.front : d.back;
    I32x8 reference = in.stencilRef ? load<I32x8>(in.stencilRef) : splat<I32x8>(static_cast<int32_t>(face.reference));
    U32x8 oldWords = loadTexels(d.stencil, g, sample, lanes);
    I32x8 old = bitCast<I32x8>(oldWords), compareMask = splat<I32x8>(static_cast<int32_t>(face.compareMask & 255));
    I32x8 stencilPass = compareOp(face.compare, reference & compareMask, old & compareMask);
    if (write) {
      I32x8 failed = stencilOp(face.fail, old, reference), depthFailed = stencilOp(face.depthFail, old, reference);
      I32x8 passed = stencilOp(face.pass, old, reference);
      I32x8 next = select(stencilPass, select(depthPass, passed, depthFailed), failed);
      I32x8 writeMask = splat<I32x8>(static_cast<int32_t>(face.writeMask & 255));
      next = (old & ~writeMask) | (next & writeMask);
      storeTexels(d.stencil, g, sample, lanes, bitCast<U32x8>(next), oldWords);
    }
    depthPass &= stencilPass;
  }
  LaneMask passed = lanes & laneMask(depthPass);
  if (write && d.depthWrite && passed) storeTexels(d.depth, g, sample, passed, code, oldDepth);
  return passed;
}

/// testSample for the common case: a float depth test alone, on a whole group.
ETZEL_INLINE LaneMask testFloatDepth(const DepthStencilState& d, const TestInput& in, const PixelGroup& g,
                                     uint32_t sample, LaneMask lanes, F32x8 z, bool write) {
  std::byte* at = d.depth.at(static_cast<uint32_t>(g.x), static_cast<uint32_t>(g.y), g.layer, sample);
  U32x8 old = loadGroup32(at, d.depth.rowPitch);
  if (d.depthClamp) z = clamp(z, in.minDepth, in.maxDepth);
  I32x8 passes = compareOp(d.compare, z, bitCast<F32x8>(old)) & fromLaneMask(lanes);
  LaneMask passed = laneMask(passes);
  if (write && d.depthWrite && passed) storeGroup32(at, d.depth.rowPitch, select(passes, bitCast<U32x8>(z), old));
  return passed;
}

}  // namespace etzel::raster::ETZEL_TARGET
