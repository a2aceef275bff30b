#include "raster/front/assembly.h"

#include <algorithm>
#include <cstring>

namespace etzel::raster {
namespace {

template <class T>
void readIndices(const DrawParams& params, std::vector<uint32_t>& indices) {
  const uint64_t available = params.indexBytes / sizeof(T);
  indices.resize(params.count);
  for (uint32_t i = 0; i < params.count; ++i) {
    const uint64_t at = uint64_t(params.first) + i;
    T value = 0;  // robustBufferAccess2: out-of-bounds indices read 0
    if (at < available) std::memcpy(&value, params.indices + at * sizeof(T), sizeof(T));
    indices[i] = value;
  }
}

}  // namespace

bool Assembly::hasAdjacency() const {
  return topology_ >= VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY &&
         topology_ <= VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY;
}

bool Assembly::verticesAreUnique() const {
  if (indexed_) return false;
  switch (topology_) {
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN:
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY:
      return false;
    default:
      return true;
  }
}

uint64_t Assembly::primitivesOf(uint32_t length) const {
  switch (topology_) {
    case VK_PRIMITIVE_TOPOLOGY_POINT_LIST:
      return length;
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
      return length / 2;
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
      return length < 2 ? 0 : length - 1;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST:
      return length / 3;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN:
      return length < 3 ? 0 : length - 2;
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY:
      return length / 4;
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
      return length < 4 ? 0 : length - 3;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY:
      return length / 6;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY:
      return length < 6 ? 0 : (length - 4) / 2;
    case VK_PRIMITIVE_TOPOLOGY_PATCH_LIST:
      return length / vertices_;
    default:
      return 0;
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
  primitiveCount_ = vertexCount_ = 0;
  segments_.clear();
  indices_.clear();
  static constexpr uint8_t kVertices[] = {1, 2, 2, 3, 3, 3, 4, 4, 6, 6};
  vertices_ = topology == VK_PRIMITIVE_TOPOLOGY_PATCH_LIST ? std::max(1u, patchControlPoints)
              : uint32_t(topology) < std::size(kVertices)  ? kVertices[topology]
                                                           : 1;
  if (!params.indices) {
    firstVertex_ = params.first;
    addSegment(0, params.count);
    return;
  }
  firstVertex_ = static_cast<uint32_t>(params.vertexOffset);
  uint32_t restart = ~0u;
  switch (params.indexType) {
    case VK_INDEX_TYPE_UINT8_EXT:
      readIndices<uint8_t>(params, indices_);
      restart = 0xFF;
      break;
    case VK_INDEX_TYPE_UINT16:
      readIndices<uint16_t>(params, indices_);
      restart = 0xFFFF;
      break;
    default:
      readIndices<uint32_t>(params, indices_);
      break;
  }
  if (!primitiveRestart) {
    addSegment(0, params.count);
    return;
  }
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
// triangles, turned so that the provoking vertex comes last (VK_EXT_provoking_vertex).
void Assembly::tuple(const Segment& segment, uint32_t i, uint32_t* e) const {
  const uint32_t odd = i & 1;
  switch (topology_) {
    case VK_PRIMITIVE_TOPOLOGY_POINT_LIST:
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST:
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY:
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY:
    case VK_PRIMITIVE_TOPOLOGY_PATCH_LIST:
      for (uint32_t k = 0; k < vertices_; ++k) e[k] = i * vertices_ + k;
      return;
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
      for (uint32_t k = 0; k < vertices_; ++k) e[k] = i + k;
      return;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
      if (provokingLast_) {
        e[0] = i + odd;
        e[1] = i + 1 - odd;
        e[2] = i + 2;
      } else {
        e[0] = i;
        e[1] = i + 1 + odd;
        e[2] = i + 2 - odd;
      }
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
    default:
      std::fill(e, e + vertices_, 0u);
      return;
  }
}

void Assembly::primitives(uint64_t first, uint32_t count, uint32_t* vertexIndex) const {
  if (count == 0) return;
  const Segment* segment = &segmentOf(first);
  const Segment* end = segments_.data() + segments_.size();
  for (uint32_t p = 0; p < count; ++p, vertexIndex += vertices_) {
    const uint64_t primitive = first + p;
    while (segment + 1 < end && primitive >= segment[1].firstPrimitive) ++segment;
    tuple(*segment, uint32_t(primitive - segment->firstPrimitive), vertexIndex);
    for (uint32_t k = 0; k < vertices_; ++k) {
      const uint32_t element = segment->begin + vertexIndex[k];
      vertexIndex[k] = firstVertex_ + (indexed_ ? indices_[element] : element);
    }
  }
}

}  // namespace etzel::raster
