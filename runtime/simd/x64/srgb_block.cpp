// x86-64: AVX-512 with VBMI, sixteen pixels at a time: two groups that lie side by side, the left one's lanes first.
#include "runtime/simd/srgb_block.h"

#include "runtime/simd/x64/wide_bytes.h"

namespace etzel::simd {
namespace {

ETZEL_WIDE_INLINE __m512 splat16(float v) { return _mm512_set1_ps(v); }
ETZEL_WIDE_INLINE __m512 unit(__m512 v) {  // NaN becomes 0
  return _mm512_min_ps(_mm512_max_ps(v, splat16(0.0f)), splat16(1.0f));
}

/// lookUpWide() of numbers.
ETZEL_WIDE_INLINE void lookUp(const ByteTable& table, __m512i index, __m512 out[3]) {
  __m512i word[3];
  lookUpWide(table, index, word);
#pragma GCC unroll 3
  for (int c = 0; c < 3; ++c) out[c] = _mm512_castsi512_ps(word[c]);
}

/// A number's code, or the next one. \pre 0 <= v <= 1
ETZEL_WIDE_INLINE __m512i codeOrNext(__m512 v) {
  // 255 * (1.055 * s^(5/6) - 0.055) + 0.5 of the square root s, to 0.2; the root to 2^-14 of itself.
  const __m512 s = _mm512_mul_ps(v, _mm512_rsqrt14_ps(v));
  __m512 code = _mm512_fmadd_ps(s, splat16(-78.9634826f), splat16(214.962582f));
  code = _mm512_fmadd_ps(s, code, splat16(-240.977812f));
  code = _mm512_fmadd_ps(s, code, splat16(369.225233f));
  code = _mm512_fmadd_ps(s, code, splat16(-8.93709964f));
  const __mmask16 straight = _mm512_cmp_ps_mask(v, splat16(0.0031308f), _CMP_LT_OQ);
  const __m512 line = _mm512_fmadd_ps(v, splat16(12.92f * 255), splat16(0.5f));
  return _mm512_cvtps_epi32(_mm512_mask_blend_ps(straight, code, line));
}

/// \pre all numbers lie in [0, 1]
ETZEL_WIDE_INLINE __m512i encode(const ByteTable& least, const __m512 color[3], __m512 alpha) {
  __m512i texel = _mm512_slli_epi32(_mm512_cvtps_epi32(_mm512_mul_ps(alpha, splat16(255.0f))), 24);
#pragma GCC unroll 3
  for (unsigned c = 0; c < 3; ++c) {
    const __m512i code = _mm512_min_epi32(codeOrNext(color[c]), _mm512_set1_epi32(255));
    texel = _mm512_or_si512(texel, _mm512_slli_epi32(code, 8 * c));
  }
  __m512 bound[3];
  lookUp(least, texel, bound);
#pragma GCC unroll 3
  for (unsigned c = 0; c < 3; ++c) {
    const __mmask16 below = _mm512_cmp_ps_mask(color[c], bound[c], _CMP_LT_OQ);
    texel = _mm512_mask_sub_epi32(texel, below, texel, _mm512_set1_epi32(1 << 8 * c));
  }
  return texel;
}

/// Four plain codes. \pre all numbers lie in [0, 1]
ETZEL_WIDE_INLINE __m512i encodePlain(const __m512 color[3], __m512 alpha) {
  const auto code = [](__m512 v) ETZEL_WIDE_BYTES { return _mm512_cvtps_epi32(_mm512_mul_ps(v, splat16(255.0f))); };
  const __m512i low = _mm512_or_si512(code(color[0]), _mm512_slli_epi32(code(color[1]), 8));
  const __m512i high = _mm512_or_si512(code(color[2]), _mm512_slli_epi32(code(alpha), 8));
  return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

/// v / 255 for bytes, to the bit (raster/tile/write/byte_color.h).
ETZEL_WIDE_INLINE __m512 fromByte(__m512i v) {
  const __m512 x = _mm512_cvtepi32_ps(v);
  return _mm512_add_ps(_mm512_mul_ps(x, splat16(0x1.01p-8f)), _mm512_mul_ps(x, splat16(0x1.010102p-24f)));
}

/// The numbers of the first three of a texel's plain codes.
ETZEL_WIDE_INLINE void plainNumbers(__m512i texel, __m512 out[3]) {
#pragma GCC unroll 3
  for (unsigned c = 0; c < 3; ++c)
    out[c] = fromByte(_mm512_and_si512(_mm512_srli_epi32(texel, 8 * c), _mm512_set1_epi32(255)));
}

/// What an equation comes to at the ends of alpha.
struct Ends {
  bool opaqueReplaces, clearKeeps, clearKeepsBlack;
};
/// Whether some factor depends on what was there.
bool readsDestination(const SrgbBlock& b) {
  return b.factor[0][2] != 0 || b.factor[1][2] != 0 || b.factor[2][2] != 0 || b.factor[3][2] != 0;
}
/// \pre !readsDestination(b)
Ends endsOf(const SrgbBlock& b) {
  const auto at = [&](int i, float alpha) { return b.factor[i][0] + b.factor[i][1] * alpha; };
  const bool keeps = at(1, 0) == 1 && at(3, 0) == 1;
  return {at(1, 1) == 0 && at(3, 1) == 0, keeps && at(0, 0) == 0, keeps};
}

/// Two groups side by side. `destination`: factors may depend on what was there.
template <bool srgb, bool destination>
class Pair {
 public:
  ETZEL_WIDE_INLINE Pair(const SrgbBlock& b, uint32_t pair)
      : lanes_(static_cast<__mmask16>(b.pixels >> 16 * pair)),
        words_(b.colors + 2 * pair * b.groupWords),
        groupWords_(b.groupWords),
        upper_(b.texels + size_t{2 * pair} * b.rowPitch),
        lower_(upper_ + b.rowPitch) {}

  ETZEL_WIDE_INLINE void write(const SrgbBlock& b, const Ends& ends) const {
    if (!lanes_) return;
    const __m512 alpha = channel(3);
    __m512 color[3] = {channel(b.blueFirst ? 2 : 0), channel(1), channel(b.blueFirst ? 0 : 2)};
    const auto all = [&](__mmask16 lanes) { return (lanes_ & ~lanes) == 0; };
    if (srgb && !destination && ends.clearKeepsBlack && all(_mm512_cmp_ps_mask(alpha, splat16(0.0f), _CMP_EQ_OQ))) {
      const __m512 most = _mm512_max_ps(_mm512_max_ps(color[0], color[1]), color[2]);
      if (ends.clearKeeps || all(_mm512_cmp_ps_mask(most, splat16(0.0f), _CMP_EQ_OQ))) return;
    }
    const __m512 alphaBefore = destination ? fromByte(_mm512_srli_epi32(load(), 24)) : __m512{};
    const auto factor = [&](int i) ETZEL_WIDE_BYTES {
      const __m512 f = _mm512_add_ps(splat16(b.factor[i][0]), _mm512_mul_ps(splat16(b.factor[i][1]), alpha));
      return destination ? _mm512_add_ps(f, _mm512_mul_ps(splat16(b.factor[i][2]), alphaBefore)) : f;
    };
    const __m512 source = factor(0);
    __m512 a = _mm512_mul_ps(alpha, factor(2));
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) color[c] = _mm512_mul_ps(color[c], source);
    if (srgb && !destination && ends.opaqueReplaces && all(_mm512_cmp_ps_mask(alpha, splat16(1.0f), _CMP_EQ_OQ))) {
      const __m512i texels = encode(*b.least, color, a);
      return store(lanes_ == 0xFFFF ? texels : _mm512_mask_blend_epi32(lanes_, load(), texels));
    }
    const __m512i old = load();
    const __m512 kept = factor(1);
    __m512 before[3];
    if (srgb)
      lookUp(*b.numbers, old, before);
    else
      plainNumbers(old, before);
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c)
      color[c] = _mm512_min_ps(_mm512_add_ps(color[c], _mm512_mul_ps(before[c], kept)), splat16(1.0f));
    a = _mm512_add_ps(a, _mm512_mul_ps(fromByte(_mm512_srli_epi32(old, 24)), factor(3)));
    a = _mm512_min_ps(a, splat16(1.0f));
    const __m512i texels = srgb ? encode(*b.least, color, a) : encodePlain(color, a);
    store(_mm512_mask_blend_epi32(lanes_, old, texels));
  }

