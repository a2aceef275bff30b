// Samples of a block of 8x8 pixels, as tile states and fragment masks keep them: a word of pixels for each sample. Part
// of the tile code: included once per instruction set.

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
  /// \param group number of eight pixels, `lanes` of which each sample has
  static ETZEL_INLINE SampleSet ofGroup(const LaneMask* lanes, uint32_t group) {
    auto word = [&](uint32_t k) __attribute__((always_inline)) {
      return static_cast<int64_t>(uint64_t{lanes[k]} << group * 8);
    };
    SampleSet s;
    if (samples < 4) s.part[0] = L4{word(0), word(1), 0, 0};
    for (uint32_t i = 0; i < samples / 4; ++i)
      s.part[i] = L4{word(4 * i), word(4 * i + 1), word(4 * i + 2), word(4 * i + 3)};
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
  /// Pixels with some sample.
  ETZEL_INLINE uint64_t any() const {
    L4 some = part[0];
    for (uint32_t i = 1; i < kWords / 4; ++i) some |= part[i];
#ifdef __AVX2__
    const __m128i two = _mm_or_si128(_mm256_castsi256_si128((__m256i)some), _mm256_extracti128_si256((__m256i)some, 1));
    return static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_or_si128(two, _mm_unpackhi_epi64(two, two))));
#else
    return static_cast<uint64_t>(some[0] | some[1] | some[2] | some[3]);
#endif
  }
};
template <uint32_t samples>
ETZEL_INLINE SampleSet<samples> coveredBy(const BlockCoverage& block) {
  const SampleSet<samples> alike = SampleSet<samples>::splat(block.alike);
  return block.mixed ? alike | SampleSet<samples>::load(block.each) : alike;
}
