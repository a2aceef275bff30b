// Slots of four words between the kernels' lane-interleaved outputs and records, eight lanes at a time. Any thread.
#pragma once

#include "runtime/abi/shader_io.h"
#include "runtime/base/types.h"
#include "runtime/simd/target.h"
#include "runtime/simd/vec.h"

namespace etzel::raster {

/// The slots of a record: slot g is its words 4g to 4g + 3, and those of `out`.
struct RecordSlots {
  uint32_t writtenCount = 0, constantCount = 0;
  uint8_t written[abi::kRecordWords / 4] = {};   ///< slots that the program may write
  uint8_t constant[abi::kRecordWords / 4] = {};  ///< the others of the record: zeros, but for PointSize
  bool defaultPointSize = true;                  ///< the program does not write it
};
/// A slot of a record whose program writes none of its words.
inline simd::F32x4 constantSlot(uint32_t slot) {
  return slot == abi::kWordPointSize / 4 ? simd::F32x4{1.0f} : simd::F32x4{};
}

/// One target's functions, as in RecordShape.
struct SlotLanes {
  void (*clear)(const RecordSlots& slots, LaneWords* out);
  void (*store)(const RecordSlots& slots, const LaneWords* out, uint32_t lanes, uint32_t* destination, size_t pitch);
};
ETZEL_PER_TARGET(extern const SlotLanes kSlotLanes;)

}  // namespace etzel::raster
