#include "raster/front/warp/records.h"

#include <bit>

#include "runtime/simd/cpu.h"

namespace etzel::raster {

RecordShape RecordShape::make(const abi::ProgramInfo& producer, const abi::ProgramInfo* consumer) {
  RecordShape shape;
  shape.lanes_ = &ETZEL_CHOOSE(kSlotLanes);
  const bool isLast = !consumer || consumer->stage == abi::Stage::Fragment;
  const uint64_t reads = consumer ? consumer->inputLocations : 0;
  uint64_t written = 0b1;  // position
  const bool fixedWords =
      producer.writesPointSize || producer.writesLayer || producer.writesViewportIndex || producer.writesPrimitiveId;
  if (fixedWords) written |= 0b10;
  if (producer.clipDistances + producer.cullDistances > 0) written |= 0b1100;
  if (producer.writesShadingRate) written |= uint64_t(1) << (abi::kWordShadingRate / 4);
  written |= (isLast ? producer.outputLocations & reads : producer.outputLocations) << (abi::kWordGeneric / 4);
  for (const auto& output : producer.xfbOutputs) written |= uint64_t(1) << (output.word / 4);
  // A consumer may read clip distances and locations that the producer does not write.
  uint64_t slots = 0b1111 | written | reads << (abi::kWordGeneric / 4);
  constexpr uint64_t kAll = (uint64_t(1) << (abi::kRecordWords / 4)) - 1;
  written &= kAll;
  slots &= kAll;
  shape.stride_ = 4 * uint32_t(std::bit_width(slots));
  for (uint32_t g = 0; 4 * g < shape.stride_; ++g) {
    // Locations between used ones are never read, but lie in the record: keep them defined.
    if (written >> g & 1)
      shape.slots_.written[shape.slots_.writtenCount++] = uint8_t(g);
    else
      shape.slots_.constant[shape.slots_.constantCount++] = uint8_t(g);
  }
  shape.slots_.defaultPointSize = !producer.writesPointSize;
  return shape;
}

void RecordShape::storeLane(const LaneWords* out, uint32_t lane, uint32_t* destination) const {
  for (uint32_t i = 0; i < slots_.writtenCount; ++i) {
    const uint32_t word = 4 * slots_.written[i];
    for (uint32_t c = 0; c < 4; ++c) destination[word + c] = out[word + c].lane[lane];
  }
  for (uint32_t i = 0; i < slots_.constantCount; ++i)
    simd::store(destination + 4 * slots_.constant[i], constantSlot(slots_.constant[i]));
}

}  // namespace etzel::raster
