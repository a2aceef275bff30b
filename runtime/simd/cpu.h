// What the host can do: the only place that asks it. Any thread; the answers never change while the process lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/simd/target.h"

namespace etzel::simd {

enum class Target : uint8_t {
#define ETZEL_ENUMERATOR(name) name,
  ETZEL_TARGETS(ETZEL_ENUMERATOR)
#undef ETZEL_ENUMERATOR
};

/// Features that something in Etzel asks for. What ETZEL_DEBUG=isa=TARGET leaves out reads as missing, so that tile
/// code, texture units, executors and code generators all act as on a machine that ends there.
struct Cpu {
  Target target = Target::ETZEL_BASELINE;  ///< the best one whose features are all here
  bool sse42 = false;                      ///< and all of the SSE family before it, with POPCNT: the psABI's level 2
  bool avx2 = false, fma = false, f16c = false, bmi = false, bmi2 = false, lzcnt = false, popcnt = false, movbe = false;
  bool avx512f = false, avx512vl = false, avx512dq = false, avx512bw = false;
  bool atomics = false;  ///< AArch64's instructions that read, change and write memory at once (FEAT_LSE)
};
const Cpu& cpu();

inline Target target() { return cpu().target; }
/// Whether the hardware runs code of a target, whatever ETZEL_DEBUG says: for tests, which try all of them.
bool hostRuns(Target target);
std::string_view targetName(Target target);

#ifndef __aarch64__
/// One of a target's variants each, in the order of ETZEL_TARGETS.
template <class T>
const T& choose(const T& v1, const T& v3) {
  return target() == Target::x86_64_v3 ? v3 : v1;
}
#endif

/// All variants of something that ETZEL_PER_TARGET declared, for tests that compare them.
template <class T>
struct Variant {
  Target target;
  T* of;
};
template <class T>
Variant(Target, T*) -> Variant<T>;
// clang-format off
#ifdef __aarch64__
#define ETZEL_VARIANTS(name) { ::etzel::simd::Variant{::etzel::simd::Target::neon, &neon::name} }
#else
#define ETZEL_VARIANTS(name)                                                             \
  { ::etzel::simd::Variant{::etzel::simd::Target::x86_64_v1, &x86_64_v1::name},          \
    ::etzel::simd::Variant{::etzel::simd::Target::x86_64_v3, &x86_64_v3::name} }
#endif
// clang-format on

/// The largest pages that systems have on this kind of host: what is protected apart lies in pages of its own.
#ifdef __aarch64__
inline constexpr uint32_t kLargestPageBytes = 65536;
#else
inline constexpr uint32_t kLargestPageBytes = 4096;
#endif

#ifdef __aarch64__
/// A short rest inside of a loop that waits for another thread.
inline void pause() { asm volatile("isb" : : : "memory"); }  // `yield` does nothing on most processors

/// Stores `count` words beginning at `to`. Such stores do not read the lines that they fill, which pays even in caches,
/// but they are slow to start: for kilobytes.
inline void fillWords(void* to, uint64_t word, uint64_t count) {
  auto* words = static_cast<std::byte*>(to);
  for (uint64_t i = 0; i < count; ++i) __builtin_memcpy(words + 8 * i, &word, sizeof word);
}
/// memcpy() of `count` words, with the same stores.
inline void copyWords(void* to, const void* from, uint64_t count) { __builtin_memcpy(to, from, 8 * count); }
#else
inline void pause() { __builtin_ia32_pause(); }
inline void fillWords(void* to, uint64_t word, uint64_t count) {
  asm volatile("rep stosq" : "+D"(to), "+c"(count) : "a"(word) : "memory");
}
inline void copyWords(void* to, const void* from, uint64_t count) {
  asm volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}
#endif

/// What the processor calls itself.
std::string processorName();

/// Numbers that differ between hosts, or settings of ETZEL_DEBUG=isa, whose machine code may differ: what makers of
/// code ask the processor for.
std::vector<uint32_t> codeFingerprint();

}  // namespace etzel::simd
