// Slots of records, compiled per target.
#include "raster/front/warp/slot_lanes.h"

#include "raster/lanes.h"

namespace etzel::raster::ETZEL_TARGET {
namespace {

void clearSlots(LaneWords* out, const uint8_t* slots, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t c = 0; c < 4; ++c) store(out[4 * slots[i] + c], U32x8{});
}

void storeSlots(const LaneWords* out, const uint8_t* slots, uint32_t count, uint32_t lanes, uint32_t* destination,
                size_t pitch) {
  for (uint32_t i = 0; i < count; ++i) {
    const LaneWords* words = out + 4 * slots[i];
    const Rows8 columns = {floats(words[0]), floats(words[1]), floats(words[2]), floats(words[3])};
    float* to = reinterpret_cast<float*>(destination + 4 * slots[i]);
    if (lanes == kWarpLanes) {
      storeRows(to, pitch, columns);
      continue;
    }
    alignas(32) float rows[4 * kWarpLanes];
    storeRows(rows, 4, columns);
    for (uint32_t lane = 0; lane < lanes; ++lane) store(to + lane * pitch, load<F32x4>(rows + 4 * lane));
  }
}

}  // namespace

extern const SlotLanes kSlotLanes = {clearSlots, storeSlots};

}  // namespace etzel::raster::ETZEL_TARGET
