// Vertex records between stages (runtime/abi/shader_io.h): which words a stage writes and the next one reads, and the
// turn from the kernels' lane-interleaved outputs to one record per vertex. Pure functions, any thread.
#pragma once

#include "raster/front/warp/slot_lanes.h"
#include "runtime/abi/kernel.h"
#include "runtime/base/arena.h"

namespace etzel::raster {

/// An array of records, `stride` words apart.
struct VertexBlock {
  uint32_t* words = nullptr;
  uint32_t stride = 0, count = 0;
  bool placed = false;  ///< PrimitiveStage knows where they are on the screen
  uint32_t* record(uint32_t i) const { return words + size_t(i) * stride; }
};

/// The slots of four words that a record of some stage holds. Slot g is words 4g to 4g + 3.
class RecordShape {
 public:
  /// What `consumer` (the next stage; null: nobody) reads of what `producer` writes, and captured words. Stages before
  /// the rasterizer may look at all that is written.
  static RecordShape make(const abi::ProgramInfo& producer, const abi::ProgramInfo* consumer);

  uint32_t stride() const { return stride_; }  ///< words, a multiple of 4
  /// Zeroes the slots of `out` that the program may write some words of; PointSize becomes 1. All other slots have to
  /// be zero, as WarpMemory::prepare() leaves them.
  void clear(LaneWords* out) const { lanes_->clear(slots_, out); }
  /// Writes the records of lanes [0, lanes) to destination, destination + pitch, ...
  void store(const LaneWords* out, uint32_t lanes, uint32_t* destination, size_t pitch) const {
    lanes_->store(slots_, out, lanes, destination, pitch);
  }
  void store(const LaneWords* out, uint32_t lanes, uint32_t* destination) const {
    store(out, lanes, destination, stride_);
  }
  /// The same for a single lane.
  void storeLane(const LaneWords* out, uint32_t lane, uint32_t* destination) const;

 private:
  uint32_t stride_ = abi::kWordGeneric;
  RecordSlots slots_;
  const SlotLanes* lanes_ = nullptr;
};

}  // namespace etzel::raster
