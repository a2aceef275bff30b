// Flat tiles: those that a pass leaves with one texel in all that it draws there, be it stored, cleared, or blended
// with what is one texel itself. The texel is found once for a row of such tiles that have the same primitives, and
// stored in long rows, which memory takes faster than the short ones of a tile.
#pragma once

#include "raster/tile/shade/worker_state.h"
#include "runtime/simd/target.h"

namespace etzel::raster {

/// What TileJob::flatFrom is for a job, whether or not it has a plan. What it is for a row of tiles it is for each.
ETZEL_PER_TARGET(uint32_t flatFrom(const TileJob& job);)

/// Runs a job that has flatFrom, and no plan.
ETZEL_PER_TARGET(void runFlat(WorkerState& worker, const TileJob& job);)

}  // namespace etzel::raster
