// The tile code for machines with AVX2, F16C and BMI2. All headers with inline functions come before the target is
// set: they are shared with code that runs on other machines.
#include <immintrin.h>

#include "raster/tile/block_traffic.h"
#include "raster/tile/shade/worker_state.h"
#include "runtime/format/convert.h"

#pragma GCC push_options
#pragma GCC target("avx2,f16c,bmi,bmi2,popcnt")
#ifndef __AVX2__
#define __AVX2__ 1
#endif
#ifndef __F16C__
#define __F16C__ 1
#endif
namespace etzel::raster::avx2 {
#include "raster/tile/tile_variant.inl.h"
}  // namespace etzel::raster::avx2
#pragma GCC pop_options
