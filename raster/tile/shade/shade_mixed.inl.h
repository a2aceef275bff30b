// Blocks with pixels that are covered in some samples only: edges of compressed multisampled pictures. All groups are
// shaded first, then places found for the fragments of all pixels together, then colours stored plane by plane: in the
// shortest way for plain kernels and one target of bytes (shadeEdges), and for a few targets of any kind
// (shadeFragments). What is left goes through shadeSamples(). Part of the tile code: included once per instruction set.

/// What kernels leave of a group's colours until they are written: packed where nothing is read.
template <ByteWrite bytes>
struct GroupColors {
  alignas(32) LaneWords word[4];
  ETZEL_INLINE void keep(const ColorTarget&, const LaneWords* source) { __builtin_memcpy(word, source, sizeof word); }
  ETZEL_INLINE void write(const ColorTarget& t, std::byte* texels, LaneMask lanes) const {
    blendBytes4(t, texels, lanes, word);
  }
};
template <>
struct GroupColors<ByteWrite::Store> {
  RowTexels texel;
  ETZEL_INLINE void keep(const ColorTarget& t, const LaneWords* source) { texel = packSource(t, source); }
  ETZEL_INLINE void write(const ColorTarget& t, std::byte* texels, LaneMask lanes) const {
    mergeRows(texels, t.surface.rowPitch, lanes, texel);
  }
};

/// Shades a block in tile `tile`, which is neither clear nor expanded.
template <uint32_t samples, ByteWrite bytes>
__attribute__((noinline)) void shadeEdges(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y,
                                          const BlockCoverage& block, uint32_t tile) {
  using Set = SampleSet<samples>;
  const TileDraw& d = *p.draw;
  const ColorTarget& t = d.color[0];
  const Surface& s = t.surface;
  Set covered = coveredBy<samples>(block);
  uint64_t pixels = covered.any();
  w.fragmentInvocations += static_cast<uint32_t>(__builtin_popcountll(pixels));

  const uint32_t layer = p.primitive->layer;
  TileFragments f = tileFragments(s, layer, tile);
  uint64_t planes[samples];
  const auto allocate = [&]() __attribute__((always_inline)) {
    return bytes == ByteWrite::Blend ? isolateFragments<samples>(f, s, groupOf(p, x, y, 0), covered, planes)
                                     : allocateFragments<samples>(f, covered, pixels, planes);
  };
  std::byte* const texels = s.at(static_cast<uint32_t>(x), static_cast<uint32_t>(y), layer, 0);
  const auto texelsOf = [&](uint32_t plane, uint32_t group) __attribute__((always_inline)) {
    return texels + plane * s.samplePitch + (group & 6) * s.rowPitch + (group & 1) * 16;
  };
  const auto lanesOf = [&](uint32_t plane, uint32_t group) __attribute__((always_inline)) {
    return static_cast<LaneMask>(planes[plane] >> group * 8 & 255);
  };
  GroupColors<bytes> colors[8];
  const F8 left = splat(static_cast<float>(x) + 0.5f) + laneXs(), top = splat(static_cast<float>(y) + 0.5f) + laneYs();
  PlainKernel kernel(w, d);
  uint32_t first = 0, count;
  if (!d.placesFirst) {
    uint64_t alive = 0;
    if (!kernel.shade(
            left, top,
            pixels, [&](uint32_t group, LaneMask lanes, const LaneWords* color) __attribute__((always_inline)) {
              colors[group].keep(t, color);
              alive |= uint64_t{lanes} << group * 8;
            }))
      return;
    covered = covered & Set::splat(alive), pixels = alive;
    if (!pixels) return;
    count = allocate();
  } else {
    // Colours of the first plane are written at once.
    count = allocate();
    if (!kernel.shade(
            left, top, pixels, [&](uint32_t group, LaneMask, const LaneWords* color) __attribute__((always_inline)) {
              colors[group].keep(t, color);
              colors[group].write(t, texelsOf(0, group), lanesOf(0, group));
            }))
      return;
    first = 1;
  }
  for (; first < count; first += 8) {
    // The groups of eight planes in one loop, whose end is hard enough to predict.
    uint64_t writes = 0;
    for (uint32_t k = first; k < count && k < first + 8; ++k)
      writes |= uint64_t{someBytes(planes[k])} << (k - first) * 8;
    for (; writes; writes &= writes - 1) {
      const uint32_t bit = static_cast<uint32_t>(__builtin_ctzll(writes)), k = first + bit / 8, group = bit % 8;
      colors[group].write(t, texelsOf(k, group), lanesOf(k, group));
    }
  }
  if (f.store()) s.fragments(layer).expand(tile);
}

template <uint32_t samples>
ETZEL_INLINE void shadeEdges(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y,
                             const BlockCoverage& block, uint32_t tile) {
  if (p.draw->color[0].bytes == ByteWrite::Blend) return shadeEdges<samples, ByteWrite::Blend>(w, p, x, y, block, tile);
  shadeEdges<samples, ByteWrite::Store>(w, p, x, y, block, tile);
}

/// Whether all targets of a block keep fragments; those that are clear get them.
inline bool keepsFragments(const PrimitiveContext& p, int32_t x, int32_t y) {
  const TileDraw& d = *p.draw;
  bool keeps = true;
  for (uint32_t i = 0; i < d.colorCount; ++i)
    keeps &= !targetBlock(d.color[i].surface, p.primitive->layer, x, y).expanded;
  return keeps;
}

