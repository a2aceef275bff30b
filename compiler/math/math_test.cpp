// Worst errors over dense samples against long double, and the special values.
#include "compiler/math/math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

#include "compiler/math/lane_math.h"

namespace etzel::math {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

float call(LaneMath::Unary f, float x) {
  LaneWords w{}, r;
  for (uint32_t& l : w.lane) l = std::bit_cast<uint32_t>(x);
  f(&w, &r);
  return std::bit_cast<float>(r[3]);
}
float call(LaneMath::Binary f, float x, float y) {
  LaneWords a{}, b{}, r;
  a[5] = std::bit_cast<uint32_t>(x), b[5] = std::bit_cast<uint32_t>(y);
  f(&a, &b, &r);
  return std::bit_cast<float>(r[5]);
}

/// Error in units of the last place of the exact result (denormals: of the smallest denormal).
double ulps(float got, long double want) {
  if (std::fabs(want) > 3.4028235677973366e38L) return std::isinf(got) && (got > 0) == (want > 0) ? 0 : 1e9;
  int e = 0;
  std::frexp(want, &e);
  return double(std::fabs((long double)got - want) / std::ldexp(1.0L, std::max(e - 24, -149)));
}

struct Worst {
  double ulp = 0, absolute = 0;
  float at = 0;
  void add(float x, float got, long double want) {
    const double u = ulps(got, want);
    if (!(u <= ulp)) ulp = u, at = x;
    absolute = std::max(absolute, double(std::fabs((long double)got - want)));
  }
};

template <class Reference>
Worst sweep(const char* name, LaneMath::Unary f, Reference reference, float low, float high) {
  Worst worst;
  std::mt19937 random(1);
  LaneWords in, out;
  const int rounds = 40000;
  for (int i = 0; i < rounds; ++i) {
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      const double t = (i * 8.0 + l) / (rounds * 8.0);
      float x = float(low + (double(high) - low) * t);
      if (l & 1) {  // every binade of the interval, too
        x = std::bit_cast<float>(uint32_t(random()));
        if (!(x >= low && x <= high)) x = high;
      }
      in[l] = std::bit_cast<uint32_t>(x);
    }
    f(&in, &out);
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      const float x = std::bit_cast<float>(in[l]);
      worst.add(x, std::bit_cast<float>(out[l]), reference((long double)x));
    }
  }
  std::printf("%-6s [%g, %g]: %.3f ulp at %.9g, absolute %.3g\n", name, low, high, worst.ulp, worst.at, worst.absolute);
  return worst;
}

TEST(Math, ErrorsStayWellInsideTheSpecification) {
  const LaneMath& m = laneMath();
  EXPECT_LT(sweep(
                "exp2", m.exp2, [](long double x) { return std::exp2(x); }, -150, 129)
                .ulp,
            1.3);
  EXPECT_LT(sweep(
                "exp", m.exp, [](long double x) { return std::exp(x); }, -104, 90)
                .ulp,
            1.3);
  EXPECT_LT(sweep(
                "log2", m.log2, [](long double x) { return std::log2(x); }, 1e-45f, 4)
                .ulp,
            1.1);
  EXPECT_LT(sweep(
                "log2", m.log2, [](long double x) { return std::log2(x); }, 1e-45f, 3e38f)
                .ulp,
            1.1);
  EXPECT_LT(sweep(
                "log", m.log, [](long double x) { return std::log(x); }, 1e-45f, 4)
                .ulp,
            1.1);
  EXPECT_LT(sweep(
                "log", m.log, [](long double x) { return std::log(x); }, 1e-45f, 3e38f)
                .ulp,
            1.1);
  EXPECT_LT(sweep(
                "sin", m.sin, [](long double x) { return std::sin(x); }, -3.2f, 3.2f)
                .ulp,
            1.5);
  EXPECT_LT(sweep(
                "cos", m.cos, [](long double x) { return std::cos(x); }, -3.2f, 3.2f)
                .ulp,
            1.5);
  EXPECT_LT(sweep(
                "sin", m.sin, [](long double x) { return std::sin(x); }, -1e6f, 1e6f)
                .absolute,
            1.5e-7);
  EXPECT_LT(sweep(
                "cos", m.cos, [](long double x) { return std::cos(x); }, -1e9f, 1e9f)
                .absolute,
            1e-6);
  EXPECT_LT(sweep(
                "tan", m.tan, [](long double x) { return std::tan(x); }, -1.57f, 1.57f)
                .ulp,
            4);
  EXPECT_LT(sweep(
                "asin", m.asin, [](long double x) { return std::asin(x); }, -1, 1)
                .ulp,
            3);
  EXPECT_LT(sweep(
                "acos", m.acos, [](long double x) { return std::acos(x); }, -1, 1)
                .ulp,
            3);
  EXPECT_LT(sweep(
                "atan", m.atan, [](long double x) { return std::atan(x); }, -10, 10)
                .ulp,
            3);
  EXPECT_LT(sweep(
                "atan", m.atan, [](long double x) { return std::atan(x); }, -3e38f, 3e38f)
                .ulp,
            3);
}

