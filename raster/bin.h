// The hand-over inside the rasterizer: raster/front/ makes binned primitives, raster/tile/ covers and shades them.
// Setup builds bins; tiles consume them.
//
// A render pass keeps DrawRecords and BinnedPrimitives in arenas until flush(); a tile is a list of primitives in API
// order, each knows its draw. One worker owns a tile (all its pixels and samples of one layer) at a time, so
// attachments need no locks.
//
// Coordinates: framebuffer pixels, absolute, y down; sub-pixel positions in 1/256 pixel ("24.8"). Sample positions are
// multiples of 1/256 pixel too: the sample s of pixel (px, py) lies at (256 * px + sx, 256 * py + sy).
#pragma once

#include "raster/draw.h"
#include "raster/smooth_line.h"

namespace etzel::raster {

inline constexpr uint32_t kTileSize = 64;  ///< pixels, both ways
inline constexpr int32_t kSubPixels = 256;

struct TileDraw;  ///< raster/tile/draw/tile_draw.h: what tiles derive from a DrawState once per draw

/// A draw that waits for its tiles. Immutable after prepareDraw().
struct DrawRecord {
  TileDraw* tile = nullptr;  ///< set by prepareDraw(), lives in the pass' arena; draws that are alike share one
  /// With the attachments of begin(). A draw that was prepared like the one before has version, context, statistics and
  /// countSamples only: nothing else here is asked for after prepareDraw().
  DrawState state;
};

/// One half plane: a sample at (x, y), in 1/256 pixel, is inside when a * x + b * y + c >= 0 (exact in 64 bits). The
/// top-left rule is folded into c. |a|, |b| < 2^26. E(px, py) at a fixed sample position grows by 256 * a per pixel
/// to the right and 256 * b per pixel down, so (a * px + b * py + floor(c' / 256) >= 0) is the same test with
/// c' = c + a * sx + b * sy.
struct Edge {
  int32_t a = 0, b = 0;
  int64_t c = 0;
};

/// Pixels [x0, x1) of row y, all their samples covered.
struct Span {
  int32_t y = 0, x0 = 0, x1 = 0;
  int32_t fullX0 = 0, fullX1 = 0;  ///< of conservative draws: those of them that lie inside of the primitive
};

/// A clear of a rectangle, in order with the draws around it. Only this tile's layer.
struct ClearRecord {
  uint32_t color = ~0u;  ///< attachment index, ~0u: depth-stencil
  VkImageAspectFlags aspects = 0;
  VkClearValue value{};
  int32_t clearColor = -1;  ///< reserveClearColor() of the layer
  bool isLoad = false;      ///< a load operation, for who looks at it
};

enum class PrimitiveKind : uint8_t {
  Polygon,  ///< convex, `edgeCount` edges: triangles, rectangular lines, points
  Spans,    ///< a list of pixels, all samples of them: Bresenham and smooth lines, and clipped polygons of conservative
            ///< draws
  Clear,    ///< fills bbox; only `clear`, bbox and layer are valid
};

/// A primitive ready for tiles. Lives in an arena of the pass until flush() ends. Triangles, which are most primitives,
/// leave what follows their edges unwritten, and so fill three cache lines.
struct alignas(64) BinnedPrimitive {
  abi::PrimitiveSetup setup;  ///< for the fragment kernel
  /// Depth before clamping, with depth bias: z = z0 + (x - setup.x0) * dzdx + (y - setup.y0) * dzdy, in pixels, float,
  /// each operation rounded, in this order: ((x - x0) * dzdx + z0) + (y - y0) * dzdy.
  float z0 = 0, dzdx = 0, dzdy = 0;
  float minDepth = 0, maxDepth = 1;                ///< of the viewport, min <= max; depthClamp clamps to it
  int32_t minX = 0, minY = 0, maxX = 0, maxY = 0;  ///< pixels, max exclusive; inside scissor, render area, attachments
  uint32_t primitiveId = 0, layer = 0;             ///< `layer` is also the attachment layer
  PrimitiveKind kind = PrimitiveKind::Polygon;
  uint8_t edgeCount = 0;
  bool isPoint = false;  ///< PointCoord is valid
  bool isLine = false;
  const DrawRecord* draw = nullptr;
  uint32_t viewportIndex = 0, viewIndex = 0;
  Edge edge[4];                        ///< first edgeCount; a covered sample is inside all of them and in bbox
  const ClearRecord* clear = nullptr;  ///< of a clear
  const Span* spans = nullptr;         ///< of PrimitiveKind::Spans
  uint32_t spanCount = 0;
  float pointX = 0, pointY = 0, pointInvSize = 0;  ///< PointCoord = 0.5 + (fragment x - pointX) * pointInvSize, y alike
  const SmoothRectangle* smooth = nullptr;  ///< of a line: what alpha is multiplied by the parts of; null: nothing
  uint32_t instance = 0;  ///< gl_InstanceIndex of its vertices; written where RasterState::tellsInstances is set
};
static_assert(offsetof(BinnedPrimitive, edge[3]) == 192);

struct TilePlan;  ///< raster/attachment/tile_memory.h

/// One tile of one layer.
struct TileJob {
  int32_t x = 0, y = 0;  ///< pixels, multiples of kTileSize
  uint32_t layer = 0;
  const Attachments* attachments = nullptr;
  const BinnedPrimitive* const* primitives = nullptr;  ///< API order
  uint32_t count = 0;
  const TilePlan* plan = nullptr;  ///< null: draws go to the attachments' memory, and resolves are not the tiles' work
  uint32_t across = 1;  ///< neighbouring tiles that the job is, more than one where all it does is filling rectangles
  /// Where the job leaves one texel in all that it draws (raster/tile/flat_tile.h): the first primitive that can be
  /// seen of the attachment.
  uint32_t flatFrom = kNotFlat;
  static constexpr uint32_t kNotFlat = ~0u;
};

}  // namespace etzel::raster
