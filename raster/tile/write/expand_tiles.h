// DebugFlag::ExpandColor: drawing on expanded tiles only. Tests compare its bytes with those of compressed tiles.
#pragma once

#include "raster/tile/draw/tile_draw.h"

namespace etzel::raster::ETZEL_TARGET {

/// Expands the tiles of the compressed colour attachments where the block at (x, y) is about to be drawn. They stay so
/// until a clear or a copy replaces the whole tile: the block after that starts from these states, as without the flag.
__attribute__((noinline)) inline void expandTiles(const TileDraw& draw, uint32_t layer, int32_t x, int32_t y) {
  for (uint32_t i = 0; i < draw.colorCount; ++i) {
    const msaa::FragmentSurface s = draw.color[i].surface.fragments(layer);
    if (s) s.expand(s.tileOf(static_cast<uint32_t>(x), static_cast<uint32_t>(y)));
  }
}

}  // namespace etzel::raster::ETZEL_TARGET