TEST(Math, SineAndCosineKnowPiToItsLastBitThatMatters) {
  const LaneMath& m = laneMath();
  const auto sine = [](long double x) { return std::sin(x); };
  const auto cosine = [](long double x) { return std::cos(x); };
  for (const float high : {1e9f, 1e16f, 1e24f, 3.4e38f}) {
    EXPECT_LT(sweep("sin", m.sin, sine, 4194304, high).ulp, 1.5);
    EXPECT_LT(sweep("cos", m.cos, cosine, -high, -4194304).ulp, 1.5);
  }
  // Every exponent, and the floats that come nearest to multiples of pi/2.
  Worst worst;
  for (uint32_t exponent = 149; exponent < 255; ++exponent)
    for (uint32_t i = 0; i < 2000; ++i) {
      const float x = std::bit_cast<float>(exponent << 23 | (i * 4194301u & 0x7FFFFF));
      worst.add(x, call(m.sin, x), sine(x));
      worst.add(x, call(m.cos, -x), cosine(x));
    }
  for (const float x : {0x1.f37c8ap+95f, 0x1.47d0fep+34f, 0x1.32ede2p+85f, 0x1.628d4cp+40f, 0x1.13093p+76f}) {
    worst.add(x, call(m.sin, x), sine(x));
    worst.add(x, call(m.cos, x), cosine(x));
  }
  EXPECT_LT(worst.ulp, 1.5) << worst.at;
}

TEST(Math, PowAndAtan2) {
  const LaneMath& m = laneMath();
  std::mt19937 random(7);
  Worst angle;
  double most = 0;  // of a power's error, in parts of what it may be
  // The logarithm is wrong by less than 2^-24, which the exponent multiplies.
  const auto power = [&](float x, float y) {
    most =
        std::max(most, ulps(call(m.pow, x, y), std::pow((long double)x, (long double)y)) / (1.2 + 0.6 * std::fabs(y)));
  };
  for (int i = 0; i < 200000; ++i) {
    const float x = std::bit_cast<float>(uint32_t(random() & 0x7FFFFFFF));
    const float y = std::bit_cast<float>(uint32_t(random()));
    const float s = float(int32_t(random())) / 2e8f;
    if (std::isfinite(x)) power(x, s);
    const float near = 1 + float(int32_t(random())) / 1e10f;
    power(near, s * 20), power(near, s / 4);
    if (std::isfinite(x) && std::isfinite(y) && std::fabs(y / x) > 1e-30f)
      angle.add(x, call(m.atan2, x, y), std::atan2((long double)x, (long double)y));
    angle.add(s, call(m.atan2, s, near), std::atan2((long double)s, (long double)near));
    angle.add(s, call(m.atan2, near, -s), std::atan2((long double)near, (long double)-s));
  }
  std::printf("pow: %.3f of what it may be wrong by; atan2: %.3f ulp at %.9g\n", most, angle.ulp, angle.at);
  EXPECT_LT(most, 1);
  EXPECT_LT(angle.ulp, 3);
}

