// Primitive setup ("Rasterization"): screen-space vertices in, binned primitives out. Snaps to 1/256 pixel, builds
// exact edge equations with the top-left rule, and the planes that fragments interpolate. One instance per worker and
// draw; writes only its BinSink.
#pragma once

#include "raster/front/setup/raster_state.h"

namespace etzel::raster {

/// A vertex after the viewport transformation.
struct ScreenVertex {
  float x = 0, y = 0, z = 0, invW = 0;  ///< pixels, depth, 1 / clip w
  int32_t fx = 0, fy = 0;               ///< x and y in 1/256 pixel
  const uint32_t* record = nullptr;
};

/// What all pieces of one primitive have in common.
struct PrimitiveAttributes {
  const uint32_t* flatRecord = nullptr;              ///< the provoking vertex
  const abi::PrimitiveVertices* vertices = nullptr;  ///< set when RasterState::readsVertices is
  uint32_t primitiveId = 0, layer = 0, viewportIndex = 0, viewIndex = 0;
  uint32_t instance = 0;  ///< where RasterState::tellsInstances is set
};

inline constexpr uint32_t kMaxCorners = 20;  ///< of a polygon

/// Stipple position along a line strip, in pixels.
struct StippleState {
  double counter = 0;
};

class SetupStage {
 public:
  SetupStage(const RasterState& state, BinSink& sink) : state_(state), sink_(sink) {}

  /// Twice the signed area, exact, in 1/65536 pixel²; positive is clockwise on the screen (y down).
  static int64_t doubleArea(const ScreenVertex& a, const ScreenVertex& b, const ScreenVertex& c) {
    return int64_t(b.fx - a.fx) * (c.fy - a.fy) - int64_t(c.fx - a.fx) * (b.fy - a.fy);
  }
  /// "Basic Polygon Rasterization": which side the area's sign shows.
  bool isFront(int64_t area) const { return (area > 0) == state_.frontIsClockwise; }
  bool isCulled(bool front) const {
    return state_.draw->cullMode & (front ? VK_CULL_MODE_FRONT_BIT : VK_CULL_MODE_BACK_BIT);
  }

  /// Filled triangle that has survived culling. Zero areas give nothing.
  void triangle(const ScreenVertex& a, const ScreenVertex& b, const ScreenVertex& c, const PrimitiveAttributes& common);
  /// The same when its area (doubleArea, not 0) and the pixels that it may cover (not empty) are known.
  void triangle(const ScreenVertex& a, const ScreenVertex& b, const ScreenVertex& c, const PrimitiveAttributes& common,
                double area, const PixelRect& rect);
  /// A convex polygon of corners (3 to kMaxCorners), of a conservative draw, whole: what its pieces share is
  /// covered once. Corners 0, `last` - 1 and `last` have area, and their attributes are all of the polygon's.
  void conservativePolygon(const ScreenVertex* corner, uint32_t count, uint32_t last,
                           const PrimitiveAttributes& common);
  /// A line of the draw's width and mode; `depthOffset` is the depth bias of a polygon drawn as lines.
  void line(const ScreenVertex& a, const ScreenVertex& b, const PrimitiveAttributes& common, bool front,
            float depthOffset, StippleState* stipple);
  void point(const ScreenVertex& a, const PrimitiveAttributes& common, bool front, float depthOffset);

  /// "Depth Bias": the offset for a polygon with these vertices; 0 without depth bias.
  float depthOffset(const ScreenVertex& a, const ScreenVertex& b, const ScreenVertex& c) const;

 private:
  /// A triangle without its edges.
  BinnedPrimitive* planes(const ScreenVertex& a, const ScreenVertex& b, const ScreenVertex& c,
                          const PrimitiveAttributes& common, double area, const PixelRect& rect);
  BinnedPrimitive* start(const PrimitiveAttributes& common, const PixelRect& rect, bool front);
  /// Sets edges of a convex polygon of corners in 1/256 pixel. \returns false when it is empty.
  bool polygon(BinnedPrimitive* p, const int32_t (*corner)[2], uint32_t count);
  void finish(BinnedPrimitive* p);
  bool bounds(int64_t minX, int64_t minY, int64_t maxX, int64_t maxY, const PixelRect& limit, PixelRect& rect) const;
  void lineAttributes(BinnedPrimitive* p, const ScreenVertex& a, const ScreenVertex& b, float depthOffset);
  void rectangularLine(const ScreenVertex& a, const ScreenVertex& b, const PrimitiveAttributes& common, bool front,
                       float depthOffset, StippleState* stipple);
  void bresenhamLine(const ScreenVertex& a, const ScreenVertex& b, const PrimitiveAttributes& common, bool front,
                     float depthOffset, StippleState* stipple);
  const SmoothRectangle* smoothRectangle(const int32_t (*corner)[2]);
  void smoothLine(const SmoothRectangle& r, const ScreenVertex& a, const ScreenVertex& b,
                  const PrimitiveAttributes& common, bool front, float depthOffset);
  bool stippleOn(int64_t step) const;
  /// The pixels of row y that are covered, in [span.x0, span.x1) before; if none, x0 >= x1 behind.
  void coverRow(const Edge* edge, uint32_t count, Span& span) const;

  const RasterState& state_;
  BinSink& sink_;
  std::vector<Span> spans_;
};

}  // namespace etzel::raster
