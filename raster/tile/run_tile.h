// The tile code, compiled per target with equal results, and what it asks of the worker that runs it.
#pragma once

#include "raster/tile/shade/worker_state.h"
#include "runtime/simd/target.h"

namespace etzel::raster {

/// Covers, tests, shades and writes the primitives of a tile. \returns false when a kernel was cancelled
ETZEL_PER_TARGET(bool runTile(WorkerState& worker, const TileJob& job);)

/// Points the worker at another draw (or none): posts the counters of the last one, makes room for its kernel.
void switchDraw(WorkerState& worker, const DrawRecord* record);

/// Clears `primitive`'s part of the tile.
void runClear(WorkerState& worker, const TileJob& job, const BinnedPrimitive& primitive);

}  // namespace etzel::raster
