// The tile code for every x86-64 machine.
#include <immintrin.h>

#include "raster/tile/block_traffic.h"
#include "raster/tile/shade/worker_state.h"
#include "runtime/format/convert.h"

namespace etzel::raster::sse2 {
#include "raster/tile/tile_variant.inl.h"
}  // namespace etzel::raster::sse2