TEST(Math, SpecialValues) {
  const LaneMath& m = laneMath();
  EXPECT_EQ(call(m.exp2, 0), 1.0f);
  for (int k = -149; k < 128; ++k) {
    EXPECT_EQ(call(m.exp2, float(k)), std::ldexp(1.0f, k));
    EXPECT_EQ(call(m.log2, std::ldexp(1.0f, k)), float(k));
  }
  EXPECT_EQ(call(m.exp2, kInf), kInf);
  EXPECT_EQ(call(m.exp2, -kInf), 0.0f);
  EXPECT_EQ(call(m.exp, 1e30f), kInf);
  EXPECT_EQ(call(m.exp, -kInf), 0.0f);
  EXPECT_TRUE(std::isnan(call(m.exp2, kNan)) && std::isnan(call(m.exp, kNan)));
  for (auto f : {m.log, m.log2}) {
    EXPECT_EQ(call(f, 0.0f), -kInf);
    EXPECT_EQ(call(f, -0.0f), -kInf);
    EXPECT_EQ(call(f, kInf), kInf);
    EXPECT_TRUE(std::isnan(call(f, -1.0f)) && std::isnan(call(f, kNan)) && std::isnan(call(f, -kInf)));
    EXPECT_EQ(call(f, 1.0f), 0.0f);
  }
  EXPECT_EQ(call(m.pow, 0, 2), 0.0f);
  EXPECT_EQ(call(m.pow, 0, 1e-30f), 0.0f);
  EXPECT_EQ(call(m.pow, kInf, 2), kInf);
  EXPECT_EQ(call(m.pow, 2, 10), 1024.0f);
  EXPECT_EQ(call(m.pow, 2, 200), kInf);
  EXPECT_EQ(call(m.pow, 5, 0), 1.0f);
  for (float y : {kInf, -kInf, 1e38f, -1e38f}) {
    EXPECT_EQ(std::isnan(call(m.pow, 1, y)), std::isinf(y));
    EXPECT_EQ(call(m.pow, 3, y), y > 0 ? kInf : 0.0f);
    EXPECT_EQ(call(m.pow, 0.3f, y), y > 0 ? 0.0f : kInf);
    EXPECT_EQ(call(m.pow, 1e-40f, y), y > 0 ? 0.0f : kInf);
  }
  EXPECT_TRUE(std::isnan(call(m.pow, -1, 2)) && std::isnan(call(m.pow, 2, kNan)) && std::isnan(call(m.pow, kNan, 1)));
  for (auto f : {m.sin, m.cos, m.tan})
    EXPECT_TRUE(std::isnan(call(f, kInf)) && std::isnan(call(f, -kInf)) && std::isnan(call(f, kNan)));
  EXPECT_TRUE(std::signbit(call(m.sin, -0.0f)));
  EXPECT_EQ(call(m.cos, 0), 1.0f);
  EXPECT_TRUE(std::isnan(call(m.asin, 1.5f)) && std::isnan(call(m.acos, kNan)));
  for (float y : {0.0f, -0.0f, 1.0f, -1.0f, kInf, -kInf})
    for (float x : {0.0f, -0.0f, 1.0f, -1.0f, kInf, -kInf}) {
      EXPECT_FLOAT_EQ(call(m.atan2, y, x), std::atan2(y, x)) << y << " " << x;
      EXPECT_EQ(std::signbit(call(m.atan2, y, x)), std::signbit(y));
    }
  EXPECT_FLOAT_EQ(call(m.atan, kInf), 1.57079633f);
  EXPECT_TRUE(std::isnan(call(m.atan2, kNan, 1)) && std::isnan(call(m.atan2, 1, kNan)));
}

TEST(Math, EveryTargetGivesTheSameBits) {
  const LaneMath &a = laneMath(), &b = ETZEL_BASELINE::kLaneMath;
  std::mt19937 random(3);
  for (int i = 0; i < 50000; ++i) {
    LaneWords x, y, r, s;
    for (uint32_t l = 0; l < kWarpLanes; ++l) x[l] = uint32_t(random()), y[l] = uint32_t(random());
    for (auto f : {&LaneMath::sin, &LaneMath::cos, &LaneMath::tan, &LaneMath::asin, &LaneMath::acos, &LaneMath::atan,
                   &LaneMath::exp2, &LaneMath::log2, &LaneMath::exp, &LaneMath::log}) {
      (a.*f)(&x, &r), (b.*f)(&x, &s);
      for (uint32_t l = 0; l < kWarpLanes; ++l)
        if (!std::isnan(std::bit_cast<float>(r[l]))) {
          ASSERT_EQ(r[l], s[l]);
        }
    }
    for (auto f : {&LaneMath::atan2, &LaneMath::pow}) {
      (a.*f)(&x, &y, &r), (b.*f)(&x, &y, &s);
      for (uint32_t l = 0; l < kWarpLanes; ++l)
        if (!std::isnan(std::bit_cast<float>(r[l]))) {
          ASSERT_EQ(r[l], s[l]);
        }
    }
  }
}

}  // namespace
}  // namespace etzel::math
