// Floating-point handlers, once per target.
#include <cmath>
#include <utility>

#include "compiler/exec/interp/vector/elements.h"
#include "compiler/exec/interp/vector/finders.h"

namespace etzel::interp::ETZEL_TARGET {
namespace {

// Functors over a vector type V; binary16 arrives as float.
#define ETZEL_FUNCTOR1(Name, expr)                             \
  struct Name {                                                \
    template <class T>                                         \
    static ETZEL_INLINE typename T::V apply(typename T::V a) { \
      return expr;                                             \
    }                                                          \
  };
#define ETZEL_FUNCTOR2(Name, expr)                                              \
  struct Name {                                                                 \
    template <class T>                                                          \
    static ETZEL_INLINE typename T::V apply(typename T::V a, typename T::V b) { \
      return expr;                                                              \
    }                                                                           \
  };

template <class T>
ETZEL_INLINE typename T::M isNan(typename T::V a) {
  return (typename T::M)(a != a);
}

ETZEL_FUNCTOR2(Add, a + b)
ETZEL_FUNCTOR2(Sub, a - b)
ETZEL_FUNCTOR2(Mul, a* b)
ETZEL_FUNCTOR2(Div, a / b)
ETZEL_FUNCTOR2(Rem, a - b * simd::trunc(a / b))
ETZEL_FUNCTOR2(Mod, a - b * simd::floor(a / b))
ETZEL_FUNCTOR1(Sqrt, simd::sqrt(a))
ETZEL_FUNCTOR1(Rsq, T::all(1.0) / simd::sqrt(a))
ETZEL_FUNCTOR1(Floor, simd::floor(a))
ETZEL_FUNCTOR1(Ceil, simd::ceil(a))
ETZEL_FUNCTOR1(Trunc, simd::trunc(a))
ETZEL_FUNCTOR1(RoundEven, simd::round(a))
ETZEL_FUNCTOR1(Fract, a - simd::floor(a))

struct Min {
  template <class T>
  static ETZEL_INLINE typename T::V apply(typename T::V a, typename T::V b) {
    using M = typename T::M;
    auto r = simd::select((M)(a < b), a, b);
    r = simd::select((M)(a == b), (typename T::V)((M)a | (M)b), r);  // -0 before +0
    return simd::select(isNan<T>(b), a, r);
  }
};
struct Max {
  template <class T>
  static ETZEL_INLINE typename T::V apply(typename T::V a, typename T::V b) {
    using M = typename T::M;
    auto r = simd::select((M)(a > b), a, b);
    r = simd::select((M)(a == b), (typename T::V)((M)a & (M)b), r);
    return simd::select(isNan<T>(b), a, r);
  }
};
struct Sign {
  template <class T>
  static ETZEL_INLINE typename T::V apply(typename T::V a) {
    using M = typename T::M;
    const auto zero = T::all(0.0);
    auto r = simd::select((M)(a > zero), T::all(1.0), a);
    r = simd::select((M)(a < zero), T::all(-1.0), r);
    return simd::select(isNan<T>(a), zero, r);
  }
};

template <class Fn, Type T>
const Op* unary(const Op* op, Frame& f) {
  using E = Float<T>;
  E::store(f, op->dst, Fn::template apply<E>(E::load(f, op->src[0])));
  return op + 1;
}
template <class Fn, Type T>
const Op* binary(const Op* op, Frame& f) {
  using E = Float<T>;
  E::store(f, op->dst, Fn::template apply<E>(E::load(f, op->src[0]), E::load(f, op->src[1])));
  return op + 1;
}
template <Type T>
const Op* fma(const Op* op, Frame& f) {
  using E = Float<T>;
  E::store(f, op->dst, simd::fma(E::load(f, op->src[0]), E::load(f, op->src[1]), E::load(f, op->src[2])));
  return op + 1;
}

// Sign-bit operations touch bits only: NaN payloads survive.
template <Type T, bool Flip>
const Op* signBit(const Op* op, Frame& f) {
  constexpr uint32_t last = isa::typeWords(T) - 1;
  const U32x8 bit = splat<U32x8>(T == Type::F16 ? 0x8000u : 0x80000000u);
  const U32x8 low = word(f, op->src[0]), high = word(f, op->src[0], last);
  if (last) word(f, op->dst) = low;
  word(f, op->dst, last) = Flip ? high ^ bit : high & ~bit;
  return op + 1;
}

template <Type T>
const Op* ldexp(const Op* op, Frame& f) {
  const I32x8 b = (I32x8)word(f, op->src[1]);
  if constexpr (T == Type::F64) {
    F64x8 a = Float<T>::load(f, op->src[0]);
    for (int i = 0; i < 8; ++i) a[i] = std::ldexp(a[i], b[i]);
    Float<T>::store(f, op->dst, a);
  } else {
    // In double the scaling is exact, so the conversion rounds once.
    const I32x8 e = simd::clamp(b, -400, 400);
    const F64x8 scale = (F64x8)((simd::convert<I64x8>(e) + 1023) << 52);
    const F64x8 exact = simd::convert<F64x8>(Float<T>::load(f, op->src[0])) * scale;
    Float<T>::store(f, op->dst, simd::convert<F32x8>(exact));
  }
  return op + 1;
}

template <Type T>
const Op* frexpMantissa(const Op* op, Frame& f) {
  auto a = Float<T>::load(f, op->src[0]);
  for (int i = 0; i < 8; ++i) {
    int e;
    if (a[i] - a[i] == 0) a[i] = std::frexp(a[i], &e);
  }
  Float<T>::store(f, op->dst, a);
  return op + 1;
}
template <Type T>
const Op* frexpExponent(const Op* op, Frame& f) {
  const auto a = Float<T>::load(f, op->src[0]);
  I32x8 r;
  for (int i = 0; i < 8; ++i) {
    int e = 0;
    if (a[i] - a[i] == 0) std::frexp(a[i], &e);
    r[i] = e;
  }
  word(f, op->dst) = (U32x8)r;
  return op + 1;
}

template <Type T, isa::CmpF C>
ETZEL_INLINE typename Float<T>::M comparison(typename Float<T>::V a, typename Float<T>::V b) {
  using M = typename Float<T>::M;
  using isa::CmpF;
  switch (C) {
    case CmpF::OEq: return (M)(a == b);
    case CmpF::ONe: return (M)(a < b) | (M)(a > b);
    case CmpF::OLt: return (M)(a < b);
    case CmpF::OLe: return (M)(a <= b);
    case CmpF::OGt: return (M)(a > b);
    case CmpF::OGe: return (M)(a >= b);
    case CmpF::UEq: return ~((M)(a < b) | (M)(a > b));
    case CmpF::UNe: return (M)(a != b);
    case CmpF::ULt: return ~(M)(a >= b);
    case CmpF::ULe: return ~(M)(a > b);
    case CmpF::UGt: return ~(M)(a <= b);
    case CmpF::UGe: return ~(M)(a < b);
    case CmpF::Ord: return (M)(a == a) & (M)(b == b);
    case CmpF::Uno: return (M)(a != a) | (M)(b != b);
  }
}
template <Type T, isa::CmpF C>
const Op* compare(const Op* op, Frame& f) {
  using E = Float<T>;
  word(f, op->dst) = E::words(comparison<T, C>(E::load(f, op->src[0]), E::load(f, op->src[1])));
  return op + 1;
}
template <Type T>
const Op* nanTest(const Op* op, Frame& f) {
  word(f, op->dst) = Float<T>::words(isNan<Float<T>>(Float<T>::load(f, op->src[0])));
  return op + 1;
}
template <Type T>
const Op* infTest(const Op* op, Frame& f) {
  using E = Float<T>;
  const auto a = E::load(f, op->src[0]);
  const auto infinity = E::all(__builtin_inf());
  word(f, op->dst) = E::words((typename E::M)(a == infinity) | (typename E::M)(a == -infinity));
  return op + 1;
}

template <class Fn>
Handler unaryOf(Type t) {
  return t == Type::F32 ? unary<Fn, Type::F32> : t == Type::F64 ? unary<Fn, Type::F64> : unary<Fn, Type::F16>;
}
template <class Fn>
Handler binaryOf(Type t) {
  return t == Type::F32 ? binary<Fn, Type::F32> : t == Type::F64 ? binary<Fn, Type::F64> : binary<Fn, Type::F16>;
}
#define ETZEL_BY_TYPE(t, handler) \
  ((t) == Type::F32 ? handler<Type::F32> : (t) == Type::F64 ? handler<Type::F64> : handler<Type::F16>)

template <Type T, size_t... C>
Handler compareOf(uint8_t sub, std::index_sequence<C...>) {
  static constexpr Handler table[] = {compare<T, static_cast<isa::CmpF>(C)>...};
  return sub < sizeof...(C) ? table[sub] : nullptr;
}

}  // namespace

Handler arithmeticHandler(const isa::Inst& inst) {
  const Type t = inst.type;
  using isa::Opcode;
  switch (inst.op) {
    case Opcode::FAdd: return binaryOf<Add>(t);
    case Opcode::FSub: return binaryOf<Sub>(t);
    case Opcode::FMul: return binaryOf<Mul>(t);
    case Opcode::FDiv: return binaryOf<Div>(t);
    case Opcode::FFma: return ETZEL_BY_TYPE(t, fma);
    case Opcode::FRem: return binaryOf<Rem>(t);
    case Opcode::FMod: return binaryOf<Mod>(t);
    case Opcode::FNeg:
      return t == Type::F32   ? signBit<Type::F32, true>
             : t == Type::F64 ? signBit<Type::F64, true>
                              : signBit<Type::F16, true>;
    case Opcode::FAbs:
      return t == Type::F32   ? signBit<Type::F32, false>
             : t == Type::F64 ? signBit<Type::F64, false>
                              : signBit<Type::F16, false>;
    case Opcode::FMin: return binaryOf<Min>(t);
    case Opcode::FMax: return binaryOf<Max>(t);
    case Opcode::FSqrt: return unaryOf<Sqrt>(t);
    case Opcode::FRsq: return unaryOf<Rsq>(t);
    case Opcode::FFloor: return unaryOf<Floor>(t);
    case Opcode::FCeil: return unaryOf<Ceil>(t);
    case Opcode::FTrunc: return unaryOf<Trunc>(t);
    case Opcode::FRoundE: return unaryOf<RoundEven>(t);
    case Opcode::FFract: return unaryOf<Fract>(t);
    case Opcode::FSign: return unaryOf<Sign>(t);
    case Opcode::FLdexp: return ETZEL_BY_TYPE(t, ldexp);
    case Opcode::FFrexpM: return ETZEL_BY_TYPE(t, frexpMantissa);
    case Opcode::FFrexpE: return ETZEL_BY_TYPE(t, frexpExponent);
    case Opcode::FCmp: {
      const auto all = std::make_index_sequence<static_cast<size_t>(isa::CmpF::Uno) + 1>();
      return t == Type::F32   ? compareOf<Type::F32>(inst.sub, all)
             : t == Type::F64 ? compareOf<Type::F64>(inst.sub, all)
                              : compareOf<Type::F16>(inst.sub, all);
    }
    case Opcode::FIsNan: return ETZEL_BY_TYPE(t, nanTest);
    case Opcode::FIsInf: return ETZEL_BY_TYPE(t, infTest);
    default: return nullptr;
  }
}

}  // namespace etzel::interp::ETZEL_TARGET
