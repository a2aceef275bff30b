// Colour output to compressed multisampled attachments: turns the samples that a 4x2 group covers into fragments, so
// that each distinct colour is stored, and blended, once. Part of the tile code: included once per instruction set.

/// The masks of a group's pixels: nibbles of samples 0-7 and 8-15.
struct GroupMasks {
  U8 low, high;
};

template <uint32_t samples>
ETZEL_INLINE GroupMasks loadMasks(const std::byte* p) {
  GroupMasks m{};
  if (samples == 2) m.low = __builtin_convertvector(loadAs<B8>(p), U8);
  if (samples == 4) m.low = __builtin_convertvector(loadAs<H8>(p), U8);
  if (samples >= 8) m.low = loadAs<U8>(p);
  if (samples == 16) m.high = loadAs<U8>(p + 32);
  return m;
}
template <uint32_t samples>
ETZEL_INLINE void storeMasks(std::byte* p, const GroupMasks& m) {
  if (samples == 2) storeAs(p, __builtin_convertvector(m.low, B8));
  if (samples == 4) storeAs(p, __builtin_convertvector(m.low, H8));
  if (samples >= 8) storeAs(p, m.low);
  if (samples == 16) storeAs(p + 32, m.high);
}

/// A group's place in a compressed surface.
struct GroupFragments {
  msaa::FragmentSurface surface;
  uint32_t tile, shift;  ///< the group's bits in the edge word
  uint8_t* state;

  std::byte* masks() const { return surface.masks(tile) + shift / 8 * 4 * surface.samples; }
  LaneMask edges() const {
    if (msaa::kindOf(*state) != msaa::TileKind::General) return 0;
    return static_cast<LaneMask>(surface.edges(tile) >> shift & 255);
  }
  /// Sets the group's edge bits; `last` is the greatest fragment index that its masks use now.
  void setEdges(LaneMask bits, uint32_t last) const {
    bool general = msaa::kindOf(*state) == msaa::TileKind::General;
    uint64_t word = general ? surface.edges(tile) & ~(uint64_t{255} << shift) : 0;
    word |= uint64_t{bits} << shift;
    if (word == 0) {
      *state = msaa::makeState(msaa::TileKind::One);
      return;
    }
    surface.edges(tile) = word;
    uint32_t before = general ? msaa::lastFragment(*state) : 0;
    *state = msaa::makeState(msaa::TileKind::General, last > before ? last : before);
  }
};

ETZEL_INLINE GroupFragments groupFragments(const Surface& s, const Group& g) {
  GroupFragments f;
  f.surface = s.fragments(g.layer);
  uint32_t x = static_cast<uint32_t>(g.x), y = static_cast<uint32_t>(g.y);
  f.tile = (y >> 3) * s.tilesX + (x >> 3);
  f.shift = ((y >> 1 & 3) * 2 + (x >> 2 & 1)) * 8;
  f.state = &f.surface.state(f.tile);
  return f;
}

/// msaa::allocateFragment for eight pixels: chooses a fragment for the covered samples of each lane of `any`, and
/// writes the new masks. `planes` gets the lanes that go to each fragment. \returns the number of entries.
template <uint32_t samples>
inline uint32_t allocateFragments(const GroupFragments& f, const LaneMask* coverage, LaneMask any, LaneMask* planes) {
  LaneMask edges = f.edges();
  GroupMasks m{};
  if (edges) {
    m = loadMasks<samples>(f.masks());
    U8 keep = (U8)maskOf(edges);
    m.low &= keep, m.high &= keep;
  }
  const U8 one = splatU(1);
  U8 used = {};
  I8 covered[samples];
  for (uint32_t s = 0; s < samples; ++s) {
    covered[s] = maskOf(coverage[s]);
    U8 id = ((s < 8 ? m.low : m.high) >> (4 * (s & 7))) & (samples - 1);
    used |= (one << id) & ~(U8)covered[s];
  }
  // The lowest clear bit as a number: the exponent of the power of two.
  U8 free = ~used & (used + 1u);
  U8 id = (asU(__builtin_convertvector((I8)free, F8)) >> 23) - 127u;
  GroupMasks next = m;
  for (uint32_t s = 0; s < samples; ++s) {
    U8& word = s < 8 ? next.low : next.high;
    uint32_t shift = 4 * (s & 7);
    word = selectU(covered[s], (word & ~(15u << shift)) | id << shift, word);
  }
  storeMasks<samples>(f.masks(), next);
  uint32_t count = 0;
  for (LaneMask left = any; left; ++count) {
    planes[count] = signs(id == splatU(count)) & left;
    left &= ~planes[count];
  }
  f.setEdges(signs((next.low | next.high) != 0), count - 1);
  return count;
}

