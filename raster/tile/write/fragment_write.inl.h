// Colour output to compressed multisampled attachments: turns covered samples into fragments, so that each distinct
// colour is stored, and blended, once. The masks of all pixels of a tile are worked on together, as words of 64 pixels.
// Part of the tile code: included once per instruction set.

/// What a tile that is neither clear nor expanded knows of its fragments; changes are kept here until store().
struct TileFragments {
  uint64_t* masks;
  uint8_t* state;
  uint64_t* word;  ///< in memory, valid when the tile is General
  uint64_t edges;
  uint32_t last;  ///< no mask has a greater fragment index; 0 without edges
  uint32_t samples;

  LaneMask edgesOf(uint32_t group) const { return static_cast<LaneMask>(edges >> group * 8 & 255); }
  void setEdges(uint32_t group, LaneMask lanes) {
    edges = (edges & ~(uint64_t{255} << group * 8)) | uint64_t{lanes} << group * 8;
  }
  /// \returns whether compression stops to pay: most pixels of the tile have many fragments, so that masks only add
  /// work. Such tiles should be expanded; full coverage and clears bring them back.
  bool store() const {
    if (!edges) {
      *state = msaa::makeState(msaa::TileKind::One);
      return false;
    }
    *word = edges;
    *state = msaa::makeState(msaa::TileKind::General, last);
    return samples >= 4 && last + 1 >= samples / 2 && __builtin_popcountll(edges) > 40;
  }
};
ETZEL_INLINE TileFragments tileFragments(const Surface& s, uint32_t layer, uint32_t tile) {
  TileFragments f;
  std::byte* meta = s.meta + layer * s.metaPitch;
  f.samples = s.samples;
  f.masks = reinterpret_cast<uint64_t*>(meta + s.maskOffset) + uint64_t{tile} * mem::fragmentMaskWords(s.samples);
  f.state = reinterpret_cast<uint8_t*>(meta) + mem::kTileStateOffset + tile;
  f.word = reinterpret_cast<uint64_t*>(meta + s.edgeOffset) + tile;
  const bool general = msaa::kindOf(*f.state) == msaa::TileKind::General;
  f.last = general ? msaa::lastFragment(*f.state) & (s.samples - 1) : 0;
  f.edges = f.last ? *f.word : 0;
  return f;
}
ETZEL_INLINE uint32_t tileAt(const Surface& s, int32_t x, int32_t y) {
  return ((static_cast<uint32_t>(y) - s.originY) >> 3) * s.tilesX + ((static_cast<uint32_t>(x) - s.originX) >> 3);
}

/// FragmentSurface::materialize() for the tile at (x, y), which is Clear.
inline void materializeTile(const Surface& s, uint32_t layer, uint32_t tile, int32_t x, int32_t y) {
  std::byte* const meta = s.meta + layer * s.metaPitch;
  uint8_t* const state = reinterpret_cast<uint8_t*>(meta) + mem::kTileStateOffset + tile;
  const auto left = static_cast<uint32_t>(x) & ~7u, top = static_cast<uint32_t>(y) & ~7u;
  if (s.texelBytes != 4 || left + 8 > s.width || top + 8 > s.height) return s.fragments(layer).materialize(tile);
  const U8 color = splatU(loadAs<uint32_t>(meta + msaa::clearColorOf(*state) * mem::kClearColorBytes));
  std::byte* row = s.at(left, top, layer, 0);
  for (uint32_t i = 0; i < 8; ++i, row += s.rowPitch) storeAs(row, color);
  *state = msaa::makeState(msaa::TileKind::One);
}

/// The fragment that each sample of a tile shows: the bits of its index.
template <uint32_t samples>
struct FragmentIndices {
  using Set = SampleSet<samples>;
  static constexpr uint32_t kBits = mem::fragmentMaskWords(samples) / samples;
  Set bit[kBits];

  static ETZEL_INLINE FragmentIndices load(const TileFragments& f) {
    const Set pixels = Set::splat(f.edges);
    FragmentIndices m;
    m.bit[0] = Set::load(f.masks) & pixels;
    for (uint32_t i = 1; i < kBits; ++i) m.bit[i] = f.last >> i ? Set::load(f.masks + i * samples) & pixels : Set{};
    return m;
  }
  /// The samples of `set` that show fragment `k`.
  ETZEL_INLINE Set showing(Set set, uint32_t k) const {
    for (uint32_t i = 0; i < kBits; ++i) set = k >> i & 1 ? set & bit[i] : set.without(bit[i]);
    return set;
  }
  /// Stores what differs from fragment 0, and what is known of it. \param last no index is greater
  ETZEL_INLINE void store(TileFragments& f, uint32_t last) const {
    uint32_t bits = 0;
    f.edges = 0;
    for (uint32_t i = 0; i < kBits; ++i)
      if (const uint64_t some = bit[i].any()) f.edges |= some, bits = i + 1;
    const uint32_t most = (1u << bits) - 1;
    f.last = last < most ? last : most;
    for (uint32_t i = 0; i < bits; ++i) bit[i].store(f.masks + i * samples);
  }
};

