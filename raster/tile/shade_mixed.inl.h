// Groups in which some pixels are covered in some samples only: edges of compressed multisampled pictures. The short
// way for plain kernels and one target of bytes, with the tile's fragments at hand; everything else goes through
// shadeSamples(). Part of the tile code: included once per instruction set.

/// A block's mixed groups the other way round: for each group and four samples a byte of lanes per sample.
template <uint32_t samples>
struct LaneBytes {
  static constexpr uint32_t kParts = (samples + 3) / 4;
  alignas(32) uint32_t part[kParts][8];

  ETZEL_INLINE explicit LaneBytes(const BlockCoverage& block) {
    auto pair = [](__m128i two) __attribute__((always_inline)) {
      return _mm_unpacklo_epi8(two, _mm_srli_si128(two, 8));
    };
    for (uint32_t i = 0; i < kParts; ++i) {
      const __m128i first = pair(loadAs<__m128i>(block.each + 4 * i));
      const __m128i second = samples < 4 ? _mm_setzero_si128() : pair(loadAs<__m128i>(block.each + 4 * i + 2));
      storeAs(part[i], _mm_unpacklo_epi16(first, second));
      storeAs(part[i] + 4, _mm_unpackhi_epi16(first, second));
    }
  }
  /// Lanes with some sample covered.
  ETZEL_INLINE LaneMask any(uint32_t group) const {
    uint32_t lanes = part[0][group];
    for (uint32_t i = 1; i < kParts; ++i) lanes |= part[i][group];
    lanes |= lanes >> 16;
    return (lanes | lanes >> 8) & 255;
  }
  ETZEL_INLINE GroupMasks samplesOf(uint32_t group) const {
    GroupMasks m{};
    m.low = spreadSamples(part[0][group]);
    if constexpr (samples >= 8) m.low |= spreadSamples(part[1][group]) << 16;
    if constexpr (samples == 16) m.high = spreadSamples(part[2][group]) | spreadSamples(part[3][group]) << 16;
    return m;
  }
};

/// Shades the groups of `mixed` in a tile that is neither clear nor expanded.
template <uint32_t samples, ByteWrite bytes>
__attribute__((noinline)) void shadeEdges(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y,
                                          BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  const ColorTarget& t = d.color[0];
  const Surface& s = t.surface;
  const uint32_t layer = p.primitive->layer, tile = tileAt(s, x, y);
  TileFragments f = tileFragments(s, layer, tile);
  std::byte* const texels = s.at(static_cast<uint32_t>(x), static_cast<uint32_t>(y), layer, 0);
  const uint64_t planePitch = s.samplePitch;
  const uint32_t rowPitch = s.rowPitch;
  const LaneBytes<samples> lanes(block);
  PlainKernel kernel(w, d);
  const F8 left = splat(static_cast<float>(x) + 0.5f) + laneXs(), top = splat(static_cast<float>(y) + 0.5f) + laneYs();
  for (uint32_t mixed = block.mixed; mixed; mixed &= mixed - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(mixed));
    LaneMask any = lanes.any(group);
    w.fragmentInvocations += static_cast<uint32_t>(__builtin_popcount(any));
    const LaneMask alive =
        kernel.run(left + splat(group & 1 ? 4.0f : 0.0f), top + splat(static_cast<float>(group & 6)), any);
    if (w.cancelled) break;
    GroupMasks covered = lanes.samplesOf(group);
    if (alive != any) {
      if (!alive) continue;
      const U8 keep = (U8)maskOf(alive);
      covered.low &= keep, covered.high &= keep;
      any = alive;
    }
    std::byte* at = texels + (group & 6) * rowPitch + (group & 1) * 16;
    LaneMask planes[samples];
    if (bytes == ByteWrite::Blend) {
      const Group g = groupOf(p, x, y, group);
      const uint32_t count = isolateFragments<samples>(f, s, g, group, covered, planes);
      for (uint32_t k = 0; k < count; ++k, at += planePitch)
        if (planes[k]) blendBytes4(t, at, planes[k], kernel.color());
    } else {
      LaneMask others[samples];
      const uint32_t count = allocateFragments<samples>(f, group, covered, any, planes, others);
      const RowTexels v = packSource(t, kernel.color());
      mergeRows(at, rowPitch, planes[0], v);
      // Rows that nothing else is kept in are not read: they are seldom in the cache.
      if (planes[1]) storeRows(at + planePitch, rowPitch, others[1] ? planes[1] : kAllLanes, v);
      for (uint32_t k = 2; k < count; ++k)
        if (planes[k]) storeRows(at + k * planePitch, rowPitch, others[k] ? planes[k] : kAllLanes, v);
    }
  }
  if (f.store()) s.fragments(layer).expand(tile);
}

template <uint32_t samples>
inline void shadeEdges(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, BlockCoverage& block) {
  if (p.draw->color[0].bytes == ByteWrite::Blend) return shadeEdges<samples, ByteWrite::Blend>(w, p, x, y, block);
  shadeEdges<samples, ByteWrite::Store>(w, p, x, y, block);
}

/// shadeMixed() for draws and blocks of any kind.
__attribute__((noinline)) inline void shadeAnyMixed(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y,
                                                    const BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  for (uint32_t left = block.mixed; left && !w.cancelled; left &= left - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(left));
    LaneMask lanes[kMaxSamples];
    block.load(group, d.samples, lanes);
    shadeSamples<Mode::Multi>(w, p, groupOf(p, x, y, group), lanes, lanes, 0, d.samples);
  }
}

inline void shadeMixed(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  if (isPlainBlock(p, x, y) && !targetBlock(d.color[0].surface, p.primitive->layer, x, y).expanded) {
    switch (d.samples) {
      case 2:
        return shadeEdges<2>(w, p, x, y, block);
      case 4:
        return shadeEdges<4>(w, p, x, y, block);
      case 8:
        return shadeEdges<8>(w, p, x, y, block);
      default:
        return shadeEdges<16>(w, p, x, y, block);
    }
  }
  shadeAnyMixed(w, p, x, y, block);
}
