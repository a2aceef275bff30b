// A block of 8x8 pixels in its attachments, before it is written.
#pragma once

#include "raster/attachment/surface.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/write/tile_fragments.h"

namespace etzel::raster::ETZEL_TARGET {

/// Where an attachment holds a block.
struct TargetBlock {
  std::byte* texels;  ///< its first pixel, plane 0
  uint64_t edges;     ///< pixels with several fragments
  uint64_t expanded;  ///< all bits of expanded tiles: a wide word, since narrow stores could not be forwarded to copies
};

/// The block at (x, y), some pixels of which are about to be written in all samples.
ETZEL_INLINE TargetBlock targetBlock(const Surface& s, uint32_t layer, int32_t x, int32_t y) {
  TargetBlock b{s.at(static_cast<uint32_t>(x), static_cast<uint32_t>(y), layer, 0), 0, 0};
  if (!s.meta) return b;
  const msaa::FragmentSurface f = s.fragments(layer);
  const uint32_t tile = tileAt(f, x, y);
  switch (msaa::kindOf(f.state(tile))) {
    case msaa::TileKind::Clear: materializeTile(s, layer, tile, x, y); break;
    case msaa::TileKind::General: b.edges = f.edges(tile); break;
    case msaa::TileKind::Expanded: b.expanded = ~uint64_t{0}; break;
    default: break;
  }
  return b;
}

/// Pixels of a General tile that are about to get one fragment.
ETZEL_INLINE void clearEdges(const Surface& s, uint32_t layer, int32_t x, int32_t y, uint64_t pixels) {
  const msaa::FragmentSurface fragments = s.fragments(layer);
  TileFragments f = tileFragments(fragments, tileAt(fragments, x, y));
  f.edges &= ~pixels;
  f.store();
}

/// targetBlock() for `pixels` that are about to be written in all samples: where nothing of them is kept their edges
/// go.
template <bool single>
ETZEL_INLINE TargetBlock replacedBlock(const TileDraw& d, const Surface& s, uint32_t layer, int32_t x, int32_t y,
                                       uint64_t pixels) {
  TargetBlock b = targetBlock(s, layer, x, y);
  if (!single && d.replacesAll && (b.edges & pixels)) {
    clearEdges(s, layer, x, y, pixels);
    b.edges &= ~pixels;
  }
  return b;
}

/// Whether all targets of a block keep fragments; those that are clear get them.
inline bool keepsFragments(const TileDraw& d, uint32_t layer, int32_t x, int32_t y) {
  bool keeps = true;
  for (uint32_t i = 0; i < d.colorCount; ++i) keeps &= !targetBlock(d.color[i].surface, layer, x, y).expanded;
  return keeps;
}

/// All pixels of the block at (x, y) are about to get a new colour: nothing of the old tiles is needed.
inline void forgetTiles(const TileDraw& d, uint32_t layer, int32_t x, int32_t y) {
  for (uint32_t i = 0; i < d.colorCount; ++i) {
    const msaa::FragmentSurface s = d.color[i].surface.fragments(layer);
    s.state(tileAt(s, x, y)) = msaa::makeState(msaa::TileKind::One);
  }
}

}  // namespace etzel::raster::ETZEL_TARGET
