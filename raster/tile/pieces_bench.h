// The pieces of the tile code one by one, per target: edge functions, merging of fragment masks, packing and blending
// of bytes.
#pragma once

#include <benchmark/benchmark.h>

#include "runtime/simd/target.h"

namespace etzel::raster {

/// range(0): samples, samples, lanes, lanes
ETZEL_PER_TARGET(void edgeFunctionsPerBlock(benchmark::State& state);
                 void fragmentMaskMergePerBlock(benchmark::State& state);
                 void packBytesPerBlock(benchmark::State& state); void blendBytesPerBlock(benchmark::State& state);)

}  // namespace etzel::raster
