// Colour output of a 4x2 group to compressed multisampled attachments: turns covered samples into fragments.
#pragma once

#include "raster/sample_locations.h"
#include "raster/tile/block/pixel_group.h"
#include "raster/tile/block/sample_set.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/write/color_write.h"
#include "raster/tile/write/fragment_places.h"
#include "raster/tile/write/tile_fragments.h"

namespace etzel::raster::ETZEL_TARGET {

/// The planes that the covered samples of a group go to.
template <uint32_t samples>
inline uint32_t choosePlanes(TileFragments& f, const ColorTarget& t, const PixelGroup& g, uint32_t group,
                             const LaneMask* coverage, LaneMask any, LaneMask* planes) {
  const SampleSet<samples> covered = SampleSet<samples>::ofGroup(coverage, group);
  uint64_t pixels[samples];
  uint32_t count;
  if (t.reads) {
    PixelGroup block = g;
    block.x &= ~(kBlock - 1), block.y &= ~(kBlock - 1);
    count = isolateFragments<samples>(f, t.surface, block, covered, pixels);
  } else {
    count = allocateFragments<samples>(f, covered, uint64_t{any} << group * 8, pixels);
  }
  for (uint32_t k = 0; k < count; ++k) planes[k] = static_cast<LaneMask>(pixels[k] >> group * 8 & 255);
  return count;
}

/// What writeTarget does for a surface whose samples are separate planes, for a compressed one. `perSample`: the draw
/// shades every sample by itself.
inline void writeFragments(const ColorTarget& t, const PixelGroup& g, const LaneMask* coverage, uint32_t first,
                           uint32_t end, bool perSample, const LaneWords* source, const LaneWords* second) {
  const Surface& s = t.surface;
  end = end < s.samples ? end : s.samples;
  if (first >= end) return;
  const msaa::FragmentSurface fragments = s.fragments(g.layer);
  const uint32_t tile = tileAt(fragments, g.x, g.y), group = static_cast<uint32_t>(g.y >> 1 & 3) * 2 + (g.x >> 2 & 1);
  const uint8_t state = fragments.state(tile);
  // Shading per sample makes most samples differ; tiles that only see it stay expanded.
  if (perSample) s.fragments(g.layer).expand(tile);
  if (perSample || msaa::kindOf(state) == msaa::TileKind::Expanded)
    return writeTarget(t, g, coverage, first, end, source, second);
  if (msaa::kindOf(state) == msaa::TileKind::Clear) materializeTile(s, g.layer, tile, g.x, g.y);

  LaneMask all[kMaxSamples];
  LaneMask any = 0, full = kAllLanes;
  for (uint32_t k = 0; k < s.samples; ++k) {
    all[k] = k >= first && k < end ? coverage[k] : 0;
    any |= all[k], full &= all[k];
  }
  if (!any) return;
  TileFragments f = tileFragments(fragments, tile);
  const LaneMask edges = f.edgesOf(group);
  if (any == full && (!(edges & any) || !t.reads)) {
    f.setEdges(group, edges & ~any);
    f.store();
    return writeTarget(t, g, &full, 0, 1, source, second);
  }
  LaneMask planes[kMaxSamples];
  uint32_t count;
  switch (s.samples) {
    case 2: count = choosePlanes<2>(f, t, g, group, all, any, planes); break;
    case 4: count = choosePlanes<4>(f, t, g, group, all, any, planes); break;
    case 8: count = choosePlanes<8>(f, t, g, group, all, any, planes); break;
    default: count = choosePlanes<16>(f, t, g, group, all, any, planes); break;
  }
  const bool crowded = f.store();
  writeTarget(t, g, planes, 0, count, source, second);
  if (crowded) s.fragments(g.layer).expand(tile);
}

/// writeFragments for lanes whose samples are all covered, in whatever state the tile is.
__attribute__((noinline)) inline void writeEverySample(const ColorTarget& t, const PixelGroup& g, LaneMask lanes,
                                                       const LaneWords* source, const LaneWords* second) {
  LaneMask all[kMaxSamples];
  for (uint32_t s = 0; s < t.surface.samples; ++s) all[s] = lanes;
  writeFragments(t, g, all, 0, t.surface.samples, false, source, second);
}

/// writeEverySample for tiles that are mostly One.
ETZEL_INLINE void writeInterior(const ColorTarget& t, const PixelGroup& g, LaneMask lanes, const LaneWords* source,
                                const LaneWords* second) {
  const Surface& s = t.surface;
  const msaa::FragmentSurface fragments = s.fragments(g.layer);
  if (fragments.state(tileAt(fragments, g.x, g.y)) != msaa::makeState(msaa::TileKind::One))
    return writeEverySample(t, g, lanes, source, second);
  writeTarget(t, g, &lanes, 0, 1, source, second);
}

}  // namespace etzel::raster::ETZEL_TARGET
