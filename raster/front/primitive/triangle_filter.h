// Eight vertices and eight triangles at a time, where most work on dense meshes ends: the viewport transformation with
// outcodes, and the choice of triangles that are worth a record (none that are clipped away, turned away, without
// area, outside of the rectangle, or between all samples). Results are those of one vertex or triangle at a time, for
// every target. Pure functions, any thread.
#pragma once

#include "raster/front/setup/primitive_setup.h"
#include "raster/front/warp/records.h"
#include "runtime/simd/target.h"

namespace etzel::raster {

/// What deciding about a triangle needs of a vertex.
struct alignas(16) SnappedVertex {
  int32_t x, y;    ///< 1/256 pixel
  uint32_t codes;  ///< ClipCode bits
  uint32_t unused;
};

/// The rest of a vertex on the screen.
struct alignas(16) VertexPlace {
  float x, y, z, invW;  ///< as in ScreenVertex
};

/// Numbers of a draw. Only for viewport 0.
struct FilterState {
  explicit FilterState(const RasterState& state);

  RasterViewport viewport;
  PixelRounding rounding;
  bool depthClip, symmetricDepth;
  bool cullsPositive, cullsNegative;  ///< triangles whose area has that sign
  bool swapsTies;                     ///< the deliberate defect TopLeftRule
  uint32_t sampleCount;
  struct {
    float x, y;  ///< 1/256 pixel
  } sample[16];
};

/// What became of up to eight triangles. Bits and elements: triangles.
struct FilteredTriangles {
  uint32_t whole = 0;          ///< neither rejected by codes nor to be cut
  uint32_t cut = 0;            ///< to be cut
  uint32_t live = 0;           ///< of `whole`: may cover a sample. `area` and the rectangle are valid for these.
  alignas(32) double area[8];  ///< SetupStage::doubleArea, exact
  alignas(32) int32_t minX[8], minY[8], maxX[8], maxY[8];  ///< pixels, max exclusive, never empty
};

/// One target's functions.
struct TriangleFilter {
  /// Projects the vertices of `block`. Both arrays have room for a multiple of 8. Codes are outcode()'s without those
  /// of user clip distances, and kClipGuard.
  void (*transform)(const FilterState& state, const VertexBlock& block, VertexPlace* place, SnappedVertex* snapped);
  /// The same of eight vertices whose positions are words of lanes.
  void (*transformLanes)(const FilterState& state, const LaneWords* position, VertexPlace* place,
                         SnappedVertex* snapped);
  /// Decides about `count` (1 to 8) triangles: three vertex numbers each, in `index`.
  void (*filter)(const FilterState& state, const SnappedVertex* snapped, const uint32_t* index, uint32_t count,
                 FilteredTriangles& result);
};

ETZEL_PER_TARGET(extern const TriangleFilter kTriangleFilter;)
/// For this host.
const TriangleFilter& triangleFilter();

}  // namespace etzel::raster
