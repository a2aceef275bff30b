// Eight lanes at a time: the vectors of runtime/simd/vec.h under their own names, and the words of a warp as such. For
// code that is compiled once per target.
#pragma once

#include "runtime/base/types.h"
#include "runtime/simd/vec.h"

namespace etzel::raster::ETZEL_TARGET {

using namespace simd;

ETZEL_INLINE F32x8 wordsF(const LaneWords& w) { return simd::load<F32x8>(&w); }
ETZEL_INLINE void setWords(LaneWords& w, F32x8 v) { simd::store(&w, v); }
ETZEL_INLINE void setWords(LaneWords& w, U32x8 v) { simd::store(&w, v); }

/// Eight rows of four words, or four columns of eight.
struct Rows8 {
  F32x8 a, b, c, d;
};

/// 4x4 transpositions in both halves: its own inverse. Rows of the lower halves are lanes 0 to 3, of the upper 4 to 7.
ETZEL_INLINE Rows8 transpose(Rows8 r) {
  transposeHalves(r.a, r.b, r.c, r.d);
  return r;
}

/// The columns of rows that row(i), an F32x4, gives.
template <class Row>
ETZEL_INLINE Rows8 columnsOf(Row row) {
  auto two = [&](uint32_t i) __attribute__((always_inline)) { return join<F32x4>(row(i), row(i + 4)); };
  return transpose({two(0), two(1), two(2), two(3)});
}
/// The same where row i is at row(i).
template <class Row>
ETZEL_INLINE Rows8 loadRows(Row row) {
  return columnsOf([&](uint32_t i) __attribute__((always_inline)) { return load<F32x4>(row(i)); });
}
/// Row i goes to `rows` + i * pitch floats.
ETZEL_INLINE void storeRows(float* rows, size_t pitch, const Rows8& columns) {
  const Rows8 r = transpose(columns);
  const F32x8 two[4] = {r.a, r.b, r.c, r.d};
#pragma GCC unroll 4
  for (size_t i = 0; i < 4; ++i)
    store(rows + i * pitch, lowHalf(two[i])), store(rows + (i + 4) * pitch, highHalf(two[i]));
}

}  // namespace etzel::raster::ETZEL_TARGET
