// All samples of eight pixels of a compressed multisampled image at once (abi::ReadSamples): what resolves in shaders
// read. Each fragment is loaded and converted once, whatever number of samples shows it. Compiled per target.
#pragma once

#include "runtime/tex/lanes/multisample.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// Eight pixels of a tile.
struct TileLanes {
  uint32_t x, y;  ///< the first
  abi::TilePixels pixels;

  ETZEL_INLINE_LOOP bool isRow() const { return pixels == abi::TilePixels::Row; }
  /// Bytes from the first pixel.
  ETZEL_INLINE_LOOP I32x8 places(int32_t texel, int32_t row) const {
    if (isRow()) return I32x8{0, 1, 2, 3, 4, 5, 6, 7} * splat(texel);
    return I32x8{0, 1, 0, 1, 2, 3, 2, 3} * splat(texel) + (I32x8{0, 0, -1, -1, 0, 0, -1, -1} & splat(row));
  }
  /// Theirs of a word of a tile's 64 pixels.
  ETZEL_INLINE_LOOP LaneMask of(uint64_t word) const {
    if (!isRow()) return static_cast<LaneMask>(word >> ((y & 6) << 3 | (x & 4) << 1) & 255);
    // Two groups of eight have the row, two pixels of every four.
    uint64_t row = word >> ((y & 6) << 3) >> (2 * (y & 1)) & 0x3333;
    row = (row | row >> 2) & 0x0F0F;
    return static_cast<LaneMask>((row | row >> 4) & 255);
  }
};

/// Texels of eight pixels as shaders see them.
struct Shown {
  LaneWords word[4];
};

/// What a plane has of them.
ETZEL_INLINE_LOOP void readPlane(const ImageView& view, const TileLanes& at, const std::byte* texels, Shown& out) {
  const mem::MipLayout& m = view.plane->mip[0];
  const auto row = static_cast<int32_t>(m.rowPitch), bytes = static_cast<int32_t>(view.plane->blockBytes);
  const I32x8 places = at.places(bytes, row);
  prefetchRight(texels, row);
  const Target to{view, out.word, kAllLanes};
  const Kernels& k = kernels(view);
  I32x8 bits[2];
  if (k.readBits &&
      (bytes == 4 ? loadTogether<4>(texels, places, row, bits) : loadTogether<8>(texels, places, row, bits)))
    return k.readBits(to, bits[0], bits[bytes == 8]);
  k.read(to, texels, places, splat(-1), nullptr);
}

/// abi::ReadSamples.
void readTileSamples(const ImageView* image, uint32_t x, uint32_t y, abi::TilePixels pixels, uint32_t wanted,
                     LaneWords* result) {
  const ImageView& view = *image;
  const mem::FragmentLayout& layout = view.plane->fragments;
  const msaa::TileStates states(layout, view.samples, view.memory, view.baseLayer);
  const TileLanes at{x, y, pixels};
  const uint32_t tile = (y >> 3) * layout.tilesX + (x >> 3), samples = view.samples;
  const std::byte* const texels = view.direct.texels + int64_t{y} * view.direct.rowPitch + x * view.plane->blockBytes;
  const uint64_t planePitch = view.plane->samplePitch;
  const uint8_t state = states.state(tile);
  const auto each = [&](auto body) {
    for (uint32_t rest = wanted & msaa::allSamples(samples); rest; rest &= rest - 1)
      body(static_cast<uint32_t>(std::countr_zero(rest)));
  };
  const auto of = [&](uint32_t sample) -> Shown& { return *reinterpret_cast<Shown*>(result + 4 * sample); };
  Shown first;
  LaneMask edges = 0;
  switch (msaa::kindOf(state)) {
    case msaa::TileKind::Expanded:
      return each([&](uint32_t k) { readPlane(view, at, texels + k * planePitch, of(k)); });
    case msaa::TileKind::Clear: {
      const std::byte* const color = states.clearColor(msaa::clearColorOf(state));
      kernels(view).read({view, first.word, kAllLanes}, color, splat(0), splat(-1), nullptr);
      break;
    }
    case msaa::TileKind::General: edges = at.of(states.edges(tile)); [[fallthrough]];
    case msaa::TileKind::One: readPlane(view, at, texels, first); break;
  }
  if (!edges) return each([&](uint32_t k) { of(k) = first; });
  const uint64_t* const words = states.masks(tile);
  const uint32_t bits = msaa::maskBits(state, samples);
  LaneMask mask[4][msaa::kMaxSamples];     // by bit of the fragment's number, then by sample
  LaneMask shows[msaa::kMaxSamples] = {};  // by fragment: lanes with a sample that shows it
  each([&](uint32_t k) {
    for (uint32_t i = 0; i < bits; ++i) mask[i][k] = at.of(words[i * samples + k]) & edges;
  });
  const auto lanesOf = [&](uint32_t fragment, uint32_t k) {
    LaneMask lanes = edges;
    for (uint32_t i = 0; i < bits; ++i) lanes &= fragment >> i & 1 ? mask[i][k] : ~mask[i][k];
    return lanes;
  };
  Shown fragment[msaa::kMaxSamples];
  const uint32_t count = 1u << bits;
  for (uint32_t f = 1; f < count; ++f) {
    each([&](uint32_t k) { shows[f] |= lanesOf(f, k); });
    if (shows[f]) readPlane(view, at, texels + f * planePitch, fragment[f]);
  }
  each([&](uint32_t k) {
    F32x8 color[4];
    for (int c = 0; c < 4; ++c) color[c] = floats(first.word[c]);
    for (uint32_t f = 1; f < count; ++f) {
      if (!shows[f]) continue;
      const I32x8 there = fromLaneMask(lanesOf(f, k));
      for (int c = 0; c < 4; ++c) color[c] = there ? floats(fragment[f].word[c]) : color[c];
    }
    for (int c = 0; c < 4; ++c) store(of(k).word[c], color[c], kAllLanes);
  });
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
