// One lane at a time: what reductions and atomics on floats compute with. For files that are compiled per target.
#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "compiler/exec/interp/vector/elements.h"

namespace etzel::interp::ETZEL_TARGET {

// One element of one lane as a scalar of the type arithmetic is done in; binary16 rounds after every step.
template <Type T>
struct Scalar {
  using S = std::conditional_t<isa::typeWords(T) == 2, uint64_t, uint32_t>;
  static ETZEL_INLINE S get(const LaneWords* w, uint32_t lane) {
    if constexpr (T == Type::I64)
      return w[0].lane[lane] | static_cast<uint64_t>(w[1].lane[lane]) << 32;
    else
      return w[0].lane[lane] & (~0u >> (32 - 8 * isa::typeBytes(T)));
  }
  static ETZEL_INLINE void put(LaneWords* w, uint32_t lane, S v) {
    if constexpr (T == Type::I64) w[1].lane[lane] = static_cast<uint32_t>(v >> 32);
    w[0].lane[lane] = static_cast<uint32_t>(v);
    if constexpr (T == Type::I16) w[0].lane[lane] &= 0xFFFF;
    if constexpr (T == Type::I8) w[0].lane[lane] &= 0xFF;
  }
  static int64_t asSigned(S v) {
    constexpr uint32_t unused = 64 - 8 * isa::typeBytes(T);
    return static_cast<int64_t>(static_cast<uint64_t>(v) << unused) >> unused;
  }
  static S step(isa::ReduceOp op, S a, S b) {
    using isa::ReduceOp;
    switch (op) {
      case ReduceOp::Add: return a + b;
      case ReduceOp::Mul: return a * b;
      case ReduceOp::SMin: return asSigned(a) < asSigned(b) ? a : b;
      case ReduceOp::SMax: return asSigned(a) > asSigned(b) ? a : b;
      case ReduceOp::UMin:
      case ReduceOp::FMin: return a < b ? a : b;
      case ReduceOp::UMax:
      case ReduceOp::FMax: return a > b ? a : b;
      case ReduceOp::And: return a & b;
      case ReduceOp::Or: return a | b;
      case ReduceOp::Xor: return a ^ b;
    }
    return a;
  }
  static S identity(isa::ReduceOp op) {
    using isa::ReduceOp;
    constexpr uint32_t bits = 8 * isa::typeBytes(T);
    const S ones = static_cast<S>(~0ull >> (64 - bits)), top = static_cast<S>(1ull << (bits - 1));
    switch (op) {
      case ReduceOp::Mul: return 1;
      case ReduceOp::SMin: return ones ^ top;
      case ReduceOp::SMax: return top;
      case ReduceOp::UMin:
      case ReduceOp::FMin:
      case ReduceOp::And: return ones;
      default: return 0;
    }
  }
  static bool same(S a, S b) { return a == b; }
};
template <Type T>
requires kIsFloatType<T>
struct Scalar<T> {
  using S = std::conditional_t<T == Type::F64, double, float>;
  static ETZEL_INLINE S get(const LaneWords* w, uint32_t lane) {
    if constexpr (T == Type::F64)
      return std::bit_cast<double>(w[0].lane[lane] | static_cast<uint64_t>(w[1].lane[lane]) << 32);
    else if constexpr (T == Type::F32)
      return std::bit_cast<float>(w[0].lane[lane]);
    else
      return simd::halfToFloatQuiet(splat<U32x8>(w[0].lane[lane] & 0xFFFFu))[0];
  }
  static ETZEL_INLINE void put(LaneWords* w, uint32_t lane, S v) {
    if constexpr (T == Type::F64) {
      const uint64_t bits = std::bit_cast<uint64_t>(v);
      w[0].lane[lane] = static_cast<uint32_t>(bits), w[1].lane[lane] = static_cast<uint32_t>(bits >> 32);
    } else if constexpr (T == Type::F32) {
      w[0].lane[lane] = std::bit_cast<uint32_t>(v);
    } else {
      w[0].lane[lane] = simd::floatToHalf(splat<F32x8>(v))[0];
    }
  }
  static ETZEL_INLINE S round(S v) {
    if constexpr (T == Type::F16)
      return simd::halfToFloatQuiet(simd::floatToHalf(splat<F32x8>(v)))[0];
    else
      return v;
  }
  static S step(isa::ReduceOp op, S a, S b) {
    using isa::ReduceOp;
    switch (op) {
      case ReduceOp::Add: return round(a + b);
      case ReduceOp::Mul: return round(a * b);
      case ReduceOp::FMin:
      case ReduceOp::SMin:
      case ReduceOp::UMin:
        if (a != a) return b;
        return b != b || a < b || (a == b && std::signbit(a)) ? a : b;
      case ReduceOp::FMax:
      case ReduceOp::SMax:
      case ReduceOp::UMax:
        if (a != a) return b;
        return b != b || a > b || (a == b && !std::signbit(a)) ? a : b;
      default: return a;
    }
  }
  static S identity(isa::ReduceOp op) {
    using isa::ReduceOp;
    switch (op) {
      case ReduceOp::Mul: return 1;
      case ReduceOp::FMin:
      case ReduceOp::SMin:
      case ReduceOp::UMin: return std::numeric_limits<S>::infinity();
      case ReduceOp::FMax:
      case ReduceOp::SMax:
      case ReduceOp::UMax: return -std::numeric_limits<S>::infinity();
      default: return 0;
    }
  }
  static bool same(S a, S b) { return a == b; }
};

}  // namespace etzel::interp::ETZEL_TARGET
