// What setup needs of a draw, derived once: viewports as multiply-adds, pixel rectangles, cull and bias numbers.
// Immutable while tasks run.
#pragma once

#include "raster/conservative.h"
#include "raster/front/bin/bin_sink.h"
#include "raster/sample_locations.h"

namespace etzel::raster {

/// Pixels, max exclusive. Empty when min >= max.
struct PixelRect {
  int32_t minX = 0, minY = 0, maxX = 0, maxY = 0;
};

/// How a box in 1/256 pixel becomes the pixels that it may cover: [(min + low) >> 8, (max + high) >> 8).
struct PixelRounding {
  int32_t lowX = 127, highX = 128, lowY = 127, highY = 128;
};

struct RasterViewport {
  float scaleX = 0, offsetX = 0, scaleY = 0, offsetY = 0, scaleZ = 0, offsetZ = 0;
  float minDepth = 0, maxDepth = 1;  ///< ordered
  PixelRect scissor;                 ///< scissor, render area and attachments
  PixelRect inside;                  ///< `scissor` and the viewport: guard-band triangles end here
};

struct RasterState {
  const DrawRecord* record = nullptr;
  const DrawState* draw = nullptr;
  const abi::ProgramInfo* last = nullptr;  ///< the last stage before rasterization
  TileGrid grid;
  uint32_t recordStride = 0;
  RasterViewport viewport[kMaxViewports];
  uint32_t viewportCount = 1, layers = 1;
  uint32_t clipDistances = 0, cullDistances = 0;
  bool perPrimitiveViewport = false, perPrimitiveLayer = false;
  SamplePositions samples;
  PixelRule pixels;
  PixelRounding rounding;
  bool frontIsClockwise = false;
  bool readsVertices = false;   ///< fragments read barycentric coordinates or per-vertex inputs
  uint64_t linearInputs = 0;    ///< bit g: fragments interpolate record words 4g to 4g + 3 without perspective
  float depthUnorm = 0;         ///< depth bias r of fixed-point formats; 0: depends on the primitive
  bool tellsInstances = false;  ///< primitives know of which instance they are

  /// For a pass with a probe, which is to see what scissors cut off as well: primitives are binned in all of `target`,
  /// and tiles cut them (raster/tile/probe/cut_primitives.h). They know their instances.
  void prepareForProbe(const PixelRect& target);
};

inline constexpr float kMinPointSize = 1.0f, kMaxPointSize = 1024.0f;
/// Screen positions beyond this are clipped, so that edge equations stay exact. Pixels.
inline constexpr float kGuardBand = 32000.0f;
/// Positions beyond this snap to 0: they are clipped before anyone uses the snapped value.
inline constexpr float kSnapLimit = 40000.0f;

RasterState makeRasterState(const DrawRecord& record, const abi::ProgramInfo& last, const TileGrid& grid,
                            const PixelRect& target, uint32_t recordStride);

/// What cuts the primitives of a viewport off, apart from the target. Triangles end at the viewport too, points and
/// lines are clipped by their vertices.
struct ViewportCut {
  PixelRect scissor, viewport;
};
ViewportCut viewportCut(const DrawState& draw, uint32_t index);

/// The pixels that draws may touch: render area and the extents of all attachments.
PixelRect targetRect(const Attachments& attachments);

}  // namespace etzel::raster
