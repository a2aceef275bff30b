// Input assembly ("Drawing Commands"): turns a draw's vertex or index stream into primitives of vertex indices, for
// every topology, with primitive restart, winding and provoking vertices. Built once per draw on the queue thread,
// then read by any thread.
#pragma once

#include <vector>

#include "raster/draw.h"

namespace etzel::raster {

class Assembly {
 public:
  /// Finds the strips. Cheap, but for primitive restart, which has to read the indices; otherwise these are read from
  /// params.indices later.
  void build(VkPrimitiveTopology topology, bool primitiveRestart, bool provokingVertexLast, uint32_t patchControlPoints,
             const DrawParams& params);

  uint64_t primitiveCount() const { return primitiveCount_; }  ///< per instance
  uint64_t vertexCount() const { return vertexCount_; }        ///< per instance, restart values not counted
  uint32_t verticesPerPrimitive() const { return vertices_; }  ///< adjacent vertices included
  bool hasAdjacency() const;
  /// Whether neighbouring primitives have neighbouring vertices: sequence() tells which without looking for them.
  bool isSequence() const;
  /// True when neighbouring primitives cannot share vertices: nothing to gain from looking for reuse.
  bool verticesAreUnique() const;

  /// Writes the VertexIndex values of primitives [first, first + count), verticesPerPrimitive() each. In a triangle or
  /// line the provoking vertex comes first, or last when provokingVertexLast; winding is kept.
  void primitives(uint64_t first, uint32_t count, uint32_t* vertexIndex) const;

  /// Writes each vertex of primitives [first, first + count) once to `vertex`, in their order, and to `record` for
  /// every corner, as primitives() would have them, which of these vertices it is, counted from `base`. \returns the
  /// number of vertices, at most that of the corners. \pre isSequence()
  uint32_t sequence(uint64_t first, uint32_t count, uint32_t base, uint32_t* vertex, uint32_t* record) const;

  /// The primitive's place in its strip: 0 where a strip begins (line stipple restarts there).
  uint64_t placeInStrip(uint64_t primitive) const;

 private:
  struct Segment {
    uint32_t begin = 0, length = 0;  ///< elements of the stream
    uint64_t firstPrimitive = 0;
  };
  uint64_t primitivesOf(uint32_t length) const;
  /// Elements of the stream that the corners of primitive `i` of a strip or fan are.
  void tuple(const Segment& segment, uint32_t i, uint32_t* element) const;
  const Segment& segmentOf(uint64_t primitive) const;
  void addSegment(uint32_t begin, uint32_t length);
  uint32_t indexAt(uint32_t element) const;
  /// Vertices of elements [begin, begin + count) of the stream.
  void run(uint32_t begin, uint32_t count, uint32_t* vertexIndex) const;

  VkPrimitiveTopology topology_ = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  bool provokingLast_ = false, indexed_ = false, isList_ = false;
  uint32_t vertices_ = 3;
  uint32_t firstVertex_ = 0;  ///< added to elements: firstVertex, or vertexOffset for indexed draws
  uint64_t primitiveCount_ = 0, vertexCount_ = 0;
  DrawParams params_;
  std::vector<uint32_t> indices_;  ///< copied for primitive restart only
  std::vector<Segment> segments_;
};

}  // namespace etzel::raster
