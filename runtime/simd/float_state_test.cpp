// The application's floating-point environment stays outside, and is there again afterwards.
#include "runtime/simd/float_state.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <limits>

namespace etzel::simd {
namespace {

/// 1 + half a unit in the last place of 1: rounds down to 1 unless the mode is upward.
float inexactSum() {
  volatile float one = 1, half = std::numeric_limits<float>::epsilon() * 0.75f;
  return one + half;
}
float denormalSum() {
  volatile float tiny = std::numeric_limits<float>::denorm_min();
  return tiny + tiny;
}

TEST(FloatScope, RoundsToNearestWhateverTheCallerDoes) {
  const float expected = inexactSum();
  for (int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    const float outside = inexactSum();
    float inside = 0;
    {
      const FloatScope scope;
      inside = inexactSum();
    }
    const float again = inexactSum();
    const int kept = std::fegetround();
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(inside, expected) << mode;
    EXPECT_EQ(again, outside) << mode;
    EXPECT_EQ(kept, mode);
  }
}

TEST(FloatScope, DenormalsCount) {
#if defined(__aarch64__)
  constexpr FloatWord kFlush = 1 << 24;  // FPCR.FZ, of operands and results
#else
  constexpr FloatWord kFlush = 0x8040;  // flush to zero, denormals are zero: what -ffast-math links in
#endif
  const FloatWord before = floatWord();
  setFloatWord(before | kFlush);
  const float outside = denormalSum();
  float inside = 0;
  {
    const FloatScope scope;
    inside = denormalSum();
  }
  const FloatWord kept = floatWord();
  setFloatWord(before);
  EXPECT_EQ(outside, 0);
  EXPECT_GT(inside, 0);
  EXPECT_EQ(kept & kFlush, kFlush);
}

}  // namespace
}  // namespace etzel::simd
