// Depth tiles that consist of planes (runtime/msaa/depth_surface.h): tests against them and additions to them, for all
// samples of a block together.
#pragma once

#include "raster/tile/block/sample_set.h"
#include "raster/tile/test/depth_range.h"
#include "runtime/base/assert.h"
#include "runtime/msaa/depth_surface.h"

namespace etzel::raster::ETZEL_TARGET {

/// The samples of a tile that show a plane. \pre the tile's state is Planes, or `count` is 1
template <uint32_t samples>
ETZEL_INLINE SampleSet<samples> showing(const msaa::DepthSurface& s, uint32_t tile, uint32_t count, uint32_t plane) {
  ETZEL_ASSERT(count == 1 || msaa::depthKindOf(s.state(tile)) == msaa::DepthKind::Planes);
  return count == 1 ? SampleSet<samples>::splat(~uint64_t{0}) : SampleSet<samples>::load(s.masks(tile, plane));
}

/// What a primitive brings to a block.
struct PlaneInput {
  const DepthPlane& plane;
  DepthRange range;    ///< of `plane` within `extent`
  DepthExtent extent;  ///< of the samples that the primitive may cover
};

/// Tests a plane against one that is stored.
ETZEL_INLINE DepthVerdict testPlane(const PlaneInput& in, const DepthPlane& stored, DepthFormat format,
                                    VkCompareOp op) {
  const DepthRange range = rangeOf(stored, format, in.extent);
  const DepthVerdict v = verdictOf(possibleOrders(in.range, range), op);
  if (v != DepthVerdict::Undecided) return v;
  return verdictOf(planeOrders(in.plane, in.range, stored, range, format, in.extent), op);
}

/// Tests a plane against those of a tile. \returns Undecided, Reject, or Accept with `coverage` cut down to the samples
/// that pass. \pre the tile's state is Planes
template <uint32_t samples>
inline DepthVerdict testPlanes(const msaa::DepthSurface& s, uint32_t tile, const PlaneInput& in, VkCompareOp op,
                               SampleSet<samples>& coverage) {
  ETZEL_ASSERT(msaa::depthKindOf(s.state(tile)) == msaa::DepthKind::Planes);
  const uint32_t count = s.planeCount(s.state(tile));
  const DepthPlane* stored = s.planes(tile);
  SampleSet<samples> left = coverage;
  for (uint32_t i = 0; i < count; ++i) {
    const SampleSet<samples> shown = showing<samples>(s, tile, count, i);
    if (!(shown & coverage).some()) continue;
    const DepthVerdict v = testPlane(in, stored[i], s.format, op);
    if (v == DepthVerdict::Undecided) return v;
    if (v == DepthVerdict::Reject) left = left.without(shown);
  }
  coverage = left;
  return left.some() ? DepthVerdict::Accept : DepthVerdict::Reject;
}

/// Puts a plane over `coverage`; planes that nothing shows any more go. \returns false, with nothing changed, where
/// there is no room. \pre the surface has planes, and the tile is not Expanded
template <uint32_t samples>
inline bool addPlane(const msaa::DepthSurface& s, uint32_t tile, const DepthPlane& plane,
                     const SampleSet<samples>& coverage) {
  ETZEL_ASSERT(s.hasPlanes() && msaa::depthKindOf(s.state(tile)) != msaa::DepthKind::Expanded);
  constexpr uint32_t kPlanes = mem::depthPlanes(samples);
  const uint8_t state = s.state(tile);
  const bool clear = msaa::depthKindOf(state) == msaa::DepthKind::Clear;
  const uint32_t count = clear ? 1 : s.planeCount(state);
  DepthPlane* const stored = s.planes(tile);
  if (count == kPlanes) {
    bool room = false;
    for (uint32_t i = 0; i < count; ++i) room |= !showing<samples>(s, tile, count, i).without(coverage).some();
    if (!room) return false;
  }
  if (clear) stored[0] = DepthPlane{.z0 = __builtin_bit_cast(float, s.word(tile)), .kind = DepthPlane::Constant};
  // What comes next takes the place of a plane that goes.
  uint32_t to = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const SampleSet<samples> left = showing<samples>(s, tile, count, i).without(coverage);
    left.store(s.masks(tile, to));
    stored[to] = stored[i];
    to += left.some();
  }
  stored[to] = plane;
  coverage.store(s.masks(tile, to));
  s.state(tile) = msaa::makeDepthState(msaa::DepthKind::Planes, to + 1);
  return true;
}

}  // namespace etzel::raster::ETZEL_TARGET
