// What the host can do: the only place that asks it. Any thread; the answers never change while the process lives.
#pragma once

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
  Target target = Target::x86_64_v1;  ///< the best one whose features are all here
  bool avx2 = false, fma = false, f16c = false, bmi = false, bmi2 = false, lzcnt = false, popcnt = false, movbe = false;
  bool avx512f = false, avx512vl = false, avx512dq = false, avx512bw = false;
};
const Cpu& cpu();

inline Target target() { return cpu().target; }
/// Whether the hardware runs code of a target, whatever ETZEL_DEBUG says: for tests, which try all of them.
bool hostRuns(Target target);
std::string_view targetName(Target target);

/// One of a target's variants each, in the order of ETZEL_TARGETS.
template <class T>
const T& choose(const T& v1, const T& v3) {
  return target() == Target::x86_64_v3 ? v3 : v1;
}

/// All variants of something that ETZEL_PER_TARGET declared, for tests that compare them.
template <class T>
struct Variant {
  Target target;
  T* of;
};
template <class T>
Variant(Target, T*) -> Variant<T>;
// clang-format off
#define ETZEL_VARIANTS(name)                                                             \
  { ::etzel::simd::Variant{::etzel::simd::Target::x86_64_v1, &x86_64_v1::name},          \
    ::etzel::simd::Variant{::etzel::simd::Target::x86_64_v3, &x86_64_v3::name} }
// clang-format on

/// A short rest inside of a loop that waits for another thread.
inline void pause() { __builtin_ia32_pause(); }

/// Stores `count` words beginning at `to`. Such stores do not read the lines that they fill, which pays even in caches,
/// but they are slow to start: for kilobytes.
inline void fillWords(void* to, uint64_t word, uint64_t count) {
  asm volatile("rep stosq" : "+D"(to), "+c"(count) : "a"(word) : "memory");
}

/// What the processor calls itself.
std::string processorName();

/// Numbers that differ between hosts, or settings of ETZEL_DEBUG=isa, whose machine code may differ: what makers of
/// code ask the processor for.
std::vector<uint32_t> codeFingerprint();

}  // namespace etzel::simd
