// Slots of four words between the kernels' lane-interleaved outputs and records, eight lanes at a time. Any thread.
#pragma once

#include "runtime/base/types.h"
#include "runtime/simd/target.h"

namespace etzel::raster {

/// One target's functions. slots[i] is the number of a slot: words 4 slots[i] to 4 slots[i] + 3 of `out` and of
/// records.
struct SlotLanes {
  /// Zeroes slots of all lanes.
  void (*clear)(LaneWords* out, const uint8_t* slots, uint32_t count);
  /// Copies slots of lanes [0, lanes) to the records at destination, destination + pitch, ...
  void (*store)(const LaneWords* out, const uint8_t* slots, uint32_t count, uint32_t lanes, uint32_t* destination,
                size_t pitch);
};
ETZEL_PER_TARGET(extern const SlotLanes kSlotLanes;)

}  // namespace etzel::raster
