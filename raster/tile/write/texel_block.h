// Blocks of 8x8 pixels of attachments: stored, blended by any equation, masked, or combined by logical operations. The
// code of a layout is made for its components, and gives what the general path (color_write.h) gives. Four bytes that
// are stored, or blended by ColorTarget::plainBlend, have quicker code (byte_block.h).
#pragma once

#include <type_traits>

#include "raster/lanes.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/write/any_equation.h"
#include "raster/tile/write/color_write.h"
#include "runtime/format/shape_lanes.h"

namespace etzel::raster::ETZEL_TARGET {

using format::shapeOf;
using format::TexelShape;

constexpr BlendClamp clampOf(const TexelShape& shape) {
  if (shape.numeric == format::Numeric::Unorm || shape.numeric == format::Numeric::Srgb) return BlendClamp::Unorm;
  return shape.numeric == format::Numeric::Snorm ? BlendClamp::Snorm : BlendClamp::None;
}

/// The texels of a group of four by two pixels, lane by lane, as words.
template <uint32_t bytes>
ETZEL_INLINE TexelWords loadGroup(const std::byte* texels, uint32_t rowPitch) {
  const std::byte* const lower = texels + rowPitch;
  TexelWords t;
  if constexpr (bytes == 1) {
    t.word[0] = loadGroup8(texels, rowPitch);
  } else if constexpr (bytes == 2) {
    const U64x2 rows = {load<uint64_t>(texels), load<uint64_t>(lower)};
    t.word[0] = lanesOf(widen(bitCast<U16x8>(rows)));
  } else if constexpr (bytes == 4) {
    t.word[0] = lanesOf(loadRows(texels, rowPitch));
  } else if constexpr (bytes == 8) {
    const U32x8 upper = load<U32x8>(texels), below = load<U32x8>(lower);
    t.word[0] = lanesOf(__builtin_shufflevector(upper, below, 0, 2, 4, 6, 8, 10, 12, 14));
    t.word[1] = lanesOf(__builtin_shufflevector(upper, below, 1, 3, 5, 7, 9, 11, 13, 15));
  } else {
    static_assert(bytes == 16);
#pragma GCC unroll 2
    for (uint32_t k = 0; k < 2; ++k) {  // lanes 0 and 4, 1 and 5 are the upper row's
      const auto at = [&](uint32_t i) { return load<U32x4>((k ? lower : texels) + i * 16); };
      t.word[2 * k] = join(at(0), at(2)), t.word[2 * k + 1] = join(at(1), at(3));
    }
    transposeHalves(t.word[0], t.word[1], t.word[2], t.word[3]);
  }
  return t;
}
/// Stores them.
template <uint32_t bytes>
ETZEL_INLINE void storeGroup(std::byte* texels, uint32_t rowPitch, TexelWords t) {
  std::byte* const lower = texels + rowPitch;
  if constexpr (bytes == 1) {
    storeGroup8(texels, rowPitch, t.word[0]);
  } else if constexpr (bytes == 2) {
    const auto rows = bitCast<U64x2>(narrow(rowsOf(t.word[0])));
    store(texels, rows[0]), store(lower, rows[1]);
  } else if constexpr (bytes == 4) {
    saveRows(texels, rowPitch, rowsOf(t.word[0]));
  } else if constexpr (bytes == 8) {
    const U32x8 even = rowsOf(t.word[0]), odd = rowsOf(t.word[1]);
    store(texels, __builtin_shufflevector(even, odd, 0, 8, 1, 9, 2, 10, 3, 11));
    store(lower, __builtin_shufflevector(even, odd, 4, 12, 5, 13, 6, 14, 7, 15));
  } else {
    static_assert(bytes == 16);
    transposeHalves(t.word[0], t.word[1], t.word[2], t.word[3]);
#pragma GCC unroll 2
    for (uint32_t k = 0; k < 2; ++k) {
      std::byte* const row = k ? lower : texels;
      store(row, lowHalf(t.word[2 * k])), store(row + 32, highHalf(t.word[2 * k]));
      store(row + 16, lowHalf(t.word[2 * k + 1])), store(row + 48, highHalf(t.word[2 * k + 1]));
    }
  }
}

/// What the code of a layout knows of an equation: made once for a block, as AnyEquation is, whose stores might change
/// the target's for all that the compiler knows.
struct NoBlending {
  ETZEL_INLINE explicit NoBlending(const ColorTarget&) {}
};
template <BlendClamp clamp>
class PlainBlending {
 public:
  ETZEL_INLINE explicit PlainBlending(const ColorTarget& t) { __builtin_memcpy(factor_, t.factor, sizeof factor_); }
  ETZEL_INLINE Source8 blend(const Source8& source, const Source8& old) {
    return blendPlain(clamp, factor_, source, old);
  }

