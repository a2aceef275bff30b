// Runs the tile of a probe's pixel: primitives that want the pixel by themselves, with a look at the pixel before and
// after, all others as ever.
#pragma once

#include <functional>

#include "raster/attachment/surface.h"
#include "raster/tile/probe/cut_primitives.h"
#include "raster/tile/probe/watched_kernel.h"

namespace etzel::raster {

class ProbedTile {
 public:
  using Run = std::function<bool(const TileJob& part)>;
  using SurfaceOf = std::function<Surface(uint32_t attachment)>;
  /// `run`: covers, shades and writes some of a job's primitives, of draws whose kernels are kernelOf() theirs.
  /// `surfaceOf`: where an attachment is drawn in this tile.
  ProbedTile(PixelProbe& probe, const Attachments& attachments, Run run, SurfaceOf surfaceOf)
      : probe_(probe),
        attachments_(attachments),
        kernels_(probe.x, probe.y),
        run_(std::move(run)),
        surfaceOf_(std::move(surfaceOf)) {}

  const abi::Kernel* kernelOf(const abi::Kernel* kernel) { return kernels_.of(kernel); }
  /// `cut`: the primitives of `job`, cut. \returns false when a kernel was cancelled
  bool run(const TileJob& job, const TileJob& cut);

 private:
  void read(PixelContents* to) const;
  bool runClear(const TileJob& part);
  bool runFragment(const BinnedPrimitive& whole, const TileJob& part);

  PixelProbe& probe_;
  const Attachments& attachments_;
  WatchedKernels kernels_;
  Run run_;
  SurfaceOf surfaceOf_;
  FragmentVisit visit_;
};

}  // namespace etzel::raster
