// Depth and stencil of a block of 8x8 pixels at once, before its groups are shaded: from bounds alone where they
// decide, else sample by sample in one loop.
#pragma once

#include "raster/bin.h"
#include "raster/lanes.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/block/sample_set.h"
#include "raster/tile/cover/tile_rect.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/test/depth_hierarchy.h"
#include "raster/tile/test/depth_planes.h"
#include "raster/tile/test/depth_range.h"
#include "raster/tile/test/depth_texels.h"
#include "raster/tile/test/primitive_tests.h"
#include "raster/tile/test/sample_tests.h"
#include "runtime/base/assert.h"

namespace etzel::raster::ETZEL_TARGET {

/// Gives the block's tiles their texels: what groups that test by themselves need. Forgets bounds that they may change.
__attribute__((noinline)) inline void releaseBlock(DepthHierarchy& h, const BlockInput& in) {
  const DepthStencilState& ds = in.d.depthStencil;
  const bool whole = isWholeBlock(in.d, static_cast<int32_t>(in.x), static_cast<int32_t>(in.y));
  auto expand = [&](const Surface& surface) {
    if (!surface.depthTiles) return;
    const msaa::DepthSurface s = surface.depth(in.layer);
    if (whole)
      expandBlock(in, s);
    else
      s.expand(s.tileOf(in.x, in.y));
  };
  if (ds.depthTest || ds.boundsTest) expand(ds.depth);
  if (ds.stencilTest) expand(ds.stencil);
  if (ds.depthWrite) h.forget(in.index);
}

/// addPlane() for the samples that a block covers.
inline bool addPlane(const BlockInput& in, uint32_t tile, const DepthPlane& plane, const BlockCoverage& block) {
  switch (in.d.samples) {
    case 1: return false;  // one plane covers a whole tile
    case 2: return addPlane<2>(in.tiles, tile, plane, coveredBy<2>(block));
    case 4: return addPlane<4>(in.tiles, tile, plane, coveredBy<4>(block));
    case 8: return addPlane<8>(in.tiles, tile, plane, coveredBy<8>(block));
    default: return addPlane<16>(in.tiles, tile, plane, coveredBy<16>(block));
  }
}

/// Stores the depth of the covered samples of a block. `all`: that is every sample of it.
inline void storeBlock(const BlockInput& in, const DepthPlane& plane, bool all, BlockCoverage& block) {
  const TileDraw& d = in.d;
  if (in.tiles) {
    const uint32_t tile = in.tiles.tileOf(in.x, in.y);
    uint8_t& state = in.tiles.state(tile);
    if (all && d.makesPlanes) return in.tiles.setPlane(tile, plane);
    if (all) state = msaa::makeDepthState(msaa::DepthKind::Expanded);
    if (msaa::depthKindOf(state) != msaa::DepthKind::Expanded) {
      if (d.makesPlanes && addPlane(in, tile, plane, block)) return;
      expandBlock(in, in.tiles);
    }
  }
  testTexels(in, VK_COMPARE_OP_ALWAYS, block);
}

/// testPlanes() for the samples that a block covers; Undecided where it would trim them but may not.
template <uint32_t samples>
inline DepthVerdict testPlanes(const BlockInput& in, uint32_t tile, const PlaneInput& plane, bool mayTrim,
                               BlockCoverage& block) {
  const VkCompareOp op = in.d.depthStencil.compare;
  const SampleSet<samples> before = coveredBy<samples>(block);
  SampleSet<samples> left = before;
  const DepthVerdict v = testPlanes<samples>(in.tiles, tile, plane, op, left);
  if (v != DepthVerdict::Accept || !before.without(left).some()) return v;
  if (!mayTrim) return DepthVerdict::Undecided;
  uint64_t masks[samples];
  left.store(masks);
  block.split(masks, samples);
  return v;
}

/// Decides a block from bounds, and from planes where there are some. Accept: the samples left in `block` pass.
inline DepthVerdict judgeBlock(DepthHierarchy& h, const BlockInput& in, const PlaneInput& plane, bool mayTrim,
                               BlockCoverage& block) {
  const VkCompareOp op = in.d.depthStencil.compare;
  if (!h.knows(in.index)) h.set(in.index, scanBlock(in));
  DepthVerdict v = verdictOf(possibleOrders(plane.range, h.range[in.index]), op);
  if (v != DepthVerdict::Undecided) return v;
  if (h.written[in.index] >= kBlock * kBlock) {
    h.set(in.index, scanBlock(in));
    v = verdictOf(possibleOrders(plane.range, h.range[in.index]), op);
    if (v != DepthVerdict::Undecided) return v;
  }
  if (!in.d.makesPlanes) return v;
  const uint32_t tile = in.tiles.tileOf(in.x, in.y);
  if (msaa::depthKindOf(in.tiles.state(tile)) != msaa::DepthKind::Planes) return v;
  switch (in.d.samples) {
    case 1: return testPlane(plane, in.tiles.planes(tile)[0], in.tiles.format, op);
    case 2: return testPlanes<2>(in, tile, plane, mayTrim, block);
    case 4: return testPlanes<4>(in, tile, plane, mayTrim, block);
    case 8: return testPlanes<8>(in, tile, plane, mayTrim, block);
    default: return testPlanes<16>(in, tile, plane, mayTrim, block);
  }
}

/// Bounds after samples within `range` passed and were stored.
ETZEL_INLINE void widen(DepthHierarchy& h, const BlockInput& in, const DepthRange& range, const BlockCoverage& block) {
  DepthRange& r = h.range[in.index];
  const uint32_t op = in.d.depthStencil.compare;
  if (op & kDepthLess) r.low = range.low < r.low ? range.low : r.low;
  if (op & kDepthGreater) r.high = range.high > r.high ? range.high : r.high;
  // NaN, whose range is unbounded, passes only where both ways to differ do.
  uint16_t& written = h.written[in.index];
  const uint32_t pixels = static_cast<uint32_t>(__builtin_popcountll(block.alike)) +
                          4 * static_cast<uint32_t>(__builtin_popcount(block.mixed));
  written = static_cast<uint16_t>(written + pixels < 0x8000 ? written + pixels : 0x8000);
}

/// Stores the depth of samples that have passed, within `range`.
ETZEL_INLINE void storePassed(DepthHierarchy& h, const BlockInput& in, const DepthPlane& plane, const DepthRange& range,
                              BlockCoverage& block) {
  if (block.alike == ~uint64_t{0}) {
    storeBlock(in, plane, true, block);
    h.set(in.index, range);
  } else {
    storeBlock(in, plane, false, block);
    widen(h, in, range, block);
  }
}

/// The stencil word that `op` leaves of `old`.
ETZEL_INLINE uint32_t stencilAfter(const StencilFace& face, VkStencilOp op, uint32_t old) {
  const uint32_t next = static_cast<uint32_t>(
      stencilOp(op, splat<I32x8>(static_cast<int32_t>(old)), splat<I32x8>(static_cast<int32_t>(face.reference)))[0]);
  return (old & ~face.writeMask & 255) | (next & face.writeMask & 255);
}

/// Whether a primitive fails the depth test in all of `r`, several blocks of the tile.
inline bool isHidden(const DepthHierarchy& h, const TileDraw& d, const BinnedPrimitive& p, const TileRect& r) {
  constexpr int32_t kWorthwhile = 4 * kBlock * kBlock;  // pixels
  const DepthStencilState& ds = d.depthStencil;
  const uint32_t first = DepthHierarchy::blockOf(0, r.y0), last = DepthHierarchy::blockOf(0, r.y1 - 1);
  const uint64_t rows = ~uint64_t{0} << first & ~uint64_t{0} >> (56 - last);  // of blocks
  if (!d.testsBlocks || !ds.depthTest || ds.stencilTest || !(d.earlyTests || d.cullBeforeShading) ||
      r.pixels() < kWorthwhile || (~h.known & rows))
    return false;
  F32x8 low = splat<F32x8>(__builtin_inff()), high = -low;  // of every other lane
  for (uint32_t i = first; i < last + 8; i += 4) {
    const F32x8 range = load<F32x8>(&h.range[i]);
    low = minimum(low, range), high = maximum(high, range);
  }
  DepthRange stored = {low[0], high[1]};
  for (uint32_t i = 2; i < kWarpLanes; i += 2) {
    stored.low = low[i] < stored.low ? low[i] : stored.low;
    stored.high = high[i + 1] > stored.high ? high[i + 1] : stored.high;
  }
  const DepthExtent e = extentOf(d, static_cast<float>(r.x0), static_cast<float>(r.y0), static_cast<float>(r.x1),
                                 static_cast<float>(r.y1));
  return verdictOf(possibleOrders(slopedRangeOf(planeOf(d, p), ds.format, e), stored), ds.compare) ==
         DepthVerdict::Reject;
}

/// The stencil of a block whose tile has one value, which either passes or fails as a whole.
struct BlockStencil {
  msaa::DepthSurface tiles;  ///< of draws with a stencil test
  uint32_t tile = 0, afterDepthFail = 0, afterPass = 0;
  bool same = true;  ///< the value stays what it is, whatever the depth test says

