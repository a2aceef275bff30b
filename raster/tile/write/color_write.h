// Colour output of a 4x2 group to one attachment: conversion, blending, logical operation, write mask.
#pragma once

#include "raster/lanes.h"
#include "raster/tile/block/pixel_group.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/write/advanced_blend.h"
#include "raster/tile/write/byte_color.h"
#include "raster/tile/write/color_conversion.h"

namespace etzel::raster::ETZEL_TARGET {

/// Where texels of sixteen bytes lie, by lane: those of a group are read and written in this order.
template <class Visit>
ETZEL_INLINE void forVectors(uint32_t rowPitch, const Visit& visit) {
  for (uint32_t i = 0; i < kWarpLanes; ++i) visit(i * 16, laneY(i) * rowPitch + laneX(i) * 16);
}

/// Bytes of the lanes' texels in lane order. Lanes outside `lanes` give zeros.
inline void loadBytes(const ColorTarget& t, const PixelGroup& g, uint32_t sample, LaneMask lanes, std::byte* bytes) {
  const Surface& s = t.surface;
  const std::byte* p = s.at(static_cast<uint32_t>(g.x), static_cast<uint32_t>(g.y), g.layer, sample);
  uint32_t n = s.texelBytes;
  if (lanes == kAllLanes && n == 8) {
    for (uint32_t half = 0; half < 2; ++half) {
      store(bytes + half * 32, load<U32x4>(p + half * 16));
      store(bytes + half * 32 + 16, load<U32x4>(p + s.rowPitch + half * 16));
    }
    return;
  }
  if (lanes == kAllLanes && n == 16)
    return forVectors(s.rowPitch, [&](uint32_t at, size_t offset) { store(bytes + at, load<U32x4>(p + offset)); });
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    if (lanes >> i & 1)
      __builtin_memcpy(bytes + i * n, p + laneY(i) * s.rowPitch + laneX(i) * n, n);
    else
      __builtin_memset(bytes + i * n, 0, n);
  }
}
inline void storeBytes(const ColorTarget& t, const PixelGroup& g, uint32_t sample, LaneMask lanes,
                       const std::byte* bytes) {
  const Surface& s = t.surface;
  std::byte* p = s.at(static_cast<uint32_t>(g.x), static_cast<uint32_t>(g.y), g.layer, sample);
  uint32_t n = s.texelBytes;
  if (lanes == kAllLanes && n == 8) {
    for (uint32_t half = 0; half < 2; ++half) {
      store(p + half * 16, load<U32x4>(bytes + half * 32));
      store(p + s.rowPitch + half * 16, load<U32x4>(bytes + half * 32 + 16));
    }
    return;
  }
  if (lanes == kAllLanes && n == 16)
    return forVectors(s.rowPitch, [&](uint32_t at, size_t offset) { store(p + offset, load<U32x4>(bytes + at)); });
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    if (!(lanes >> i & 1)) continue;
    std::byte* to = p + laneY(i) * s.rowPitch + laneX(i) * n;
    if (n == 16)
      store(to, load<U32x4>(bytes + i * 16));
    else if (n == 8)
      __builtin_memcpy(to, bytes + i * 8, 8);
    else
      __builtin_memcpy(to, bytes + i * n, n);
  }
}

/// What a factor is for eight lanes. Alphas of floats may be infinite, so it is no sum of its parts.
ETZEL_INLINE F32x8 plainFactor(const FactorParts& f, F32x8 alpha, F32x8 before) {
  if (f.ofSource == 0 && f.ofDestination == 0) return splat<F32x8>(f.fixed);
  const F32x8 of = f.ofSource != 0 ? alpha : before;
  return f.fixed != 0 ? splat<F32x8>(1.0f) - of : of;
}

/// blendSource() of ColorTarget::plainBlend, with its factors.
ETZEL_INLINE Source8 blendPlain(BlendClamp kind, const FactorParts (&parts)[4], const Source8& s, const Source8& old) {
  const F32x8 alpha = clampFor(kind, bitCast<F32x8>(s.c[3])), before = bitCast<F32x8>(old.c[3]);
  F32x8 factor[4];
#pragma GCC unroll 4
  for (uint32_t i = 0; i < 4; ++i) factor[i] = plainFactor(parts[i], alpha, before);
  Source8 r;
#pragma GCC unroll 4
  for (uint32_t c = 0; c < 4; ++c) {
    const F32x8* const of = &factor[c == 3 ? 2 : 0];
    const F32x8 source = c == 3 ? alpha : clampFor(kind, bitCast<F32x8>(s.c[c]));
    r.c[c] = bitCast<U32x8>(source * of[0] + bitCast<F32x8>(old.c[c]) * of[1]);
  }
  return r;
}

/// The source of a blend, its result as source for the encoder.
inline Source8 blendSource(const ColorTarget& t, const Source8& s, const Source8& s1, const Source8& old) {
  if (t.plainBlend) return blendPlain(t.clamp, t.factor, s, old);
  Color8 source, second, destination;
  for (uint32_t c = 0; c < 4; ++c) {
    source.c[c] = clampFor(t.clamp, bitCast<F32x8>(s.c[c]));
    second.c[c] = clampFor(t.clamp, bitCast<F32x8>(s1.c[c]));
    destination.c[c] = bitCast<F32x8>(old.c[c]);
  }
  const bool advanced = isAdvanced(t.equation.colorOp);
  Color8 r = advanced ? blendAdvanced(t.equation, source, destination) : blendColors(t, source, destination, second);
  return {{bitCast<U32x8>(r.c[0]), bitCast<U32x8>(r.c[1]), bitCast<U32x8>(r.c[2]), bitCast<U32x8>(r.c[3])}};
}