/// allocateFragments() for tiles with more than two fragments.
template <uint32_t samples>
__attribute__((noinline)) uint32_t allocateMany(TileFragments& f, const SampleSet<samples>& covered, uint64_t any,
                                                uint64_t* planes) {
  using Set = SampleSet<samples>;
  FragmentIndices<samples> m = FragmentIndices<samples>::load(f);
  const Set uncovered = Set::splat(~uint64_t{0}).without(covered);
  uint64_t id[FragmentIndices<samples>::kBits] = {}, left = any;
  uint32_t count = 0, last = f.last;
  // One fragment is free at the latest when all others show.
  for (; count < samples && left; ++count) {
    const uint64_t others = m.showing(uncovered, count).any();  // show it and keep doing so
    planes[count] = left & ~others;
    left &= others;
    if (planes[count] && count > last) last = count;
    for (uint32_t i = 0; i < FragmentIndices<samples>::kBits; ++i) id[i] |= count >> i & 1 ? planes[count] : 0;
  }
  for (uint32_t i = 0; i < FragmentIndices<samples>::kBits; ++i)
    m.bit[i] = m.bit[i].without(covered) | (covered & Set::splat(id[i]));
  m.store(f, last);
  return count;
}

/// msaa::allocateFragment for all pixels of a tile: chooses a fragment for the covered samples of each pixel of `any`,
/// which are those that have some, and writes the new masks. `planes` gets the pixels that go to each fragment.
/// \returns the number of entries
template <uint32_t samples>
ETZEL_INLINE uint32_t allocateFragments(TileFragments& f, const SampleSet<samples>& covered, uint64_t any,
                                        uint64_t* planes) {
  using Set = SampleSet<samples>;
  // Nearly always there are two fragments: then the lowest bits say everything.
  if (samples > 2 && f.last > 1) return allocateMany<samples>(f, covered, any, planes);
  const Set second = Set::load(f.masks) & Set::splat(f.edges);
  const Set uncovered = Set::splat(~uint64_t{0}).without(covered);
  const uint64_t taken = any & uncovered.without(second).any();
  if (samples > 2 && taken & (uncovered & second).any()) return allocateMany<samples>(f, covered, any, planes);
  planes[0] = any & ~taken, planes[1] = taken;
  const Set next = second.without(covered) | (covered & Set::splat(taken));
  f.edges = next.any();
  f.last = f.edges != 0;
  next.store(f.masks);
  return 2;
}

/// Copies the texels of `lanes` from one plane to another.
inline void copyLanes(const Surface& s, const Group& g, uint32_t from, uint32_t to, LaneMask lanes) {
  const std::byte* source = s.at(static_cast<uint32_t>(g.x), static_cast<uint32_t>(g.y), g.layer, from);
  std::byte* target = s.at(static_cast<uint32_t>(g.x), static_cast<uint32_t>(g.y), g.layer, to);
  if (s.texelBytes == 4 && g.whole)
    return storeRows(target, s.rowPitch, lanes, {loadAs<U4>(source), loadAs<U4>(source + s.rowPitch)});
  for (; lanes; lanes &= lanes - 1) {
    const uint32_t i = static_cast<uint32_t>(__builtin_ctz(lanes));
    const uint64_t at = laneY(i) * s.rowPitch + laneX(i) * s.texelBytes;
    __builtin_memcpy(target + at, source + at, s.texelBytes);
  }
}

/// copyLanes() for pixels of a block.
inline void copyPixels(const Surface& s, const Group& block, uint32_t from, uint32_t to, uint64_t pixels) {
  for (uint32_t groups = someBytes(pixels); groups; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    Group g = block;
    g.x += static_cast<int32_t>(group & 1) * 4, g.y += static_cast<int32_t>(group & 6);
    copyLanes(s, g, from, to, static_cast<LaneMask>(pixels >> group * 8 & 255));
  }
}

/// msaa::isolateSamples for all pixels of a tile: afterwards changing the texels of `planes` changes the covered
/// samples only. `block`: place and layer of the tile, and whether groups in it are whole. \returns the number of
/// entries
template <uint32_t samples>
inline uint32_t isolateFragments(TileFragments& f, const Surface& s, const Group& block,
                                 const SampleSet<samples>& covered, uint64_t* planes) {
  using Set = SampleSet<samples>;
  const FragmentIndices<samples> before = FragmentIndices<samples>::load(f);
  FragmentIndices<samples> next = before;
  const uint32_t fragments = std::bit_ceil(f.last + 1);  // new images in old memory may show those beyond the last
  const Set all = Set::splat(~uint64_t{0});
  Set shown[samples];
  uint64_t used[samples];
  for (uint32_t k = 0; k < samples; ++k) {
    planes[k] = 0;
    shown[k] = k < fragments ? before.showing(all, k) : Set{};
    used[k] = shown[k].any();
  }
  uint32_t last = 0;
  for (uint32_t k = 0; k < fragments; ++k) {
    if (!used[k]) continue;
    last = k > last ? k : last;
    const Set changed = shown[k] & covered;
    const uint64_t touched = changed.any();
    uint64_t split = touched & shown[k].without(covered).any();
    planes[k] |= touched & ~split;
    for (uint32_t to = 0; split && to < samples; ++to) {
      const uint64_t pixels = split & ~used[to];
      if (!pixels) continue;
      const Set moved = changed & Set::splat(pixels);
      for (uint32_t i = 0; i < FragmentIndices<samples>::kBits; ++i)
        next.bit[i] = to >> i & 1 ? next.bit[i] | moved : next.bit[i].without(moved);
      copyPixels(s, block, k, to, pixels);
      planes[to] |= pixels, used[to] |= pixels;
      split &= ~pixels;
      last = to > last ? to : last;
    }
  }
  next.store(f, last);
  return last + 1;
}

