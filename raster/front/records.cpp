#include "raster/front/records.h"

#include <xmmintrin.h>

#include <algorithm>
#include <bit>

namespace etzel::raster {

RecordShape RecordShape::make(const abi::ProgramInfo& producer, const abi::ProgramInfo* consumer) {
  RecordShape shape;
  uint64_t locations = producer.outputLocations;
  if (consumer) locations |= consumer->inputLocations;
  uint64_t groups = 0b11;  // position, and the fixed words
  if (producer.clipDistances + producer.cullDistances > 0) groups |= 0b1100;
  groups |= locations << (abi::kWordGeneric / 4);
  for (const auto& output : producer.xfbOutputs) groups |= uint64_t(1) << (output.word / 4);
  groups &= (uint64_t(1) << (abi::kRecordWords / 4)) - 1;
  const uint32_t last = 63 - std::countl_zero(groups);
  // A consumer may read the clip distances of a producer that writes none: every record has words 0-15.
  groups |= 0b1111;
  shape.stride_ = std::max<uint32_t>(abi::kWordGeneric, 4 * (last + 1));
  for (uint32_t g = 0; g < abi::kRecordWords / 4; ++g) {
    if (groups >> g & 1) shape.group_[shape.groupCount_++] = uint8_t(g);
  }
  shape.defaultPointSize_ = !producer.writesPointSize;
  // Locations between used ones are never read, but lie in the record: keep them defined.
  for (uint32_t g = 0; 4 * g < shape.stride_; ++g) {
    if (!(groups >> g & 1)) shape.group_[shape.groupCount_++] = uint8_t(g);
  }
  return shape;
}

void RecordShape::clear(LaneWords* out) const {
  for (uint32_t i = 0; i < groupCount_; ++i) {
    std::memset(static_cast<void*>(out + 4 * group_[i]), 0, 4 * sizeof(LaneWords));
  }
  if (defaultPointSize_) {
    for (uint32_t& lane : out[abi::kWordPointSize].lane) lane = std::bit_cast<uint32_t>(1.0f);
  }
}

void RecordShape::store(const LaneWords* out, uint32_t lanes, uint32_t* destination) const {
  for (uint32_t i = 0; i < groupCount_; ++i) {
    const LaneWords* source = out + 4 * group_[i];
    uint32_t* to = destination + 4 * group_[i];
    for (uint32_t half = 0; half < lanes; half += 4) {
      const float* s = reinterpret_cast<const float*>(source) + half;
      __m128 a = _mm_load_ps(s), b = _mm_load_ps(s + 8), c = _mm_load_ps(s + 16), d = _mm_load_ps(s + 24);
      _MM_TRANSPOSE4_PS(a, b, c, d);
      const __m128 row[4] = {a, b, c, d};
      for (uint32_t lane = 0; lane < 4 && half + lane < lanes; ++lane) {
        _mm_storeu_ps(reinterpret_cast<float*>(to + size_t(half + lane) * stride_), row[lane]);
      }
    }
  }
}

void RecordShape::storeLane(const LaneWords* out, uint32_t lane, uint32_t* destination) const {
  for (uint32_t i = 0; i < groupCount_; ++i) {
    const uint32_t word = 4 * group_[i];
    for (uint32_t c = 0; c < 4; ++c) destination[word + c] = out[word + c].lane[lane];
  }
}

}  // namespace etzel::raster
