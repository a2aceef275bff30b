#include "raster/front/warp/records.h"

#include <xmmintrin.h>

#include <bit>

namespace etzel::raster {
namespace {

/// Words 4g to 4g + 3 of a record whose program writes none of them.
__m128 constantGroup(uint32_t g) { return g == abi::kWordPointSize / 4 ? _mm_set_ss(1.0f) : _mm_setzero_ps(); }

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
  written |= (isLast ? producer.outputLocations & reads : producer.outputLocations) << (abi::kWordGeneric / 4);
  for (const auto& output : producer.xfbOutputs) written |= uint64_t(1) << (output.word / 4);
  // A consumer may read clip distances and locations that the producer does not write.
  uint64_t groups = 0b1111 | written | reads << (abi::kWordGeneric / 4);
  constexpr uint64_t kAll = (uint64_t(1) << (abi::kRecordWords / 4)) - 1;
  written &= kAll;
  groups &= kAll;
  shape.stride_ = 4 * uint32_t(std::bit_width(groups));
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
    const __m128 zero = _mm_setzero_ps();
    float* words = reinterpret_cast<float*>(out + 4 * written_[i]);
    for (uint32_t k = 0; k < 4 * kWarpLanes; k += 4) _mm_store_ps(words + k, zero);
  }
  if (defaultPointSize_) {
    for (uint32_t& lane : out[abi::kWordPointSize].lane) lane = std::bit_cast<uint32_t>(1.0f);
  }
}

void RecordShape::store(const LaneWords* out, uint32_t lanes, uint32_t* destination) const {
  for (uint32_t i = 0; i < writtenCount_; ++i) {
    const LaneWords* source = out + 4 * written_[i];
    float* to = reinterpret_cast<float*>(destination + 4 * written_[i]);
    for (uint32_t half = 0; half < lanes; half += 4) {
      const float* s = reinterpret_cast<const float*>(source) + half;
      __m128 a = _mm_load_ps(s), b = _mm_load_ps(s + 8), c = _mm_load_ps(s + 16), d = _mm_load_ps(s + 24);
      _MM_TRANSPOSE4_PS(a, b, c, d);
      float* row = to + size_t(half) * stride_;
      _mm_storeu_ps(row, a);
      if (half + 1 < lanes) _mm_storeu_ps(row += stride_, b);
      if (half + 2 < lanes) _mm_storeu_ps(row += stride_, c);
      if (half + 3 < lanes) _mm_storeu_ps(row += stride_, d);
    }
  }
  for (uint32_t i = 0; i < constantCount_; ++i) {
    float* to = reinterpret_cast<float*>(destination + 4 * constant_[i]);
    const __m128 value = constantGroup(constant_[i]);
    for (uint32_t lane = 0; lane < lanes; ++lane, to += stride_) _mm_storeu_ps(to, value);
  }
}

void RecordShape::storeLane(const LaneWords* out, uint32_t lane, uint32_t* destination) const {
  for (uint32_t i = 0; i < writtenCount_; ++i) {
    const uint32_t word = 4 * written_[i];
    for (uint32_t c = 0; c < 4; ++c) destination[word + c] = out[word + c].lane[lane];
  }
  for (uint32_t i = 0; i < constantCount_; ++i)
    _mm_storeu_ps(reinterpret_cast<float*>(destination + 4 * constant_[i]), constantGroup(constant_[i]));
}

}  // namespace etzel::raster