/// Shades a block with up to kMaxBlockTargets targets, all of which keep fragments.
template <uint32_t samples>
__attribute__((noinline)) void shadeFragments(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y,
                                              const BlockCoverage& block) {
  using Set = SampleSet<samples>;
  const TileDraw& d = *p.draw;
  Set covered = coveredBy<samples>(block);
  const uint64_t pixels = covered.any();
  w.fragmentInvocations += static_cast<uint32_t>(__builtin_popcountll(pixels));
  const bool onlyPlace = !(p.sys & kPixelValues);

  alignas(32) LaneWords colors[8][kMaxBlockTargets][4];
  uint64_t alive = 0;
  for (uint32_t groups = someBytes(pixels); groups; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    const Group g = groupOf(p, x, y, group);
    if (onlyPlace) {
      setWords(sysOf(w, abi::SysValue::PosX), g.px + splat(0.5f));
      setWords(sysOf(w, abi::SysValue::PosY), g.py + splat(0.5f));
    } else {
      LaneMask lanes[kMaxSamples];
      block.load(group, samples, lanes);
      fillGroup<Mode::Multi>(w, p, g, lanes, lanes, 0);
    }
    alive |= uint64_t{runKernel(w, d, static_cast<LaneMask>(pixels >> group * 8 & 255))} << group * 8;
    if (w.cancelled) return;
    for (uint32_t i = 0; i < d.colorCount; ++i)
      __builtin_memcpy(colors[group][i], &w.out[abi::kFragOutColor + 4 * d.color[i].attachment], sizeof colors[0][0]);
  }
  if (!alive) return;
  covered = covered & Set::splat(alive);

  for (uint32_t i = 0; i < d.colorCount; ++i) {
    const ColorTarget& t = d.color[i];
    const Surface& s = t.surface;
    const uint32_t layer = p.primitive->layer, tile = tileAt(s, x, y);
    TileFragments f = tileFragments(s, layer, tile);
    uint64_t planes[samples];
    const uint32_t count = t.reads ? isolateFragments<samples>(f, s, groupOf(p, x, y, 0), covered, planes)
                                   : allocateFragments<samples>(f, covered, alive, planes);
    for (uint32_t k = 0; k < count; ++k) {
      for (uint32_t groups = someBytes(planes[k]); groups; groups &= groups - 1) {
        const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
        const LaneMask lanes = static_cast<LaneMask>(planes[k] >> group * 8 & 255);
        const Group g = groupOf(p, x, y, group);
        if (t.bytes == ByteWrite::Store && g.whole) {
          mergeRows(s.at(static_cast<uint32_t>(g.x), static_cast<uint32_t>(g.y), layer, k), s.rowPitch, lanes,
                    packSource(t, colors[group][i]));
          continue;
        }
        LaneMask byPlane[samples];
        byPlane[k] = lanes;
        writeTarget(t, g, byPlane, k, k + 1, colors[group][i], nullptr);
      }
    }
    if (f.store()) s.fragments(layer).expand(tile);
  }
}

/// The groups with such pixels, for draws and blocks of any kind.
__attribute__((noinline)) inline void shadeMixed(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y,
                                                 const BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  for (uint32_t left = block.mixed; left && !w.cancelled; left &= left - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(left));
    LaneMask lanes[kMaxSamples];
    block.load(group, d.samples, lanes);
    shadeSamples<Mode::Multi>(w, p, groupOf(p, x, y, group), lanes, lanes, 0, d.samples);
  }
}

/// Shades and writes a block that has passed all tests.
ETZEL_INLINE void shadeCovered(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, const BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  if (!block.mixed) {
    if (block.alike) shadeAlike<false>(w, p, x, y, block.alike);
    return;
  }
  if (isPlainBlock(p, x, y)) {
    const Surface& s = d.color[0].surface;
    const uint32_t layer = p.primitive->layer, tile = tileAt(s, x, y);
    const auto state = static_cast<uint8_t>(s.meta[layer * s.metaPitch + mem::kTileStateOffset + tile]);
    if (msaa::kindOf(state) == msaa::TileKind::Clear) materializeTile(s, layer, tile, x, y);
    if (msaa::kindOf(state) != msaa::TileKind::Expanded) {
      switch (d.samples) {
        case 2: return shadeEdges<2>(w, p, x, y, block, tile);
        case 4: return shadeEdges<4>(w, p, x, y, block, tile);
        case 8: return shadeEdges<8>(w, p, x, y, block, tile);
        default: return shadeEdges<16>(w, p, x, y, block, tile);
      }
    }
  }
  if (d.plainColors && d.colorCount <= kMaxBlockTargets && isWholeBlock(d, x, y) && keepsFragments(p, x, y)) {
    switch (d.samples) {
      case 2: return shadeFragments<2>(w, p, x, y, block);
      case 4: return shadeFragments<4>(w, p, x, y, block);
      case 8: return shadeFragments<8>(w, p, x, y, block);
      default: return shadeFragments<16>(w, p, x, y, block);
    }
  }
  if (block.alike) shadeAlike<false>(w, p, x, y, block.alike);
  if (!w.cancelled) shadeMixed(w, p, x, y, block);
}
