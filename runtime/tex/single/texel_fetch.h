// Reading single texels of a view: addresses, decoding, compressed blocks. Internal to tex/.
#pragma once

#include "runtime/base/assert.h"
#include "runtime/format/convert.h"
#include "runtime/simd/vec.h"
#include "runtime/tex/view.h"

namespace etzel::tex {

/// Four components in a vector register. Integer texels travel in it as bits and are never computed with.
using Vec4 = simd::F32x4;
using simd::splat;
inline Vec4 toVec4(const format::Texel& t) { return std::bit_cast<Vec4>(t); }
inline format::Texel toTexel(Vec4 v) { return std::bit_cast<format::Texel>(v); }

/// One mip level of a view, resolved to addresses. Coordinates are relative to the view.
struct Level {
  const std::byte* base = nullptr;  ///< texel (0, 0) of the view's first layer or slice, sample 0
  uint32_t rowPitch = 0;
  uint64_t slicePitch = 0;  ///< 3D views: to the next depth slice
  uint64_t layerPitch = 0;  ///< to the next layer (sliced views: slice)
  int32_t width = 1, height = 1, depth = 1;
  int32_t layers = 1;  ///< cube faces count as layers
};

/// A view prepared for reading; lives for one instruction.
struct TexelReader {
  const ImageView* view;
  format::TexelLayout layout;  ///< those that decode() knows; Other for all else
  uint32_t blockBytes;
  const mem::Residency* residency = nullptr;  ///< of instructions that ask for it
  mutable bool absent = false;                ///< a texel that was read has no memory; whoever reads resets it

  explicit TexelReader(const ImageView& v);
  /// \pre level < view->mipCount, unless the view is a texel buffer's
  Level level(uint32_t level) const;
  /// \pre the texel exists, and the view is not multisampled
  Vec4 read(const Level& l, int32_t x, int32_t y, int32_t z, int32_t layer) const;
  Vec4 decode(const std::byte* texel) const;
  /// To be told of every texel that is not read by read().
  void note(const std::byte* texel) const {
    if (residency && !residency->resident(texel)) [[unlikely]]
      absent = true;
  }
  /// What is read where nothing is: 0, alpha as formats without alpha have it.
  Vec4 outOfBounds() const;

 private:
  Vec4 readCompressed(const Level& l, int32_t x, int32_t y, int32_t z, int32_t layer) const;
};

/// Applies the view's component mapping.
Vec4 swizzled(const ImageView& view, Vec4 texel);

/// sRGB codes and UNORM codes of 8 bits as floats.
inline Vec4 unorm8ToVec4(uint32_t rgba) {
  const simd::I32x4 v = {static_cast<int32_t>(rgba & 255), static_cast<int32_t>(rgba >> 8 & 255),
                         static_cast<int32_t>(rgba >> 16 & 255), static_cast<int32_t>(rgba >> 24)};
  return simd::convert<Vec4>(v) / splat<Vec4>(255.0f);
}

inline Vec4 TexelReader::decode(const std::byte* texel) const {
  uint32_t w;
  using format::TexelLayout;
  switch (layout) {
    case TexelLayout::Rgba8: __builtin_memcpy(&w, texel, 4); return unorm8ToVec4(w);
    case TexelLayout::Bgra8:
      __builtin_memcpy(&w, texel, 4);
      return unorm8ToVec4((w & 0xFF00FF00u) | (w >> 16 & 255) | (w & 255) << 16);
    case TexelLayout::Rgba8Srgb:
      __builtin_memcpy(&w, texel, 4);
      return Vec4{format::kSrgbToLinear[w & 255], format::kSrgbToLinear[w >> 8 & 255],
                  format::kSrgbToLinear[w >> 16 & 255], static_cast<float>(w >> 24) / 255.0f};
    case TexelLayout::Bgra8Srgb:
      __builtin_memcpy(&w, texel, 4);
      return Vec4{format::kSrgbToLinear[w >> 16 & 255], format::kSrgbToLinear[w >> 8 & 255],
                  format::kSrgbToLinear[w & 255], static_cast<float>(w >> 24) / 255.0f};
    case TexelLayout::R8: return Vec4{static_cast<float>(static_cast<uint8_t>(*texel)) / 255.0f, 0, 0, 1};
    case TexelLayout::Rgba32: {
      Vec4 v;
      __builtin_memcpy(&v, texel, 16);
      return v;
    }
    case TexelLayout::R32: {
      float f;
      __builtin_memcpy(&f, texel, 4);
      return Vec4{f, 0, 0, 1};
    }
    case TexelLayout::Rgba16F: {
      uint16_t h[4];
      __builtin_memcpy(h, texel, 8);
      return Vec4{format::halfToFloat(h[0]), format::halfToFloat(h[1]), format::halfToFloat(h[2]),
                  format::halfToFloat(h[3])};
    }
    default: {
      format::Texel t;
      view->decode(texel, &t, 1);
      return toVec4(t);
    }
  }
}

inline Vec4 TexelReader::read(const Level& l, int32_t x, int32_t y, int32_t z, int32_t layer) const {
  ETZEL_ASSERT(view->samples <= 1 && x >= 0 && x < l.width && y >= 0 && y < l.height && z >= 0 && z < l.depth &&
               layer >= 0 && layer < l.layers);
  if (layout == format::TexelLayout::Blocks) return readCompressed(l, x, y, z, layer);
  const std::byte* const texel = l.base + static_cast<uint64_t>(layer) * l.layerPitch +
                                 static_cast<uint64_t>(z) * l.slicePitch + static_cast<uint64_t>(y) * l.rowPitch +
                                 static_cast<uint64_t>(x) * blockBytes;
  note(texel);
  return decode(texel);
}

}  // namespace etzel::tex
