// The memory of one tile worker. Plain data, so that code that is compiled per target needs no library code.
#pragma once

#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/test/depth_hierarchy.h"
#include "runtime/msaa/traffic.h"

namespace etzel::raster {

/// The colour of the primitive in work, and what has become of it (raster/tile/shade/one_color.h).
struct OneColor {
  bool isKnown = false;
  bool hasBlended = false;              ///< `before` and `after` are valid
  alignas(32) LaneWords color[4] = {};  ///< in all lanes
  LaneWords term[4] = {};               ///< blending: source times factor, in order of a texel's bytes
  LaneWords kept[2] = {};               ///< blending: factors of what was there, of colour and alpha
  LaneWords before = {}, after = {};    ///< eight texels, and what they became; where they are stored, `after` alone
};

struct WorkerState {
  abi::Warp warp;
  alignas(32) LaneWords sys[abi::kSysValueCount] = {};
  alignas(32) LaneWords out[abi::kFragmentOutWords] = {};
  alignas(32) LaneWords share = {};    ///< warp.sampleShare
  const DrawRecord* record = nullptr;  ///< of the primitive in work
  const TileDraw* draw = nullptr;
  const BinnedPrimitive* primitive = nullptr;
  bool cancelled = false;
  OneColor oneColor;              ///< of a draw with TileDraw::oneColor
  DepthHierarchy depth;           ///< of the tile in work
  msaa::DepthSurface depthTiles;  ///< the layer's depth, for a draw with tests; false without tile states
  uint64_t fragmentInvocations = 0, samplesPassed = 0, warps = 0;  ///< since the last change of draw
  msaa::Moved moved[Attachments::count];                           ///< in this tile job
  bool movedSome = false;                                          ///< `moved` has to be posted
  uint64_t written[kMaxSamples];  ///< in this block, where groups are shaded one by one: samples that got a colour
};

}  // namespace etzel::raster
