#include "raster/front/assemble/assembly.h"

#include <algorithm>
#include <cstring>

#include "runtime/simd/word_runs.h"

namespace etzel::raster {
namespace {

/// Writes base + index for indices [begin, begin + count) of the draw.
template <class T>
void readIndices(const DrawParams& params, uint32_t begin, uint32_t count, uint32_t base, uint32_t* to) {
  const uint64_t available = params.indexBytes / sizeof(T), at = uint64_t(params.first) + begin;
  const uint32_t inside = at < available ? uint32_t(std::min<uint64_t>(count, available - at)) : 0;
  uint32_t i = 0;
  if constexpr (sizeof(T) == 4) {
    using U4 = uint32_t __attribute__((vector_size(16)));
    for (; i + 4 <= inside; i += 4) {
      U4 values;
      std::memcpy(&values, params.indices + (at + i) * sizeof(T), sizeof values);
      values += base;
      std::memcpy(to + i, &values, sizeof values);
    }
  }
  for (; i < inside; ++i) {
    T value;
    std::memcpy(&value, params.indices + (at + i) * sizeof(T), sizeof(T));
    to[i] = base + value;
  }
  std::fill(to + inside, to + count, base);  // robustBufferAccess2: out-of-bounds indices read 0
}

void readIndices(const DrawParams& params, uint32_t begin, uint32_t count, uint32_t base, uint32_t* to) {
  switch (params.indexType) {
    case VK_INDEX_TYPE_UINT8_EXT: return readIndices<uint8_t>(params, begin, count, base, to);
    case VK_INDEX_TYPE_UINT16: return readIndices<uint16_t>(params, begin, count, base, to);
    default: return readIndices<uint32_t>(params, begin, count, base, to);
  }
}

}  // namespace

bool Assembly::hasAdjacency() const {
  return topology_ >= VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY &&
         topology_ <= VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY;
}

bool Assembly::isSequence() const {
  return !indexed_ && topology_ != VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY;
}

bool Assembly::verticesAreUnique() const {
  if (indexed_) return false;
  switch (topology_) {
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN:
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY: return false;
    default: return true;
  }
}

uint64_t Assembly::primitivesOf(uint32_t length) const {
  switch (topology_) {
    case VK_PRIMITIVE_TOPOLOGY_POINT_LIST: return length;
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST: return length / 2;
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP: return length < 2 ? 0 : length - 1;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST: return length / 3;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN: return length < 3 ? 0 : length - 2;
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY: return length / 4;
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY: return length < 4 ? 0 : length - 3;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY: return length / 6;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY: return length < 6 ? 0 : (length - 4) / 2;
    case VK_PRIMITIVE_TOPOLOGY_PATCH_LIST: return length / vertices_;
    default: return 0;
  }
}

void Assembly::addSegment(uint32_t begin, uint32_t length) {
  vertexCount_ += length;
  const uint64_t n = primitivesOf(length);
  if (n == 0) return;
  segments_.push_back({begin, length, primitiveCount_});
  primitiveCount_ += n;
}

void Assembly::build(VkPrimitiveTopology topology, bool primitiveRestart, bool provokingVertexLast,
                     uint32_t patchControlPoints, const DrawParams& params) {
  topology_ = topology;
  provokingLast_ = provokingVertexLast;
  indexed_ = params.indices != nullptr;
  params_ = params;
  primitiveCount_ = vertexCount_ = 0;
  segments_.clear();
  indices_.clear();
  static constexpr uint8_t kVertices[] = {1, 2, 2, 3, 3, 3, 4, 4, 6, 6};
  vertices_ = topology == VK_PRIMITIVE_TOPOLOGY_PATCH_LIST ? std::max(1u, patchControlPoints)
              : uint32_t(topology) < std::size(kVertices)  ? kVertices[topology]
                                                           : 1;
  switch (topology) {
    case VK_PRIMITIVE_TOPOLOGY_POINT_LIST:
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST:
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY:
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY:
    case VK_PRIMITIVE_TOPOLOGY_PATCH_LIST: isList_ = true; break;
    default: isList_ = false; break;
  }
  if (!params.indices) {
    firstVertex_ = params.first;
    addSegment(0, params.count);
    return;
  }
  firstVertex_ = static_cast<uint32_t>(params.vertexOffset);
  if (!primitiveRestart) {
    addSegment(0, params.count);
    return;
  }
  indices_.resize(params.count);
  readIndices(params, 0, params.count, 0, indices_.data());
  const uint32_t greatest = params.indexType == VK_INDEX_TYPE_UINT8_EXT ? 0xFF
                            : params.indexType == VK_INDEX_TYPE_UINT16  ? 0xFFFF
                                                                        : ~0u;
  const uint64_t restart = params.restartIndex == DrawParams::kGreatestIndex ? greatest : params.restartIndex;
  uint32_t begin = 0;
  for (uint32_t i = 0; i < params.count; ++i) {
    if (indices_[i] != restart) continue;
    addSegment(begin, i - begin);
    begin = i + 1;
  }
  addSegment(begin, params.count - begin);
}

const Assembly::Segment& Assembly::segmentOf(uint64_t primitive) const {
  auto after = std::upper_bound(segments_.begin(), segments_.end(), primitive,
                                [](uint64_t p, const Segment& s) { return p < s.firstPrimitive; });
  return *(after - 1);
}

uint64_t Assembly::placeInStrip(uint64_t primitive) const {
  return topology_ == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP || topology_ == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY
             ? primitive - segmentOf(primitive).firstPrimitive
             : 0;
}

// "Primitive Topologies": vertex numbers as the chapter's formulas give them; for the last-vertex convention the same
// triangles, turned so that the provoking vertex comes last (VK_EXT_provoking_vertex). Lists are their callers' own.
void Assembly::tuple(const Segment& segment, uint32_t i, uint32_t* e) const {
  const uint32_t odd = i & 1;
  switch (topology_) {
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
      for (uint32_t k = 0; k < vertices_; ++k) e[k] = i + k;
      return;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
      e[0] = i + (provokingLast_ ? odd : 0);
      e[1] = i + 1 + (provokingLast_ ? 0 - odd : odd);
      e[2] = i + 2 - (provokingLast_ ? 0 : odd);
      return;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN:
      if (provokingLast_) {
        e[0] = 0;
        e[1] = i + 1;
        e[2] = i + 2;
      } else {
        e[0] = i + 1;
        e[1] = i + 2;
        e[2] = 0;
      }
      return;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY: {
      const uint32_t last = uint32_t(primitivesOf(segment.length)) - 1, v = 2 * i;
      const uint32_t before = i == 0 ? 1 : v - 2;        // next to the edge shared with the triangle before
      const uint32_t ahead = i == last ? v + 5 : v + 6;  // next to the edge shared with the triangle after
      if (!odd) {
        const uint32_t t[6] = {v, before, v + 2, ahead, v + 4, v + 3};
        std::copy(t, t + 6, e);
      } else if (!provokingLast_) {
        const uint32_t t[6] = {v, v + 3, v + 4, ahead, v + 2, before};
        std::copy(t, t + 6, e);
      } else {
        const uint32_t t[6] = {v + 2, before, v, v + 3, v + 4, ahead};
        std::copy(t, t + 6, e);
      }
      return;
    }
    default: std::fill(e, e + vertices_, 0u); return;
  }
}

void Assembly::run(uint32_t begin, uint32_t count, uint32_t* vertexIndex) const {
  if (!indexed_) {
    simd::countUp(vertexIndex, firstVertex_ + begin, count);
  } else if (indices_.empty()) {
    readIndices(params_, begin, count, firstVertex_, vertexIndex);
  } else {
    for (uint32_t i = 0; i < count; ++i) vertexIndex[i] = firstVertex_ + indices_[begin + i];
  }
}

uint32_t Assembly::sequence(uint64_t first, uint32_t count, uint32_t base, uint32_t* vertex, uint32_t* record) const {
  const auto i = uint32_t(first);  // the stream is one segment
  if (count == 0) return 0;
  if (isList_) {
    simd::countUp(vertex, firstVertex_ + i * vertices_, count * vertices_);
    simd::countUp(record, base, count * vertices_);
    return count * vertices_;
  }
  // Primitive i begins with element i, but for a fan's first one. No vertices before that are written.
  const bool isFan = topology_ == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
  const uint32_t used = count - 1 + vertices_;
  simd::countUp(vertex, firstVertex_ + i, used);
  if (isFan) vertex[0] = firstVertex_;

  const Segment& segment = segments_.front();
  const auto one = [&](uint32_t p) {
    uint32_t* to = record + size_t(p) * vertices_;
    tuple(segment, i + p, to);
    for (uint32_t k = 0; k < vertices_; ++k) to[k] = base + (to[k] > i ? to[k] - i : 0);
  };
  uint32_t p = 0;
  for (const uint32_t some = std::min(count, 8u); p < some; ++p) one(p);
  // From here on corners are as far from those of four primitives before as these are from those of four before them.
  using simd::U32x4;
  const uint32_t four = 4 * vertices_;
  for (; p + 4 <= count; p += 4) {
    uint32_t* to = record + size_t(p) * vertices_;
    for (uint32_t k = 0; k < four; k += 4) {
      const U32x4 last = simd::load<U32x4>(to + k - four);
      simd::store(to + k, last + (last - simd::load<U32x4>(to + k - 2 * four)));
    }
  }
  for (; p < count; ++p) one(p);
  return used;
}

void Assembly::primitives(uint64_t first, uint32_t count, uint32_t* vertexIndex) const {
  if (count == 0) return;
  const Segment* segment = &segmentOf(first);
  const Segment* last = segments_.data() + segments_.size() - 1;
  while (count) {
    const uint64_t end = segment == last ? primitiveCount_ : segment[1].firstPrimitive;
    uint32_t i = uint32_t(first - segment->firstPrimitive), n = uint32_t(std::min<uint64_t>(count, end - first));
    first += n;
    count -= n;
    if (isList_) {
      run(segment->begin + i * vertices_, n * vertices_, vertexIndex);
      vertexIndex += size_t(n) * vertices_;
    } else if (topology_ == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP) {
      // Each element is read once.
      uint32_t element[128 + 2];
      while (n) {
        const uint32_t chunk = std::min(n, 128u);
        run(segment->begin + i, chunk + 2, element);
        for (uint32_t p = 0; p < chunk; ++p, vertexIndex += 3) {
          tuple(*segment, i + p, vertexIndex);
          for (uint32_t k = 0; k < 3; ++k) vertexIndex[k] = element[vertexIndex[k] - i];
        }
        i += chunk, n -= chunk;
      }
    } else {
      for (; n; --n, ++i, vertexIndex += vertices_) {
        tuple(*segment, i, vertexIndex);
        for (uint32_t k = 0; k < vertices_; ++k) run(segment->begin + vertexIndex[k], 1, vertexIndex + k);
      }
    }
    ++segment;
  }
}

}  // namespace etzel::raster
