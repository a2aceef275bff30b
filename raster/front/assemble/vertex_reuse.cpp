#include "raster/front/assemble/vertex_reuse.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "runtime/simd/vec.h"

namespace etzel::raster {
namespace {

constexpr uint16_t kNone = 0xFFFF;
static_assert(kMaxReusedVertices <= kNone);

/// The smallest and the largest of `count` > 0 numbers.
std::pair<uint32_t, uint32_t> rangeOf(const uint32_t* vertex, uint32_t count) {
  using simd::I32x4;  // signed: the baseline compares no others
  uint32_t low = vertex[0], high = vertex[0], i = 0;
  if (count >= 4) {
    I32x4 least = simd::splat<I32x4>(INT32_MAX), most = ~least;
    for (; i + 4 <= count; i += 4) {
      const I32x4 v = simd::load<I32x4>(vertex + i) ^ INT32_MIN;
      least = simd::minimum(v, least);
      most = simd::maximum(v, most);
    }
    for (uint32_t k = 0; k < 4; ++k) {
      low = std::min(low, uint32_t(least[k]) ^ 1u << 31);
      high = std::max(high, uint32_t(most[k]) ^ 1u << 31);
    }
  }
  for (; i < count; ++i) low = std::min(low, vertex[i]), high = std::max(high, vertex[i]);
  return {low, high};
}

}  // namespace

void VertexReuse::add(const uint32_t* vertex, uint32_t count, uint32_t* unique, uint32_t* record) {
  if (count == 0) return;
  const auto [low, high] = rangeOf(vertex, count);
  // Meshes are mostly numbered in the order of their triangles: a table of the numbers between stays small.
  if (high - low < 8 * count)
    addDense(vertex, count, low, high - low + 1, unique, record);
  else
    addSparse(vertex, count, unique, record);
}

void VertexReuse::addDense(const uint32_t* vertex, uint32_t count, uint32_t low, uint32_t range, uint32_t* unique,
                           uint32_t* record) {
  if (byVertex_.size() < range) byVertex_.resize(range);
  uint16_t* const table = byVertex_.data();
  std::fill(table, table + range, kNone);
  uint32_t next = count_;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t v = vertex[i], at = v - low;
    const uint32_t known = table[at];
    const bool isNew = known == kNone;
    unique[next] = v;  // kept when new; what is overwritten has been read
    const uint32_t number = isNew ? next : known;
    table[at] = uint16_t(number);
    record[i] = number;
    next += isNew;
  }
  count_ = next;
}

void VertexReuse::addSparse(const uint32_t* vertex, uint32_t count, uint32_t* unique, uint32_t* record) {
  const uint32_t size = std::bit_ceil(std::max(64u, 2 * count)), mask = size - 1;
  if (slots_.size() < size) {
    slots_.assign(size, {});
    stamp_ = 0;
  }
  if (++stamp_ == 0) {
    std::fill(slots_.begin(), slots_.end(), Slot{});
    stamp_ = 1;
  }
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t v = vertex[i];
    uint32_t at = v * 0x9E3779B1u >> 7 & mask;
    while (slots_[at].stamp == stamp_ && slots_[at].vertex != v) at = (at + 1) & mask;
    if (slots_[at].stamp != stamp_) {
      slots_[at] = {stamp_, v, count_};
      unique[count_++] = v;
    }
    record[i] = slots_[at].record;
  }
}

}  // namespace etzel::raster
