// The invocations of a pixel's other samples beside one that is stopped (sample shading): warps apart, which are
// brought to where the stopped one stands when somebody looks at them. Of pixels whose history is recorded, since it is
// the probe that knows the other samples. One thread at a time.
#pragma once

#include <deque>

#include "compiler/debug/group_run.h"
#include "raster/tile/probe/sibling_samples.h"

namespace etzel::icd {

class SiblingWarps {
 public:
  /// Of the fragment kernel that this thread runs.
  SiblingWarps() : pixel_(raster::SiblingSamples::current()) {}

  /// Null: the warp does not hold the recorded pixel.
  const raster::SiblingSamples* pixel() const { return pixel_; }
  /// Whether an invocation that is stopped has siblings.
  bool has(debugger::Thread stopped) const;

  /// Takes in those of an invocation that has stopped; those of an earlier stop are gone.
  void take(debugger::GroupRun& run, debugger::Thread stopped);
  void drop(debugger::GroupRun& run);
  /// A sibling that is looked at stands where the stopped invocation does; others are left alone.
  void look(debugger::GroupRun& run, debugger::Thread t);

  /// The invocation that they are siblings of.
  debugger::Thread stopped() const { return stopped_; }

  struct Sibling {
    uint32_t sample = 0;
    debugger::Thread thread = 0;
    bool brought = false;
    std::vector<LaneWords> sys, out;
    LaneWords share{};
    abi::Warp warp;
  };
  const std::deque<Sibling>& all() const { return all_; }

 private:
  const raster::SiblingSamples* const pixel_;
  debugger::Thread stopped_ = 0;
  std::deque<Sibling> all_;  ///< where they are: runs point to them
};

}  // namespace etzel::icd