  void set(uint32_t word) const {
    if (!same) tiles.word(tile) = word;
  }
};
enum class StencilVerdict : uint8_t { Pass, Fail, ByGroups };

/// Tests the stencil of a block; where it fails, the block is done. \pre the draw has a stencil test
ETZEL_INLINE StencilVerdict testStencil(const PrimitiveTests& p, const BlockInput& in, const BlockCoverage& block,
                                        BlockStencil& stencil) {
  const TileDraw& d = in.d;
  const DepthStencilState& ds = d.depthStencil;
  ETZEL_ASSERT(ds.stencilTest);
  const bool all = block.alike == ~uint64_t{0};
  stencil.tiles = ds.stencil.depth(in.layer);
  if (!stencil.tiles || !d.earlyTests) return StencilVerdict::ByGroups;
  const uint32_t tile = stencil.tile = stencil.tiles.tileOf(in.x, in.y);
  if (msaa::depthKindOf(stencil.tiles.state(tile)) != msaa::DepthKind::Clear) return StencilVerdict::ByGroups;
  const StencilFace& face = p.tests.frontFacing ? ds.front : ds.back;
  const uint32_t old = stencil.tiles.word(tile) & 255;
  const auto reference = static_cast<int32_t>(face.reference & face.compareMask & 255);
  const auto stored = static_cast<int32_t>(old & face.compareMask);
  if (!compareOp(face.compare, splat<I32x8>(reference), splat<I32x8>(stored))[0]) {
    const uint32_t next = stencilAfter(face, face.fail, old);
    if (next != old && (!all || d.expandsTiles)) return StencilVerdict::ByGroups;
    stencil.tiles.word(tile) = next;
    return StencilVerdict::Fail;
  }
  stencil.afterDepthFail = stencilAfter(face, face.depthFail, old);
  stencil.afterPass = stencilAfter(face, face.pass, old);
  stencil.same = stencil.afterPass == old && (!ds.depthTest || stencil.afterDepthFail == old);
  return stencil.same || (all && !d.expandsTiles) ? StencilVerdict::Pass : StencilVerdict::ByGroups;
}

/// The samples of a block that its primitive may cover.
ETZEL_INLINE DepthExtent extentOf(const TileDraw& d, const BinnedPrimitive& p, int32_t x, int32_t y) {
  using simd::I32x4, simd::F32x4;
  const I32x4 block = {x, y, x + kBlock, y + kBlock}, box = {p.minX, p.minY, p.maxX, p.maxY};
  const I32x4 pixels = __builtin_shufflevector(maximum(block, box), minimum(block, box), 0, 1, 6, 7);
  const F32x4 samples = convert<F32x4>(load<I32x4>(&d.bounds)) * simd::splat<F32x4>(0.0625f) + F32x4{0, 0, -1, -1};
  return __builtin_bit_cast(DepthExtent, convert<F32x4>(pixels) + samples);
}

/// Runs the tests of a block as a whole where the order of operations allows it, and keeps the samples that pass. To be
/// called for draws with tests. Where they come after shading, nothing is stored yet. \returns false where groups have
/// to test by themselves; their texels exist then
inline bool testBlock(DepthHierarchy& h, const msaa::DepthSurface& tiles, const PrimitiveTests& p, int32_t x, int32_t y,
                      BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  const DepthStencilState& ds = d.depthStencil;
  const BinnedPrimitive& primitive = *p.primitive;
  const BlockInput in = {d,
                         primitive,
                         tiles,
                         static_cast<uint32_t>(x),
                         static_cast<uint32_t>(y),
                         primitive.layer,
                         DepthHierarchy::blockOf(x, y)};
  auto byGroups = [&] {
    releaseBlock(h, in);
    return false;
  };
  if (!d.testsBlocks || !isWholeBlock(d, x, y)) return byGroups();

  BlockStencil stencil;
  if (ds.stencilTest) {
    const StencilVerdict verdict = testStencil(p, in, block, stencil);
    if (verdict == StencilVerdict::ByGroups) return byGroups();
    if (verdict == StencilVerdict::Fail) {
      block.alike = 0, block.mixed = 0;
      return true;
    }
  }
  if (!ds.depthTest) {
    stencil.set(stencil.afterPass);
    return true;
  }

  const DepthExtent extent = extentOf(d, primitive, x, y);
  const DepthRange range = slopedRangeOf(p.plane, ds.format, extent);
  const bool mayTrim = stencil.same && d.trimsCoverage;
  switch (judgeBlock(h, in, {p.plane, range, extent}, mayTrim, block)) {
    case DepthVerdict::Reject:
      if (!d.earlyTests && !d.cullBeforeShading) return byGroups();
      stencil.set(stencil.afterDepthFail);
      block.alike = 0, block.mixed = 0;
      return true;
    case DepthVerdict::Accept:
      if (!d.earlyTests && ds.depthWrite) return d.wholeBlocks || byGroups();
      stencil.set(stencil.afterPass);
      if (ds.depthWrite) storePassed(h, in, p.plane, range, block);  // what the verdict has left
      return true;
    default: break;
  }
  if (!(d.earlyTests || d.wholeBlocks) || !stencil.same || !mayTrim) return byGroups();
  if (in.tiles) expandBlock(in, in.tiles);
  testTexels(in, ds.compare, block);
  if (ds.depthWrite && d.earlyTests) widen(h, in, range, block);
  return true;
}

/// Stores the depth of what shading has left of a block that testBlock() tested. \pre TileDraw::wholeBlocks, late tests
inline void storeTested(DepthHierarchy& h, const msaa::DepthSurface& tiles, const PrimitiveTests& p, int32_t x,
                        int32_t y, BlockCoverage& block) {
  if (!block.groups()) return;
  const TileDraw& d = *p.draw;
  const BlockInput in = {d,
                         *p.primitive,
                         tiles,
                         static_cast<uint32_t>(x),
                         static_cast<uint32_t>(y),
                         p.primitive->layer,
                         DepthHierarchy::blockOf(x, y)};
  const DepthRange range = slopedRangeOf(p.plane, d.depthStencil.format, extentOf(d, *p.primitive, x, y));
  storePassed(h, in, p.plane, range, block);
}

}  // namespace etzel::raster::ETZEL_TARGET