ETZEL_INLINE Source8 loadSource(const LaneWords* words) {
  return {{load<U32x8>(words), load<U32x8>(words + 1), load<U32x8>(words + 2), load<U32x8>(words + 3)}};
}

template <TexelLayout layout>
inline void writeWords(const ColorTarget& t, const PixelGroup& g, const LaneMask* coverage, uint32_t first,
                       uint32_t end, const LaneWords* source, const LaneWords* second) {
  const Surface& surface = t.surface;
  Source8 color = loadSource(source);
  U32x8 words = t.blend ? U32x8{} : encodeWords<layout>(t, color);
  for (uint32_t sample = first; sample < end; ++sample) {
    LaneMask lanes = coverage[sample];
    if (lanes == 0) continue;
    if (!t.reads && lanes == kAllLanes) {
      storeTexels(surface, g, sample, lanes, words, words);
      continue;
    }
    U32x8 old = loadTexels(surface, g, sample, lanes), v = words;
    if (t.blend) {
      Source8 other = second ? loadSource(second) : color;
      v = encodeWords<layout>(t, blendSource(t, color, other, decodeWords<layout>(t, old)));
    }
    if (t.logicOp) v = logicOp(t.op, v, old);
    if (t.reads) v = (old & ~t.writeWord) | (v & t.writeWord);
    storeTexels(surface, g, sample, lanes, v, old);
  }
}

inline void writeBytes(const ColorTarget& t, const PixelGroup& g, const LaneMask* coverage, uint32_t first,
                       uint32_t end, const LaneWords* source, const LaneWords* second) {
  alignas(32) std::byte bytes[kWarpLanes * 16], old[kWarpLanes * 16];
  Source8 color = loadSource(source);
  if (!t.blend) encodeBytes(t, color, bytes);
  uint32_t size = t.surface.texelBytes;
  for (uint32_t sample = first; sample < end; ++sample) {
    LaneMask lanes = coverage[sample];
    if (lanes == 0) continue;
    if (!t.reads) {
      storeBytes(t, g, sample, lanes, bytes);
      continue;
    }
    loadBytes(t, g, sample, lanes, old);
    if (t.blend) {
      encodeBytes(t, blendSource(t, color, second ? loadSource(second) : color, decodeBytes(t, old)), bytes);
    }
    if (!t.logicOp && !t.partialMask) {
      storeBytes(t, g, sample, lanes, bytes);
      continue;
    }
    // Merged through a copy: the next sample needs the encoded source again.
    alignas(32) std::byte merged[kWarpLanes * 16];
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      for (uint32_t b = 0; b < size; ++b) {
        uint32_t s = static_cast<uint8_t>(bytes[i * size + b]), d = static_cast<uint8_t>(old[i * size + b]);
        uint32_t v = t.logicOp ? logicOp(t.op, s, d) : s, m = t.writeBits[b];
        merged[i * size + b] = static_cast<std::byte>((d & ~m) | (v & m));
      }
    }
    storeBytes(t, g, sample, lanes, merged);
  }
}

/// writeTarget for ByteWrite targets and whole groups.
ETZEL_INLINE void writeBytes4(const ColorTarget& t, const PixelGroup& g, const LaneMask* coverage, uint32_t first,
                              uint32_t end, const LaneWords* source) {
  std::byte* texels = t.surface.at(static_cast<uint32_t>(g.x), static_cast<uint32_t>(g.y), g.layer, first);
  if (t.bytes == ByteWrite::Store) {
    const RowTexels v = packSource(t, source);
    for (uint32_t s = first; s < end; ++s, texels += t.surface.samplePitch)
      if (coverage[s]) storeRows(texels, t.surface.rowPitch, coverage[s], v);
    return;
  }
  for (uint32_t s = first; s < end; ++s, texels += t.surface.samplePitch)
    if (coverage[s]) blendBytes4(t, texels, coverage[s], source);
}

/// Writes the colour at `source` (four output words) to the covered lanes of samples [first, end). `second`: the
/// second source of dual-source blending, or null.
ETZEL_INLINE void writeTarget(const ColorTarget& t, const PixelGroup& g, const LaneMask* coverage, uint32_t first,
                              uint32_t end, const LaneWords* source, const LaneWords* second) {
  end = end < t.surface.samples ? end : t.surface.samples;
  if (t.bytes != ByteWrite::None && g.whole) return writeBytes4(t, g, coverage, first, end, source);
  switch (t.layout) {
    case TexelLayout::Rgba8: return writeWords<TexelLayout::Rgba8>(t, g, coverage, first, end, source, second);
    case TexelLayout::Bgra8: return writeWords<TexelLayout::Bgra8>(t, g, coverage, first, end, source, second);
    case TexelLayout::Rgba8Srgb: return writeWords<TexelLayout::Rgba8Srgb>(t, g, coverage, first, end, source, second);
    case TexelLayout::Bgra8Srgb: return writeWords<TexelLayout::Bgra8Srgb>(t, g, coverage, first, end, source, second);
    case TexelLayout::R8: return writeWords<TexelLayout::R8>(t, g, coverage, first, end, source, second);
    case TexelLayout::R32: return writeWords<TexelLayout::R32>(t, g, coverage, first, end, source, second);
    default:
      if (t.surface.texelBytes <= 4 && t.surface.texelBytes != 3)
        return writeWords<TexelLayout::Other>(t, g, coverage, first, end, source, second);
      return writeBytes(t, g, coverage, first, end, source, second);
  }
}

}  // namespace etzel::raster::ETZEL_TARGET
