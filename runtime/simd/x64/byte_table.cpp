// x86-64: AVX-512 VBMI finds 64 bytes in half of a plane with one instruction.
#include "runtime/simd/byte_table.h"

#include "runtime/simd/x64/wide_bytes.h"

namespace etzel::simd {
namespace {

// Neither masked stores nor masked loads: what follows would wait for the former, the latter for what precedes.
using Quads [[gnu::vector_size(64)]] = long long;
using HalfQuads [[gnu::vector_size(32)]] = long long;

ETZEL_WIDE_BYTES inline __m512i widened(U32x8 words) {
  const auto v = reinterpret_cast<HalfQuads>(words);  // bitCast() is compiled without such registers
  return reinterpret_cast<__m512i>(__builtin_shufflevector(v, HalfQuads{}, 0, 1, 2, 3, 4, 5, 6, 7));
}
template <int which>
ETZEL_WIDE_BYTES inline F32x8 half(__m512i v) {
  constexpr int k = 4 * which;
  const auto quads = reinterpret_cast<Quads>(v);
  return reinterpret_cast<F32x8>(__builtin_shufflevector(quads, quads, k, k + 1, k + 2, k + 3));
}

ETZEL_WIDE_BYTES void lookUp(const ByteTable& table, const U32x8* words, uint32_t count, F32x8* out) {
  for (uint32_t v = 0; v < count; v += 2) {
    const bool two = count - v > 1;
    const __m512i index = two ? _mm512_loadu_si512(&words[v]) : widened(words[v]);
    __m512i word[3];
    lookUpWide(table, index, word);
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
      out[3 * v + c] = half<0>(word[c]);
      if (two) out[3 * v + 3 + c] = half<1>(word[c]);
    }
  }
}

}  // namespace

LookUpBytes findLookUpBytes() { return hasWideBytes() ? lookUp : nullptr; }

}  // namespace etzel::simd
