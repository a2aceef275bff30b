// The fixed functions between the last vertex stage and the bins: cull distances, clipping, the viewport
// transformation, facing and culling, polygon modes. One instance per worker; begin() per draw.
#pragma once

#include "raster/front/clipper.h"
#include "raster/front/primitive_setup.h"
#include "raster/front/records.h"

namespace etzel::raster {

/// Primitives over a VertexBlock, in API order.
struct PrimitiveList {
  uint32_t verticesPerPrimitive = 3;  ///< 1, 2, 3; before the geometry stage also 4 and 6 (adjacency)
  uint32_t count = 0;
  const uint32_t* vertex = nullptr;         ///< record numbers, verticesPerPrimitive each
  const uint32_t* primitiveId = nullptr;    ///< one each
  const uint8_t* continuesStrip = nullptr;  ///< one each, or null: the line goes on where the one before ended
};

class PrimitiveStage {
 public:
  PrimitiveStage(const RasterState& state, BinSink& sink)
      : state_(state), sink_(sink), setup_(state, sink), clipper_(state, sink) {}

  /// Takes primitives of 1, 2 or 3 vertices of one view to the bins. The records must live until the pass is flushed.
  void run(const VertexBlock& block, const PrimitiveList& list, uint32_t viewIndex, Statistics& statistics);

 private:
  ScreenVertex project(const float* position, const uint32_t* record, uint32_t viewport) const;
  static bool beyondGuardBand(const ScreenVertex& v);
  /// Fills screen_ and codes_ for viewport 0, four vertices at a time.
  void transform(const VertexBlock& block);
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
  std::vector<ScreenVertex> screen_;
  std::vector<uint32_t> codes_;
};

}  // namespace etzel::raster
