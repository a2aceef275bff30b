// The other samples of a probe's pixel while the fragment kernel runs there: which of them have an invocation of their
// own (sample shading), or share the one that runs, and what those invocations begin with.
#pragma once

#include "raster/pixel_probe.h"
#include "raster/tile/draw/tile_draw.h"

namespace etzel::raster {

class SiblingSamples {
 public:
  /// `warp` runs the kernel of `visit` at the probe's pixel, in `lane`.
  SiblingSamples(const FragmentVisit& visit, const abi::Warp& warp, uint32_t lane, int32_t x, int32_t y);
  ~SiblingSamples();
  SiblingSamples(const SiblingSamples&) = delete;
  SiblingSamples& operator=(const SiblingSamples&) = delete;

  /// Of the kernel that this thread runs now; null: there is no probe, or the warp does not hold its pixel.
  static const SiblingSamples* current();

  uint32_t count() const { return visit_.samples; }  ///< of the pixel
  uint32_t lane() const { return lane_; }
  /// Those that the primitive has shaded here: none of them is cut off, masked, or failed an early test.
  msaa::SampleMask shaded() const { return shaded_; }
  /// Whether each has an invocation of its own; else the one that runs serves them all, or all that would show the
  /// same.
  bool perSample() const {
    const TileDraw& d = *visit_.draw;
    return d.perSample && !d.sharesSamples && d.samplesEach == 1;
  }

  /// Makes a warp, a copy of the one that runs with system values of its own, that of a sample: its lanes, and the
  /// system values that depend on the sample. The lanes of other pixels are covered or helpers as the primitive has it;
  /// what an early test said about them is not asked again.
  void become(uint32_t sample, abi::Warp& warp) const;

 private:
  const FragmentVisit& visit_;
  const abi::Warp& warp_;
  const uint32_t lane_;
  const int32_t x_, y_;
  msaa::SampleMask shaded_ = 0;
  const SiblingSamples* const outer_;
};

}  // namespace etzel::raster
