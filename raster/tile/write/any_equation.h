// Blending by any equation ("Blending"), its factors looked up rather than told apart: where
// blendColors() (blend.h) branches for each, groups of a block find all of them in one table.
#pragma once

#include "raster/lanes.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/write/blend.h"
#include "runtime/format/texel_lanes.h"

namespace etzel::raster::ETZEL_TARGET {

using format::ETZEL_TARGET::Source8;

/// A target's equation, made once for all groups of a block. Gives what blendColors() gives.
class AnyEquation {
 public:
  /// \pre t.blend, not advanced
  ETZEL_INLINE explicit AnyEquation(const ColorTarget& t)
      : clamp_(t.clamp), colorOp_(t.equation.colorOp), alphaOp_(t.equation.alphaOp) {
    for (uint32_t c = 0; c < 4; ++c) set(kConstants + c, splat<F32x8>(t.constants[c]));
    set(kOne, splat<F32x8>(1.0f));
    const BlendAttachment& b = t.equation;
    factor_[0] = factorOf(b.srcColor), factor_[1] = factorOf(b.dstColor);
    factor_[2] = alphaFactorOf(b.srcAlpha), factor_[3] = alphaFactorOf(b.dstAlpha);
  }

  /// Of targets that use a second source: that of what is blended next.
  ETZEL_INLINE void setSecond(const Source8& second) {
#pragma GCC unroll 4
    for (uint32_t c = 0; c < 4; ++c) set(kSecond + c, clampFor(clamp_, bitCast<F32x8>(second.c[c])));
  }

  /// What source and destination, both in the format's range or clamped to it, become.
  ETZEL_INLINE Source8 blend(const Source8& source, const Source8& old) {
#pragma GCC unroll 4
    for (uint32_t c = 0; c < 4; ++c) {
      set(kSource + c, clampFor(clamp_, bitCast<F32x8>(source.c[c])));
      set(kDestination + c, bitCast<F32x8>(old.c[c]));
    }
    operand_[kSaturate] = minimum(operand_[kSource + 3], operand_[kRests + kDestination + 3]);
    Source8 r;
    combine<0, 3>(colorOp_, factor_[0], factor_[1], r);
    combine<3, 4>(alphaOp_, factor_[2], factor_[3], r);
    return r;
  }

 private:
  /// Places of operands: four components each, then numbers that all components share. One minus each follows.
  enum : uint8_t {
    kSource = 0,
    kDestination = 4,
    kConstants = 8,
    kSecond = 12,
    kOne = 16,
    kSaturate = 17,
    kRests = 18,
  };
  struct Factor {
    uint8_t first;  ///< the place of red's operand
    uint8_t step;   ///< from one component's to the next one's
  };

  static ETZEL_INLINE Factor factorOf(VkBlendFactor f) {
    switch (f) {
      case VK_BLEND_FACTOR_ZERO: return {kRests + kOne, 0};
      case VK_BLEND_FACTOR_SRC_COLOR: return {kSource, 1};
      case VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR: return {kRests + kSource, 1};
      case VK_BLEND_FACTOR_DST_COLOR: return {kDestination, 1};
      case VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR: return {kRests + kDestination, 1};
      case VK_BLEND_FACTOR_SRC_ALPHA: return {kSource + 3, 0};
      case VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA: return {kRests + kSource + 3, 0};
      case VK_BLEND_FACTOR_DST_ALPHA: return {kDestination + 3, 0};
      case VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA: return {kRests + kDestination + 3, 0};
      case VK_BLEND_FACTOR_CONSTANT_COLOR: return {kConstants, 1};
      case VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR: return {kRests + kConstants, 1};
      case VK_BLEND_FACTOR_CONSTANT_ALPHA: return {kConstants + 3, 0};
      case VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA: return {kRests + kConstants + 3, 0};
      case VK_BLEND_FACTOR_SRC_ALPHA_SATURATE: return {kSaturate, 0};
      case VK_BLEND_FACTOR_SRC1_COLOR: return {kSecond, 1};
      case VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR: return {kRests + kSecond, 1};
      case VK_BLEND_FACTOR_SRC1_ALPHA: return {kSecond + 3, 0};
      case VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA: return {kRests + kSecond + 3, 0};
      default: return {kOne, 0};
    }
  }
  static ETZEL_INLINE Factor alphaFactorOf(VkBlendFactor f) {
    return factorOf(f == VK_BLEND_FACTOR_SRC_ALPHA_SATURATE ? VK_BLEND_FACTOR_ONE : f);
  }

  ETZEL_INLINE void set(uint32_t place, F32x8 v) {
    operand_[place] = v, operand_[kRests + place] = splat<F32x8>(1.0f) - v;
  }
  ETZEL_INLINE F32x8 valueOf(Factor f, uint32_t component) const { return operand_[f.first + f.step * component]; }
  /// Components [first, end).
  template <uint32_t first, uint32_t end>
  ETZEL_INLINE void combine(VkBlendOp op, Factor ofSource, Factor ofDestination, Source8& r) const {
    const auto each = [&](auto&& value) __attribute__((always_inline)) {
#pragma GCC unroll 3
      for (uint32_t c = first; c < end; ++c)
        r.c[c] = bitCast<U32x8>(value(c, operand_[kSource + c], operand_[kDestination + c]));
    };
    const auto products = [&](VkBlendOp sum) __attribute__((always_inline)) {
      each([&](uint32_t c, F32x8 s, F32x8 d) __attribute__((always_inline)) {
        return blendOp(sum, s, valueOf(ofSource, c), d, valueOf(ofDestination, c));
      });
    };
    switch (op) {
      case VK_BLEND_OP_MIN:
        return each([](uint32_t, F32x8 s, F32x8 d) __attribute__((always_inline)) { return minimum(s, d); });
      case VK_BLEND_OP_MAX:
        return each([](uint32_t, F32x8 s, F32x8 d) __attribute__((always_inline)) { return maximum(s, d); });
      case VK_BLEND_OP_SUBTRACT: return products(VK_BLEND_OP_SUBTRACT);
      case VK_BLEND_OP_REVERSE_SUBTRACT: return products(VK_BLEND_OP_REVERSE_SUBTRACT);
      default: return products(VK_BLEND_OP_ADD);
    }
  }

  F32x8 operand_[2 * kRests];
  Factor factor_[4];  ///< of source and destination: of colour, then of alpha
  BlendClamp clamp_;
  VkBlendOp colorOp_, alphaOp_;
};

}  // namespace etzel::raster::ETZEL_TARGET
