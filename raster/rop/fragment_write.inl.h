// Colour output to compressed multisampled attachments: turns the samples that a 4x2 group covers into fragments, so
// that each distinct colour is stored, and blended, once. Masks of eight pixels are worked on together, a bit per
// sample or a nibble per sample. Part of the tile code: included once per instruction set.

/// The masks of a group's pixels, or bits of their samples: nibbles of samples 0-7 and 8-15.
struct GroupMasks {
  U8 low, high;
};
/// The lowest bit of each sample's nibble.
template <uint32_t samples>
constexpr uint32_t kNibbles = samples == 2   ? 0x11u
                              : samples == 4 ? 0x1111u
                                             : 0x11111111u;

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

/// The samples that cover each lane, in nibbles 0-3: `lanes` has a byte of lanes per sample.
ETZEL_INLINE U8 spreadSamples(uint32_t lanes) {
  U8 v = splatU(lanes) >> U8{0, 1, 2, 3, 4, 5, 6, 7} & 0x01010101u;
  v = (v | v >> 4) & 0x00110011u;
  return (v | v >> 8) & 0x1111u;
}
ETZEL_INLINE uint32_t fourLaneMasks(const LaneMask* p) {
  const __m128i words = _mm_packs_epi32(loadAs<__m128i>(p), _mm_setzero_si128());
  return static_cast<uint32_t>(_mm_cvtsi128_si32(_mm_packus_epi16(words, words)));
}
template <uint32_t samples>
ETZEL_INLINE GroupMasks samplesOfLanes(const LaneMask* coverage) {
  GroupMasks m{};
  if (samples == 2) m.low = spreadSamples(coverage[0] | coverage[1] << 8);
  if (samples >= 4) m.low = spreadSamples(fourLaneMasks(coverage));
  if (samples >= 8) m.low |= spreadSamples(fourLaneMasks(coverage + 4)) << 16;
  if (samples == 16)
    m.high = spreadSamples(fourLaneMasks(coverage + 8)) | spreadSamples(fourLaneMasks(coverage + 12)) << 16;
  return m;
}

/// The samples that show fragment `k`.
template <uint32_t samples>
ETZEL_INLINE GroupMasks samplesShowing(const GroupMasks& m, uint32_t k) {
  // Fragments are less than the samples: higher bits, which only garbage has, are cut off.
  auto zeros = [](U8 v) __attribute__((always_inline)) {
    if (samples > 2) v |= v >> 1;
    if (samples == 8) v |= v >> 1;
    if (samples == 16) v |= v >> 2;
    return ~v & kNibbles<samples>;
  };
  GroupMasks shown{};
  shown.low = zeros(m.low ^ k * kNibbles<samples>);
  if (samples == 16) shown.high = zeros(m.high ^ k * kNibbles<samples>);
  return shown;
}
template <uint32_t samples>
ETZEL_INLINE I8 someOf(const GroupMasks& a) {
  return (samples == 16 ? a.low | a.high : a.low) != 0;
}
/// `m` with the nibbles of `chosen` samples replaced by those of `put`.
template <uint32_t samples>
ETZEL_INLINE GroupMasks replaced(const GroupMasks& m, const GroupMasks& chosen, const GroupMasks& put) {
  auto one = [](U8 old, U8 c, U8 to) __attribute__((always_inline)) { return (old & ~((c << 4) - c)) | to; };
  GroupMasks r{};
  r.low = one(m.low, chosen.low, put.low);
  if (samples == 16) r.high = one(m.high, chosen.high, put.high);
  return r;
}
/// `m` with the nibbles of `chosen` samples replaced by `id`.
template <uint32_t samples>
ETZEL_INLINE GroupMasks repoint(const GroupMasks& m, const GroupMasks& chosen, U8 id) {
  return replaced<samples>(m, chosen, {chosen.low * id, chosen.high * id});
}

/// What a tile that is neither clear nor expanded knows of its fragments; changes are kept here until store().
struct TileFragments {
  std::byte* masks;
  uint8_t* state;
  uint64_t* word;  ///< in memory, valid when the tile is General
  uint64_t edges;
  uint32_t last;  ///< no mask has a greater fragment index
  uint32_t samples;

