// x86-64: stores of 16 bytes that are combined to lines, which every such host has.
#include "runtime/simd/stream.h"

#include <emmintrin.h>

#include <bit>
#include <cstring>

#include "runtime/simd/cpu.h"

namespace etzel::simd {
namespace {

constexpr uint64_t kLine = 64;
constexpr uint64_t kAhead = 2048;  // bytes: pages are not followed into the next one

uint64_t bytesToLine(const std::byte* to) { return -reinterpret_cast<uintptr_t>(to) % kLine; }

void storeWords(std::byte* to, uint64_t word, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) std::memcpy(to + 8 * i, &word, sizeof word);
}

void fill(void* begin, uint64_t word, uint64_t count) {
  auto* to = static_cast<std::byte*>(begin);
  const std::byte* const end = to + 8 * count;
  if (count <= 2 * kLine / 8) return storeWords(to, word, count);
  storeWords(to, word, kLine / 8);
  const uint64_t first = bytesToLine(to);
  to += first;
  const auto turned = static_cast<long long>(std::rotr(word, static_cast<int>(first % 8 * 8)));
  const __m128i v = _mm_set1_epi64x(turned);
  for (; static_cast<uint64_t>(end - to) >= kLine; to += kLine)
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i, v);
  _mm_sfence();
  storeWords(static_cast<std::byte*>(begin) + 8 * count - kLine, word, kLine / 8);
}

void copy(void* begin, const void* source, uint64_t bytes) {
  auto* to = static_cast<std::byte*>(begin);
  auto* from = static_cast<const std::byte*>(source);
  if (bytes >= kLine) {
    const uint64_t first = bytesToLine(to);
    std::memcpy(to, from, first);
    to += first, from += first, bytes -= first;
  }
  for (; bytes >= kLine; to += kLine, from += kLine, bytes -= kLine) {
    __builtin_prefetch(from + kAhead, 0, 0);
    __m128i v[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) v[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from) + i);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i, v[i]);
  }
  _mm_sfence();
  std::memcpy(to, from, bytes);
}

constexpr Streams kStreams{fill, copy};

}  // namespace

// Processors with AVX-512 were measured: their string stores do not read lines, and were ahead.
const Streams* findStreams() { return cpu().avx2 && !cpu().avx512f ? &kStreams : nullptr; }

}  // namespace etzel::simd
