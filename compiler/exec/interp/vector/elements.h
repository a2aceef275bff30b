// Elements of vectors by type: how a handler reads and writes them in the frame, and what it computes in. For files
// that are compiled per target (runtime/simd/target.h).
#pragma once

#include "compiler/exec/interp/frame.h"
#include "runtime/base/assert.h"
#include "runtime/simd/half.h"
#include "runtime/simd/vec.h"

namespace etzel::interp::ETZEL_TARGET {

using isa::Type;
using simd::AliasedU32x8;
using simd::F32x8;
using simd::F64x8;
using simd::I32x8;
using simd::I64x8;
using simd::splat;
using simd::U32x8;
using simd::U64x8;

template <Type T>
inline constexpr bool kIsFloatType = T == Type::F16 || T == Type::F32 || T == Type::F64;

ETZEL_INLINE AliasedU32x8& word(Frame& f, Location l, uint32_t w = 0) {
  return *reinterpret_cast<AliasedU32x8*>(f.words(l) + w);
}
/// The lowest lane. \pre there is one
ETZEL_INLINE uint32_t firstOf(LaneMask lanes) {
  ETZEL_ASSERT(lanes != 0);
  return static_cast<uint32_t>(__builtin_ctz(lanes));
}
ETZEL_INLINE LaneMask nonZeroLanes(U32x8 v) { return simd::laneMask(v != 0); }

// 64-bit values are two words per lane: all low halves, then all high halves.
ETZEL_INLINE U64x8 load64(Frame& f, Location l) { return simd::joinWords(word(f, l), word(f, l, 1)); }
ETZEL_INLINE void store64(Frame& f, Location l, U64x8 v) {
  const U32x8 low = simd::lowWords(v), high = simd::highWords(v);
  word(f, l) = low;
  word(f, l, 1) = high;
}

/// Floating-point arithmetic: in vectors V of scalars S, comparisons in M.
template <Type T>
struct Float;
template <>
struct Float<Type::F32> {
  using V = F32x8;
  using M = U32x8;
  using S = float;
  static ETZEL_INLINE V load(Frame& f, Location l) { return (F32x8)word(f, l); }
  static ETZEL_INLINE void store(Frame& f, Location l, V v) { word(f, l) = (U32x8)v; }
  static ETZEL_INLINE V all(double v) { return splat<F32x8>(static_cast<float>(v)); }
  static ETZEL_INLINE U32x8 words(M m) { return m; }
};
/// binary16 in the low half of a word, computed in binary32.
template <>
struct Float<Type::F16> : Float<Type::F32> {
  static ETZEL_INLINE V load(Frame& f, Location l) { return simd::halfToFloatQuiet(word(f, l) & 0xFFFFu); }
  static ETZEL_INLINE void store(Frame& f, Location l, V v) { word(f, l) = simd::floatToHalf(v); }
};
template <>
struct Float<Type::F64> {
  using V = F64x8;
  using M = U64x8;
  using S = double;
  static ETZEL_INLINE V load(Frame& f, Location l) { return (F64x8)load64(f, l); }
  static ETZEL_INLINE void store(Frame& f, Location l, V v) { store64(f, l, (U64x8)v); }
  static ETZEL_INLINE V all(double v) { return splat<F64x8>(v); }
  static ETZEL_INLINE U32x8 words(M m) { return simd::narrowMask(m); }
};

/// Integer arithmetic: in vectors V of scalars E, signed ones SV. I32, I16 and I8 lie in a word; what programs left
/// above short ones is ignored.
template <Type T>
struct Int {
  static constexpr uint32_t kBits = 8 * isa::typeBytes(T);
  using V = U32x8;
  using SV = I32x8;
  using E = uint32_t;
  static constexpr uint32_t kOnes = ~0u >> (32 - kBits);
  static ETZEL_INLINE V load(Frame& f, Location l) { return word(f, l) & splat<U32x8>(kOnes); }
  static ETZEL_INLINE SV loadSigned(Frame& f, Location l) {
    return (I32x8)(U32x8)(word(f, l) << (32 - kBits)) >> (32 - kBits);
  }
  static ETZEL_INLINE void store(Frame& f, Location l, V v) { word(f, l) = v & splat<U32x8>(kOnes); }
  static ETZEL_INLINE V all(uint64_t v) { return splat<U32x8>(static_cast<uint32_t>(v)); }
  static ETZEL_INLINE V count(Frame& f, Location l) { return word(f, l); }
  static ETZEL_INLINE U32x8 words(V m) { return m; }
};
template <>
struct Int<Type::I64> {
  static constexpr uint32_t kBits = 64;
  using V = U64x8;
  using SV = I64x8;
  using E = uint64_t;
  static ETZEL_INLINE V load(Frame& f, Location l) { return load64(f, l); }
  static ETZEL_INLINE SV loadSigned(Frame& f, Location l) { return (I64x8)load64(f, l); }
  static ETZEL_INLINE void store(Frame& f, Location l, V v) { store64(f, l, v); }
  static ETZEL_INLINE V all(uint64_t v) { return splat<U64x8>(v); }
  static ETZEL_INLINE V count(Frame& f, Location l) { return simd::convert<U64x8>((U32x8)word(f, l)); }
  static ETZEL_INLINE U32x8 words(V m) { return simd::narrowMask(m); }
};

}  // namespace etzel::interp::ETZEL_TARGET
