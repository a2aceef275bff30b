// Colour output of a 4x2 group to one attachment: conversion, blending, logical operation, write mask. Part of the tile
// code: included once per instruction set. Texels of up to four bytes travel as one word per lane, wider ones as bytes.

/// Shader colours as words: float bits, or integers for integer attachments.
struct Source8 {
  U8 c[4];
};

ETZEL_INLINE U8 unorm8(F8 v) { return (U8)roundI(clampF(v, 0.0f, 1.0f) * splat(255.0f)); }
inline U8 srgb8(F8 v) {
  U8 r;
  for (uint32_t i = 0; i < kWarpLanes; ++i) r[i] = format::linearToSrgb8(v[i]);
  return r;
}
inline F8 linear8(U8 v) {
  F8 r;
  for (uint32_t i = 0; i < kWarpLanes; ++i) r[i] = format::kSrgbToLinear[v[i] & 255];
  return r;
}
ETZEL_INLINE F8 fromUnorm8(U8 v) { return fromByte(v & 255u); }

/// Transposes to the texels that the format table converts.
ETZEL_INLINE void toTexels(const Source8& s, format::Texel* texels) {
  for (uint32_t i = 0; i < kWarpLanes; ++i)
    for (uint32_t c = 0; c < 4; ++c) texels[i].word[c] = s.c[c][i];
}
ETZEL_INLINE Source8 fromTexels(const format::Texel* texels) {
  Source8 s;
  for (uint32_t i = 0; i < kWarpLanes; ++i)
    for (uint32_t c = 0; c < 4; ++c) s.c[c][i] = texels[i].word[c];
  return s;
}

/// To texels of at most four bytes. `path` is t.path, or Generic for those that have no case here.
template <ColorPath path>
ETZEL_INLINE U8 encodeWords(const ColorTarget& t, const Source8& s) {
  switch (path) {
    case ColorPath::Rgba8:
      return unorm8(asF(s.c[0])) | unorm8(asF(s.c[1])) << 8 | unorm8(asF(s.c[2])) << 16 | unorm8(asF(s.c[3])) << 24;
    case ColorPath::Bgra8:
      return unorm8(asF(s.c[2])) | unorm8(asF(s.c[1])) << 8 | unorm8(asF(s.c[0])) << 16 | unorm8(asF(s.c[3])) << 24;
    case ColorPath::Rgba8Srgb:
      return srgb8(asF(s.c[0])) | srgb8(asF(s.c[1])) << 8 | srgb8(asF(s.c[2])) << 16 | unorm8(asF(s.c[3])) << 24;
    case ColorPath::Bgra8Srgb:
      return srgb8(asF(s.c[2])) | srgb8(asF(s.c[1])) << 8 | srgb8(asF(s.c[0])) << 16 | unorm8(asF(s.c[3])) << 24;
    case ColorPath::R8: return unorm8(asF(s.c[0]));
    case ColorPath::R32F: return s.c[0];
    default: break;
  }
  format::Texel texels[kWarpLanes];
  toTexels(s, texels);
  std::byte bytes[kWarpLanes * 4];
  t.encode(texels, bytes, kWarpLanes);
  U8 words = {};
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    uint32_t word = 0;
    __builtin_memcpy(&word, bytes + i * t.surface.texelBytes, t.surface.texelBytes);
    words[i] = word;
  }
  return words;
}

template <ColorPath path>
ETZEL_INLINE Source8 decodeWords(const ColorTarget& t, U8 words) {
  const U8 one = asU(splat(1.0f)), zero = {};
  U8 b0 = words, b1 = words >> 8, b2 = words >> 16, b3 = words >> 24;
  switch (path) {
    case ColorPath::Rgba8:
      return {{asU(fromUnorm8(b0)), asU(fromUnorm8(b1)), asU(fromUnorm8(b2)), asU(fromUnorm8(b3))}};
    case ColorPath::Bgra8:
      return {{asU(fromUnorm8(b2)), asU(fromUnorm8(b1)), asU(fromUnorm8(b0)), asU(fromUnorm8(b3))}};
    case ColorPath::Rgba8Srgb: return {{asU(linear8(b0)), asU(linear8(b1)), asU(linear8(b2)), asU(fromUnorm8(b3))}};
    case ColorPath::Bgra8Srgb: return {{asU(linear8(b2)), asU(linear8(b1)), asU(linear8(b0)), asU(fromUnorm8(b3))}};
    case ColorPath::R8: return {{asU(fromUnorm8(b0)), zero, zero, one}};
    case ColorPath::R32F: return {{words, zero, zero, one}};
    default: break;
  }
  std::byte bytes[kWarpLanes * 4];
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    uint32_t word = words[i];
    __builtin_memcpy(bytes + i * t.surface.texelBytes, &word, t.surface.texelBytes);
  }
  format::Texel texels[kWarpLanes];
  t.decode(bytes, texels, kWarpLanes);
  return fromTexels(texels);
}

