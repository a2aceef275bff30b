// Depth tiles that consist of planes (runtime/msaa/depth_surface.h): tests against them and additions to them, for all
// samples of a block together. Part of the tile code: included once per instruction set.

/// Samples of a block: for each of them its pixels, as tile states keep them.
template <uint32_t samples>
struct SampleSet {
  static constexpr uint32_t kWords = samples < 4 ? 4 : samples;  ///< words beyond the samples are 0
  L4 part[kWords / 4];

  static ETZEL_INLINE SampleSet load(const uint64_t* p) {
    SampleSet s;
    if (samples < 4) s.part[0] = L4{static_cast<int64_t>(p[0]), static_cast<int64_t>(p[1]), 0, 0};
    for (uint32_t i = 0; i < samples / 4; ++i) s.part[i] = loadAs<L4>(p + 4 * i);
    return s;
  }
  static ETZEL_INLINE SampleSet splat(uint64_t pixels) {
    const int64_t word = static_cast<int64_t>(pixels);
    SampleSet s;
    if (samples < 4) s.part[0] = L4{word, word, 0, 0};
    for (uint32_t i = 0; i < samples / 4; ++i) s.part[i] = L4{word, word, word, word};
    return s;
  }
  ETZEL_INLINE void store(uint64_t* p) const {
    if (samples < 4) __builtin_memcpy(p, part, samples * sizeof *p);
    for (uint32_t i = 0; i < samples / 4; ++i) storeAs(p + 4 * i, part[i]);
  }
  ETZEL_INLINE SampleSet operator&(const SampleSet& o) const {
    SampleSet s;
    for (uint32_t i = 0; i < kWords / 4; ++i) s.part[i] = part[i] & o.part[i];
    return s;
  }
  ETZEL_INLINE SampleSet operator|(const SampleSet& o) const {
    SampleSet s;
    for (uint32_t i = 0; i < kWords / 4; ++i) s.part[i] = part[i] | o.part[i];
    return s;
  }
  ETZEL_INLINE SampleSet without(const SampleSet& o) const {
    SampleSet s;
    for (uint32_t i = 0; i < kWords / 4; ++i) s.part[i] = part[i] & ~o.part[i];
    return s;
  }
  ETZEL_INLINE bool some() const {
    L4 any = part[0];
    for (uint32_t i = 1; i < kWords / 4; ++i) any |= part[i];
#ifdef __AVX2__
    return !_mm256_testz_si256((__m256i)any, (__m256i)any);
#else
    return (any[0] | any[1] | any[2] | any[3]) != 0;
#endif
  }
};
template <uint32_t samples>
ETZEL_INLINE SampleSet<samples> coveredBy(const BlockCoverage& block) {
  const SampleSet<samples> alike = SampleSet<samples>::splat(block.alike);
  return block.mixed ? alike | SampleSet<samples>::load(block.each) : alike;
}

/// The samples of a tile that show a plane. \pre the tile's state is Planes, or `count` is 1
template <uint32_t samples>
ETZEL_INLINE SampleSet<samples> showing(const msaa::DepthSurface& s, uint32_t tile, uint32_t count, uint32_t plane) {
  return count == 1 ? SampleSet<samples>::splat(~uint64_t{0}) : SampleSet<samples>::load(s.masks(tile, plane));
}

/// What a primitive brings to a block.
struct PlaneInput {
  const DepthPlane& plane;
  DepthRange range;    ///< of `plane` within `extent`
  DepthExtent extent;  ///< of the samples that the primitive may cover
};

/// Tests a plane against one that is stored.
ETZEL_INLINE DepthVerdict testPlane(const PlaneInput& in, const DepthPlane& stored, DepthFormat format,
                                    VkCompareOp op) {
  const DepthRange range = rangeOf(stored, format, in.extent);
  const DepthVerdict v = verdictOf(possibleOrders(in.range, range), op);
  if (v != DepthVerdict::Undecided) return v;
  return verdictOf(planeOrders(in.plane, in.range, stored, range, format, in.extent), op);
}

/// Tests a plane against those of a tile. \returns Undecided, Reject, or Accept with `coverage` cut down to the samples
/// that pass. \pre the tile's state is Planes
template <uint32_t samples>
inline DepthVerdict testPlanes(const msaa::DepthSurface& s, uint32_t tile, const PlaneInput& in, VkCompareOp op,
                               SampleSet<samples>& coverage) {
  const uint32_t count = s.planeCount(s.state(tile));
  const DepthPlane* stored = s.planes(tile);
  SampleSet<samples> left = coverage;
  for (uint32_t i = 0; i < count; ++i) {
    const SampleSet<samples> shown = showing<samples>(s, tile, count, i);
    if (!(shown & coverage).some()) continue;
    const DepthVerdict v = testPlane(in, stored[i], s.format, op);
    if (v == DepthVerdict::Undecided) return v;
    if (v == DepthVerdict::Reject) left = left.without(shown);
  }
  coverage = left;
  return left.some() ? DepthVerdict::Accept : DepthVerdict::Reject;
}

ETZEL_INLINE bool equal(const DepthPlane& a, const DepthPlane& b) {
  const SampleSet<4> difference = {{loadAs<L4>(&a) ^ loadAs<L4>(&b)}};
  return !difference.some();
}

/// Puts a plane over `coverage`; planes that nothing shows any more go. \returns false, with nothing changed, where
/// there is no room. \pre the surface has planes, and the tile is not Expanded
template <uint32_t samples>
inline bool addPlane(const msaa::DepthSurface& s, uint32_t tile, const DepthPlane& plane,
                     const SampleSet<samples>& coverage) {
  constexpr uint32_t kPlanes = mem::depthPlanes(samples);
  const uint8_t state = s.state(tile);
  const bool clear = msaa::depthKindOf(state) == msaa::DepthKind::Clear;
  const uint32_t count = clear ? 1 : s.planeCount(state);
  DepthPlane* const stored = s.planes(tile);
  SampleSet<samples> left[kPlanes];  // what still shows
  uint32_t alive = 0, same = kPlanes;
  for (uint32_t i = 0; i < count; ++i) {
    left[i] = showing<samples>(s, tile, count, i).without(coverage);
    alive |= uint32_t{left[i].some()} << i;
    if (!clear && equal(stored[i], plane)) same = i;
  }
  if (!alive) {
    s.setPlane(tile, plane);
    return true;
  }
  // A plane that is there already takes the samples over.
  if (same < kPlanes) {
    for (uint32_t i = 0; i < count && count > 1; ++i)
      (i == same ? left[i] | coverage : left[i]).store(s.masks(tile, i));
    return true;
  }
  if (alive == (1u << kPlanes) - 1) return false;
  if (clear) stored[0] = DepthPlane{.z0 = __builtin_bit_cast(float, s.word(tile)), .kind = DepthPlane::Constant};
  uint32_t to = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (!(alive >> i & 1)) continue;
    left[i].store(s.masks(tile, to));
    if (to != i) stored[to] = stored[i];
    ++to;
  }
  stored[to] = plane;
  coverage.store(s.masks(tile, to));
  s.state(tile) = msaa::makeDepthState(msaa::DepthKind::Planes, to + 1);
  return true;
}
