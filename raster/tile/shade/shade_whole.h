// Whole blocks of draws whose kernels or alphas decide which samples stay, of sample shading, and of draws whose tests
// come after shading (TileDraw::wholeBlocks): all that tests before leave of a block is shaded in one call, and tested
// if it was not, then its depth and its colours are stored.
#pragma once

#include "raster/lanes.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/block/sample_set.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/shade/group_output.h"
#include "raster/tile/shade/plain_kernel.h"
#include "raster/tile/shade/primitive_context.h"
#include "raster/tile/shade/shade_alike.h"
#include "raster/tile/shade/shade_fragments.h"
#include "raster/tile/shade/worker_state.h"
#include "raster/tile/test/depth_block.h"
#include "raster/tile/test/shader_depth.h"
#include "raster/tile/write/byte_block.h"
#include "raster/tile/write/fragment_write.h"
#include "raster/tile/write/target_block.h"

namespace etzel::raster::ETZEL_TARGET {

/// The colours of a block's groups, as PlainKernel::shadeBlock() gives them.
struct ShadedBlock {
  const LaneWords* color;  ///< that of firstLocation(), of group 0
  size_t words;            ///< from one group's to the next one's
};

/// alphaToCoverage() for samples [first, end) of the groups of `pixels`.
inline void trimByAlpha(const TileDraw& d, const ShadedBlock& shaded, uint64_t pixels, uint64_t* covered,
                        uint32_t first, uint32_t end) {
  if (!(d.kernel->info.outputLocations & 1)) return;
  const LaneWords* const alpha = shaded.color - 4 * static_cast<ptrdiff_t>(firstLocation(d)) + 3;
  for (uint32_t groups = someBytes(pixels); groups; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    const I32x8 ones = samplesOfAlpha(d, wordsF(alpha[group * shaded.words]));
    for (uint32_t s = first; s < end; ++s) {
      const LaneMask stay = laneMask(greater(ones, splat<I32x8>(static_cast<int32_t>(s))));
      covered[s] &= ~(uint64_t{static_cast<LaneMask>(~stay & kAllLanes)} << group * 8);
    }
  }
}

/// Writes pixels all samples of which get the new colour.
template <bool single>
inline void writeAlikePixels(const PrimitiveContext& p, int32_t x, int32_t y, uint64_t pixels,
                             const ShadedBlock& shaded) {
  const TileDraw& d = *p.draw;
  if (single && d.bytesOnly) {
    const TargetBlock at = targetBlock(d.color[0].surface, p.primitive->layer, x, y);
    return writeByteBlock(d.color[0], shaded.color, shaded.words, pixels, at.texels);
  }
  AlikeTargets<single>(p, x, y, pixels).writeBlock(pixels, shaded.color, shaded.words);
}

template <uint32_t samples>
inline void writeSomeSamples(const PrimitiveContext& p, int32_t x, int32_t y, const BlockCoverage& block,
                             const ShadedBlock& shaded) {
  const TileDraw& d = *p.draw;
  const SampleSet<samples> covered = coveredBy<samples>(block);
  for (uint32_t i = 0; i < d.colorCount; ++i)
    storeFragments<samples>(p, i, x, y, covered, covered.any(), colorOf(d, i, shaded.color), shaded.words);
}

/// Writes what `block` covers to all targets.
__attribute__((noinline)) inline void writeSamples(const PrimitiveContext& p, int32_t x, int32_t y,
                                                   const BlockCoverage& block, const ShadedBlock& shaded) {
  const TileDraw& d = *p.draw;
  if (!block.mixed) return writeAlikePixels<false>(p, x, y, block.alike, shaded);
  if (keepsFragments(d, p.primitive->layer, x, y)) {
    switch (d.samples) {
      case 2: return writeSomeSamples<2>(p, x, y, block, shaded);
      case 4: return writeSomeSamples<4>(p, x, y, block, shaded);
      case 8: return writeSomeSamples<8>(p, x, y, block, shaded);
      default: return writeSomeSamples<16>(p, x, y, block, shaded);
    }
  }
  for (uint32_t groups = block.groups(); groups; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    LaneMask lanes[kMaxSamples];
    block.load(group, d.samples, lanes);
    for (uint32_t i = 0; i < d.colorCount; ++i)
      writeFragments(d.color[i], groupOf(p, x, y, group), lanes, 0, d.samples, false,
                     colorOf(d, i, shaded.color) + group * shaded.words, nullptr);
  }
}

/// Samples of a block that are covered.
inline uint64_t countCovered(const BlockCoverage& block, uint32_t samples) {
  uint64_t n = static_cast<uint64_t>(__builtin_popcountll(block.alike)) * samples;
  for (uint32_t s = 0; s < samples && block.mixed; ++s) n += static_cast<uint64_t>(__builtin_popcountll(block.each[s]));
  return n;
}

/// Shades samples [first, end), of which `covered` has the pixels, with one invocation per pixel, whose colours go to
/// `room`. \returns them; `covered` keeps what stays
template <bool single>
ETZEL_INLINE ShadedBlock shadeSubset(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y, uint64_t* covered,
                                     uint32_t first, uint32_t end, GroupWords& room) {
  const TileDraw& d = *p.draw;
  ShadedBlock shaded{};
  uint64_t pixels = 0;
  for (uint32_t s = first; s < end; ++s) pixels |= covered[s];
  if (!pixels) return shaded;
  w.fragmentInvocations += static_cast<uint32_t>(__builtin_popcountll(pixels));
  const bool atSample = single || d.perSample;
  const F32x8 left = splat<F32x8>(static_cast<float>(x) + (atSample ? sampleX(d, first) : 0.5f)) + laneXs();
  const F32x8 top = splat<F32x8>(static_cast<float>(y) + (atSample ? sampleY(d, first) : 0.5f)) + laneYs();
  if (d.kernel->info.sysValues & abi::kSampleSysValues) setSample(w, d, first);
  const uint64_t alive = PlainKernel(w, d).shadeBlock(left, top, pixels, room, shaded.color, shaded.words);
  for (uint32_t s = first; s < end; ++s) covered[s] &= alive;
  if (d.alphaToCoverage) trimByAlpha(d, shaded, pixels & alive, covered, first, end);
  return shaded;
}

/// Writes what is covered of samples [first, end).
template <bool single>
ETZEL_INLINE void writeSubset(const PrimitiveContext& p, int32_t x, int32_t y, const uint64_t* covered, uint32_t first,
                              uint32_t end, const ShadedBlock& shaded) {
  const TileDraw& d = *p.draw;
  if (!d.colorCount) return;
  if (single) {
    if (covered[0]) writeAlikePixels<true>(p, x, y, covered[0], shaded);
    return;
  }
  uint64_t part[kMaxSamples] = {};
  for (uint32_t s = first; s < end; ++s) part[s] = covered[s];
  BlockCoverage block;
  block.split(part, d.samples);
  if (block.groups()) writeSamples(p, x, y, block, shaded);
}

/// Writes a block all samples of which get a new colour: the nth invocation of a pixel makes its nth fragment, whatever
/// the tiles held.
__attribute__((noinline)) inline void replaceBySubsets(const PrimitiveContext& p, int32_t x, int32_t y,
                                                       const ShadedBlock* shaded, uint32_t count) {
  const TileDraw& d = *p.draw;
  for (uint32_t i = 0; i < d.colorCount; ++i) {
    const ColorTarget& t = d.color[i];
    for (uint32_t k = 0; k < count; ++k)
      storePlane<kMaxSamples>(p, t, x, y, k, ~uint64_t{0}, colorOf(d, i, shaded[k].color), shaded[k].words);
    const msaa::FragmentSurface fragments = t.surface.fragments(p.primitive->layer);
    const uint32_t tile = tileAt(fragments, x, y);
    uint64_t* const masks = fragments.masks(tile);
    for (uint32_t bit = 0; count >> (bit + 1); ++bit)
      for (uint32_t s = 0; s < d.samples; ++s)
        masks[bit * d.samples + s] = s / d.samplesEach >> bit & 1 ? ~uint64_t{0} : 0;
    fragments.edges(tile) = ~uint64_t{0};
    fragments.state(tile) = msaa::makeState(msaa::TileKind::General, count - 1);
  }
}

/// Sample shading of a block all samples of which are covered: nothing is written before all of them are shaded, since
/// that is short where they all stay. \pre TileDraw::replacesSubsets
__attribute__((noinline)) inline void shadeSubsets(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y,
                                                   uint64_t* covered) {
  const TileDraw& d = *p.draw;
  const uint32_t each = d.samplesEach, count = d.samples / each;
  GroupWords room[kMaxSubsets];
  ShadedBlock shaded[kMaxSubsets];
  for (uint32_t k = 0; k < count; ++k) {
    shaded[k] = shadeSubset<false>(w, p, x, y, covered, k * each, (k + 1) * each, room[k]);
    if (w.cancelled) return;
  }
  uint64_t all = ~uint64_t{0};
  for (uint32_t s = 0; s < d.samples; ++s) all &= covered[s];
  if (all == ~uint64_t{0}) return replaceBySubsets(p, x, y, shaded, count);
  for (uint32_t k = 0; k < count; ++k) writeSubset<false>(p, x, y, covered, k * each, (k + 1) * each, shaded[k]);
}

/// The tests of samples [first, end), by groups: `covered` keeps what passes.
template <bool single>
__attribute__((noinline)) void testSubset(const PrimitiveContext& p, int32_t x, int32_t y, uint64_t* covered,
                                          uint32_t first, uint32_t end, const ShadedBlock& shaded) {
  const LaneWords* const depth = shaded.color ? depthOf(*p.draw, shaded.color) : nullptr;
  const DepthStencilState& ds = p.draw->depthStencil;
  if (depth && testsFloatDepthAlone(ds)) {
    for (uint32_t s = first; s < end; ++s) {
      std::byte* const stored = ds.depth.at(static_cast<uint32_t>(x), static_cast<uint32_t>(y), p.primitive->layer, s);
      if (covered[s]) covered[s] = testShaderDepths(ds, p.tests, stored, covered[s], depth, shaded.words);
    }
    return;
  }
  uint64_t pixels = 0;
  for (uint32_t s = first; s < end; ++s) pixels |= covered[s];
  for (uint32_t groups = someBytes(pixels); groups; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    LaneMask lanes[single ? 1 : kMaxSamples];
    for (uint32_t s = first; s < end; ++s) lanes[s] = static_cast<LaneMask>(covered[s] >> group * 8 & 255);
    testGroup(p, groupOf(p, x, y, group), lanes, first, end, depth ? depth + group * shaded.words : nullptr, true);
    for (uint32_t s = first; s < end; ++s)
      covered[s] = (covered[s] & ~(uint64_t{255} << group * 8)) | uint64_t{lanes[s]} << group * 8;
  }
}

/// Shades a block of a draw with wholeBlocks. \pre the block is whole, and tested where the draw has tests that come
/// before
template <bool single>
__attribute__((noinline)) void shadeWhole(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y,
                                          BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  const uint32_t samples = single ? 1 : d.samples, each = d.perSample ? d.samplesEach : samples;
  const bool late = d.tests && !p.tested;
  if (d.earlyTests && d.countSamples) w.samplesPassed += countCovered(block, samples);
  uint64_t covered[single ? 1 : kMaxSamples] = {};
  block.masks(samples, covered);
  if (!single && d.replacesSubsets && !late && !block.mixed && block.alike == ~uint64_t{0}) {
    shadeSubsets(w, p, x, y, covered);
    if (w.cancelled) return;
  } else {
    for (uint32_t first = 0; first < samples; first += each) {
      GroupWords room;
      const ShadedBlock shaded = shadeSubset<single>(w, p, x, y, covered, first, first + each, room);
      if (w.cancelled) return;
      if (late) testSubset<single>(p, x, y, covered, first, first + each, shaded);
      writeSubset<single>(p, x, y, covered, first, first + each, shaded);
    }
  }
  if (d.earlyTests) return;
  if (single)
    block.alike = covered[0];
  else
    block.split(covered, samples);
  if (d.countSamples) w.samplesPassed += countCovered(block, samples);
  if (d.tests && !late && d.depthStencil.depthWrite) storeTested(w.depth, w.depthTiles, p, x, y, block);
}

}  // namespace etzel::raster::ETZEL_TARGET
