// Slots of records, compiled per target.
#include "raster/front/warp/slot_lanes.h"

#include "raster/lanes.h"

namespace etzel::raster::ETZEL_TARGET {
namespace {

void clearSlots(const RecordSlots& slots, LaneWords* out) {
  for (uint32_t i = 0; i < slots.writtenCount; ++i)
    for (uint32_t c = 0; c < 4; ++c) store(out[4 * slots.written[i] + c], U32x8{});
  if (slots.defaultPointSize) store(out[abi::kWordPointSize], splat<F32x8>(1.0f));
}

void storeSlots(const RecordSlots& slots, const LaneWords* out, uint32_t lanes, uint32_t* destination, size_t pitch) {
  for (uint32_t i = 0; i < slots.writtenCount; ++i) {
    const LaneWords* words = out + 4 * slots.written[i];
    const Rows8 columns = {floats(words[0]), floats(words[1]), floats(words[2]), floats(words[3])};
    float* to = reinterpret_cast<float*>(destination + 4 * slots.written[i]);
    if (lanes == kWarpLanes) {
      storeRows(to, pitch, columns);
      continue;
    }
    alignas(32) float rows[4 * kWarpLanes];
    storeRows(rows, 4, columns);
    for (uint32_t lane = 0; lane < lanes; ++lane) store(to + lane * pitch, load<F32x4>(rows + 4 * lane));
  }
  for (uint32_t i = 0; i < slots.constantCount; ++i) {
    float* to = reinterpret_cast<float*>(destination + 4 * slots.constant[i]);
    const F32x4 value = constantSlot(slots.constant[i]);
    if (lanes == kWarpLanes) {
#pragma GCC unroll 8
      for (uint32_t lane = 0; lane < kWarpLanes; ++lane) store(to + lane * pitch, value);
      continue;
    }
    for (uint32_t lane = 0; lane < lanes; ++lane) store(to + lane * pitch, value);
  }
}

}  // namespace

extern const SlotLanes kSlotLanes = {clearSlots, storeSlots};

}  // namespace etzel::raster::ETZEL_TARGET
