// Shades and writes blocks that have passed all tests: chooses the way.
#pragma once

#include "raster/lanes.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/block/pixel_group.h"
#include "raster/tile/block/sample_set.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/shade/primitive_context.h"
#include "raster/tile/shade/shade_alike.h"
#include "raster/tile/shade/shade_edges.h"
#include "raster/tile/shade/shade_fragments.h"
#include "raster/tile/shade/shade_group.h"
#include "raster/tile/shade/worker_state.h"
#include "raster/tile/write/target_block.h"
#include "raster/tile/write/tile_fragments.h"

namespace etzel::raster::ETZEL_TARGET {

/// The groups with such pixels, for draws and blocks of any kind.
__attribute__((noinline)) inline void shadeMixed(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y,
                                                 const BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  for (uint32_t left = block.mixed; left && !w.cancelled; left &= left - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(left));
    LaneMask lanes[kMaxSamples];
    block.load(group, d.samples, lanes);
    shadeSamples<Mode::Multi>(w, p, groupOf(p, x, y, group), lanes, lanes, 0, d.samples);
  }
}

/// Shades and writes a block that has passed all tests.
ETZEL_INLINE void shadeCovered(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, const BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  if (!block.mixed) {
    if (block.alike) shadeAlike<false>(w, p, x, y, block.alike);
    return;
  }
  if (isPlainBlock(p, x, y)) {
    const Surface& s = d.color[0].surface;
    const uint32_t layer = p.primitive->layer;
    const msaa::FragmentSurface fragments = s.fragments(layer);
    const uint32_t tile = tileAt(fragments, x, y);
    const msaa::TileKind kind = msaa::kindOf(fragments.state(tile));
    if (kind == msaa::TileKind::Clear) materializeTile(s, layer, tile, x, y);
    if (kind != msaa::TileKind::Expanded) {
      switch (d.samples) {
        case 2: return shadeEdges<2>(w, p, x, y, block, tile);
        case 4: return shadeEdges<4>(w, p, x, y, block, tile);
        case 8: return shadeEdges<8>(w, p, x, y, block, tile);
        default: return shadeEdges<16>(w, p, x, y, block, tile);
      }
    }
  }
  if (d.plainColors && d.colorCount <= kMaxBlockTargets && isWholeBlock(d, x, y) &&
      keepsFragments(d, p.primitive->layer, x, y)) {
    switch (d.samples) {
      case 2: return shadeFragments<2>(w, p, x, y, block);
      case 4: return shadeFragments<4>(w, p, x, y, block);
      case 8: return shadeFragments<8>(w, p, x, y, block);
      default: return shadeFragments<16>(w, p, x, y, block);
    }
  }
  if (block.alike) shadeAlike<false>(w, p, x, y, block.alike);
  if (!w.cancelled) shadeMixed(w, p, x, y, block);
}

}  // namespace etzel::raster::ETZEL_TARGET
