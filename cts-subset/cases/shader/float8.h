// Floats of 8 bits (VK_EXT_shader_float8), as the cases expect them: by the formula of sign, exponent and mantissa.
#pragma once

#include <cmath>
#include <cstdint>

namespace etzel::cts {

struct Float8 {
  const char* name;
  const char* type;  ///< in SPIR-V text
  uint32_t encoding;
  int mantissaBits, bias;
  uint32_t greatest;  ///< code of the greatest number; behind it is the infinity or NaN
  bool hasInfinity;

  /// The number of a code without sign, as if all were numbers.
  double magnitudeOf(uint32_t code) const {
    const int exponent = int(code) >> mantissaBits;
    const double fraction = double(code & ((1u << mantissaBits) - 1)) / double(1u << mantissaBits);
    return std::ldexp(exponent ? 1 + fraction : fraction, (exponent ? exponent : 1) - bias);
  }
  bool isNan(uint32_t code) const { return (code & 0x7f) > greatest + (hasInfinity ? 1 : 0); }
  double numberOf(uint32_t code) const {
    if (isNan(code)) return NAN;
    const double magnitude = (code & 0x7f) > greatest ? INFINITY : magnitudeOf(code & 0x7f);
    return code & 0x80 ? -magnitude : magnitude;
  }
  /// The code of the nearest number, or the even one of two. What would be behind the greatest one is an infinity or
  /// NaN, or becomes the greatest.
  uint32_t codeOf(double value, bool saturates = false) const {
    const double magnitude = std::fabs(value);
    const uint32_t sign = std::signbit(value) ? 0x80 : 0;
    if (std::isnan(value)) return sign | 0x7f;
    uint32_t code = 0;
    while (code <= greatest && magnitudeOf(code + 1) <= magnitude) ++code;
    const double middle = (magnitudeOf(code) + magnitudeOf(code + 1)) / 2;
    if (code <= greatest && (magnitude > middle || (magnitude == middle && code % 2))) ++code;
    return sign | (code <= greatest ? code : saturates ? greatest : greatest + 1);
  }
};

inline constexpr Float8 kFloat8s[] = {{"e4m3", "%e4m3", 4214, 3, 7, 0x7e, false},
                                      {"e5m2", "%e5m2", 4215, 2, 15, 0x7b, true}};

/// Cases of scalars and vectors.
void registerFloat8();

}  // namespace etzel::cts
