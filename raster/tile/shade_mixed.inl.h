// Groups in which some pixels are covered in some samples only: edges of compressed multisampled pictures. The short
// way for plain kernels and one target of bytes, with the tile's fragments at hand; everything else goes through
// shadeSamples(). Part of the tile code: included once per instruction set.

/// Shades the groups of `mixed` in a tile that is neither clear nor expanded.
template <uint32_t samples, ByteWrite bytes>
inline void shadeEdges(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  const ColorTarget& t = d.color[0];
  const Surface& s = t.surface;
  const uint32_t layer = p.primitive->layer, tile = tileAt(s, x, y);
  TileFragments f = tileFragments(s, layer, tile);
  std::byte* const texels = s.at(static_cast<uint32_t>(x), static_cast<uint32_t>(y), layer, 0);
  const uint64_t planePitch = s.samplePitch;
  const uint32_t rowPitch = s.rowPitch;
  PlainKernel kernel(w, d);
  const F8 left = splat(static_cast<float>(x) + 0.5f) + laneXs(), top = splat(static_cast<float>(y) + 0.5f) + laneYs();
  for (uint32_t mixed = block.mixed; mixed; mixed &= mixed - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(mixed));
    LaneMask* covered = block.lanes[group];
    LaneMask any = 0;
    for (uint32_t k = 0; k < samples; ++k) any |= covered[k];
    w.fragmentInvocations += static_cast<uint32_t>(__builtin_popcount(any));
    const LaneMask alive =
        kernel.run(left + splat(group & 1 ? 4.0f : 0.0f), top + splat(static_cast<float>(group & 6)), any);
    if (w.cancelled) break;
    if (alive != any) {
      if (!alive) continue;
      for (uint32_t k = 0; k < samples; ++k) covered[k] &= alive;
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
      // Rows that nothing else is kept in are not read: they are seldom in the cache.
      for (uint32_t k = 0; k < count; ++k, at += planePitch)
        if (planes[k]) storeRows(at, rowPitch, others[k] ? planes[k] : kAllLanes, v);
    }
  }
  if (f.store()) s.fragments(layer).expand(tile);
}

template <uint32_t samples>
inline void shadeEdges(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, BlockCoverage& block) {
  if (p.draw->color[0].bytes == ByteWrite::Blend) return shadeEdges<samples, ByteWrite::Blend>(w, p, x, y, block);
  shadeEdges<samples, ByteWrite::Store>(w, p, x, y, block);
}

inline void shadeMixed(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  const bool whole =
      static_cast<uint32_t>(x) + kBlock <= d.safeWidth && static_cast<uint32_t>(y) + kBlock <= d.safeHeight;
  if (d.bytesOnly && whole && !(p.sys & (kOtherPlaces | kFragmentValues)) &&
      !targetBlock(d.color[0].surface, p.primitive->layer, x, y).expanded) {
    switch (d.samples) {
      case 2: return shadeEdges<2>(w, p, x, y, block);
      case 4: return shadeEdges<4>(w, p, x, y, block);
      case 8: return shadeEdges<8>(w, p, x, y, block);
      default: return shadeEdges<16>(w, p, x, y, block);
    }
  }
  for (uint32_t left = block.mixed; left && !w.cancelled; left &= left - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(left));
    LaneMask* lanes = block.lanes[group];
    shadeSamples<Mode::Multi>(w, p, groupOf(p, x, y, group), lanes, lanes, 0, d.samples);
  }
}
