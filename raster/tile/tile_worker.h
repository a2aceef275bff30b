// Runs tiles: everything that happens to a tile's primitives between the bins and the attachments.
#pragma once

#include <memory>

#include "raster/bin.h"
#include "runtime/simd/cpu.h"

namespace etzel::raster {

/// Runs tiles on one worker; owns that worker's scratch memory.
class TileWorker {
 public:
  virtual ~TileWorker() = default;
  /// Covers, shades and writes all primitives of the tile in order. Adds samplesPassed and fragmentInvocations to each
  /// draw's state.statistics (when non-null) with relaxed atomic adds: other tiles run at the same time.
  /// \returns false when a kernel was cancelled.
  virtual bool run(const TileJob& job) = 0;
  /// To be called after a pass' last tile: does what kernels have put off (runtime/abi/delayed_atomics.h), and tells
  /// them of warps that they have not heard of yet.
  virtual void finish() = 0;
};
std::unique_ptr<TileWorker> makeTileWorker();
/// The same with the code of one target, which the host runs (tests compare them).
std::unique_ptr<TileWorker> makeTileWorkerFor(simd::Target target);

}  // namespace etzel::raster
