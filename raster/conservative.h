// Conservative rasterization: whole pixels are covered, or not at all, by what the primitive has of their squares
// ("Rasterization", Conservative Rasterization). Edges are moved once, in setup, so that the upper left corner of a
// pixel answers for all of it; tiles then cover as if each pixel had one sample there. Pure functions, any thread.
#pragma once

#include "raster/bin.h"

namespace etzel::raster {

/// VkPhysicalDeviceConservativeRasterizationPropertiesEXT. Beyond the rule itself primitives do not grow: what is
/// rasterized is the primitive with its snapped corners.
inline constexpr float kMaxExtraOverestimation = 8, kExtraOverestimationStep = 1.0f / kSubPixels;  ///< pixels

/// What a draw asks for.
struct PixelRule {
  enum class Covers : uint8_t {
    Samples,  ///< not conservative
    Touched,  ///< overestimation: squares that the primitive reaches, corners included
    Inside,   ///< underestimation: squares that lie inside, and reach none of the primitive's edges
  };
  Covers covers = Covers::Samples;
  int32_t extra = 0;  ///< Touched: how far the primitive grows, both in x and in y, in 1/256 pixel

  bool conservative() const { return covers != Covers::Samples; }
  bool touched() const { return covers == Covers::Touched; }
};

PixelRule pixelRule(const DrawState& state);

/// The edge from (x0, y0) to (x1, y1), in 1/256 pixel, of a clockwise polygon (y down). At a pixel's upper left corner
/// it is >= 0 where the pixel may be covered. A pixel is covered when it may be for all edges, and, if touching is
/// enough, the polygon's bounding box, which has grown by `rule.extra`, reaches it.
/// \pre rule.conservative()
Edge pixelEdge(const PixelRule& rule, int32_t x0, int32_t y0, int32_t x1, int32_t y1);

/// What the value of a Touched edge at that corner must be at least, if the pixel lies inside of the primitive as it
/// was before it grew.
inline int64_t leastInside(const PixelRule& rule, const Edge& e) {
  const int64_t slopes = int64_t{e.a < 0 ? -e.a : e.a} + (e.b < 0 ? -e.b : e.b);
  return (kSubPixels + rule.extra) * slopes + 1;
}

}  // namespace etzel::raster
