// Two texels at a time. Operations are IEEE or integer, and where two NaNs meet the order of operands is settled, so
// all targets give the same bytes.
#include "runtime/format/convert.h"
#include "runtime/simd/half.h"
#include "runtime/transfer/mix_lanes.h"
#include "runtime/transfer/row_lanes.h"

namespace etzel::transfer::ETZEL_TARGET {
namespace {

using namespace simd;
constexpr size_t kTexels = 2;  ///< of four numbers, in a vector

/// Texels of floats from anywhere in a row.
ETZEL_INLINE F32x8 texelsAt(const float* row, const uint32_t* index) {
  return join(load<F32x4>(row + index[0]), load<F32x4>(row + index[1]));
}
/// A number for each texel, in all components.
ETZEL_INLINE F32x8 numbersAt(const float* f) { return lowAndHigh(splat(f[0]), splat(f[1])); }
/// Texels of one word, in all components.
ETZEL_INLINE U32x8 texelWords(const std::byte* p) {
  return lowAndHigh(splat(load<uint32_t>(p)), splat(load<uint32_t>(p + 4)));
}
/// The words of texels from their first components.
ETZEL_INLINE void storeWords(std::byte* to, U32x8 w) { store<uint32_t>(to, w[0]), store<uint32_t>(to + 4, w[4]); }
ETZEL_INLINE U32x8 perComponent(uint32_t r, uint32_t g, uint32_t b, uint32_t a) {
  return U32x8{r, g, b, a, r, g, b, a};
}
/// All of a texel's components or-ed into its first.
ETZEL_INLINE U32x8 united(U32x8 w) {
  w |= shuffleHalves<1, 1, 3, 3>(w);
  return w | shuffleHalves<2, 2, 2, 2>(w);
}
/// Colours of `a` with the alphas of `b`.
template <class V>
ETZEL_INLINE V withAlpha(V a, V b) {
  return shuffleHalves<0, 1, 2, 7>(a, b);
}
/// find(i) for the components that are colours.
template <class V, class Find>
ETZEL_INLINE V forColors(Find find) {
  return V{find(0), find(1), find(2), 0, find(4), find(5), find(6), 0};
}
/// Red and blue change places.
template <bool swap>
ETZEL_INLINE F32x8 ordered(F32x8 v) {
  return swap ? shuffleHalves<2, 1, 0, 3>(v) : v;
}

/// Makes numbers of texels of `bytes` bytes, kTexels at a time, with body(bytes). A rest is read from a copy.
template <uint32_t bytes, class Body>
ETZEL_INLINE void decodeEach(const std::byte* texels, size_t count, float* out, Body body) {
  size_t i = 0;
  for (; i + kTexels <= count; i += kTexels) store(out + 4 * i, body(texels + bytes * i));
  if (i == count) return;
  std::byte rest[kTexels * bytes] = {};
  __builtin_memcpy(rest, texels + bytes * i, bytes * (count - i));
  store(out + 4 * i, body(rest));
}
/// Makes texels of four bytes, eight at a time: their codes are body(4 * texel). A rest ends on the way in a copy.
template <class Body>
ETZEL_INLINE void encodeEach(size_t count, std::byte* out, Body body) {
  const auto eight = [=](size_t i, std::byte * to) __attribute__((always_inline)) {
    I32x8 codes[8 / kTexels];
#pragma GCC unroll 8
    for (size_t k = 0; k < 8 / kTexels; ++k) codes[k] = body(4 * (i + k * kTexels));
    store(to, saturatedBytes(codes[0], codes[1], codes[2], codes[3]));
  };
  size_t i = 0;
  for (; i + 8 <= count; i += 8) eight(i, out + 4 * i);
  if (i == count) return;
  std::byte rest[32];
  eight(i, rest);
  __builtin_memcpy(out + 4 * i, rest, 4 * (count - i));
}

/// Byte / 255, correctly rounded: the first product is exact, and the sum rounds as the quotient does for all of them.
ETZEL_INLINE F32x8 unormOf(U32x8 byte) {
  constexpr float kHigh = 257.0f / 65536, kLow = static_cast<float>(1.0 / 255 - 257.0 / 65536);
  const F32x8 f = convert<F32x8>(asInt(byte));
  return f * splat(kHigh) + f * splat(kLow);
}
/// The bytes of numbers; NaN gives 0.
ETZEL_INLINE I32x8 unormBytes(F32x8 v) {
  return roundToInt(minimum(maximum(v, splat(0.0f)), splat(1.0f)) * splat(255.0f));
}

template <bool swap>
void decodeUnorm(const std::byte* texels, size_t count, float* out) {
  const auto body = [](const std::byte* from) __attribute__((always_inline)) {
    return ordered<swap>(unormOf(loadBytes(from)));
  };
  decodeEach<4>(texels, count, out, body);
}
void decodeUnorm(const std::byte* texels, bool swap, size_t count, float* out) {
  swap ? decodeUnorm<true>(texels, count, out) : decodeUnorm<false>(texels, count, out);
}

template <bool swap>
void encodeUnorm(const float* texels, size_t count, std::byte* out) {
  const auto body = [=](size_t at) __attribute__((always_inline)) {
    return unormBytes(ordered<swap>(load<F32x8>(texels + at)));
  };
  encodeEach(count, out, body);
}
void encodeUnorm(const float* texels, bool swap, size_t count, std::byte* out) {
  swap ? encodeUnorm<true>(texels, count, out) : encodeUnorm<false>(texels, count, out);
}

template <bool swap>
void decodeSrgb(const std::byte* texels, size_t count, float* out) {
  const auto body = [](const std::byte* from) __attribute__((always_inline)) {
    const auto find = [=](int i) __attribute__((always_inline)) {
      return format::kSrgbToLinear[static_cast<uint8_t>(from[i])];
    };
    return ordered<swap>(withAlpha(forColors<F32x8>(find), unormOf(loadBytes(from))));
  };
  decodeEach<4>(texels, count, out, body);
}
void decodeSrgb(const std::byte* texels, bool swap, size_t count, float* out) {
  swap ? decodeSrgb<true>(texels, count, out) : decodeSrgb<false>(texels, count, out);
}

/// The bytes of texels: format::linearToSrgb8() of the colours, unormBytes() of the alphas.
ETZEL_INLINE I32x8 srgbBytes(F32x8 v) {
  using format::kSrgbEncoding;
  // From the greatest number that gives 0, to the greatest below 1: within the table, NaN at its start.
  const U32x8 bits = (U32x8)minimum(maximum(v, splat(0x1p-13f)), splat(0x1.fffffep-1f));
  const U32x8 row = (bits >> 16) - kSrgbEncoding.kFirst;
  const auto find = [=](int i) __attribute__((always_inline)) { return kSrgbEncoding.word[row[i]]; };
  return withAlpha((I32x8)((forColors<U32x8>(find) + (bits & 0xFFFFu)) >> 16), unormBytes(v));
}
template <bool swap>
void encodeSrgb(const float* texels, size_t count, std::byte* out) {
  const auto body = [=](size_t at) __attribute__((always_inline)) {
    return srgbBytes(ordered<swap>(load<F32x8>(texels + at)));
  };
  encodeEach(count, out, body);
}
void encodeSrgb(const float* texels, bool swap, size_t count, std::byte* out) {
  swap ? encodeSrgb<true>(texels, count, out) : encodeSrgb<false>(texels, count, out);
}

void decodeHalf(const std::byte* texels, size_t count, float* out) {
  const auto body = [](const std::byte* from) __attribute__((always_inline)) {
    return halfToFloat(widen(load<U16x8>(from)));
  };
  decodeEach<8>(texels, count, out, body);
}
void encodeHalf(const float* texels, size_t count, std::byte* out) {
  size_t i = 0;
  for (; i + kTexels <= count; i += kTexels) store(out + 8 * i, floatToHalves(load<F32x8>(texels + 4 * i)));
  if (i == count) return;
  std::byte rest[8 * kTexels];
  store(rest, floatToHalves(load<F32x8>(texels + 4 * i)));
  __builtin_memcpy(out + 8 * i, rest, 8 * (count - i));
}

/// F32x8 of 11, 11 and 10 bits are halves without a sign that lack the last bits.
void decodeSmallFloats(const std::byte* texels, size_t count, float* out) {
  const auto body = [](const std::byte* from) __attribute__((always_inline)) {
    const U32x8 code = texelWords(from) >> perComponent(0, 11, 22, 0) & perComponent(0x7FF, 0x7FF, 0x3FF, 0);
    return halfToFloat(code << perComponent(4, 4, 5, 0) | perComponent(0, 0, 0, 0x3C00));
  };
  decodeEach<4>(texels, count, out, body);
}

/// format::floatToUfloat() of the colours, each where it belongs in the texel's word.
ETZEL_INLINE U32x8 smallFloats(F32x8 v) {
  const U32x8 drop = perComponent(17, 17, 18, 0), infinity = perComponent(31 << 6, 31 << 6, 31 << 5, 0);
  const U32x8 rebased = (U32x8)v - (112u << 23);
  const U32x8 normal = (rebased + perComponent(0xFFFF, 0xFFFF, 0x1FFFF, 0) + (rebased >> drop & 1u)) >> drop;
  const U32x8 small = (U32x8)roundToInt(v * (F32x8)perComponent(0x49800000, 0x49800000, 0x49000000, 0));  // 2^20, 2^19
  U32x8 code = select(less(v, splat(0x1p-14f)), small, normal);
  code = select(less((I32x8)code, (I32x8)infinity), code, infinity - 1);
  code = select(greater(v, splat(0.0f)), code, U32x8{});
  code = select(equal(v, splat(__builtin_inff())), infinity, code);
  code = select(equal(v, v), code, infinity | 1u);
  return (code & perComponent(0x7FF, 0x7FF, 0x3FF, 0)) << perComponent(0, 11, 22, 0);
}
void encodeSmallFloats(const float* texels, size_t count, std::byte* out) {
  size_t i = 0;
  for (; i + kTexels <= count; i += kTexels) storeWords(out + 4 * i, united(smallFloats(load<F32x8>(texels + 4 * i))));
  if (i == count) return;
  std::byte rest[4 * kTexels];
  storeWords(rest, united(smallFloats(load<F32x8>(texels + 4 * i))));
  __builtin_memcpy(out + 4 * i, rest, 4 * (count - i));
}

void swapRedBlue(const std::byte* texels, size_t count, std::byte* out) {
  const auto swapBytes = [](auto v) { return (v & 0xFF00FF00u) | (v >> 16 & 0xFFu) | (v & 0xFFu) << 16; };
  constexpr size_t kStep = sizeof(U32x8) / 4;
  size_t i = 0;
  for (; i + kStep <= count; i += kStep) store(out + 4 * i, swapBytes(load<U32x8>(texels + 4 * i)));
  for (; i < count; ++i) store(out + 4 * i, swapBytes(load<uint32_t>(texels + 4 * i)));
}

template <bool hasSingles>
void filterColumns(const float* row, const ColumnTaps& taps, size_t count, float* out) {
  const uint32_t *const first = taps.first, *const second = taps.second;
  const float* const weight = taps.weight;
  for (size_t i = 0; i < count; i += kTexels) {
    const F32x8 take = numbersAt(weight + i), a = texelsAt(row, first + i);
    const F32x8 mixed = mix(a, texelsAt(row, second + i), splat(1.0f) - take, take);
    store(out + 4 * i, !hasSingles ? mixed : select(equal(take, splat(0.0f)), a, mixed));
  }
}
void filterColumns(const float* row, const ColumnTaps& taps, size_t count, float* out) {
  taps.hasSingles ? filterColumns<true>(row, taps, count, out) : filterColumns<false>(row, taps, count, out);
}

template <bool swap>
void filterUnormPairs(const std::byte* texels, const float* weight, size_t count, float* out) {
  const auto filtered = [](const std::byte* from, const float* weight) __attribute__((always_inline)) {
    const U32x4 texels = load<U32x4>(from);
    const U8x16 sorted = bitCast<U8x16>(__builtin_shufflevector(texels, texels, 0, 2, 1, 3));
    const F32x8 take = numbersAt(weight);
    return ordered<swap>(unormOf(widenLow(sorted)) * (splat(1.0f) - take) + unormOf(widenHigh(sorted)) * take);
  };
  size_t i = 0;
  for (; i + kTexels <= count; i += kTexels) store(out + 4 * i, filtered(texels + 8 * i, weight + i));
  if (i == count) return;
  std::byte rest[8 * kTexels] = {};
  __builtin_memcpy(rest, texels + 8 * i, 8 * (count - i));
  store(out + 4 * i, filtered(rest, weight + i));
}
void filterUnormPairs(const std::byte* texels, bool swap, const float* weight, size_t count, float* out) {
  swap ? filterUnormPairs<true>(texels, weight, count, out) : filterUnormPairs<false>(texels, weight, count, out);
}

void mixRows(const float* a, const float* b, float weight, size_t count, float* out) {
  const F32x8 keep = splat(1 - weight), take = splat(weight);
  for (size_t i = 0; i < 4 * count; i += 4 * kTexels)
    store(out + i, mix(load<F32x8>(a + i), load<F32x8>(b + i), keep, take));
}

template <bool swap>
void mixRowsToUnorm(const float* a, const float* b, float weight, size_t count, std::byte* out) {
  const F32x8 keep = splat(1 - weight), take = splat(weight);
  const auto body = [=](size_t at) __attribute__((always_inline)) {
    return unormBytes(ordered<swap>(load<F32x8>(a + at) * keep + load<F32x8>(b + at) * take));
  };
  encodeEach(count, out, body);
}
void mixRowsToUnorm(const float* a, const float* b, float weight, bool swap, size_t count, std::byte* out) {
  swap ? mixRowsToUnorm<true>(a, b, weight, count, out) : mixRowsToUnorm<false>(a, b, weight, count, out);
}

}  // namespace

constexpr RowLanes kAll = {decodeUnorm,      encodeUnorm,       decodeSrgb,        encodeSrgb,  decodeHalf,
                           encodeHalf,       decodeSmallFloats, encodeSmallFloats, swapRedBlue, filterColumns,
                           filterUnormPairs, mixRows,           mixRowsToUnorm};
const RowLanes kRowLanes = kAll;

}  // namespace etzel::transfer::ETZEL_TARGET
