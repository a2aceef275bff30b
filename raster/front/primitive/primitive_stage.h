// The fixed functions between the last vertex stage and the bins: cull distances, clipping, the viewport
// transformation, facing and culling, polygon modes. One instance per worker and draw.
#pragma once

#include "raster/front/clip/clipper.h"
#include "raster/front/primitive/triangle_filter.h"
#include "raster/front/setup/primitive_setup.h"
#include "raster/front/warp/records.h"

namespace etzel::raster {

/// Primitives over a VertexBlock, in API order.
struct PrimitiveList {
  uint32_t verticesPerPrimitive = 3;  ///< 1, 2, 3; before the geometry stage also 4 and 6 (adjacency)
  uint32_t count = 0;
  const uint32_t* vertex = nullptr;         ///< record numbers, verticesPerPrimitive each
  const uint32_t* primitiveId = nullptr;    ///< one each
  const uint32_t* instance = nullptr;       ///< one each (gl_InstanceIndex), where RasterState::tellsInstances is set
  const uint8_t* continuesStrip = nullptr;  ///< one each, or null: the line goes on where the one before ended
};

class PrimitiveStage {
 public:
  PrimitiveStage(const RasterState& state, BinSink& sink)
      : state_(state),
        sink_(sink),
        setup_(state, sink),
        clipper_(state, sink),
        filter_(triangleFilter()),
        filterState_(state) {}

  /// Gets ready for the positions of `count` vertices, which placeEight() is given before run().
  void beginPlaces(uint32_t count);
  /// Vertices `first` to first + 7, a multiple of 8, have their positions in four words of lanes.
  void placeEight(uint32_t first, const LaneWords* position) {
    filter_.transformLanes(filterState_, position, &place_[first], &snapped_[first]);
  }
  /// Takes primitives of 1, 2 or 3 vertices of one view to the bins. The records must live until the pass is flushed.
  void run(const VertexBlock& block, const PrimitiveList& list, uint32_t viewIndex, Statistics& statistics);

 private:
  ScreenVertex project(const float* position, const uint32_t* record, uint32_t viewport) const;
  static bool beyondGuardBand(const ScreenVertex& v);
  /// Fills place_ and snapped_, for viewport 0; of blocks that are placed, codes that are not of the position.
  void transform(const VertexBlock& block);
  /// A vertex of the block that was transformed last.
  ScreenVertex screenVertex(uint32_t i) const {
    const VertexPlace& p = place_[i];
    return {p.x, p.y, p.z, p.invW, snapped_[i].x, snapped_[i].y, vertices_->record(i)};
  }
  /// Filled triangles of one viewport and layer, whose attributes only interpolation reads: most draws.
  void runTriangles(const PrimitiveList& list, uint32_t viewIndex, Statistics& statistics);
  /// Primitive `i` of the list, whatever it is.
  void runOne(const PrimitiveList& list, uint32_t i, uint32_t viewIndex, Statistics& statistics);
  /// `common` for what is rasterized between three corners, whose barycentric coordinates (kBarycentricWords each) go
  /// along where fragments read them.
  PrimitiveAttributes piece(const PrimitiveAttributes& common, const float* corner0, const float* corner1,
                            const float* corner2);
  /// Vertex `corner` of the primitive, which is `v`.
  void pointPrimitive(const ScreenVertex& v, uint32_t corner, uint32_t codes, const PrimitiveAttributes& common,
                      bool front, float depthOffset);
  /// From v[corner0] to v[corner1].
  void linePrimitive(const ScreenVertex* v, uint32_t corner0, uint32_t corner1, uint32_t codes,
                     const PrimitiveAttributes& common, bool front, float depthOffset, StippleState* stipple);
  bool trianglePrimitive(const ScreenVertex* v, const uint32_t* code, uint32_t codes,
                         const PrimitiveAttributes& common);
  bool cullDistanceRejects(const ScreenVertex* v, uint32_t count) const;

  const RasterState& state_;
  BinSink& sink_;
  const uint32_t* original_[3] = {};  ///< records of the primitive in work
  SetupStage setup_;
  Clipper clipper_;
  StippleState stipple_;
  const TriangleFilter& filter_;
  const FilterState filterState_;
  const VertexBlock* vertices_ = nullptr;  ///< of the run in progress
  std::vector<VertexPlace> place_;
  std::vector<SnappedVertex> snapped_;
};

}  // namespace etzel::raster
