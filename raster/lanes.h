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

}  // namespace etzel::raster::ETZEL_TARGET
