// Vertex records between stages (runtime/abi/shader_io.h): which words a stage writes and the next one reads, and the
// turn from the kernels' lane-interleaved outputs to one record per vertex. Pure functions, any thread.
#pragma once

#include "runtime/abi/kernel.h"
#include "runtime/base/arena.h"

namespace etzel::raster {

/// An array of records, `stride` words apart.
struct VertexBlock {
  uint32_t* words = nullptr;
  uint32_t stride = 0, count = 0;
  uint32_t* record(uint32_t i) const { return words + size_t(i) * stride; }
};

/// Groups of four words that a record of some stage holds. Group g is words 4g..4g+3.
class RecordShape {
 public:
  /// What `producer` writes, widened by what `consumer` (the next stage, or null) reads and by captured words.
  static RecordShape make(const abi::ProgramInfo& producer, const abi::ProgramInfo* consumer);

  uint32_t stride() const { return stride_; }  ///< words, a multiple of 4
  /// Zeroes the groups of `out` that the program may leave unwritten; PointSize becomes 1.
  void clear(LaneWords* out) const;
  /// Writes the records of lanes [0, lanes) to destination, destination + stride, ...
  void store(const LaneWords* out, uint32_t lanes, uint32_t* destination) const;
  /// The same for a single lane.
  void storeLane(const LaneWords* out, uint32_t lane, uint32_t* destination) const;

 private:
  uint32_t stride_ = abi::kWordGeneric;
  uint32_t groupCount_ = 0;
  uint8_t group_[abi::kRecordWords / 4] = {};
  bool defaultPointSize_ = true;
};

}  // namespace etzel::raster
