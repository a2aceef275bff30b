// Planes of rows of texels, for every layout whose components are codes in words.
#include "runtime/transfer/plane_lanes.h"

#include "runtime/format/shape_lanes.h"
#include "runtime/transfer/mix_lanes.h"

namespace etzel::transfer::ETZEL_TARGET {
namespace {

using namespace format::ETZEL_TARGET;
using format::hasCodesInWords;
using format::Numeric;
using format::shapeOf;
using format::TexelLayout;
using format::TexelShape;

/// Runs body(texel, where) for every eight texels of `count`, the last ones with copies of their bytes.
template <uint32_t bytes, bool writes, class Bytes, class Body>
ETZEL_INLINE void eachEight(Bytes* texels, size_t count, Body body) {
  size_t i = 0;
  for (; i + kPlaneTexels <= count; i += kPlaneTexels) body(i, texels + bytes * i);
  if (i == count) return;
  std::byte rest[kPlaneTexels * bytes] = {};
  if constexpr (!writes) __builtin_memcpy(rest, texels + bytes * i, bytes * (count - i));
  body(i, rest);
  if constexpr (writes) __builtin_memcpy(texels + bytes * i, rest, bytes * (count - i));
}

template <TexelLayout layout>
void decodePlanes(const std::byte* texels, size_t count, uint32_t planes, float* out) {
  static constexpr uint32_t bytes = shapeOf(layout).bytes;
  eachEight<bytes, false>(
      texels, count, [&](size_t i, const std::byte* from) __attribute__((always_inline)) {
        const Source8 numbers = decodeShape<layout>(splitTexels(from, bytes));
#pragma GCC unroll 4
        for (uint32_t c = 0; c < 4; ++c)
          if (c < planes) store(out + i * planes + c * kPlaneTexels, numbers.c[c]);
      });
}

template <TexelLayout layout>
void encodePlanes(const float* row, size_t count, uint32_t planes, std::byte* out) {
  static constexpr uint32_t bytes = shapeOf(layout).bytes;
  eachEight<bytes, true>(
      out, count, [&](size_t i, std::byte * to) __attribute__((always_inline)) {
        Source8 numbers = {};
#pragma GCC unroll 4
        for (uint32_t c = 0; c < 4; ++c)
          if (c < planes) numbers.c[c] = load<U32x8>(row + i * planes + c * kPlaneTexels);
        joinTexels(encodeShape<layout>(numbers), bytes, to);
      });
}

void filterPlanes(const float* row, const ColumnTaps& taps, bool pairs, size_t count, uint32_t planes, float* out) {
  for (size_t i = 0; i < count; i += kPlaneTexels) {
    const F32x8 take = load<F32x8>(taps.weight + i);
    const auto each = [&](auto numbers) __attribute__((always_inline)) {
      for (uint32_t c = 0; c < planes; ++c) {
        F32x8 a, b;
        numbers(c * kPlaneTexels, a, b);
        const F32x8 mixed = mix(a, b, splat(1.0f) - take, take);
        store(out + i * planes + c * kPlaneTexels,
              taps.hasSingles ? select(equal(take, splat(0.0f)), a, mixed) : mixed);
      }
    };
    if (pairs) {
      const float* from = row + 2 * i * planes;
      each([&](uint32_t plane, F32x8 & a, F32x8 & b) __attribute__((always_inline)) {
        const F32x8 left = load<F32x8>(from + plane), right = load<F32x8>(from + plane + kPlaneTexels * planes);
        a = __builtin_shufflevector(left, right, 0, 2, 4, 6, 8, 10, 12, 14);
        b = __builtin_shufflevector(left, right, 1, 3, 5, 7, 9, 11, 13, 15);
      });
    } else {
      each([&](uint32_t plane, F32x8 & a, F32x8 & b) __attribute__((always_inline)) {
        const auto gather = [&](const uint32_t* place) __attribute__((always_inline)) {
          const auto at = [&](uint32_t k) __attribute__((always_inline)) { return row[place[i + k] + plane]; };
          return F32x8{at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)};
        };
        a = gather(taps.first), b = gather(taps.second);
      });
    }
  }
}

constexpr bool isNumber(Numeric n) { return n != Numeric::Uint && n != Numeric::Sint; }
template <TexelLayout layout>
constexpr PlaneCodec codecOf() {
  constexpr TexelShape shape = shapeOf(layout);
  if constexpr (isNumber(shape.numeric) && hasCodesInWords(shape))
    return {decodePlanes<layout>, encodePlanes<layout>};
  else
    return {};
}

}  // namespace

constexpr PlaneLanes kAll = {{
                                 {},
                                 {},
                                 {},
#define ETZEL_LAYOUT(name, ...) codecOf<TexelLayout::name>(),
#include "runtime/format/texel_layout.def"
#undef ETZEL_LAYOUT
                             },
                             filterPlanes};
static_assert(static_cast<uint32_t>(TexelLayout::Rgba8) == 3);
const PlaneLanes kPlaneLanes = kAll;

}  // namespace etzel::transfer::ETZEL_TARGET
