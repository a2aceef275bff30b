// x86-64 with AVX-512 VBMI: tables of bytes in registers of 64 bytes. For functions of the same instructions
// (ETZEL_WIDE_BYTES) alone.
#pragma once

#include "runtime/simd/byte_table.h"
#include "runtime/simd/cpu.h"
#include "runtime/simd/vec.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // g++ 12's own headers: what masks leave out
#endif

#define ETZEL_WIDE_BYTES __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")))
#define ETZEL_WIDE_INLINE ETZEL_WIDE_BYTES __attribute__((always_inline)) inline

namespace etzel::simd {

/// Whether such functions may run.
inline bool hasWideBytes() {
  const Cpu& c = cpu();
  const bool wide = c.avx512f && c.avx512bw && c.avx512dq && c.avx512vl;  // and the system saves such registers
  return wide && __builtin_cpu_supports("avx512vbmi");
}

struct alignas(64) BytePattern {
  uint8_t byte[64];
};
/// In each 16 bytes the first ones of four words, then the second, third and fourth ones.
constexpr BytePattern makeBytesApart() {
  BytePattern p{};
  for (uint32_t i = 0; i < 64; ++i) p.byte[i] = static_cast<uint8_t>(i % 4 * 4 + i / 4 % 4);
  return p;
}
inline constexpr BytePattern kBytesApart = makeBytesApart();

/// The words of the three lowest bytes of each lane. 64 bytes find theirs in half of a plane with one instruction; they
/// are put apart before, so that bytes of four planes become words by being interleaved.
ETZEL_WIDE_INLINE void lookUpWide(const ByteTable& table, __m512i words, __m512i out[3]) {
  const auto part = [&](int k, int i) ETZEL_WIDE_BYTES { return _mm512_load_si512(&table.plane[k][64 * i]); };
  const __m512i index = _mm512_shuffle_epi8(words, _mm512_load_si512(&kBytesApart));
  const __mmask64 upper = _mm512_movepi8_mask(index);
  __m512i byte[4];
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k)
    byte[k] = _mm512_mask_blend_epi8(upper, _mm512_permutex2var_epi8(part(k, 0), index, part(k, 1)),
                                     _mm512_permutex2var_epi8(part(k, 2), index, part(k, 3)));
  const __m512i low = _mm512_unpacklo_epi8(byte[0], byte[1]), high = _mm512_unpacklo_epi8(byte[2], byte[3]);
  out[0] = _mm512_unpacklo_epi16(low, high), out[1] = _mm512_unpackhi_epi16(low, high);
  out[2] = _mm512_unpacklo_epi16(_mm512_unpackhi_epi8(byte[0], byte[1]), _mm512_unpackhi_epi8(byte[2], byte[3]));
}

}  // namespace etzel::simd