 private:
  FactorParts factor_[4];
};

/// Texels of a layout that is known here.
template <TexelLayout layout>
struct LayoutTexels {
  static constexpr uint32_t kBytes = shapeOf(layout).bytes;
  template <bool blended>
  static ETZEL_INLINE TexelWords encode(const ColorTarget& t, const Source8& s) {
    if constexpr (!format::isBytes4(layout)) {
      return encodeShape<layout>(s);
    } else if constexpr (blended && !format::isSrgb(layout)) {
      // From numbers in [0, 1] no equation makes what packing would not clamp as well.
      constexpr uint32_t red = format::isBlueFirst(layout) ? 2 : 0;
      return {{packLanes(bitCast<F32x8>(s.c[red]), bitCast<F32x8>(s.c[1]), bitCast<F32x8>(s.c[2 - red]),
                         bitCast<F32x8>(s.c[3]))}};
    } else {
      return {{encodeWords<layout>(t, s)}};
    }
  }
  static ETZEL_INLINE Source8 decode(const ColorTarget& t, const TexelWords& words) {
    if constexpr (format::isBytes4(layout))
      return decodeWords<layout>(t, words.word[0]);
    else
      return decodeShape<layout>(words);
  }
};
/// Those of all other formats with codes in words, of so many bytes.
template <uint32_t bytes>
struct OtherTexels {
  static constexpr uint32_t kBytes = bytes;
  template <bool blended>
  static ETZEL_INLINE TexelWords encode(const ColorTarget& t, const Source8& s) {
    TexelWords words;  // cleared, it would take as long as all else
    encodeLanes(*t.info, s, words);
    return words;
  }
  static ETZEL_INLINE Source8 decode(const ColorTarget& t, const TexelWords& words) {
    Source8 s;
    decodeLanes(*t.info, words, s);
    return s;
  }
};

/// What is new of the words of a texel, by ColorTarget::op and ColorTarget::writeBits.
template <uint32_t bytes>
ETZEL_INLINE void mergeWords(const ColorTarget& t, const TexelWords& old, TexelWords& v) {
#pragma GCC unroll 4
  for (uint32_t w = 0; w * 4 < bytes; ++w) {
    uint32_t mask;
    __builtin_memcpy(&mask, t.writeBits + w * 4, 4);
    if (t.logicOp) v.word[w] = logicOp(t.op, v.word[w], old.word[w]);
    const U32x8 bits = splat<U32x8>(mask);
    v.word[w] = (old.word[w] & ~bits) | (v.word[w] & bits);
  }
}

/// The colours of a block's groups: of group 0, and from one group's to the next one's.
struct GroupSources {
  const LaneWords* first;
  const LaneWords* second;  ///< the second source; null: there is none
  size_t words;
};

template <class Texels, class Equation>
__attribute__((noinline)) void writeShapes(const ColorTarget& t, const GroupSources& colors, uint64_t pixels,
                                           std::byte* texels) {
  constexpr uint32_t bytes = Texels::kBytes;
  constexpr bool blends = !std::is_same_v<Equation, NoBlending>;
  Equation equation(t);
  const uint32_t rowPitch = t.surface.rowPitch;
  const U32x8 bits = {1, 2, 4, 8, 16, 32, 64, 128};
  const bool merges = t.logicOp || t.partialMask;
  for (uint32_t groups = someBytes(pixels); groups; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    const auto lanes = static_cast<LaneMask>(pixels >> group * 8 & 255);
    std::byte* const at = texels + (group & 6) * rowPitch + (group & 1) * 4 * bytes;
    TexelWords old = {};
    if (blends || merges || lanes != kAllLanes) old = loadGroup<bytes>(at, rowPitch);
    Source8 color = loadSource(colors.first + group * colors.words);
    if constexpr (std::is_same_v<Equation, AnyEquation>)
      if (colors.second) equation.setSecond(loadSource(colors.second + group * colors.words));
    if constexpr (blends) color = equation.blend(color, Texels::decode(t, old));
    TexelWords v = Texels::template encode<blends>(t, color);
    if (merges) mergeWords<bytes>(t, old, v);
    if (lanes != kAllLanes)
      for (uint32_t w = 0; w * 4 < bytes; ++w)
        v.word[w] = select(equal(splat<U32x8>(lanes) & bits, bits), v.word[w], old.word[w]);
    storeGroup<bytes>(at, rowPitch, v);
  }
}

/// writeTexelBlock() of layouts that have no code of their own.
ETZEL_INLINE bool writeOthers(const ColorTarget& t, const GroupSources& colors, uint64_t pixels, std::byte* texels) {
  if (!t.byLanes) return false;
  switch (t.surface.texelBytes) {
#define ETZEL_BYTES(bytes)                                                              \
  case bytes:                                                                           \
    (t.blend ? writeShapes<OtherTexels<bytes>, AnyEquation>                             \
             : writeShapes<OtherTexels<bytes>, NoBlending>)(t, colors, pixels, texels); \
    return true;
    ETZEL_BYTES(1)
    ETZEL_BYTES(2)
    ETZEL_BYTES(4)
    ETZEL_BYTES(8)
    ETZEL_BYTES(16)
#undef ETZEL_BYTES
    default: return false;
  }
}

/// Writes the colours of `pixels` to the block at `texels`. \pre t.shapes \returns false: the layout is not known here,
/// nothing happened
__attribute__((noinline)) inline bool writeTexelBlock(const ColorTarget& t, const GroupSources& colors, uint64_t pixels,
                                                      std::byte* texels) {
  switch (t.layout) {
#define ETZEL_SHAPE(name)                                                                                              \
  case TexelLayout::name:                                                                                              \
    (!t.blend       ? writeShapes<LayoutTexels<TexelLayout::name>, NoBlending>                                         \
     : t.plainBlend ? writeShapes<LayoutTexels<TexelLayout::name>, PlainBlending<clampOf(shapeOf(TexelLayout::name))>> \
                    : writeShapes<LayoutTexels<TexelLayout::name>, AnyEquation>)(t, colors, pixels, texels);           \
    return true;
    ETZEL_SHAPE(Rgba8)
    ETZEL_SHAPE(Bgra8)
    ETZEL_SHAPE(Rgba8Srgb)
    ETZEL_SHAPE(Bgra8Srgb)
    ETZEL_SHAPE(Rgba8Uint)
    ETZEL_SHAPE(Rgba8Sint)
    ETZEL_SHAPE(R8Uint)
    ETZEL_SHAPE(R8)
    ETZEL_SHAPE(Rg8)
    ETZEL_SHAPE(Rgba8Snorm)
    ETZEL_SHAPE(R16)
    ETZEL_SHAPE(Rg16)
    ETZEL_SHAPE(Rgba16)
    ETZEL_SHAPE(R16F)
    ETZEL_SHAPE(Rg16F)
    ETZEL_SHAPE(Rgba16F)
    ETZEL_SHAPE(R32)
    ETZEL_SHAPE(Rg32)
    ETZEL_SHAPE(Rgba32)
    ETZEL_SHAPE(Rgb565)
    ETZEL_SHAPE(Argb1555)
    ETZEL_SHAPE(Argb4444)
    ETZEL_SHAPE(Rgb10A2)
    ETZEL_SHAPE(Bgr10A2)
    ETZEL_SHAPE(Rg11B10F)
#undef ETZEL_SHAPE
    default: return writeOthers(t, colors, pixels, texels);
  }
}

}  // namespace etzel::raster::ETZEL_TARGET
