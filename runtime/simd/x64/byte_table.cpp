// x86-64: AVX-512 VBMI finds 64 bytes in half of a plane with one instruction.
#include "runtime/simd/byte_table.h"

#include "runtime/simd/cpu.h"

#define ETZEL_WIDE_BYTES __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))

namespace etzel::simd {
namespace {

struct alignas(64) Pattern {
  uint8_t byte[64];
};
/// Bytes 0 and 1 of words are byte c of each word in two planes, bytes 2 and 3 likewise.
constexpr Pattern patternOf(uint32_t c) {
  Pattern p{};
  for (uint32_t i = 0; i < 64; ++i) p.byte[i] = static_cast<uint8_t>(i % 2 * 64 + i / 4 * 4 + c);
  return p;
}
constexpr Pattern kPatterns[3] = {patternOf(0), patternOf(1), patternOf(2)};

// Neither masked stores nor masked loads: what follows would wait for the former, the latter for what precedes.
using Quads [[gnu::vector_size(64)]] = long long;
using HalfQuads [[gnu::vector_size(32)]] = long long;

ETZEL_WIDE_BYTES inline __m512i widened(U32x8 words) {
  const auto v = bitCast<HalfQuads>(words);
  return reinterpret_cast<__m512i>(__builtin_shufflevector(v, HalfQuads{}, 0, 1, 2, 3, 4, 5, 6, 7));
}
template <int which>
ETZEL_WIDE_BYTES inline F32x8 half(__m512i v) {
  constexpr int k = 4 * which;
  const auto quads = reinterpret_cast<Quads>(v);
  return bitCast<F32x8>(__builtin_shufflevector(quads, quads, k, k + 1, k + 2, k + 3));
}

ETZEL_WIDE_BYTES void lookUp(const ByteTable& table, const U32x8* words, uint32_t count, F32x8* out) {
  const auto part = [&](int k, int i) ETZEL_WIDE_BYTES { return _mm512_load_si512(&table.plane[k][64 * i]); };
  constexpr __mmask64 kUpperHalves = 0xCCCCCCCCCCCCCCCC;
  for (uint32_t v = 0; v < count; v += 2) {
    const bool two = count - v > 1;
    const __m512i index = two ? _mm512_loadu_si512(&words[v]) : widened(words[v]);
    const __mmask64 upper = _mm512_movepi8_mask(index);
    __m512i byte[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k)
      byte[k] = _mm512_mask_blend_epi8(upper, _mm512_permutex2var_epi8(part(k, 0), index, part(k, 1)),
                                       _mm512_permutex2var_epi8(part(k, 2), index, part(k, 3)));
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
      const __m512i order = _mm512_load_si512(&kPatterns[c]);
      const __m512i r = _mm512_mask_blend_epi8(kUpperHalves, _mm512_permutex2var_epi8(byte[0], order, byte[1]),
                                               _mm512_permutex2var_epi8(byte[2], order, byte[3]));
      out[3 * v + c] = half<0>(r);
      if (two) out[3 * v + 3 + c] = half<1>(r);
    }
  }
}

}  // namespace

LookUpBytes findLookUpBytes() {
  const Cpu& c = cpu();
  const bool wide = c.avx512f && c.avx512bw && c.avx512vl;  // and the system saves such registers
  return wide && __builtin_cpu_supports("avx512vbmi") ? lookUp : nullptr;
}

}  // namespace etzel::simd