/// To texels of more than four bytes, in lane order.
inline void encodeBytes(const ColorTarget& t, const Source8& s, std::byte* bytes) {
#ifdef __F16C__
  if (t.path == ColorPath::Rgba16F) {
    __v8hi h[4];
    for (uint32_t c = 0; c < 4; ++c) h[c] = (__v8hi)_mm256_cvtps_ph((__m256)asF(s.c[c]), _MM_FROUND_TO_NEAREST_INT);
    __v8hi rgLow = (__v8hi)_mm_unpacklo_epi16((__m128i)h[0], (__m128i)h[1]);
    __v8hi rgHigh = (__v8hi)_mm_unpackhi_epi16((__m128i)h[0], (__m128i)h[1]);
    __v8hi baLow = (__v8hi)_mm_unpacklo_epi16((__m128i)h[2], (__m128i)h[3]);
    __v8hi baHigh = (__v8hi)_mm_unpackhi_epi16((__m128i)h[2], (__m128i)h[3]);
    storeAs(bytes, _mm_unpacklo_epi32((__m128i)rgLow, (__m128i)baLow));
    storeAs(bytes + 16, _mm_unpackhi_epi32((__m128i)rgLow, (__m128i)baLow));
    storeAs(bytes + 32, _mm_unpacklo_epi32((__m128i)rgHigh, (__m128i)baHigh));
    storeAs(bytes + 48, _mm_unpackhi_epi32((__m128i)rgHigh, (__m128i)baHigh));
    return;
  }
#endif
  format::Texel texels[kWarpLanes];
  toTexels(s, texels);
  if (t.path == ColorPath::Rgba32F)
    __builtin_memcpy(bytes, texels, sizeof texels);
  else
    t.encode(texels, bytes, kWarpLanes);
}

/// Bytes of the lanes' texels in lane order. Lanes outside `lanes` give zeros.
inline void loadBytes(const ColorTarget& t, const Group& g, uint32_t sample, LaneMask lanes, std::byte* bytes) {
  const Surface& s = t.surface;
  const std::byte* p = s.at(static_cast<uint32_t>(g.x), static_cast<uint32_t>(g.y), g.layer, sample);
  uint32_t n = s.texelBytes;
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    if (lanes >> i & 1)
      __builtin_memcpy(bytes + i * n, p + laneY(i) * s.rowPitch + laneX(i) * n, n);
    else
      __builtin_memset(bytes + i * n, 0, n);
  }
}
inline void storeBytes(const ColorTarget& t, const Group& g, uint32_t sample, LaneMask lanes, const std::byte* bytes) {
  const Surface& s = t.surface;
  std::byte* p = s.at(static_cast<uint32_t>(g.x), static_cast<uint32_t>(g.y), g.layer, sample);
  uint32_t n = s.texelBytes;
  if (lanes == kAllLanes && n == 8) {
    for (uint32_t half = 0; half < 2; ++half) {
      storeAs(p + half * 16, loadAs<U4>(bytes + half * 32));
      storeAs(p + s.rowPitch + half * 16, loadAs<U4>(bytes + half * 32 + 16));
    }
    return;
  }
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    if (!(lanes >> i & 1)) continue;
    std::byte* to = p + laneY(i) * s.rowPitch + laneX(i) * n;
    if (n == 16)
      storeAs(to, loadAs<U4>(bytes + i * 16));
    else if (n == 8)
      __builtin_memcpy(to, bytes + i * 8, 8);
    else
      __builtin_memcpy(to, bytes + i * n, n);
  }
}