/// The planes that the covered samples of a group go to.
template <uint32_t samples>
inline uint32_t choosePlanes(TileFragments& f, const ColorTarget& t, const Group& g, uint32_t group,
                             const LaneMask* coverage, LaneMask any, LaneMask* planes) {
  const SampleSet<samples> covered = SampleSet<samples>::ofGroup(coverage, group);
  uint64_t pixels[samples];
  uint32_t count;
  if (t.reads) {
    Group block = g;
    block.x &= ~(kBlock - 1), block.y &= ~(kBlock - 1);
    count = isolateFragments<samples>(f, t.surface, block, covered, pixels);
  } else {
    count = allocateFragments<samples>(f, covered, uint64_t{any} << group * 8, pixels);
  }
  for (uint32_t k = 0; k < count; ++k) planes[k] = static_cast<LaneMask>(pixels[k] >> group * 8 & 255);
  return count;
}

/// What writeTarget does for a surface whose samples are separate planes, for a compressed one. `perSample`: the draw
/// shades every sample by itself.
inline void writeFragments(const ColorTarget& t, const Group& g, const LaneMask* coverage, uint32_t first, uint32_t end,
                           bool perSample, const LaneWords* source, const LaneWords* second) {
  const Surface& s = t.surface;
  end = end < s.samples ? end : s.samples;
  if (first >= end) return;
  const uint32_t tile = tileAt(s, g.x, g.y), group = static_cast<uint32_t>(g.y >> 1 & 3) * 2 + (g.x >> 2 & 1);
  const uint8_t state = static_cast<uint8_t>(s.meta[g.layer * s.metaPitch + mem::kTileStateOffset + tile]);
  // Shading per sample makes most samples differ; tiles that only see it stay expanded.
  if (perSample) s.fragments(g.layer).expand(tile);
  if (perSample || msaa::kindOf(state) == msaa::TileKind::Expanded)
    return writeTarget(t, g, coverage, first, end, source, second);
  if (msaa::kindOf(state) == msaa::TileKind::Clear) materializeTile(s, g.layer, tile, g.x, g.y);

  LaneMask all[kMaxSamples];
  LaneMask any = 0, full = kAllLanes;
  for (uint32_t k = 0; k < s.samples; ++k) {
    all[k] = k >= first && k < end ? coverage[k] : 0;
    any |= all[k], full &= all[k];
  }
  if (!any) return;
  TileFragments f = tileFragments(s, g.layer, tile);
  const LaneMask edges = f.edgesOf(group);
  if (any == full && (!(edges & any) || !t.reads)) {
    f.setEdges(group, edges & ~any);
    f.store();
    return writeTarget(t, g, &full, 0, 1, source, second);
  }
  LaneMask planes[kMaxSamples];
  uint32_t count;
  switch (s.samples) {
    case 2: count = choosePlanes<2>(f, t, g, group, all, any, planes); break;
    case 4: count = choosePlanes<4>(f, t, g, group, all, any, planes); break;
    case 8: count = choosePlanes<8>(f, t, g, group, all, any, planes); break;
    default: count = choosePlanes<16>(f, t, g, group, all, any, planes); break;
  }
  const bool crowded = f.store();
  writeTarget(t, g, planes, 0, count, source, second);
  if (crowded) s.fragments(g.layer).expand(tile);
}

/// writeFragments for lanes whose samples are all covered, in whatever state the tile is.
__attribute__((noinline)) inline void writeEverySample(const ColorTarget& t, const Group& g, LaneMask lanes,
                                                       const LaneWords* source, const LaneWords* second) {
  LaneMask all[kMaxSamples];
  for (uint32_t s = 0; s < t.surface.samples; ++s) all[s] = lanes;
  writeFragments(t, g, all, 0, t.surface.samples, false, source, second);
}

/// writeEverySample for tiles that are mostly One.
ETZEL_INLINE void writeInterior(const ColorTarget& t, const Group& g, LaneMask lanes, const LaneWords* source,
                                const LaneWords* second) {
  const Surface& s = t.surface;
  if (s.meta[g.layer * s.metaPitch + mem::kTileStateOffset + tileAt(s, g.x, g.y)] != std::byte{0})
    return writeEverySample(t, g, lanes, source, second);
  writeTarget(t, g, &lanes, 0, 1, source, second);
}
