// What memory says about the fragments of a tile of 8x8 pixels (runtime/msaa/fragment_surface.h), for all its pixels
// together: words of 64 pixels.
//
// A FragmentSurface that only gives addresses stays in registers; what is not inline (expand(), materialize()) is asked
// of another one, made where it is needed.
#pragma once

#include <bit>

#include "raster/attachment/surface.h"
#include "raster/lanes.h"
#include "raster/tile/block/sample_set.h"
#include "runtime/msaa/fragment_surface.h"

namespace etzel::raster::ETZEL_TARGET {

/// What a tile that is neither clear nor expanded knows of its fragments; changes are kept here until store().
struct TileFragments {
  uint64_t* masks;
  uint8_t* state;
  uint64_t* word;  ///< in memory, valid when the tile is General
  uint64_t edges;
  uint32_t last;  ///< no mask has a greater fragment index; 0 without edges
  uint32_t samples;

  LaneMask edgesOf(uint32_t group) const { return static_cast<LaneMask>(edges >> group * 8 & 255); }
  void setEdges(uint32_t group, LaneMask lanes) {
    edges = (edges & ~(uint64_t{255} << group * 8)) | uint64_t{lanes} << group * 8;
  }
  /// Pixels that show fragment samples / 4 or a later one. \pre last is one of those
  uint64_t crowdedPixels() const {
    uint64_t pixels = 0;
    const uint32_t bits = static_cast<uint32_t>(std::bit_width(last));
    for (uint32_t i = static_cast<uint32_t>(std::bit_width(samples / 4)) - 1; i < bits; ++i)
      for (uint32_t k = 0; k < samples; ++k) pixels |= masks[i * samples + k];
    return pixels & edges;
  }
  /// \returns whether compression stops to pay: most pixels of the tile have many fragments, so that masks only add
  /// work. Such tiles should be expanded; full coverage and clears bring them back.
  bool store() const {
    if (!edges) {
      *state = msaa::makeState(msaa::TileKind::One);
      return false;
    }
    *word = edges;
    *state = msaa::makeState(msaa::TileKind::General, last);
    constexpr int kMost = 40;  // pixels
    return samples >= 4 && last + 1 >= samples / 2 && __builtin_popcountll(edges) > kMost &&
           __builtin_popcountll(crowdedPixels()) > kMost;
  }
};

ETZEL_INLINE TileFragments tileFragments(const msaa::FragmentSurface& s, uint32_t tile) {
  TileFragments f;
  f.samples = s.samples;
  f.masks = s.masks(tile), f.state = &s.state(tile), f.word = &s.edges(tile);
  const bool general = msaa::kindOf(*f.state) == msaa::TileKind::General;
  f.last = general ? msaa::lastFragment(*f.state) & (s.samples - 1) : 0;
  f.edges = f.last ? *f.word : 0;
  return f;
}

ETZEL_INLINE uint32_t tileAt(const msaa::FragmentSurface& s, int32_t x, int32_t y) {
  return s.tileOf(static_cast<uint32_t>(x), static_cast<uint32_t>(y));
}

/// FragmentSurface::materialize() for the tile at (x, y), which is Clear.
ETZEL_INLINE void materializeTile(const Surface& s, uint32_t layer, uint32_t tile, int32_t x, int32_t y) {
  const auto left = static_cast<uint32_t>(x) & ~7u, top = static_cast<uint32_t>(y) & ~7u;
  if (s.texelBytes != 4 || left + 8 > s.width || top + 8 > s.height) return s.fragments(layer).materialize(tile);
  const msaa::FragmentSurface fragments = s.fragments(layer);
  uint8_t& state = fragments.state(tile);
  const U32x8 color = splat<U32x8>(load<uint32_t>(fragments.clearColor(msaa::clearColorOf(state))));
  std::byte* row = s.at(left, top, layer, 0);
  for (uint32_t i = 0; i < 8; ++i, row += s.rowPitch) store(row, color);
  state = msaa::makeState(msaa::TileKind::One);
}

/// The fragment that each sample of a tile shows: the bits of its index.
template <uint32_t samples>
struct FragmentIndices {
  using Set = SampleSet<samples>;
  static constexpr uint32_t kBits = mem::fragmentMaskWords(samples) / samples;
  Set bit[kBits];

  static ETZEL_INLINE FragmentIndices load(const TileFragments& f) {
    const Set pixels = Set::splat(f.edges);
    FragmentIndices m;
    m.bit[0] = Set::load(f.masks) & pixels;
    for (uint32_t i = 1; i < kBits; ++i) m.bit[i] = f.last >> i ? Set::load(f.masks + i * samples) & pixels : Set{};
    return m;
  }
  /// The samples of `set` that show fragment `k`.
  ETZEL_INLINE Set showing(Set set, uint32_t k) const {
    for (uint32_t i = 0; i < kBits; ++i) set = k >> i & 1 ? set & bit[i] : set.without(bit[i]);
    return set;
  }
  /// Stores what differs from fragment 0, and what is known of it. \param last no index is greater
  ETZEL_INLINE void store(TileFragments& f, uint32_t last) const {
    uint32_t bits = 0;
    f.edges = 0;
    for (uint32_t i = 0; i < kBits; ++i)
      if (const uint64_t some = bit[i].any()) f.edges |= some, bits = i + 1;
    const uint32_t most = (1u << bits) - 1;
    f.last = last < most ? last : most;
    for (uint32_t i = 0; i < bits; ++i) bit[i].store(f.masks + i * samples);
  }
};

}  // namespace etzel::raster::ETZEL_TARGET
