// The processor's floating-point environment: how it rounds, whether denormals count, which exceptions trap. It belongs
// to the thread, and applications change it (fesetround, -ffast-math, feenableexcept). The driver computes in one:
// round to nearest even, denormals as they are, nothing traps. Threads of the driver set it once; work in a caller's
// thread is done inside of a FloatScope.
#pragma once

#include <cfenv>
#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace etzel::simd {

#if defined(__SSE2__)
using FloatWord = uint32_t;
inline constexpr FloatWord kDefaultFloatWord = 0x1f80;  ///< MXCSR: all exceptions masked
inline constexpr FloatWord kFloatFlags = 0x3f;          ///< exceptions that have happened: no part of how it computes
inline FloatWord floatWord() { return _mm_getcsr(); }
inline void setFloatWord(FloatWord word) { _mm_setcsr(word); }
#elif defined(__aarch64__)
using FloatWord = uint64_t;
inline constexpr FloatWord kDefaultFloatWord = 0;  ///< FPCR
inline constexpr FloatWord kFloatFlags = 0;
inline FloatWord floatWord() {
  FloatWord word;
  asm volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}
inline void setFloatWord(FloatWord word) { asm volatile("msr fpcr, %0" : : "r"(word)); }
#else
#error "say how this processor's floating-point environment is set"
#endif

/// The environment of this thread from now on, that of long doubles included, which nothing in the driver uses.
inline void setDefaultFloatState() { std::fesetenv(FE_DFL_ENV); }

/// The driver's environment while it lives, the caller's own afterwards. Reading costs a few cycles, and writing
/// happens only where the two differ.
class FloatScope {
 public:
  FloatScope() : caller_(floatWord()), differs_((caller_ & ~kFloatFlags) != kDefaultFloatWord) {
    if (differs_) setFloatWord(kDefaultFloatWord);
  }
  ~FloatScope() {
    if (differs_) setFloatWord(caller_);
  }
  FloatScope(const FloatScope&) = delete;
  FloatScope& operator=(const FloatScope&) = delete;

 private:
  const FloatWord caller_;
  const bool differs_;
};

}  // namespace etzel::simd