 private:
  ETZEL_WIDE_INLINE __m512 channel(uint32_t c) const {
    const __m512 left = _mm512_castps256_ps512(_mm256_load_ps(reinterpret_cast<const float*>(words_ + c)));
    return unit(_mm512_insertf32x8(left, _mm256_load_ps(reinterpret_cast<const float*>(words_ + groupWords_ + c)), 1));
  }
  // Rows have pairs of texels of the left group, then of the right one; lanes have them above each other.
  ETZEL_WIDE_INLINE __m512i load() const {
    const __m512i upper = _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(upper_)));
    const __m512i rows = _mm512_inserti64x4(upper, _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(lower_)), 1);
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), rows);
  }
  ETZEL_WIDE_INLINE void store(__m512i lanes) const {
    const __m512i rows = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), lanes);
    _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(upper_), _mm512_castsi512_si256(rows));
    _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(lower_), _mm512_extracti64x4_epi64(rows, 1));
  }

  const __mmask16 lanes_;
  const LaneWords* const words_;
  const size_t groupWords_;
  std::byte *const upper_, *const lower_;
};

template <bool srgb>
ETZEL_WIDE_BYTES void write(const SrgbBlock& b) {
  if (readsDestination(b)) {
    for (uint32_t pair = 0; pair < 4; ++pair) Pair<srgb, true>(b, pair).write(b, Ends{});
    return;
  }
  const Ends ends = srgb ? endsOf(b) : Ends{};
  for (uint32_t pair = 0; pair < 4; ++pair) Pair<srgb, false>(b, pair).write(b, ends);
}

}  // namespace

WriteSrgbBlock findWriteSrgbBlock() { return hasWideBytes() ? write<true> : nullptr; }
WriteSrgbBlock findWritePlainBlock() { return hasWideBytes() ? write<false> : nullptr; }

}  // namespace etzel::simd
