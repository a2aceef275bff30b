// Transcendental functions, written once over a "builder": the interpreter instantiates them with vectors of the
// compiler (vector_builder.h), the JIT with values of LLVM. Both then do the same operations in the same order, so both
// give the same bits. Only +, -, *, /, sqrt, fused multiply-adds, conversions, comparisons, selects and integer
// operations are used: each is correctly rounded on every machine. Where there is no instruction for fused
// multiply-adds, builders make them of doubles.
//
// A builder B has the types F (float), D (double) and I (int32; comparisons give I of ~0 or 0), one value per lane
// with the usual operators (>> of I is arithmetic; scalars broadcast), and the functions
//   F f(float)  D d(double)  I i(int32)              constants
//   I asInt(F)  F asFloat(I)                         bits
//   D toD(F)  F toF(D)                               exact / nearest even
//   I toInt(D)  F toFloat(I)                         toward zero (operand is in range) / |operand| <= 2^24
//   F select(I, F, F)  D select(I, D, D)             I is ~0 or 0 (D: condition of the float comparison, per lane)
//   F sqrt(F)  F fma(F x, F y, F z)                  x * y + z, rounded once
//   F scale(F p, I k)                                p * 2^k, rounded once; p in [0.5, 2], k in [-152, 129]
//   F rarely(I m, F usual, F other())                `usual`, but other() in lanes of m, which are few: a last step
//
// Precision: better than "Precision and Operation of SPIR-V Instructions" asks; math_test.cpp prints and asserts the
// worst errors. Polynomials are Chebyshev fits made for these intervals.
#pragma once

#include <cstdint>

