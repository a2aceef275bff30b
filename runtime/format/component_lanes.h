// Codes of single components of eight texels, with the bits that encoder() and decoder() give for one. For code that is
// compiled per target; for each kind and number of bits a compiler knows, little is left of it.
#pragma once

#include "runtime/base/assert.h"
#include "runtime/format/format.h"
#include "runtime/simd/half.h"
#include "runtime/simd/target.h"
#include "runtime/simd/vec.h"

namespace etzel::format::ETZEL_TARGET {

using namespace simd;

/// floatToUfloat(): unsigned floats of 11 and 10 bits.
ETZEL_INLINE U32x8 encodeUfloat(F32x8 v, uint32_t bits) {
  const uint32_t drop = 28 - bits, infinity = 31u << (bits - 5);
  const U32x8 rebased = bitCast<U32x8>(v) - splat(112u << 23);
  const U32x8 normal = (rebased + splat((1u << (drop - 1)) - 1) + (rebased >> drop & 1u)) >> drop;
  // Below the least normal number the last place is always worth the same.
  const U32x8 small = bitCast<U32x8>(simd::roundToInt(v * splat(bits == 11 ? 0x1p20f : 0x1p19f)));
  U32x8 code = select(less(v, splat(0x1p-14f)), small, normal);
  code = select(less(bitCast<I32x8>(code), bitCast<I32x8>(splat(infinity))), code, splat(infinity - 1));
  code = select(greater(v, splat(0.0f)), code, U32x8{});
  code = select(equal(v, splat(__builtin_inff())), splat(infinity), code);
  return select(equal(v, v), code, splat(infinity | 1));
}

/// The codes of one component.
ETZEL_INLINE U32x8 encodeComponent(Numeric numeric, uint32_t bits, U32x8 source) {
  const F32x8 v = bitCast<F32x8>(source);
  const uint32_t most = bits < 32 ? (1u << bits) - 1 : ~0u;
  switch (numeric) {
    case Numeric::Unorm: {
      const F32x8 unit = clamp(v, 0.0f, 1.0f);
      return bitCast<U32x8>(bits > 12 ? roundScaledToInt(unit, static_cast<double>(most))
                                      : simd::roundToInt(unit * static_cast<float>(most)));
    }
    case Numeric::Snorm: {
      const F32x8 unit = select(equal(v, v), clamp(v, -1.0f, 1.0f), F32x8{});
      return bitCast<U32x8>(roundScaledToInt(unit, static_cast<double>(most >> 1))) & most;
    }
    case Numeric::Uint: return minimum(source, splat(most));
    case Numeric::Sint: {
      const auto limit = static_cast<int32_t>(most >> 1);
      return bitCast<U32x8>(clamp(bitCast<I32x8>(source), -limit - 1, limit)) & most;
    }
    case Numeric::Float: return bits == 16 ? floatToHalf(v) : source;
    case Numeric::Ufloat: return encodeUfloat(v, bits);
    default: ETZEL_ASSERT(false); return source;
  }
}

ETZEL_INLINE I32x8 signExtended(U32x8 code, uint32_t bits) {
  return bitCast<I32x8>(code << (32 - bits)) >> (32 - bits);
}
/// What shaders see of one component's codes.
ETZEL_INLINE U32x8 decodeComponent(Numeric numeric, uint32_t bits, U32x8 code) {
  switch (numeric) {
    case Numeric::Uint: return code;
    case Numeric::Sint: return bitCast<U32x8>(signExtended(code, bits));
    case Numeric::Unorm:
      return bitCast<U32x8>(convert<F32x8>(bitCast<I32x8>(code)) / static_cast<float>((1u << bits) - 1));
    case Numeric::Snorm:
      return bitCast<U32x8>(
          maximum(convert<F32x8>(signExtended(code, bits)) / static_cast<float>((1u << (bits - 1)) - 1), splat(-1.0f)));
    case Numeric::Float: return bits == 16 ? bitCast<U32x8>(halfToFloat(code)) : code;
    case Numeric::Ufloat: return bitCast<U32x8>(halfToFloat(code << (15 - bits)));
    default: ETZEL_ASSERT(false); return code;
  }
}

}  // namespace etzel::format::ETZEL_TARGET
