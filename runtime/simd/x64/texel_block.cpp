// x86-64: AVX-512, sixteen pixels at a time: two groups that lie side by side, the left one's lanes first.
#include "runtime/simd/texel_block.h"

#include "runtime/simd/x64/wide.h"

namespace etzel::simd {
namespace {

/// The pixels of a row of two groups, of `lanes` of both: two of the left group's first quad, two of its second one,
/// then those of the right group.
ETZEL_WIDE_INLINE __mmask8 upperRow(uint32_t lanes) {
  uint32_t row = lanes & 0x3333;
  row = (row | row >> 2) & 0x0F0F;
  return static_cast<__mmask8>(row | row >> 4);
}
ETZEL_WIDE_INLINE __mmask8 lowerRow(uint32_t lanes) { return upperRow(lanes >> 2); }

ETZEL_WIDE_INLINE __m512 channel(const LaneWords* left, const LaneWords* right) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_load_ps(reinterpret_cast<const float*>(left))),
                            _mm256_load_ps(reinterpret_cast<const float*>(right)), 1);
}

template <BlockTexel f>
class Pair {
 public:
  ETZEL_WIDE_INLINE Pair(const TexelBlock& b, uint32_t pair)
      : lanes_(static_cast<uint32_t>(b.pixels >> 16 * pair) & 0xFFFF),
        left_(b.colors + 2 * pair * b.groupWords),
        right_(left_ + b.groupWords),
        upper_(b.texels + size_t{2 * pair} * b.rowPitch),
        lower_(upper_ + b.rowPitch) {}

  ETZEL_WIDE_INLINE void store() const {
    if (!lanes_) return;
    if constexpr (f == BlockTexel::R32)
      storeWords();
    else if constexpr (f == BlockTexel::Rgba16F)
      storeHalves();
    else
      storeFourWords();
  }

 private:
  ETZEL_WIDE_INLINE __m512 channel(uint32_t c) const { return simd::channel(left_ + c, right_ + c); }

  ETZEL_WIDE_INLINE void storeWords() const {
    const __m512i rows =
        _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), _mm512_castps_si512(channel(0)));
    _mm256_mask_storeu_epi32(upper_, upperRow(lanes_), _mm512_castsi512_si256(rows));
    _mm256_mask_storeu_epi32(lower_, lowerRow(lanes_), _mm512_extracti64x4_epi64(rows, 1));
  }
  ETZEL_WIDE_INLINE void storeHalves() const {
    const auto half = [&](uint32_t c) ETZEL_WIDE_BYTES {
      return _mm512_cvtepu16_epi32(_mm512_cvtps_ph(channel(c), _MM_FROUND_TO_NEAREST_INT));
    };
    const __m512i first = _mm512_or_si512(half(0), _mm512_slli_epi32(half(1), 16));
    const __m512i second = _mm512_or_si512(half(2), _mm512_slli_epi32(half(3), 16));
    const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
    const __m512i below = _mm512_add_epi32(order, _mm512_set1_epi32(2));
    _mm512_mask_storeu_epi64(upper_, upperRow(lanes_), _mm512_permutex2var_epi32(first, order, second));
    _mm512_mask_storeu_epi64(lower_, lowerRow(lanes_), _mm512_permutex2var_epi32(first, below, second));
  }
  ETZEL_WIDE_INLINE void storeFourWords() const {
    const __m512 r = channel(0), g = channel(1), b = channel(2), a = channel(3);
    const auto texels = [](__m512 rg, __m512 ba, bool second) ETZEL_WIDE_BYTES {
      const __m512d low = _mm512_castps_pd(rg), high = _mm512_castps_pd(ba);
      return _mm512_castpd_si512(second ? _mm512_unpackhi_pd(low, high) : _mm512_unpacklo_pd(low, high));
    };
    // Of each quad the first texel, its right neighbour, and those below.
    const __m512 rg = _mm512_unpacklo_ps(r, g), ba = _mm512_unpacklo_ps(b, a);
    storeRow(upper_, upperRow(lanes_), texels(rg, ba, false), texels(rg, ba, true));
    const __m512 rgBelow = _mm512_unpackhi_ps(r, g), baBelow = _mm512_unpackhi_ps(b, a);
    storeRow(lower_, lowerRow(lanes_), texels(rgBelow, baBelow, false), texels(rgBelow, baBelow, true));
  }
  /// `even`, `odd`: the first and the second texel of each quad.
  ETZEL_WIDE_INLINE static void storeRow(std::byte* row, __mmask8 pixels, __m512i even, __m512i odd) {
    const __m512i order = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), behind = _mm512_set1_epi64(4);
    const auto twice = [](uint32_t four) {  // a bit for each half of a texel
      const uint32_t apart = (four & 1) | (four & 2) << 1 | (four & 4) << 2 | (four & 8) << 3;
      return static_cast<__mmask8>(apart * 3);
    };
    _mm512_mask_storeu_epi64(row, twice(pixels & 15), _mm512_permutex2var_epi64(even, order, odd));
    _mm512_mask_storeu_epi64(row + 64, twice(pixels >> 4),
                             _mm512_permutex2var_epi64(even, _mm512_add_epi64(order, behind), odd));
  }

  const uint32_t lanes_;
  const LaneWords *const left_, *const right_;
  std::byte *const upper_, *const lower_;
};

template <BlockTexel f>
ETZEL_WIDE_BYTES void store(const TexelBlock& b) {
  for (uint32_t pair = 0; pair < 4; ++pair) Pair<f>(b, pair).store();
}

}  // namespace

StoreTexelBlock findStoreTexelBlock(BlockTexel texel) {
  if (!hasWideBytes()) return nullptr;
  switch (texel) {
    case BlockTexel::R32: return store<BlockTexel::R32>;
    case BlockTexel::Rgba32: return store<BlockTexel::Rgba32>;
    default: return store<BlockTexel::Rgba16F>;
  }
}

}  // namespace etzel::simd
