// The memory of one tile worker. Plain data, so that code that is compiled per target needs no library code.
#pragma once

#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/test/depth_hierarchy.h"
#include "runtime/msaa/traffic.h"

namespace etzel::raster {

struct WorkerState {
  abi::Warp warp;
  alignas(32) LaneWords sys[abi::kSysValueCount] = {};
  alignas(32) LaneWords out[abi::kFragmentOutWords] = {};
  alignas(32) LaneWords share = {};    ///< warp.sampleShare
  const DrawRecord* record = nullptr;  ///< of the primitive in work
  const TileDraw* draw = nullptr;
  const BinnedPrimitive* primitive = nullptr;
  bool cancelled = false;
  bool hasColor = false;                ///< `color` is that of the primitive in work
  alignas(32) LaneWords color[4] = {};  ///< of a draw with TileDraw::oneColor, in all lanes
  DepthHierarchy depth;                 ///< of the tile in work
  msaa::DepthSurface depthTiles;        ///< the layer's depth, for a draw with tests; false without tile states
  uint64_t fragmentInvocations = 0, samplesPassed = 0, warps = 0;  ///< since the last change of draw
  msaa::Moved moved[Attachments::count];                           ///< in this tile job
  bool movedSome = false;                                          ///< `moved` has to be posted
  uint64_t written[kMaxSamples];  ///< in this block, where groups are shaded one by one: samples that got a colour
};

}  // namespace etzel::raster
