// Fragment kernels that tell what they give for one pixel: the ordinary ones, called warp by warp.
#pragma once

#include <map>
#include <memory>

#include "raster/pixel_probe.h"
#include "raster/tile/draw/tile_draw.h"

namespace etzel::raster {

/// Kernels of one worker, for one pixel.
class WatchedKernels {
 public:
  WatchedKernels(int32_t x, int32_t y);
  ~WatchedKernels();

  /// A kernel that gives the same bytes as `kernel`. Lives as long as this.
  const abi::Kernel* of(const abi::Kernel* kernel);

  /// Invocations at the pixel are told to the visit's results from now on; null: to nobody.
  void tell(FragmentVisit* visit) { visit_ = visit; }

 private:
  struct Watched;
  static abi::WarpStatus run(const void* code, abi::Warp* warp);
  int laneOf(const abi::Warp& warp) const;
  uint32_t firstSampleOf(const abi::Warp& warp) const;
  msaa::SampleMask samplesOf(const abi::Warp& warp, uint32_t lane) const;

  const int32_t x_, y_;
  std::map<const abi::Kernel*, std::unique_ptr<Watched>> kernels_;
  FragmentVisit* visit_ = nullptr;
};

}  // namespace etzel::raster