/// The source of a blend, its result as source for the encoder.
inline Source8 blendSource(const ColorTarget& t, const Source8& s, const Source8& s1, const Source8& old) {
  Color8 source, second, destination;
  for (uint32_t c = 0; c < 4; ++c) {
    source.c[c] = clampFor(t.clamp, asF(s.c[c]));
    second.c[c] = clampFor(t.clamp, asF(s1.c[c]));
    destination.c[c] = asF(old.c[c]);
  }
  Color8 r = blendColors(t, source, destination, second);
  return {{asU(r.c[0]), asU(r.c[1]), asU(r.c[2]), asU(r.c[3])}};
}

ETZEL_INLINE Source8 loadSource(const LaneWords* words) {
  return {{loadAs<U8>(words), loadAs<U8>(words + 1), loadAs<U8>(words + 2), loadAs<U8>(words + 3)}};
}

template <ColorPath path>
inline void writeWords(const ColorTarget& t, const Group& g, const LaneMask* coverage, uint32_t first, uint32_t end,
                       const LaneWords* source, const LaneWords* second) {
  const Surface& surface = t.surface;
  Source8 color = loadSource(source);
  U8 words = t.blend ? U8{} : encodeWords<path>(t, color);
  for (uint32_t sample = first; sample < end; ++sample) {
    LaneMask lanes = coverage[sample];
    if (lanes == 0) continue;
    if (!t.reads && lanes == kAllLanes) {
      storeTexels(surface, g, sample, lanes, words, words);
      continue;
    }
    U8 old = loadTexels(surface, g, sample, lanes), v = words;
    if (t.blend) {
      Source8 other = second ? loadSource(second) : color;
      v = encodeWords<path>(t, blendSource(t, color, other, decodeWords<path>(t, old)));
    }
    if (t.logicOp) v = logicOp(t.op, v, old);
    if (t.reads) v = (old & ~t.writeWord) | (v & t.writeWord);
    storeTexels(surface, g, sample, lanes, v, old);
  }
}

inline void writeBytes(const ColorTarget& t, const Group& g, const LaneMask* coverage, uint32_t first, uint32_t end,
                       const LaneWords* source, const LaneWords* second) {
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
      format::Texel texels[kWarpLanes];
      t.decode(old, texels, kWarpLanes);
      encodeBytes(t, blendSource(t, color, second ? loadSource(second) : color, fromTexels(texels)), bytes);
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
ETZEL_INLINE void writeBytes4(const ColorTarget& t, const Group& g, const LaneMask* coverage, uint32_t first,
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
ETZEL_INLINE void writeTarget(const ColorTarget& t, const Group& g, const LaneMask* coverage, uint32_t first,
                              uint32_t end, const LaneWords* source, const LaneWords* second) {
  end = end < t.surface.samples ? end : t.surface.samples;
  if (t.bytes != ByteWrite::None && g.whole) return writeBytes4(t, g, coverage, first, end, source);
  switch (t.path) {
    case ColorPath::Rgba8: return writeWords<ColorPath::Rgba8>(t, g, coverage, first, end, source, second);
    case ColorPath::Bgra8: return writeWords<ColorPath::Bgra8>(t, g, coverage, first, end, source, second);
    case ColorPath::Rgba8Srgb: return writeWords<ColorPath::Rgba8Srgb>(t, g, coverage, first, end, source, second);
    case ColorPath::Bgra8Srgb: return writeWords<ColorPath::Bgra8Srgb>(t, g, coverage, first, end, source, second);
    case ColorPath::R8: return writeWords<ColorPath::R8>(t, g, coverage, first, end, source, second);
    case ColorPath::R32F: return writeWords<ColorPath::R32F>(t, g, coverage, first, end, source, second);
    case ColorPath::Generic:
      if (t.surface.texelBytes <= 4 && t.surface.texelBytes != 3)
        return writeWords<ColorPath::Generic>(t, g, coverage, first, end, source, second);
      [[fallthrough]];
    default: return writeBytes(t, g, coverage, first, end, source, second);
  }
}
