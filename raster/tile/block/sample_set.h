// Samples of a block of 8x8 pixels, as tile states and fragment masks keep them: a word of pixels for each sample.
#pragma once

#include "raster/lanes.h"
#include "raster/tile/block/block_coverage.h"

namespace etzel::raster::ETZEL_TARGET {

template <uint32_t samples>
struct SampleSet {
  static constexpr uint32_t kWords = samples < 4 ? 4 : samples;  ///< words beyond the samples are 0
  I64x4 part[kWords / 4];

  static ETZEL_INLINE SampleSet load(const uint64_t* p) {
    SampleSet s;
    if (samples < 4) s.part[0] = I64x4{static_cast<int64_t>(p[0]), static_cast<int64_t>(p[1]), 0, 0};
    for (uint32_t i = 0; i < samples / 4; ++i) s.part[i] = simd::load<I64x4>(p + 4 * i);
    return s;
  }
  /// \param group number of eight pixels, `lanes` of which each sample has
  static ETZEL_INLINE SampleSet ofGroup(const LaneMask* lanes, uint32_t group) {
    auto word = [&](uint32_t k) __attribute__((always_inline)) {
      return static_cast<int64_t>(uint64_t{lanes[k]} << group * 8);
    };
    SampleSet s;
    if (samples < 4) s.part[0] = I64x4{word(0), word(1), 0, 0};
    for (uint32_t i = 0; i < samples / 4; ++i)
      s.part[i] = I64x4{word(4 * i), word(4 * i + 1), word(4 * i + 2), word(4 * i + 3)};
    return s;
  }
  static ETZEL_INLINE SampleSet splat(uint64_t pixels) {
    const int64_t word = static_cast<int64_t>(pixels);
    SampleSet s;
    if (samples < 4) s.part[0] = I64x4{word, word, 0, 0};
    for (uint32_t i = 0; i < samples / 4; ++i) s.part[i] = I64x4{word, word, word, word};
    return s;
  }
  ETZEL_INLINE void store(uint64_t* p) const {
    if (samples < 4) __builtin_memcpy(p, part, samples * sizeof *p);
    for (uint32_t i = 0; i < samples / 4; ++i) simd::store(p + 4 * i, part[i]);
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
    I64x4 any = part[0];
    for (uint32_t i = 1; i < kWords / 4; ++i) any |= part[i];
    return anyBit(any);
  }
  /// Pixels with some sample.
  ETZEL_INLINE uint64_t any() const {
    I64x4 some = part[0];
    for (uint32_t i = 1; i < kWords / 4; ++i) some |= part[i];
    return unitedBits(some);
  }
};
template <uint32_t samples>
ETZEL_INLINE SampleSet<samples> coveredBy(const BlockCoverage& block) {
  const SampleSet<samples> alike = SampleSet<samples>::splat(block.alike);
  return block.mixed ? alike | SampleSet<samples>::load(block.each) : alike;
}

}  // namespace etzel::raster::ETZEL_TARGET
