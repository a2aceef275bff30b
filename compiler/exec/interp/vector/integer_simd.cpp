// Integer handlers, once per target.
#include <bit>
#include <utility>

#include "compiler/exec/interp/vector/elements.h"
#include "compiler/exec/interp/vector/finders.h"

namespace etzel::interp::ETZEL_TARGET {
namespace {

#define ETZEL_INT2(Name, expr)                                         \
  template <Type T>                                                    \
  const Op* Name(const Op* op, Frame& f) {                             \
    using E = Int<T>;                                                  \
    const auto a = E::load(f, op->src[0]), b = E::load(f, op->src[1]); \
    E::store(f, op->dst, expr);                                        \
    return op + 1;                                                     \
  }
#define ETZEL_SINT2(Name, expr)                                                    \
  template <Type T>                                                                \
  const Op* Name(const Op* op, Frame& f) {                                         \
    using E = Int<T>;                                                              \
    using V = typename E::V;                                                       \
    const auto a = E::loadSigned(f, op->src[0]), b = E::loadSigned(f, op->src[1]); \
    E::store(f, op->dst, expr);                                                    \
    return op + 1;                                                                 \
  }
#define ETZEL_INT1(Name, expr)             \
  template <Type T>                        \
  const Op* Name(const Op* op, Frame& f) { \
    using E = Int<T>;                      \
    const auto a = E::load(f, op->src[0]); \
    E::store(f, op->dst, expr);            \
    return op + 1;                         \
  }
/// Shifts: the count is one word, taken modulo the width.
#define ETZEL_SHIFT(Name, load, expr)                           \
  template <Type T>                                             \
  const Op* Name(const Op* op, Frame& f) {                      \
    using E = Int<T>;                                           \
    using V = typename E::V;                                    \
    const auto a = E::load(f, op->src[0]);                      \
    const V b = E::count(f, op->src[1]) & E::all(E::kBits - 1); \
    E::store(f, op->dst, expr);                                 \
    return op + 1;                                              \
  }

ETZEL_INT2(add, a + b)
ETZEL_INT2(sub, a - b)
ETZEL_INT2(mul, a* b)
ETZEL_INT2(bitAnd, a& b)
ETZEL_INT2(bitOr, a | b)
ETZEL_INT2(bitXor, a ^ b)
ETZEL_INT2(unsignedMin, simd::select((typename E::V)(a < b), a, b))
ETZEL_INT2(unsignedMax, simd::select((typename E::V)(a > b), a, b))
ETZEL_SINT2(signedMin, simd::select((V)(a < b), (V)a, (V)b))
ETZEL_SINT2(signedMax, simd::select((V)(a > b), (V)a, (V)b))
ETZEL_INT1(negate, E::all(0) - a)
ETZEL_INT1(bitNot, ~a)
ETZEL_SHIFT(shiftLeft, load, a << b)
ETZEL_SHIFT(shiftRight, load, a >> b)
ETZEL_SHIFT(shiftArithmetic, loadSigned, (V)(a >> (typename E::SV)b))

template <Type T>
const Op* absolute(const Op* op, Frame& f) {
  using E = Int<T>;
  using V = typename E::V;
  const auto s = E::loadSigned(f, op->src[0]);
  const V sign = (V)(s >> (E::kBits == 64 ? 63 : 31));
  E::store(f, op->dst, ((V)s ^ sign) - sign);
  return op + 1;
}

// Scalar loops: the machine has no vector form that pays.
template <Type T, class Fn>
ETZEL_INLINE const Op* perLane(const Op* op, Frame& f, Fn fn) {
  using E = Int<T>;
  const auto a = E::load(f, op->src[0]), b = E::load(f, op->src[1]);
  typename E::V r;
  for (int i = 0; i < 8; ++i) r[i] = fn(a[i], b[i]);
  E::store(f, op->dst, r);
  return op + 1;
}
template <Type T>
const Op* signedMulHigh(const Op* op, Frame& f) {
  if constexpr (T == Type::I64)
    return perLane<T>(op, f, [](uint64_t a, uint64_t b) {
      return static_cast<uint64_t>(static_cast<__int128>(static_cast<int64_t>(a)) * static_cast<int64_t>(b) >> 64);
    });
  else
    return perLane<T>(op, f, [](uint32_t a, uint32_t b) {
      return static_cast<uint32_t>(static_cast<int64_t>(static_cast<int32_t>(a)) * static_cast<int32_t>(b) >> 32);
    });
}
template <Type T>
const Op* unsignedMulHigh(const Op* op, Frame& f) {
  if constexpr (T == Type::I64)
    return perLane<T>(op, f, [](uint64_t a, uint64_t b) {
      return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
    });
  else
    return perLane<T>(op, f,
                      [](uint32_t a, uint32_t b) { return static_cast<uint32_t>(static_cast<uint64_t>(a) * b >> 32); });
}

// Division. 32 bits and less go through double, which represents both operands and rounds a quotient never up to the
// next integer (it differs from it by more than the rounding error).
ETZEL_INLINE F64x8 asDouble(U32x8 v) { return simd::convert<F64x8>((I32x8)(v ^ 0x80000000u)) + 2147483648.0; }
ETZEL_INLINE U32x8 unsignedQuotient(U32x8 a, U32x8 b) {
  const F64x8 q = simd::trunc(asDouble(a) / asDouble(b));
  return (U32x8)simd::convert<I32x8>(q - 2147483648.0) ^ 0x80000000u;
}
ETZEL_INLINE I32x8 signedQuotient(I32x8 a, I32x8 b) {  // |a / b| < 2^31 but for the one that wraps
  const F64x8 q = simd::trunc(simd::convert<F64x8>(a) / simd::convert<F64x8>(b));
  return simd::convert<I32x8>(q);
}

enum class DivPart { Quotient, Remainder, Modulo };
template <Type T, DivPart P>
const Op* unsignedDivide(const Op* op, Frame& f) {
  using E = Int<T>;
  using V = typename E::V;
  const V a = E::load(f, op->src[0]), b = E::load(f, op->src[1]);
  const V zero = (V)(b == E::all(0));
  const V divisor = simd::select(zero, E::all(1), b);
  V q;
  if constexpr (T == Type::I64) {
    for (int i = 0; i < 8; ++i) q[i] = a[i] / divisor[i];
  } else {
    q = unsignedQuotient(a, divisor);
  }
  E::store(f, op->dst, P == DivPart::Quotient ? q | zero : simd::select(zero, a, a - q * divisor));
  return op + 1;
}
template <Type T, DivPart P>
const Op* signedDivide(const Op* op, Frame& f) {
  using E = Int<T>;
  using V = typename E::V;
  using SV = typename E::SV;
  const SV a = E::loadSigned(f, op->src[0]), b = E::loadSigned(f, op->src[1]);
  const V zero = (V)(b == 0);
  // -1 is negated by hand: the one overflow of signed division is there.
  const V minusOne = (V)(b == -1);
  const V divisor = simd::select(zero | minusOne, E::all(1), (V)b);
  V q;
  if constexpr (T == Type::I64) {
    for (int i = 0; i < 8; ++i)
      q[i] = static_cast<uint64_t>(static_cast<int64_t>(a[i]) / static_cast<int64_t>(divisor[i]));
  } else {
    q = (V)signedQuotient(a, (SV)divisor);
  }
  q = simd::select(minusOne, E::all(0) - (V)a, q);
  if constexpr (P == DivPart::Quotient) {
    E::store(f, op->dst, q | zero);
  } else {
    V r = (V)a - q * (V)b;
    if constexpr (P == DivPart::Modulo) {
      const V differs = (V)(((SV)r ^ b) < 0) & (V)(r != E::all(0));
      r += (V)b & differs;
    }
    E::store(f, op->dst, simd::select(zero, (V)a, r));
  }
  return op + 1;
}

template <Type T, isa::CmpI C>
ETZEL_INLINE typename Int<T>::V comparison(Frame& f, const Op* op) {
  using E = Int<T>;
  using V = typename E::V;
  using isa::CmpI;
  const V a = E::load(f, op->src[0]), b = E::load(f, op->src[1]);
  const typename E::SV signedA = E::loadSigned(f, op->src[0]), signedB = E::loadSigned(f, op->src[1]);
  switch (C) {
    case CmpI::Eq: return (V)(a == b);
    case CmpI::Ne: return (V)(a != b);
    case CmpI::SLt: return (V)(signedA < signedB);
    case CmpI::SLe: return (V)(signedA <= signedB);
    case CmpI::SGt: return (V)(signedA > signedB);
    case CmpI::SGe: return (V)(signedA >= signedB);
    case CmpI::ULt: return (V)(a < b);
    case CmpI::ULe: return (V)(a <= b);
    case CmpI::UGt: return (V)(a > b);
    case CmpI::UGe: return (V)(a >= b);
  }
}
template <Type T, isa::CmpI C>
const Op* compareInt(const Op* op, Frame& f) {
  word(f, op->dst) = Int<T>::words(comparison<T, C>(f, op));
  return op + 1;
}
template <Type T, size_t... C>
Handler compareIntOf(uint8_t sub, std::index_sequence<C...>) {
  static constexpr Handler table[] = {compareInt<T, static_cast<isa::CmpI>(C)>...};
  return sub < sizeof...(C) ? table[sub] : nullptr;
}

const Op* addCarry(const Op* op, Frame& f) {
  const U32x8 a = word(f, op->src[0]), b = word(f, op->src[1]);
  word(f, op->dst) = (U32x8)(a + b < a) & 1u;
  return op + 1;
}
const Op* subBorrow(const Op* op, Frame& f) {
  word(f, op->dst) = (U32x8)(word(f, op->src[0]) < word(f, op->src[1])) & 1u;
  return op + 1;
}

// Bit fields: b and c are words. A field that leaves the type is undefined in SPIR-V; here counts wrap.
template <Type T>
ETZEL_INLINE typename Int<T>::V lowMask(typename Int<T>::V count) {
  using E = Int<T>;
  const auto full = (typename E::V)(count >= E::all(E::kBits));
  return ((E::all(1) << (count & E::all(E::kBits - 1))) - E::all(1)) | full;
}
template <Type T>
const Op* unsignedExtract(const Op* op, Frame& f) {
  using E = Int<T>;
  const auto a = E::load(f, op->src[0]);
  const auto offset = E::count(f, op->src[1]) & E::all(E::kBits - 1), count = E::count(f, op->src[2]);
  E::store(f, op->dst, a >> offset & lowMask<T>(count));
  return op + 1;
}
template <Type T>
const Op* signedExtract(const Op* op, Frame& f) {
  using E = Int<T>;
  using V = typename E::V;
  const auto a = E::load(f, op->src[0]);
  const V offset = E::count(f, op->src[1]) & E::all(E::kBits - 1), count = E::count(f, op->src[2]);
  const V shift = (E::all(E::kBits) - count) & E::all(E::kBits - 1);
  const V field = a >> offset;
  const V r = (V)((typename E::SV)(field << shift) >> (typename E::SV)shift);
  E::store(f, op->dst, r & (V)(count != E::all(0)));
  return op + 1;
}
template <Type T>
const Op* bitMask(const Op* op, Frame& f) {
  using E = Int<T>;
  const auto offset = E::count(f, op->src[0]) & E::all(E::kBits - 1), count = E::count(f, op->src[1]);
  E::store(f, op->dst, lowMask<T>(count) << offset);
  return op + 1;
}

template <class V>
ETZEL_INLINE V swapBits(V v, V mask, int shift) {
  return (v >> shift & mask) | (v & mask) << shift;
}
template <Type T>
const Op* reverseBits(const Op* op, Frame& f) {
  using E = Int<T>;
  auto v = E::load(f, op->src[0]);
  v = swapBits(v, E::all(0x5555555555555555), 1);
  v = swapBits(v, E::all(0x3333333333333333), 2);
  v = swapBits(v, E::all(0x0F0F0F0F0F0F0F0F), 4);
  if constexpr (E::kBits > 8) v = swapBits(v, E::all(0x00FF00FF00FF00FF), 8);
  if constexpr (E::kBits > 16) v = swapBits(v, E::all(0x0000FFFF0000FFFF), 16);
  if constexpr (E::kBits > 32) v = swapBits(v, E::all(0x00000000FFFFFFFF), 32);
  E::store(f, op->dst, v);
  return op + 1;
}
template <class Fn, Type T>
const Op* scanBits(const Op* op, Frame& f) {
  const auto a = Int<T>::load(f, op->src[0]);
  const auto s = Int<T>::loadSigned(f, op->src[0]);
  U32x8 r;
  for (int i = 0; i < 8; ++i)
    r[i] = static_cast<uint32_t>(Fn::scan(static_cast<uint64_t>(a[i]), static_cast<int64_t>(s[i])));
  word(f, op->dst) = r;
  return op + 1;
}
struct PopCount {
  static ETZEL_INLINE int scan(uint64_t a, int64_t) { return std::popcount(a); }
};
struct LowestBit {
  static ETZEL_INLINE int scan(uint64_t a, int64_t) { return a ? std::countr_zero(a) : -1; }
};
struct HighestBit {
  static ETZEL_INLINE int scan(uint64_t a, int64_t) { return 63 - std::countl_zero(a); }
};
struct HighestSignedBit {
  static ETZEL_INLINE int scan(uint64_t, int64_t s) {
    return 63 - std::countl_zero(static_cast<uint64_t>(s < 0 ? ~s : s));
  }
};

#define ETZEL_BY_INT(t, handler)           \
  ((t) == Type::I32   ? handler<Type::I32> \
   : (t) == Type::I64 ? handler<Type::I64> \
   : (t) == Type::I16 ? handler<Type::I16> \
                      : handler<Type::I8>)
#define ETZEL_BY_INT_WITH(t, handler, ...)              \
  ((t) == Type::I32   ? handler<Type::I32, __VA_ARGS__> \
   : (t) == Type::I64 ? handler<Type::I64, __VA_ARGS__> \
   : (t) == Type::I16 ? handler<Type::I16, __VA_ARGS__> \
                      : handler<Type::I8, __VA_ARGS__>)
template <class Fn>
Handler scanOf(Type t) {
  return t == Type::I32   ? scanBits<Fn, Type::I32>
         : t == Type::I64 ? scanBits<Fn, Type::I64>
         : t == Type::I16 ? scanBits<Fn, Type::I16>
                          : scanBits<Fn, Type::I8>;
}

}  // namespace

Handler integerHandler(const isa::Inst& inst) {
  const Type t = inst.type;
  using isa::Opcode;
  switch (inst.op) {
    case Opcode::IAdd: return ETZEL_BY_INT(t, add);
    case Opcode::ISub: return ETZEL_BY_INT(t, sub);
    case Opcode::IMul: return ETZEL_BY_INT(t, mul);
    case Opcode::SMulH: return t == Type::I64 ? signedMulHigh<Type::I64> : signedMulHigh<Type::I32>;
    case Opcode::UMulH: return t == Type::I64 ? unsignedMulHigh<Type::I64> : unsignedMulHigh<Type::I32>;
    case Opcode::SDiv: return ETZEL_BY_INT_WITH(t, signedDivide, DivPart::Quotient);
    case Opcode::UDiv: return ETZEL_BY_INT_WITH(t, unsignedDivide, DivPart::Quotient);
    case Opcode::SRem: return ETZEL_BY_INT_WITH(t, signedDivide, DivPart::Remainder);
    case Opcode::SMod: return ETZEL_BY_INT_WITH(t, signedDivide, DivPart::Modulo);
    case Opcode::UMod: return ETZEL_BY_INT_WITH(t, unsignedDivide, DivPart::Remainder);
    case Opcode::INeg: return ETZEL_BY_INT(t, negate);
    case Opcode::IAbs: return ETZEL_BY_INT(t, absolute);
    case Opcode::And: return ETZEL_BY_INT(t, bitAnd);
    case Opcode::Or: return ETZEL_BY_INT(t, bitOr);
    case Opcode::Xor: return ETZEL_BY_INT(t, bitXor);
    case Opcode::Not: return ETZEL_BY_INT(t, bitNot);
    case Opcode::Shl: return ETZEL_BY_INT(t, shiftLeft);
    case Opcode::Shr: return ETZEL_BY_INT(t, shiftRight);
    case Opcode::Sar: return ETZEL_BY_INT(t, shiftArithmetic);
    case Opcode::SMin: return ETZEL_BY_INT(t, signedMin);
    case Opcode::SMax: return ETZEL_BY_INT(t, signedMax);
    case Opcode::UMin: return ETZEL_BY_INT(t, unsignedMin);
    case Opcode::UMax: return ETZEL_BY_INT(t, unsignedMax);
    case Opcode::ICmp: {
      const auto all = std::make_index_sequence<static_cast<size_t>(isa::CmpI::UGe) + 1>();
      return t == Type::I32   ? compareIntOf<Type::I32>(inst.sub, all)
             : t == Type::I64 ? compareIntOf<Type::I64>(inst.sub, all)
             : t == Type::I16 ? compareIntOf<Type::I16>(inst.sub, all)
                              : compareIntOf<Type::I8>(inst.sub, all);
    }
    case Opcode::AddC: return addCarry;
    case Opcode::SubB: return subBorrow;
    case Opcode::UBfe: return t == Type::I64 ? unsignedExtract<Type::I64> : unsignedExtract<Type::I32>;
    case Opcode::SBfe: return t == Type::I64 ? signedExtract<Type::I64> : signedExtract<Type::I32>;
    case Opcode::Bfm: return t == Type::I64 ? bitMask<Type::I64> : bitMask<Type::I32>;
    case Opcode::BRev: return ETZEL_BY_INT(t, reverseBits);
    case Opcode::BCnt: return scanOf<PopCount>(t);
    case Opcode::Flsb: return scanOf<LowestBit>(t);
    case Opcode::Fmsbs: return scanOf<HighestSignedBit>(t);
    case Opcode::Fmsbu: return scanOf<HighestBit>(t);
    default: return nullptr;
  }
}

}  // namespace etzel::interp::ETZEL_TARGET
