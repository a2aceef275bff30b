// Scalar types as GLSL and C++ know them, for the tables of arithmetic cases.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "cts-subset/support/gpu.h"
#include "cts-subset/support/half.h"

namespace etzel::cts {

template <class T>
struct Scalar;
#define CTS_SCALAR(type, glslName, vectorPrefix)        \
  template <>                                           \
  struct Scalar<type> {                                 \
    static constexpr const char* glsl = glslName;       \
    static constexpr const char* vector = vectorPrefix; \
  };
CTS_SCALAR(int8_t, "int8_t", "i8vec")
CTS_SCALAR(uint8_t, "uint8_t", "u8vec")
CTS_SCALAR(int16_t, "int16_t", "i16vec")
CTS_SCALAR(uint16_t, "uint16_t", "u16vec")
CTS_SCALAR(int32_t, "int", "ivec")
CTS_SCALAR(uint32_t, "uint", "uvec")
CTS_SCALAR(int64_t, "int64_t", "i64vec")
CTS_SCALAR(uint64_t, "uint64_t", "u64vec")
CTS_SCALAR(Half, "float16_t", "f16vec")
CTS_SCALAR(float, "float", "vec")
CTS_SCALAR(double, "double", "dvec")
#undef CTS_SCALAR

template <class T>
constexpr bool isFloat = std::is_same_v<T, Half> || std::is_same_v<T, float> || std::is_same_v<T, double>;
/// Bits of a significand with its hidden one.
template <class T>
constexpr int significand = std::is_same_v<T, Half>    ? 11
                            : std::is_same_v<T, float> ? 24
                                                       : 53;

inline const char* const explicitTypes =
    "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
    "#extension GL_EXT_shader_16bit_storage : require\n#extension GL_EXT_shader_8bit_storage : require\n";

/// Ends the case unless shaders can compute with T and keep it in storage buffers.
template <class T>
void requireScalar(const Gpu& gpu) {
  if (sizeof(T) == 1)
    gpu.require(gpu.features12.shaderInt8 && gpu.features12.storageBuffer8BitAccess, "8-bit integers");
  if (sizeof(T) == 2) gpu.require(gpu.features11.storageBuffer16BitAccess, "16-bit storage");
  if (sizeof(T) == 2 && isFloat<T>) gpu.require(gpu.features12.shaderFloat16, "shaderFloat16");
  if (sizeof(T) == 2 && !isFloat<T>) gpu.require(gpu.features.features.shaderInt16, "shaderInt16");
  if (sizeof(T) == 8)
    gpu.require(isFloat<T> ? gpu.features.features.shaderFloat64 : gpu.features.features.shaderInt64, "64-bit type");
}

/// got is within `ulps` units in the last place of T, or within `absolute`, of want.
template <class T>
bool near(T got, double want, double ulps, double absolute = 0) {
  double g = double(got);
  if (std::isnan(want)) return std::isnan(g);
  if (g == want) return true;
  if (std::isinf(want) || std::isinf(g)) {
    // A result that rounds to infinity may be the largest finite number, and the other way round.
    double big = std::is_same_v<T, Half> ? 65504.0 : double(std::numeric_limits<float>::max());
    return ulps > 0 && std::fabs(g) >= big && std::fabs(want) >= big && std::signbit(g) == std::signbit(want);
  }
  int exponent;
  std::frexp(want, &exponent);
  double ulp = std::ldexp(1.0, exponent - significand<T>);
  return std::fabs(g - want) <= ulps * ulp * 1.0001 + absolute;
}

}  // namespace etzel::cts
