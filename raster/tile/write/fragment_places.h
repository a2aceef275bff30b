// Places for fragments: which planes of a compressed tile the covered samples of its pixels go to, so that each
// distinct colour is stored, and blended, once. The masks of all pixels of a tile are worked on together.
#pragma once

#include <bit>

#include "raster/attachment/surface.h"
#include "raster/tile/block/pixel_group.h"
#include "raster/tile/block/sample_set.h"
#include "raster/tile/write/byte_color.h"
#include "raster/tile/write/tile_fragments.h"

namespace etzel::raster::ETZEL_TARGET {

/// allocateFragments() for tiles with more than two fragments.
template <uint32_t samples>
__attribute__((noinline)) uint32_t allocateMany(TileFragments& f, const SampleSet<samples>& covered, uint64_t any,
                                                uint64_t* planes) {
  using Set = SampleSet<samples>;
  FragmentIndices<samples> m = FragmentIndices<samples>::load(f);
  const Set uncovered = Set::splat(~uint64_t{0}).without(covered);
  uint64_t id[FragmentIndices<samples>::kBits] = {}, left = any;
  uint32_t count = 0, last = f.last;
  // One fragment is free at the latest when all others show.
  for (; count < samples && left; ++count) {
    const uint64_t others = m.showing(uncovered, count).any();  // show it and keep doing so
    planes[count] = left & ~others;
    left &= others;
    if (planes[count] && count > last) last = count;
    for (uint32_t i = 0; i < FragmentIndices<samples>::kBits; ++i) id[i] |= count >> i & 1 ? planes[count] : 0;
  }
  for (uint32_t i = 0; i < FragmentIndices<samples>::kBits; ++i)
    m.bit[i] = m.bit[i].without(covered) | (covered & Set::splat(id[i]));
  m.store(f, last);
  return count;
}

/// msaa::allocateFragment for all pixels of a tile: chooses a fragment for the covered samples of each pixel of `any`,
/// which are those that have some, and writes the new masks. `planes` gets the pixels that go to each fragment.
/// \returns the number of entries
template <uint32_t samples>
ETZEL_INLINE uint32_t allocateFragments(TileFragments& f, const SampleSet<samples>& covered, uint64_t any,
                                        uint64_t* planes) {
  using Set = SampleSet<samples>;
  // Nearly always there are two fragments: then the lowest bits say everything.
  if (samples > 2 && f.last > 1) return allocateMany<samples>(f, covered, any, planes);
  const Set second = Set::load(f.masks) & Set::splat(f.edges);
  const Set uncovered = Set::splat(~uint64_t{0}).without(covered);
  const uint64_t taken = any & uncovered.without(second).any();
  if (samples > 2 && taken & (uncovered & second).any()) return allocateMany<samples>(f, covered, any, planes);
  planes[0] = any & ~taken, planes[1] = taken;
  const Set next = second.without(covered) | (covered & Set::splat(taken));
  f.edges = next.any();
  f.last = f.edges != 0;
  next.store(f.masks);
  return 2;
}

/// Copies the texels of `lanes` from one plane to another.
inline void copyLanes(const Surface& s, const PixelGroup& g, uint32_t from, uint32_t to, LaneMask lanes) {
  const std::byte* source = s.at(static_cast<uint32_t>(g.x), static_cast<uint32_t>(g.y), g.layer, from);
  std::byte* target = s.at(static_cast<uint32_t>(g.x), static_cast<uint32_t>(g.y), g.layer, to);
  if (s.texelBytes == 4 && g.whole) return storeRows(target, s.rowPitch, lanes, loadRows(source, s.rowPitch));
  for (; lanes; lanes &= lanes - 1) {
    const uint32_t i = static_cast<uint32_t>(__builtin_ctz(lanes));
    const uint64_t at = laneY(i) * s.rowPitch + laneX(i) * s.texelBytes;
    __builtin_memcpy(target + at, source + at, s.texelBytes);
  }
}

/// copyLanes() for pixels of a block.
inline void copyPixels(const Surface& s, const PixelGroup& block, uint32_t from, uint32_t to, uint64_t pixels) {
  for (uint32_t groups = someBytes(pixels); groups; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    PixelGroup g = block;
    g.x += static_cast<int32_t>(group & 1) * 4, g.y += static_cast<int32_t>(group & 6);
    copyLanes(s, g, from, to, static_cast<LaneMask>(pixels >> group * 8 & 255));
  }
}

/// msaa::isolateSamples for all pixels of a tile: afterwards changing the texels of `planes` changes the covered
/// samples only. `block`: place and layer of the tile, and whether groups in it are whole. \returns the number of
/// entries
template <uint32_t samples>
inline uint32_t isolateFragments(TileFragments& f, const Surface& s, const PixelGroup& block,
                                 const SampleSet<samples>& covered, uint64_t* planes) {
  using Set = SampleSet<samples>;
  const FragmentIndices<samples> before = FragmentIndices<samples>::load(f);
  FragmentIndices<samples> next = before;
  const uint32_t fragments = std::bit_ceil(f.last + 1);  // new images in old memory may show those beyond the last
  const Set all = Set::splat(~uint64_t{0});
  Set shown[samples];
  uint64_t used[samples];
  for (uint32_t k = 0; k < samples; ++k) {
    planes[k] = 0;
    shown[k] = k < fragments ? before.showing(all, k) : Set{};
    used[k] = shown[k].any();
  }
  uint32_t last = 0;
  for (uint32_t k = 0; k < fragments; ++k) {
    if (!used[k]) continue;
    last = k > last ? k : last;
    const Set changed = shown[k] & covered;
    const uint64_t touched = changed.any();
    uint64_t split = touched & shown[k].without(covered).any();
    planes[k] |= touched & ~split;
    for (uint32_t to = 0; split && to < samples; ++to) {
      const uint64_t pixels = split & ~used[to];
      if (!pixels) continue;
      const Set moved = changed & Set::splat(pixels);
      for (uint32_t i = 0; i < FragmentIndices<samples>::kBits; ++i)
        next.bit[i] = to >> i & 1 ? next.bit[i] | moved : next.bit[i].without(moved);
      copyPixels(s, block, k, to, pixels);
      planes[to] |= pixels, used[to] |= pixels;
      split &= ~pixels;
      last = to > last ? to : last;
    }
  }
  next.store(f, last);
  return last + 1;
}

}  // namespace etzel::raster::ETZEL_TARGET
