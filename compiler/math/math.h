// Transcendental functions, written once over a "builder": the interpreter instantiates them with vectors of the
// compiler (vector_builder.h), the JIT with values of LLVM. Both then do the same operations in the same order, so both
// give the same bits. Only +, -, *, /, sqrt, conversions, comparisons, selects and integer operations are used: each
// is correctly rounded on every machine, and no fused multiply-add is needed.
//
// A builder B has the types F (float), D (double) and I (int32; comparisons give I of ~0 or 0), one value per lane
// with the usual operators (>> of I is arithmetic; scalars broadcast), and the functions
//   F f(float)  D d(double)  I i(int32)              constants
//   I asInt(F)  F asFloat(I)                         bits
//   D toD(F)  F toF(D)                               exact / nearest even
//   I toInt(D)  D toDouble(I)                        toward zero (operand is in range) / exact
//   F select(I, F, F)  D select(I, D, D)             I is ~0 or 0 (D: condition of the float comparison, per lane)
//   F sqrt(F)
//
// Precision: better than "Precision and Operation of SPIR-V Instructions" asks; math_test.cpp prints and asserts the
// worst errors. Polynomials are Chebyshev fits made for these intervals.
#pragma once

#include <cstdint>

namespace etzel::math {

inline constexpr uint32_t kSign = 0x80000000u;

#define ETZEL_MATH template <class B> [[gnu::always_inline]] inline

ETZEL_MATH typename B::F abs(B& b, typename B::F x) { return b.asFloat(b.asInt(x) & b.i(0x7FFFFFFF)); }
ETZEL_MATH typename B::I signOf(B& b, typename B::F x) { return b.asInt(x) & b.i(int32_t(kSign)); }
ETZEL_MATH typename B::F flipSign(B& b, typename B::F x, typename B::I sign) { return b.asFloat(b.asInt(x) ^ sign); }

/// 2^(k + f) for f in [-0.5, 0.5] and k in [-152, 129]: overflows to infinity, underflows through denormals.
ETZEL_MATH typename B::F exp2Parts(B& b, typename B::I k, typename B::F f) {
  using F = typename B::F;
  F p = b.f(0.000154531629451f);
  p = p * f + b.f(0.00133908633647f);
  p = p * f + b.f(0.00961808255728f);
  p = p * f + b.f(0.0555035711422f);
  p = p * f + b.f(0.240226507606f);
  p = p * f + b.f(0.693147188026f);
  p = p * f + b.f(1.0f);
  // Two steps, because 2^k itself may not be a normal number. The first is exact, so only one rounds.
  const typename B::I k1 = k >> 1, k2 = k - k1;
  p = p * b.asFloat((k1 + b.i(127)) << 23);
  return p * b.asFloat((k2 + b.i(127)) << 23);
}

/// 2^t for a double t that is not NaN; anything outside float's range saturates.
ETZEL_MATH typename B::F exp2Double(B& b, typename B::D t) {
  t = b.select(t < b.d(-151.0), b.d(-151.0), t);
  t = b.select(t > b.d(129.0), b.d(129.0), t);
  const double magic = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
  const typename B::D k = (t + b.d(magic)) - b.d(magic);
  return exp2Parts(b, b.toInt(k), b.toF(t - k));
}

ETZEL_MATH typename B::F exp2(B& b, typename B::F x) {
  using F = typename B::F;
  F t = b.select(x == x, x, b.f(0.0f));
  t = b.select(t < b.f(-151.0f), b.f(-151.0f), t);
  t = b.select(t > b.f(129.0f), b.f(129.0f), t);
  const F rounded = t + b.f(12582912.0f);  // 1.5 * 2^23: the integer is in the low bits
  const typename B::I k = b.asInt(rounded) - b.i(0x4B400000);
  const F r = exp2Parts(b, k, t - (rounded - b.f(12582912.0f)));
  return b.select(x == x, r, x);
}

ETZEL_MATH typename B::F exp(B& b, typename B::F x) {
  const typename B::F t = b.select(x == x, x, b.f(0.0f));
  return b.select(x == x, exp2Double(b, b.toD(t) * b.d(1.4426950408889634074)), x);
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
  const typename B::F inf = b.asFloat(b.i(0x7F800000));
  r = b.select(x == inf, inf, r);
  r = b.select(x == b.f(0.0f), b.f(0.0f) - inf, r);
  return b.select(x >= b.f(0.0f), r, b.asFloat(b.i(0x7FC00000)));
}

/// ln(m) as a double sum of f = m - 1, exact, and a small correction computed in float.
ETZEL_MATH typename B::D lnMantissa(B& b, typename B::F m) {
  using F = typename B::F;
  const F f = m - b.f(1.0f);
  const F s = f / (f + b.f(2.0f));
  const F z = s * s;
  F r = b.f(0.233305819767f);
  r = r * z + b.f(0.285508165977f);
  r = r * z + b.f(0.40000121877f);
  r = r * z + b.f(0.666666665545f);
  const F half = b.f(0.5f) * f * f;
  return b.toD(f) + b.toD(s * (half + z * r) - half);
}

ETZEL_MATH typename B::F log2(B& b, typename B::F x) {
  const Split<B> p = splitExponent(b, x);
  const typename B::D r = b.toDouble(p.e) + lnMantissa(b, p.m) * b.d(1.4426950408889634074);
  return logCases(b, x, b.toF(r));
}

ETZEL_MATH typename B::F log(B& b, typename B::F x) {
  const Split<B> p = splitExponent(b, x);
  const typename B::D r = b.toDouble(p.e) * b.d(0.69314718055994530942) + lnMantissa(b, p.m);
  return logCases(b, x, b.toF(r));
}

/// x^y = exp2(y * log2(x)), the product in double. x < 0 gives NaN; x = 0 gives 0, 1 or infinity by the sign of y.
ETZEL_MATH typename B::F pow(B& b, typename B::F x, typename B::F y) {
  using F = typename B::F;
  using D = typename B::D;
  const Split<B> p = splitExponent(b, x);
  const D f = b.toD(p.m) - b.d(1.0);
  const D s = f / (f + b.d(2.0));
  const D z = s * s;
  D q = b.d(0.24291830209554790995);
  q = q * z + b.d(0.26144406999289258424);
  q = q * z + b.d(0.32061639352895523752);
  q = q * z + b.d(0.41219840197418957016);
  q = q * z + b.d(0.57707801724678257096);
  q = q * z + b.d(0.96179669392433355702);
  q = q * z + b.d(2.8853900817779273081);
  const F inf = b.asFloat(b.i(0x7F800000));
  D l = b.toDouble(p.e) + q * s;
  l = b.select(b.toD(x) == b.d(0.0), b.d(-1000.0), l);  // far enough below for every y that is not tiny
  l = b.select(b.toD(x) == b.toD(inf), b.d(1000.0), l);
  const F safeY = b.select(y == y, y, b.f(0.0f));
  F r = exp2Double(b, b.toD(safeY) * l);
  const typename B::I edge = (x == b.f(0.0f)) | (x == inf);
  const F up = b.select(x == inf, inf, b.f(0.0f)), down = b.select(x == inf, b.f(0.0f), inf);
  r = b.select(edge, b.select(y > b.f(0.0f), up, b.select(y < b.f(0.0f), down, b.f(1.0f))), r);
  r = b.select((x >= b.f(0.0f)) & (y == y), r, b.asFloat(b.i(0x7FC00000)));
  return r;
}

/// x = k * pi/2 + r with |r| <= pi/4. Arguments beyond 2^30 act as 0.
template <class B>
struct Quadrant {
  typename B::I k;
  typename B::F r;
};
ETZEL_MATH Quadrant<B> quadrant(B& b, typename B::F x) {
  const double magic = 6755399441055744.0;
  const typename B::F t = b.select(abs(b, x) < b.f(1073741824.0f), x, b.f(0.0f));  // NaN too
  const typename B::D d = b.toD(t);
  const typename B::D k = (d * b.d(0.63661977236758134308) + b.d(magic)) - b.d(magic);
  // pi/2 as the sum of its first 33 bits and the rest: the first product is exact for k < 2^20.
  const typename B::D r = (d - k * b.d(1.57079632673412561417)) - k * b.d(6.07710050650619224932e-11);
  return {b.toInt(k), b.toF(r)};
}
ETZEL_MATH typename B::F sinPolynomial(B& b, typename B::F r) {
  using F = typename B::F;
  const F z = r * r;
  F p = b.f(-0.000195876390983f);
  p = p * z + b.f(0.00833274710466f);
  p = p * z + b.f(-0.166666646563f);
  return r + r * z * p;
}
ETZEL_MATH typename B::F cosPolynomial(B& b, typename B::F r) {
  using F = typename B::F;
  const F z = r * r;
  F p = b.f(2.45476893625e-5f);
  p = p * z + b.f(-0.00138883018644f);
  p = p * z + b.f(0.0416666646534f);
  return b.f(1.0f) - (z * b.f(0.5f) - z * z * p);
}
/// sin(x + turns * pi/2)
ETZEL_MATH typename B::F sinTurned(B& b, typename B::F x, int32_t turns) {
  using F = typename B::F;
  const Quadrant<B> q = quadrant(b, x);
  const typename B::I k = q.k + b.i(turns);
  const typename B::I odd = (k & b.i(1)) == b.i(1);
  const F r = b.select(odd, cosPolynomial(b, q.r), sinPolynomial(b, q.r));
  const F turned = flipSign(b, r, (k & b.i(2)) << 30);
  const F inf = b.asFloat(b.i(0x7F800000));
  return b.select(abs(b, x) < inf, turned, b.asFloat(b.i(0x7FC00000)));
}
ETZEL_MATH typename B::F sin(B& b, typename B::F x) {
  const typename B::F r = sinTurned(b, x, 0);
  return b.select(x == b.f(0.0f), x, r);  // keeps -0
}
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
  F p = b.f(-0.0644983521153f);
  p = p * z + b.f(0.107430996626f);
  p = p * z + b.f(-0.142638971119f);
  p = p * z + b.f(0.199995387947f);
  p = p * z + b.f(-0.333333317538f);
  F r = t + t * z * p;
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
  typename B::F p = b.f(0.0336908472906f);
  p = p * z + b.f(0.0171492382977f);
  p = p * z + b.f(0.0311006627504f);
  p = p * z + b.f(0.0445994015269f);
  p = p * z + b.f(0.075000945435f);
  p = p * z + b.f(0.166666663374f);
  return t + t * z * p;
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
