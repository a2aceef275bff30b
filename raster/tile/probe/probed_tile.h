// Runs a tile of a pass with a probe. What is looked at, a block or two in most tiles that have anything, is apart:
// there primitives that want the probe's pixel run by themselves, with a look at the pixel before and after, and
// fragments that somebody watches with kernels that look. All around runs as without a probe.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "raster/attachment/surface.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/probe/cut_primitives.h"
#include "raster/tile/probe/watched_kernel.h"
#include "runtime/base/arena.h"

namespace etzel::raster {

class ProbedTile {
 public:
  using Run = std::function<bool(const TileJob& part)>;
  using SurfaceOf = std::function<Surface(uint32_t attachment)>;
  /// `cut`: memory to work in. `run`: covers, shades and writes some of a job's primitives; false: a kernel was
  /// cancelled. `surfaceOf`: where an attachment is drawn in this tile. \pre the pass has a probe
  ProbedTile(const TileJob& job, CutPrimitives& cut, Run run, SurfaceOf surfaceOf);

  /// \returns false when a kernel was cancelled
  bool run();

 private:
  /// What tells of the pixel: a visit, and a draw whose kernel tells what it gives, made of another.
  struct Told {
    FragmentVisit visit;
    const DrawRecord* of = nullptr;
    DrawRecord record;
    TileDraw tile;
  };

  PixelRect focus() const;
  bool holdsWatched() const;
  bool runFocus(const PixelRect& focus);
  void watch(const TileJob& part);
  const DrawRecord* watched(const DrawRecord& draw, const abi::Kernel* kernel);
  const DrawRecord* told(const DrawRecord& draw);
  bool tell(const TileJob& part);
  bool runClear(const TileJob& part);
  bool runFragment(const BinnedPrimitive& whole, const TileJob& part);
  void read(PixelContents* to) const;

  const TileJob& job_;
  PixelProbe& probe_;
  const PixelRect tile_;
  const bool tells_;  ///< the tile has the probe's pixel
  const std::optional<WatchedPlace> place_;
  const bool isWatched_;  ///< the tile has fragments that somebody watches
  CutPrimitives& cut_;
  Run run_;
  SurfaceOf surfaceOf_;
  WatchedKernels kernels_;
  Arena arena_;
  std::map<const DrawRecord*, std::unique_ptr<DrawRecord>> watched_;
  std::unique_ptr<Told> told_;  ///< in tiles with the pixel
};

}  // namespace etzel::raster
