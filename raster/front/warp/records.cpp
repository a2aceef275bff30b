#include "raster/front/warp/records.h"

#include <bit>

#include "runtime/simd/vec.h"

namespace etzel::raster {
namespace {

using namespace simd;

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
  for (uint32_t i = 0; i < writtenCount_; ++i) {
    uint32_t* words = out[4 * written_[i]].lane;
    for (uint32_t k = 0; k < 4 * kWarpLanes; k += 4) simd::store(words + k, U32x4{});
  }
  if (defaultPointSize_) {
    for (uint32_t& lane : out[abi::kWordPointSize].lane) lane = std::bit_cast<uint32_t>(1.0f);
  }
}

void RecordShape::store(const LaneWords* out, uint32_t lanes, uint32_t* destination, size_t pitch) const {
  for (uint32_t i = 0; i < writtenCount_; ++i) {
    const LaneWords* source = out + 4 * written_[i];
    float* to = reinterpret_cast<float*>(destination + 4 * written_[i]);
    for (uint32_t half = 0; half < lanes; half += 4) {
      const float* s = reinterpret_cast<const float*>(source) + half;
      F32x4 a = load<F32x4>(s), b = load<F32x4>(s + 8), c = load<F32x4>(s + 16), d = load<F32x4>(s + 24);
      transpose(a, b, c, d);
      float* row = to + size_t(half) * pitch;
      simd::store(row, a);
      if (half + 1 < lanes) simd::store(row += pitch, b);
      if (half + 2 < lanes) simd::store(row += pitch, c);
      if (half + 3 < lanes) simd::store(row += pitch, d);
    }
  }
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