namespace etzel::math {

inline constexpr uint32_t kSign = 0x80000000u;

#define ETZEL_MATH   \
  template <class B> \
  [[gnu::always_inline]] inline

ETZEL_MATH typename B::F abs(B& b, typename B::F x) { return b.asFloat(b.asInt(x) & b.i(0x7FFFFFFF)); }
ETZEL_MATH typename B::I signOf(B& b, typename B::F x) { return b.asInt(x) & b.i(int32_t(kSign)); }
ETZEL_MATH typename B::F flipSign(B& b, typename B::F x, typename B::I sign) { return b.asFloat(b.asInt(x) ^ sign); }

ETZEL_MATH typename B::F horner(B&, typename B::F p, typename B::F) { return p; }
/// (((p * z + c1) * z + c2) * z + ...), each step rounded once.
template <class B, class... C>
[[gnu::always_inline]] inline typename B::F horner(B& b, typename B::F p, typename B::F z, float c, C... rest) {
  return horner(b, b.fma(p, z, b.f(c)), z, rest...);
}

/// 2^(k + f) for f in [-0.5, 0.5] and k in [-152, 129]: overflows to infinity, underflows through denormals.
ETZEL_MATH typename B::F exp2Parts(B& b, typename B::I k, typename B::F f) {
  using F = typename B::F;
  const F p = horner(b, b.f(0.000154531629451f), f, 0.00133908633647f, 0.00961808255728f, 0.0555035711422f,
                     0.240226507606f, 0.693147188026f, 1.0f);
  return b.scale(p, k);
}

/// Adding it rounds to an integer, which then is in the low bits: 1.5 * 2^23.
inline constexpr float kRounder = 12582912.0f;
inline constexpr int32_t kRounderBits = 0x4B400000;

ETZEL_MATH typename B::F clamped(B& b, typename B::F x, float low, float high) {
  x = b.select(x < b.f(low), b.f(low), x);
  return b.select(x > b.f(high), b.f(high), x);
}

ETZEL_MATH typename B::F exp2(B& b, typename B::F x) {
  using F = typename B::F;
  const F t = clamped(b, x, -151.0f, 129.0f);
  const F rounded = t + b.f(kRounder);
  const F r = exp2Parts(b, b.asInt(rounded) - b.i(kRounderBits), t - (rounded - b.f(kRounder)));
  return b.select(x == x, r, x);
}

ETZEL_MATH typename B::F exp(B& b, typename B::F x) {
  using F = typename B::F;
  const F t = clamped(b, x, -104.5f, 89.0f);
  const F log2e = b.f(1.44269502163f), rest = b.f(1.92596303e-8f);
  const F rounded = b.fma(t, log2e, b.f(kRounder));
  const F f = b.fma(t, rest, b.fma(t, log2e, b.f(kRounder) - rounded));
  const F r = exp2Parts(b, b.asInt(rounded) - b.i(kRounderBits), f);
  return b.select(x == x, r, x);
}

/// x = 2^e * m with m in [sqrt(1/2), sqrt(2)), for finite x > 0, denormals included.
template <class B>
struct Split {
  typename B::I e;
  typename B::F m;
};
ETZEL_MATH Split<B> splitExponent(B& b, typename B::F x) {
  const typename B::I tiny = x < b.f(1.17549435e-38f);
  x = b.select(tiny, x * b.f(8388608.0f), x);
  const typename B::I bits = b.asInt(x) - b.i(0x3F3504F3);  // of sqrt(1/2)
  return {(bits >> 23) - (tiny & b.i(23)), b.asFloat((bits & b.i(0x7FFFFF)) + b.i(0x3F3504F3))};
}

/// The logarithm's special cases, given the result for ordinary numbers.
ETZEL_MATH typename B::F logCases(B& b, typename B::F x, typename B::F r) {
  using F = typename B::F;
  const F inf = b.asFloat(b.i(0x7F800000));
  const F special = b.select(x == b.f(0.0f), b.f(0.0f) - inf, b.select(x == inf, inf, b.asFloat(b.i(0x7FC00000))));
  return b.select((x > b.f(0.0f)) & (x < inf), r, special);
}

/// A polynomial of degree 8, by halves: the logarithm waits for it.
ETZEL_MATH typename B::F halves(B& b, typename B::F x, typename B::F xx, const float (&c)[9]) {
  using F = typename B::F;
  const F p0 = b.fma(x, b.f(c[1]), b.f(c[0])), p1 = b.fma(x, b.f(c[3]), b.f(c[2]));
  const F p2 = b.fma(x, b.f(c[5]), b.f(c[4])), p3 = b.fma(x, b.f(c[7]), b.f(c[6]));
  const F low = b.fma(xx, p1, p0), high = b.fma(xx, b.fma(xx, b.f(c[8]), p3), p2);
  return b.fma(xx * xx, high, low);
}

/// log2(1 + f) without f times 1.44269502163f.
ETZEL_MATH typename B::F log2Rest(B& b, typename B::F f) {
  constexpr float kQ[9] = {-0.721347391605f, 0.480897992849f,  -0.360695570707f, 0.288582444191f, -0.239650964737f,
                           0.204337984324f,  -0.190544843674f, 0.18760214746f,   -0.112887352705f};
  const typename B::F ff = f * f;
  return b.fma(ff, halves(b, f, ff, kQ), f * b.f(1.92596303e-8f));
}
// With f = m - 1, which is exact, ln(m) = f + f^2 * q(f). What is added last is the largest by far.
ETZEL_MATH typename B::F log2(B& b, typename B::F x) {
  const Split<B> p = splitExponent(b, x);
  const typename B::F f = p.m - b.f(1.0f);
  return logCases(b, x, b.toFloat(p.e) + b.fma(f, b.f(1.44269502163f), log2Rest(b, f)));
}

ETZEL_MATH typename B::F log(B& b, typename B::F x) {
  using F = typename B::F;
  constexpr float kQ[9] = {-0.499999880791f, 0.333333075047f, -0.25001513958f, 0.200030118227f,  -0.166112810373f,
                           0.141635805368f,  -0.13207937777f, 0.130039677024f, -0.0782433450222f};
  const Split<B> p = splitExponent(b, x);
  const F f = p.m - b.f(1.0f), ff = f * f, e = b.toFloat(p.e);
  const F ln = b.fma(ff, halves(b, f, ff, kQ), f);
  return logCases(b, x, b.fma(e, b.f(0.693147182465f), b.fma(e, b.f(-1.90465421e-9f), ln)));
}

/// x^y = exp2(y * log2(x)), where the logarithm and the product are sums of two floats. x < 0 gives NaN; x = 0 gives 0,
/// 1 or infinity by the sign of y.
ETZEL_MATH typename B::F pow(B& b, typename B::F x, typename B::F y) {
  using F = typename B::F;
  const Split<B> p = splitExponent(b, x);
  const F f = p.m - b.f(1.0f), e = b.toFloat(p.e), toBase2 = b.f(1.44269502163f);
  const F most = b.fma(f, toBase2, e), less = b.fma(f, toBase2, e - most) + log2Rest(b, f);
  const F high = most + less, low = less - (high - most);
  const F product = y * high;
  F t = b.select(product > b.f(-151.0f), product, b.f(-151.0f));  // NaNs as well
  t = b.select(t < b.f(129.0f), t, b.f(129.0f));
  const F rest = b.fma(y, low, b.fma(y, high, flipSign(b, product, b.i(int32_t(kSign)))));
  const F rounded = t + b.f(kRounder);
  const F near = (t - (rounded - b.f(kRounder))) + b.select(t == product, rest, b.f(0.0f));
  F r = exp2Parts(b, b.asInt(rounded) - b.i(kRounderBits), near);
  const F inf = b.asFloat(b.i(0x7F800000));
  const typename B::I edge = (x == b.f(0.0f)) | (x == inf);
  const F up = b.select(x == inf, inf, b.f(0.0f)), down = b.select(x == inf, b.f(0.0f), inf);
  r = b.select(edge, b.select(y > b.f(0.0f), up, b.select(y < b.f(0.0f), down, b.f(1.0f))), r);
  return b.select((x >= b.f(0.0f)) & (product == product), r, b.asFloat(b.i(0x7FC00000)));
}

/// a = k * pi/2 + r with |r| <= pi/4
template <class B>
struct Quadrant {
  typename B::I k;  ///< its low bits
  typename B::F r;
};
/// 0 <= a < 2^22
ETZEL_MATH Quadrant<B> quadrant(B& b, typename B::F a) {
  using F = typename B::F;
  const F rounded = b.fma(a, b.f(0.636619772368f), b.f(kRounder));
  const F k = rounded - b.f(kRounder);
  // pi/2 in three parts. The first difference is exact: a multiple of 2^-23, or for a < 1 of a's unit.
  F r = b.fma(k, b.f(-1.57079637051f), a);
  r = b.fma(k, b.f(4.37113882867e-8f), r);
  r = b.fma(k, b.f(1.71512449e-15f), r);
  return {b.asInt(rounded), r};
}
/// Any finite a >= 0, after Payne and Hanek. From 2^50 on it is a whole number times 2^(27 j), so what 2^(27 j) * 2/pi
/// has of multiples of 4 has no effect, and three parts of what remains are enough. The first two have 29 bits or less,
/// for which products are exact, and so is what the roundings leave.
ETZEL_MATH Quadrant<B> farQuadrant(B& b, typename B::F a) {
  using D = typename B::D;
  const D d = b.toD(b.select(a < b.asFloat(b.i(0x7F800000)), a, b.f(0.0f)));
  const auto part = [&](double p0, double p1, double p2, double p3) __attribute__((always_inline)) {
    const D low = b.select(d < b.d(0x1p50), b.d(p0), b.d(p1)), high = b.select(d < b.d(0x1p104), b.d(p2), b.d(p3));
    return b.select(d < b.d(0x1p77), low, high);
  };
  const D x = d * part(1.0, 0x1p-27, 0x1p-54, 0x1p-81);
  const D whole = x * part(0x1.45f306cp-1, -0x1.1b1bbecp-1, 0x1.4a7f09ep+0, -0x1.505c15ap+0);
  const D middle = x * part(0x1.c9c882ap-29, 0x1.29fc276p-29, -0x1.4170566p-29, 0x1.377036ep-29);
  const D rest = x * part(0x1.4fe13abe8fa9ap-59, -0x1.05c1596447e49p-58, 0x1.bb81b6c52b328p-59, -0x1.d6a66c3bc6fbep-59);
  const D fours = b.d(0x1.8p54), ones = b.d(0x1.8p52);  // adding them rounds to multiples
  const D first = whole - ((whole + fours) - fours);
  const D k = (((first + middle) + rest) + ones) - ones;
  const D turns = ((first - k) + middle) + rest;
  return {b.toInt(k), b.toF(turns * b.d(1.57079632679489661923))};
}
/// sin((k + turns) * pi/2 + r), its sign changed by the highest bit of `sign`
ETZEL_MATH typename B::F sinOf(B& b, const Quadrant<B>& q, int32_t turns, typename B::I sign) {
  using F = typename B::F;
  const typename B::I k = q.k + b.i(turns);
  const F z = q.r * q.r;
  const F sine = b.fma(q.r * z, horner(b, b.f(-0.000195876390983f), z, 0.00833274710466f, -0.166666646563f), q.r);
  const F cosine = horner(b, b.f(2.45476893625e-5f), z, -0.00138883018644f, 0.0416666646534f, -0.5f, 1.0f);
  return flipSign(b, b.select((k << 31) >> 31, cosine, sine), ((k << 30) ^ sign) & b.i(int32_t(kSign)));
}
/// sin(x + turns * pi/2)
ETZEL_MATH typename B::F sinTurned(B& b, typename B::F x, int32_t turns) {
  const typename B::F a = abs(b, x);
  const typename B::I sign = turns ? b.asInt(x) ^ b.asInt(x) : b.asInt(x);
  const typename B::F near = sinOf(b, quadrant(b, a), turns, sign);
  return b.rarely(
      ~(a < b.f(4194304.0f)), near, [ =, &b ]() __attribute__((always_inline)) {
        const typename B::F far = sinOf(b, farQuadrant(b, a), turns, sign);
        return b.select(a < b.asFloat(b.i(0x7F800000)), far, b.asFloat(b.i(0x7FC00000)));
      });
}
ETZEL_MATH typename B::F sin(B& b, typename B::F x) { return sinTurned(b, x, 0); }
ETZEL_MATH typename B::F cos(B& b, typename B::F x) { return sinTurned(b, x, 1); }
ETZEL_MATH typename B::F tan(B& b, typename B::F x) { return sin(b, x) / cos(b, x); }

/// Angle of the point (x, y), both >= 0, in [0, pi/2].
ETZEL_MATH typename B::F atanFirstQuadrant(B& b, typename B::F y, typename B::F x) {
  using F = typename B::F;
  using I = typename B::I;
  const F inf = b.asFloat(b.i(0x7F800000));
  const I steep = y > x;
  F high = b.select(steep, y, x), low = b.select(steep, x, y);
  const I bothInfinite = low == inf;
  high = b.select(bothInfinite, b.f(1.0f), high), low = b.select(bothInfinite, b.f(1.0f), low);
  high = b.select(high == b.f(0.0f), b.f(1.0f), high);
  const I huge = high > b.f(1e38f);  // the sum below must not overflow
  high = b.select(huge, high * b.f(0.25f), high), low = b.select(huge, low * b.f(0.25f), low);
  // Above tan(pi/8), measure from pi/4 instead.
  const I upper = low > b.f(0.41421356f) * high;
  const F t = b.select(upper, low - high, low) / b.select(upper, low + high, high);
  const F z = t * t;
  const F p =
      horner(b, b.f(-0.0644983521153f), z, 0.107430996626f, -0.142638971119f, 0.199995387947f, -0.333333317538f);
  F r = b.fma(t * z, p, t);
  r = b.select(upper, b.f(0.785398163397f) + (r - b.f(2.18556941e-8f)), r);
  return b.select(steep, b.f(1.57079632679f) - (r + b.f(4.37113883e-8f)), r);
}
ETZEL_MATH typename B::F atan2(B& b, typename B::F y, typename B::F x) {
  using F = typename B::F;
  F r = atanFirstQuadrant(b, abs(b, y), abs(b, x));
  const typename B::I left = b.asInt(x) < b.i(0);
  r = b.select(left, b.f(3.14159265359f) - (r + b.f(8.74227766e-8f)), r);
  r = flipSign(b, r, signOf(b, y));
  return b.select((x == x) & (y == y), r, b.asFloat(b.i(0x7FC00000)));
}
ETZEL_MATH typename B::F atan(B& b, typename B::F x) {
  const typename B::F r = flipSign(b, atanFirstQuadrant(b, abs(b, x), b.f(1.0f)), signOf(b, x));
  return b.select(x == x, r, x);
}

/// asin(t) for t in [0, 0.5], given z = t * t
ETZEL_MATH typename B::F asinPolynomial(B& b, typename B::F t, typename B::F z) {
  const typename B::F p = horner(b, b.f(0.0336908472906f), z, 0.0171492382977f, 0.0311006627504f, 0.0445994015269f,
                                 0.075000945435f, 0.166666663374f);
  return b.fma(t * z, p, t);
}
ETZEL_MATH typename B::F asin(B& b, typename B::F x) {
  using F = typename B::F;
  const F a = abs(b, x);
  const typename B::I outer = a > b.f(0.5f);
  // asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2))
  const F z = b.select(outer, (b.f(1.0f) - a) * b.f(0.5f), a * a);
  const F r = asinPolynomial(b, b.select(outer, b.sqrt(z), a), z);
  const F angle = b.select(outer, b.f(1.57079632679f) - (r + r + b.f(4.37113883e-8f)), r);
  return flipSign(b, angle, signOf(b, x));
}
ETZEL_MATH typename B::F acos(B& b, typename B::F x) {
  using F = typename B::F;
  const F a = abs(b, x);
  const typename B::I outer = a > b.f(0.5f), negative = b.asInt(x) < b.i(0);
  const F z = b.select(outer, (b.f(1.0f) - a) * b.f(0.5f), a * a);
  const F r = asinPolynomial(b, b.select(outer, b.sqrt(z), a), z);
  const F near = b.f(1.57079632679f) - (flipSign(b, r, signOf(b, x)) + b.f(4.37113883e-8f));
  const F far = b.select(negative, b.f(3.14159265359f) - (r + r + b.f(8.74227766e-8f)), r + r);
  return b.select(outer, far, near);
}

#undef ETZEL_MATH

}  // namespace etzel::math