/// msaa::isolateSamples for eight pixels: afterwards changing the texels of `planes` changes the covered samples only.
inline uint32_t isolateFragments(const GroupFragments& f, const Group& g, const LaneMask* coverage, uint32_t samples,
                                 LaneMask any, LaneMask* planes) {
  for (uint32_t s = 0; s < samples; ++s) planes[s] = 0;
  uint32_t count = 0;
  for (LaneMask left = any; left; left &= left - 1) {
    uint32_t lane = static_cast<uint32_t>(__builtin_ctz(left));
    msaa::SampleMask covered = 0;
    for (uint32_t s = 0; s < samples; ++s) covered |= (coverage[s] >> lane & 1) << s;
    msaa::SampleMask to = f.surface.isolateSamples(static_cast<uint32_t>(g.x) + laneX(lane),
                                                   static_cast<uint32_t>(g.y) + laneY(lane), covered);
    for (; to; to &= to - 1) {
      uint32_t plane = static_cast<uint32_t>(__builtin_ctz(to));
      planes[plane] |= 1u << lane;
      if (plane >= count) count = plane + 1;
    }
  }
  return count;
}

/// Where compression stops to pay: most pixels of the tile have many fragments, so masks only add work. Full coverage
/// and clears bring it back.
ETZEL_INLINE void giveUpCrowdedTile(const GroupFragments& f) {
  uint32_t samples = f.surface.samples;
  if (samples < 4 || msaa::lastFragment(*f.state) + 1 < samples / 2) return;
  if (__builtin_popcountll(f.surface.edges(f.tile)) > 40) f.surface.expand(f.tile);
}

/// What writeTarget does for a surface whose samples are separate planes, for a compressed one. `perSample`: the draw
/// shades every sample by itself.
inline void writeFragments(const ColorTarget& t, const Group& g, const LaneMask* coverage, uint32_t first, uint32_t end,
                           bool perSample, const LaneWords* source, const LaneWords* second) {
  const uint32_t samples = t.surface.samples;
  end = end < samples ? end : samples;
  if (first >= end) return;
  GroupFragments f = groupFragments(t.surface, g);
  // Shading per sample makes most samples differ; tiles that only see it stay expanded.
  if (perSample) f.surface.expand(f.tile);
  if (msaa::kindOf(*f.state) == msaa::TileKind::Expanded)
    return writeTarget(t, g, coverage, first, end, source, second);
  f.surface.materialize(f.tile);

  LaneMask all[kMaxSamples];
  LaneMask any = 0, full = kAllLanes;
  for (uint32_t s = 0; s < samples; ++s) {
    all[s] = s >= first && s < end ? coverage[s] : 0;
    any |= all[s], full &= all[s];
  }
  if (!any) return;
  LaneMask edges = f.edges();
  if (any == full && (!(edges & any) || !t.reads)) {
    if (edges & any) f.setEdges(edges & ~any, 0);
    return writeTarget(t, g, &full, 0, 1, source, second);
  }
  LaneMask planes[kMaxSamples];
  uint32_t count;
  if (t.reads) {
    count = isolateFragments(f, g, all, samples, any, planes);
  } else {
    switch (samples) {
      case 2: count = allocateFragments<2>(f, all, any, planes); break;
      case 4: count = allocateFragments<4>(f, all, any, planes); break;
      case 8: count = allocateFragments<8>(f, all, any, planes); break;
      default: count = allocateFragments<16>(f, all, any, planes); break;
    }
  }
  writeTarget(t, g, planes, 0, count, source, second);
  if (msaa::kindOf(*f.state) == msaa::TileKind::General) giveUpCrowdedTile(f);
}

/// writeInterior for tiles whose state is not One.
__attribute__((noinline)) inline void writeInteriorSlow(const ColorTarget& t, const Group& g, LaneMask lanes,
                                                        const LaneWords* source, const LaneWords* second) {
  LaneMask all[kMaxSamples];
  for (uint32_t s = 0; s < t.surface.samples; ++s) all[s] = lanes;
  writeFragments(t, g, all, 0, t.surface.samples, false, source, second);
}

/// writeFragments for lanes whose samples are all covered.
ETZEL_INLINE void writeInterior(const ColorTarget& t, const Group& g, LaneMask lanes, const LaneWords* source,
                                const LaneWords* second) {
  const Surface& s = t.surface;
  uint32_t tile = (static_cast<uint32_t>(g.y) >> 3) * s.tilesX + (static_cast<uint32_t>(g.x) >> 3);
  if (s.meta[g.layer * s.metaPitch + mem::kTileStateOffset + tile] != std::byte{0})
    return writeInteriorSlow(t, g, lanes, source, second);
  if (writeOpaque(t, g, lanes, source)) return;
  writeTarget(t, g, &lanes, 0, 1, source, second);
}