  LaneMask edgesOf(uint32_t group) const { return static_cast<LaneMask>(edges >> group * 8 & 255); }
  void setEdges(uint32_t group, LaneMask lanes) {
    edges = (edges & ~(uint64_t{255} << group * 8)) | uint64_t{lanes} << group * 8;
  }
  std::byte* masksOf(uint32_t group) const { return masks + group * 4 * samples; }
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
  f.masks = meta + s.maskOffset + uint64_t{tile} * 32 * s.samples;
  f.state = reinterpret_cast<uint8_t*>(meta) + mem::kTileStateOffset + tile;
  f.word = reinterpret_cast<uint64_t*>(meta + s.edgeOffset) + tile;
  const bool general = msaa::kindOf(*f.state) == msaa::TileKind::General;
  f.edges = general ? *f.word : 0;
  f.last = general ? msaa::lastFragment(*f.state) & (s.samples - 1) : 0;
  return f;
}
ETZEL_INLINE uint32_t tileAt(const Surface& s, int32_t x, int32_t y) {
  return (static_cast<uint32_t>(y) >> 3) * s.tilesX + (static_cast<uint32_t>(x) >> 3);
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

/// The masks of a group's pixels; those without an edge bit show fragment 0.
template <uint32_t samples>
ETZEL_INLINE GroupMasks masksIn(const TileFragments& f, uint32_t group) {
  GroupMasks m{};
  if (const LaneMask edges = f.edgesOf(group)) {
    m = loadMasks<samples>(f.masksOf(group));
    const U8 keep = (U8)maskOf(edges);
    m.low &= keep, m.high &= keep;
  }
  return m;
}

/// Lanes no uncovered sample of which shows fragment `k`.
template <uint32_t samples>
ETZEL_INLINE I8 isFree(const GroupMasks& m, const GroupMasks& covered, uint32_t k) {
  const GroupMasks shown = samplesShowing<samples>(m, k);
  const U8 low = shown.low & ~covered.low;
  return (samples == 16 ? low | (shown.high & ~covered.high) : low) == 0;
}

/// msaa::allocateFragment for eight pixels: chooses a fragment for the covered samples of each lane of `any`, and
/// writes the new masks. `planes` gets the lanes that go to each fragment, `others` the lanes that keep showing what
/// lies there: where there are none, the rest of a row may be overwritten. \returns the number of entries, at least 2
template <uint32_t samples>
ETZEL_INLINE uint32_t allocateFragments(TileFragments& f, uint32_t group, const GroupMasks& covered, LaneMask any,
                                        LaneMask* planes, LaneMask* others) {
  const GroupMasks m = masksIn<samples>(f, group);
  // The first fragment that is free. Nearly always one of two.
  const I8 free0 = isFree<samples>(m, covered, 0), free1 = isFree<samples>(m, covered, 1);
  others[0] = signs(free0) ^ kAllLanes, others[1] = signs(free1) ^ kAllLanes;
  planes[0] = any & ~others[0], planes[1] = any & others[0] & ~others[1];
  GroupMasks put = {covered.low & (U8)~free0, covered.high & (U8)~free0};
  uint32_t count = 2;
  LaneMask more = samples > 2 ? any & others[0] & others[1] : 0;
  if (__builtin_expect(more != 0, false)) {
    U8 id = (U8)~free0 & 1u;
    I8 taken = ~(free0 | free1);
    for (; more; ++count) {
      id -= (U8)taken;
      const I8 free = isFree<samples>(m, covered, count);
      others[count] = signs(free) ^ kAllLanes;
      planes[count] = more & ~others[count];
      more &= others[count];
      taken &= ~free;
    }
    put.low = covered.low * id, put.high = covered.high * id;
  }
  const GroupMasks next = replaced<samples>(m, covered, put);
  const LaneMask edges = signs((samples == 16 ? next.low | next.high : next.low) == 0) ^ kAllLanes;
  if (edges) storeMasks<samples>(f.masksOf(group), next);
  f.setEdges(group, edges);
  const uint32_t last = count > 2 ? count - 1 : planes[1] != 0;
  f.last = last > f.last ? last : f.last;
  return count;
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

/// msaa::isolateSamples for eight pixels: afterwards changing the texels of `planes` changes the covered samples only.
template <uint32_t samples>
inline uint32_t isolateFragments(TileFragments& f, const Surface& s, const Group& g, uint32_t group,
                                 const GroupMasks& covered, LaneMask* planes) {
  for (uint32_t k = 0; k < samples; ++k) planes[k] = 0;
  const GroupMasks before = masksIn<samples>(f, group);
  GroupMasks next = before;
  const uint32_t fragments = f.last + 1;
  U8 used = {};
  for (uint32_t k = 0; k < fragments; ++k) used |= (U8)someOf<samples>(samplesShowing<samples>(before, k)) & (1u << k);
  for (uint32_t k = 0; k < fragments; ++k) {
    const GroupMasks shown = samplesShowing<samples>(before, k);
    const GroupMasks changed = {shown.low & covered.low, shown.high & covered.high};
    const I8 touched = someOf<samples>(changed);
    const I8 shared = touched & someOf<samples>({shown.low & ~covered.low, shown.high & ~covered.high});
    planes[k] |= signs(touched & ~shared);
    LaneMask split = signs(shared);
    if (!split) continue;
    // The lowest clear bit as a number: the exponent of the power of two.
    const U8 free = ~used & (used + 1u);
    const U8 id = (asU(__builtin_convertvector((I8)free, F8)) >> 23) - 127u;
    used |= free & (U8)shared;
    next = repoint<samples>(next, {changed.low & (U8)shared, changed.high & (U8)shared}, id);
    for (uint32_t to = 0; split; ++to) {
      const LaneMask lanes = signs(id == splatU(to)) & split;
      if (!lanes) continue;
      copyLanes(s, g, k, to, lanes);
      planes[to] |= lanes;
      split &= ~lanes;
      f.last = to > f.last ? to : f.last;
    }
  }
  const LaneMask edges = signs(someOf<samples>(next));
  if (edges) storeMasks<samples>(f.masksOf(group), next);
  f.setEdges(group, edges);
  return f.last + 1;
}

template <uint32_t samples>
inline uint32_t choosePlanes(TileFragments& f, const ColorTarget& t, const Group& g, uint32_t group,
                             const LaneMask* coverage, LaneMask any, LaneMask* planes) {
  const GroupMasks covered = samplesOfLanes<samples>(coverage);
  if (t.reads) return isolateFragments<samples>(f, t.surface, g, group, covered, planes);
  LaneMask others[samples];
  const uint32_t count = allocateFragments<samples>(f, group, covered, any, planes, others);
  // Rows that nothing else is kept in need not be read: they are seldom in the cache.
  for (uint32_t k = 1; k < count && g.whole; ++k)
    if (planes[k] && !others[k]) planes[k] = kAllLanes;
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
    case 2:
      count = choosePlanes<2>(f, t, g, group, all, any, planes);
      break;
    case 4:
      count = choosePlanes<4>(f, t, g, group, all, any, planes);
      break;
    case 8:
      count = choosePlanes<8>(f, t, g, group, all, any, planes);
      break;
    default:
      count = choosePlanes<16>(f, t, g, group, all, any, planes);
      break;
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
