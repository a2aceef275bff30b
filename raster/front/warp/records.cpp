#include "raster/front/warp/records.h"

#include <bit>

#include "raster/front/warp/slot_lanes.h"
#include "runtime/simd/cpu.h"
#include "runtime/simd/vec.h"

namespace etzel::raster {
namespace {

using namespace simd;

const SlotLanes& slotLanes() { return ETZEL_CHOOSE(kSlotLanes); }

/// A slot of a record whose program writes none of its words.
F32x4 constantSlot(uint32_t slot) { return slot == abi::kWordPointSize / 4 ? F32x4{1.0f} : F32x4{}; }

}  // namespace

RecordShape RecordShape::make(const abi::ProgramInfo& producer, const abi::ProgramInfo* consumer) {
  RecordShape shape;
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
      shape.written_[shape.writtenCount_++] = uint8_t(g);
    else
      shape.constant_[shape.constantCount_++] = uint8_t(g);
  }
  shape.defaultPointSize_ = !producer.writesPointSize;
  return shape;
}

void RecordShape::clear(LaneWords* out) const {
  slotLanes().clear(out, written_, writtenCount_);
  if (defaultPointSize_) simd::store(out[abi::kWordPointSize], splat(1.0f));
}

void RecordShape::store(const LaneWords* out, uint32_t lanes, uint32_t* destination, size_t pitch) const {
  slotLanes().store(out, written_, writtenCount_, lanes, destination, pitch);
  for (uint32_t i = 0; i < constantCount_; ++i) {
    float* to = reinterpret_cast<float*>(destination + 4 * constant_[i]);
    const F32x4 value = constantSlot(constant_[i]);
    for (uint32_t lane = 0; lane < lanes; ++lane, to += pitch) simd::store(to, value);
  }
}

void RecordShape::storeLane(const LaneWords* out, uint32_t lane, uint32_t* destination) const {
  for (uint32_t i = 0; i < writtenCount_; ++i) {
    const uint32_t word = 4 * written_[i];
    for (uint32_t c = 0; c < 4; ++c) destination[word + c] = out[word + c].lane[lane];
  }
  for (uint32_t i = 0; i < constantCount_; ++i) simd::store(destination + 4 * constant_[i], constantSlot(constant_[i]));
}

}  // namespace etzel::raster
