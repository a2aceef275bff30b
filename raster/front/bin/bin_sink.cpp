#include "raster/front/bin/bin_sink.h"

#include <algorithm>

namespace etzel::raster {

void binPrimitive(const BinnedPrimitive* p, const TileGrid& grid, BinSink& sink) {
  const int32_t x0 = p->minX / int32_t(kTileSize), x1 = (p->maxX - 1) / int32_t(kTileSize);
  const int32_t y0 = p->minY / int32_t(kTileSize), y1 = (p->maxY - 1) / int32_t(kTileSize);
  const uint32_t base = p->layer * grid.perLayer();
  const uint64_t area = uint64_t(p->maxX - p->minX) * uint64_t(p->maxY - p->minY);
  sink.pixelEstimate += 16 + area / (p->edgeCount == 3 ? 2 : 1);
  if ((x0 == x1 && y0 == y1) || p->kind != PrimitiveKind::Polygon) {
    for (int32_t y = y0; y <= y1; ++y) {
      for (int32_t x = x0; x <= x1; ++x) sink.items.push_back({base + uint32_t(y) * grid.tilesX + uint32_t(x), p});
    }
    return;
  }
  constexpr int64_t kSpan = int64_t(kTileSize) * kSubPixels;
  for (int32_t y = y0; y <= y1; ++y) {
    for (int32_t x = x0; x <= x1; ++x) {
      bool outside = false;
      for (uint32_t e = 0; e < p->edgeCount; ++e) {
        const Edge& edge = p->edge[e];
        // The corner of the tile that lies farthest inside.
        const int64_t cx = x * kSpan + (edge.a > 0 ? kSpan : 0), cy = y * kSpan + (edge.b > 0 ? kSpan : 0);
        outside |= edge.a * cx + edge.b * cy + edge.c < 0;
      }
      if (!outside) sink.items.push_back({base + uint32_t(y) * grid.tilesX + uint32_t(x), p});
    }
  }
}

}  // namespace etzel::raster
