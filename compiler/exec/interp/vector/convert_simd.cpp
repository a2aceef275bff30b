// Conversion handlers, once per target. `T` is the destination's type, `S` the source's.
#include "compiler/exec/interp/vector/elements.h"
#include "compiler/exec/interp/vector/finders.h"

namespace etzel::interp::ETZEL_TARGET {
namespace {

ETZEL_INLINE F32x8 nearestFloat(U32x8 v) {
  // Both halves are exact; only the addition rounds.
  const F32x8 high = simd::convert<F32x8>((I32x8)(v >> 16)), low = simd::convert<F32x8>((I32x8)(v & 0xFFFFu));
  return high * 65536.0f + low;
}
/// double to float toward zero.
ETZEL_INLINE F32x8 narrowTowardZero(F64x8 a) {
  const F32x8 nearest = simd::convert<F32x8>(a);
  const F64x8 back = simd::convert<F64x8>(nearest);
  const U64x8 beyond = (U64x8)((F64x8)((U64x8)back & (~0ull >> 1)) > (F64x8)((U64x8)a & (~0ull >> 1)));
  return (F32x8)((U32x8)nearest + simd::narrowMask(beyond));  // one step toward zero: the magnitude is the low bits
}
/// double to float, inexact results made odd: rounding again to fewer bits then is correct.
ETZEL_INLINE F32x8 narrowToOdd(F64x8 a) {
  const F32x8 t = narrowTowardZero(a);
  const U64x8 inexact = (U64x8)(simd::convert<F64x8>(t) != a) & (U64x8)(a == a);
  return (F32x8)((U32x8)t | (simd::narrowMask(inexact) & 1u));
}

template <Type T, Type S>
const Op* floatToFloat(const Op* op, Frame& f) {
  if constexpr (T == S) {
    const U32x8 low = word(f, op->src[0]), high = word(f, op->src[0], isa::typeWords(T) - 1);
    word(f, op->dst) = low;
    if (isa::typeWords(T) == 2) word(f, op->dst, 1) = high;
  } else if constexpr (T == Type::F64) {
    Float<T>::store(f, op->dst, simd::convert<F64x8>(Float<S>::load(f, op->src[0])));
  } else if constexpr (S == Type::F64) {
    const F64x8 a = Float<S>::load(f, op->src[0]);
    Float<T>::store(f, op->dst, T == Type::F16 ? narrowToOdd(a) : simd::convert<F32x8>(a));
  } else {
    Float<T>::store(f, op->dst, Float<S>::load(f, op->src[0]));
  }
  return op + 1;
}
template <Type T, Type S>
const Op* floatToFloatTowardZero(const Op* op, Frame& f) {
  if constexpr (T == Type::F64 || T == S || (T == Type::F32 && S == Type::F16)) {
    return floatToFloat<T, S>(op, f);
  } else {
    F32x8 a;
    if constexpr (S == Type::F64)
      a = narrowTowardZero(Float<S>::load(f, op->src[0]));
    else
      a = Float<S>::load(f, op->src[0]);
    word(f, op->dst) = T == Type::F16 ? simd::floatToHalfTowardZero(a) : (U32x8)a;
    return op + 1;
  }
}

template <class To, class From>
ETZEL_INLINE To saturate(From v, To low, To high) {
  if (!(v == v)) return 0;
  if (v <= static_cast<From>(low)) return low;
  if (v >= static_cast<From>(high)) return high;  // rounds up to a power of two where From is too narrow for high
  return static_cast<To>(v);
}
template <Type T, Type S>
const Op* floatToSigned(const Op* op, Frame& f) {
  using E = Int<T>;
  const auto a = Float<S>::load(f, op->src[0]);
  constexpr int64_t high = static_cast<int64_t>(~0ull >> (65 - E::kBits)), low = -high - 1;
  if constexpr (T != Type::I64 && S != Type::F64) {
    I32x8 r = simd::truncateToInt(a);
    r = (I32x8)simd::select((U32x8)(a >= 0x1p31f), splat<U32x8>(0x7FFFFFFF), (U32x8)r);
    r = (I32x8)((U32x8)r & (U32x8)(a == a));
    if constexpr (E::kBits < 32) r = simd::clamp(r, static_cast<int32_t>(low), static_cast<int32_t>(high));
    E::store(f, op->dst, (U32x8)r);
  } else {
    typename E::V r;
    for (int i = 0; i < 8; ++i) r[i] = static_cast<typename E::E>(saturate<int64_t>(a[i], low, high));
    E::store(f, op->dst, r);
  }
  return op + 1;
}
template <Type T, Type S>
const Op* floatToUnsigned(const Op* op, Frame& f) {
  using E = Int<T>;
  auto a = Float<S>::load(f, op->src[0]);
  constexpr uint64_t high = ~0ull >> (64 - E::kBits);
  if constexpr (T != Type::I64 && S != Type::F64) {
    a = simd::select((U32x8)(a > 0.0f), a, splat<F32x8>(0));  // NaN too
    const U32x8 upper = (U32x8)(a >= 0x1p31f);
    U32x8 r = (U32x8)simd::truncateToInt(a - simd::select(upper, splat<F32x8>(0x1p31f), splat<F32x8>(0))) +
              (upper & 0x80000000u);
    r = simd::select((U32x8)(a >= 0x1p32f), splat<U32x8>(~0u), r);
    if constexpr (E::kBits < 32)
      r = simd::select((U32x8)(r > splat<U32x8>(static_cast<uint32_t>(high))),
                       splat<U32x8>(static_cast<uint32_t>(high)), r);
    E::store(f, op->dst, r);
  } else {
    typename E::V r;
    for (int i = 0; i < 8; ++i) r[i] = static_cast<typename E::E>(saturate<uint64_t>(a[i], 0, high));
    E::store(f, op->dst, r);
  }
  return op + 1;
}
template <Type T, Type S>
const Op* signedToFloat(const Op* op, Frame& f) {
  const auto a = Int<S>::loadSigned(f, op->src[0]);
  typename Float<T>::V r;
  if constexpr (S == Type::I64) {
    // A binary16 result overflows long before the first rounding could matter.
    for (int i = 0; i < 8; ++i) r[i] = static_cast<typename Float<T>::S>(a[i]);
  } else {
    r = simd::convert<typename Float<T>::V>(a);
  }
  Float<T>::store(f, op->dst, r);
  return op + 1;
}
template <Type T, Type S>
const Op* unsignedToFloat(const Op* op, Frame& f) {
  const auto a = Int<S>::load(f, op->src[0]);
  typename Float<T>::V r;
  if constexpr (S == Type::I64) {
    for (int i = 0; i < 8; ++i) r[i] = static_cast<typename Float<T>::S>(a[i]);
  } else if constexpr (T == Type::F64) {
    r = simd::convert<F64x8>((I32x8)(a ^ 0x80000000u)) + 2147483648.0;
  } else {
    r = nearestFloat(a);
  }
  Float<T>::store(f, op->dst, r);
  return op + 1;
}
template <Type T, Type S>
const Op* signedToInt(const Op* op, Frame& f) {
  using E = Int<T>;
  const auto a = Int<S>::loadSigned(f, op->src[0]);
  if constexpr (T == Type::I64)
    E::store(f, op->dst, (U64x8)simd::convert<I64x8>(a));
  else
    E::store(f, op->dst, simd::convert<U32x8>((typename Int<S>::V)a));
  return op + 1;
}
template <Type T, Type S>
const Op* unsignedToInt(const Op* op, Frame& f) {
  using E = Int<T>;
  const auto a = Int<S>::load(f, op->src[0]);
  if constexpr (T == Type::I64)
    E::store(f, op->dst, simd::convert<U64x8>(a));
  else
    E::store(f, op->dst, simd::convert<U32x8>(a));
  return op + 1;
}

#define ETZEL_FROM_FLOAT(handler, T, s)     \
  (s == Type::F32   ? handler<T, Type::F32> \
   : s == Type::F64 ? handler<T, Type::F64> \
   : s == Type::F16 ? handler<T, Type::F16> \
                    : nullptr)
#define ETZEL_FROM_INT(handler, T, s)       \
  (s == Type::I32   ? handler<T, Type::I32> \
   : s == Type::I64 ? handler<T, Type::I64> \
   : s == Type::I16 ? handler<T, Type::I16> \
   : s == Type::I8  ? handler<T, Type::I8>  \
                    : nullptr)
#define ETZEL_TO_FLOAT(from, handler, t, s)       \
  (t == Type::F32   ? from(handler, Type::F32, s) \
   : t == Type::F64 ? from(handler, Type::F64, s) \
                    : from(handler, Type::F16, s))
#define ETZEL_TO_INT(from, handler, t, s)         \
  (t == Type::I32   ? from(handler, Type::I32, s) \
   : t == Type::I64 ? from(handler, Type::I64, s) \
   : t == Type::I16 ? from(handler, Type::I16, s) \
                    : from(handler, Type::I8, s))

}  // namespace

Handler convertHandler(const isa::Inst& inst) {
  const Type t = inst.type, s = static_cast<Type>(inst.sub);
  using isa::Opcode;
  switch (inst.op) {
    case Opcode::CvtFF: return ETZEL_TO_FLOAT(ETZEL_FROM_FLOAT, floatToFloat, t, s);
    case Opcode::CvtFFz: return ETZEL_TO_FLOAT(ETZEL_FROM_FLOAT, floatToFloatTowardZero, t, s);
    case Opcode::CvtFS: return ETZEL_TO_INT(ETZEL_FROM_FLOAT, floatToSigned, t, s);
    case Opcode::CvtFU: return ETZEL_TO_INT(ETZEL_FROM_FLOAT, floatToUnsigned, t, s);
    case Opcode::CvtSF: return ETZEL_TO_FLOAT(ETZEL_FROM_INT, signedToFloat, t, s);
    case Opcode::CvtUF: return ETZEL_TO_FLOAT(ETZEL_FROM_INT, unsignedToFloat, t, s);
    case Opcode::CvtSS: return ETZEL_TO_INT(ETZEL_FROM_INT, signedToInt, t, s);
    case Opcode::CvtUU: return ETZEL_TO_INT(ETZEL_FROM_INT, unsignedToInt, t, s);
    default: return nullptr;
  }
}

}  // namespace etzel::interp::ETZEL_TARGET
