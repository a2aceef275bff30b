// Many samples of eight pixels of a compressed multisampled image at once (abi::ReadSamples): what resolves in shaders
// read. Texels are loaded and converted once, whatever number of samples shows them: each fragment where the pixels lie
// side by side in a tile, else what samples show that is different in some lane. Compiled per target.
#pragma once

#include "runtime/tex/lanes/multisample.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// Eight pixels of a tile: a row, or two quads side by side, as fragment warps have them.
struct TileLanes {
  uint32_t x, y;  ///< the first
  bool row;

  ETZEL_INLINE_LOOP bool isRow() const { return row; }
  /// Bytes from the first pixel.
  ETZEL_INLINE_LOOP I32x8 places(int32_t texel, int32_t row) const {
    if (isRow()) return I32x8{0, 1, 2, 3, 4, 5, 6, 7} * splat(texel);
    return I32x8{0, 1, 0, 1, 2, 3, 2, 3} * splat(texel) + (I32x8{0, 0, -1, -1, 0, 0, -1, -1} & splat(row));
  }
  /// Theirs of a word of a tile's 64 pixels.
  ETZEL_INLINE_LOOP LaneMask of(uint64_t word) const {
    if (!isRow()) return static_cast<LaneMask>(word >> ((y & 6) << 3 | (x & 4) << 1) & 255);
    return static_cast<LaneMask>(msaa::rowOf(word, y));
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

/// Finds them where all of `lanes` lie so, in the image.
ETZEL_INLINE_LOOP bool findTile(const ImageView& view, I32x8 x, I32x8 y, LaneMask lanes, TileLanes& at) {
  const int first = std::countr_zero(lanes) & 7;
  const auto fits = [&](I32x8 stepX, I32x8 stepY, int32_t right, int32_t below) {
    const I32x8 startX = wrappingSub(x, stepX), startY = wrappingSub(y, stepY);
    const int32_t left = startX[first], top = startY[first];
    const I32x8 there = (startX == splat(left)) & (startY == splat(top));
    if ((laneMask(there) & lanes) != lanes || (left & right) || (top & below)) return false;
    const mem::MipLayout& m = view.plane->mip[0];
    at.x = static_cast<uint32_t>(left), at.y = static_cast<uint32_t>(top);
    return left >= 0 && top >= 0 && left < static_cast<int32_t>(m.width) - right &&
           top < static_cast<int32_t>(m.height) - below;
  };
  at.row = false;
  if (fits(I32x8{0, 1, 0, 1, 2, 3, 2, 3}, I32x8{0, 0, 1, 1, 0, 0, 1, 1}, 3, 1)) return true;
  at.row = true;
  return fits(I32x8{0, 1, 2, 3, 4, 5, 6, 7}, splat(0), 7, 0);
}

/// Calls body(sample, the one before it, or itself) for each of `wanted`, in order.
template <class Body>
ETZEL_INLINE_LOOP void forEachSample(uint32_t wanted, Body body) {
  for (uint32_t rest = wanted, last = static_cast<uint32_t>(std::countr_zero(wanted)); rest; rest &= rest - 1) {
    const auto k = static_cast<uint32_t>(std::countr_zero(rest));
    body(k, last);
    last = k;
  }
}
ETZEL_INLINE_LOOP Shown& shownAt(LaneWords* result, uint32_t sample) {
  return *reinterpret_cast<Shown*>(result + 4 * sample);
}
ETZEL_INLINE_LOOP bool areAlike(const Shown& a, const Shown& b, LaneMask lanes) {
  I32x8 differ = splat(0);
  for (int c = 0; c < 4; ++c) differ |= ints(a.word[c]) ^ ints(b.word[c]);
  return !(laneMask(differ != splat(0)) & lanes);
}

/// Which lanes show a fragment, of sixteen samples at once: bytes.
struct FragmentLanes {
  uint8_t lanes[msaa::kMaxSamples][msaa::kMaxSamples];  ///< by fragment, then by sample
  uint32_t some = 0;                                    ///< fragments that find() has found, a bit each

  /// `mask`: by bit of the fragment's number, then by sample, of lanes that have several, `edges`.
  ETZEL_INLINE_LOOP FragmentLanes(LaneMask edges, const uint8_t (&mask)[4][msaa::kMaxSamples], uint32_t bits)
      : mask_(mask), edges_(U8x16{} + static_cast<uint8_t>(edges)), bits_(bits) {}
  /// \returns whether some of the `wanted` samples shows the fragment
  ETZEL_INLINE_LOOP bool find(uint32_t fragment, uint32_t wanted) {
    U8x16 here = edges_;
    for (uint32_t i = 0; i < bits_; ++i) {
      const auto set = load<U8x16>(mask_[i]);
      here &= fragment >> i & 1 ? set : ~set;
    }
    store(lanes[fragment], here);
    const bool found = ~simd::signs16((U8x16)(here == U8x16{})) & wanted;
    some |= (found ? 1u : 0u) << fragment;
    return found;
  }

 private:
  const uint8_t (&mask_)[4][msaa::kMaxSamples];
  const U8x16 edges_;
  const uint32_t bits_;
};

/// readSamples() of pixels of a tile. `asks`: whether it is worth looking which samples are alike in pixels that have
/// several fragments.
inline uint32_t readTileSamples(const ImageView& view, const TileLanes& at, LaneMask active, bool asks, uint32_t wanted,
                                LaneWords* result) {
  const mem::FragmentLayout& layout = view.plane->fragments;
  const msaa::TileStates states(layout, view.samples, view.memory, view.baseLayer);
  const uint32_t tile = (at.y >> 3) * layout.tilesX + (at.x >> 3), samples = view.samples;
  const std::byte* const texels =
      view.direct.texels + int64_t{at.y} * view.direct.rowPitch + at.x * view.plane->blockBytes;
  const uint64_t planePitch = view.plane->samplePitch;
  const uint8_t state = states.state(tile);
  const auto each = [&](auto body) {
    for (uint32_t rest = wanted; rest; rest &= rest - 1) body(static_cast<uint32_t>(std::countr_zero(rest)));
  };
  uint32_t same = 0;
  const auto ask = [&](auto alike) {
    if (asks)
      forEachSample(wanted, [&](uint32_t k, uint32_t last) { same |= (k != last && alike(k, last) ? 1u : 0u) << k; });
  };
  Shown first;
  LaneMask edges = 0;
  switch (msaa::kindOf(state)) {
    case msaa::TileKind::Expanded:
      each([&](uint32_t k) { readPlane(view, at, texels + k * planePitch, shownAt(result, k)); });
      ask([&](uint32_t k, uint32_t last) { return areAlike(shownAt(result, k), shownAt(result, last), active); });
      return same;
    case msaa::TileKind::Clear: {
      const std::byte* const color = states.clearColor(msaa::clearColorOf(state));
      kernels(view).read({view, first.word, kAllLanes}, color, splat(0), splat(-1), nullptr);
      break;
    }
    case msaa::TileKind::General: edges = at.of(states.edges(tile)); [[fallthrough]];
    case msaa::TileKind::One: readPlane(view, at, texels, first); break;
  }
  if (!edges) {
    each([&](uint32_t k) { shownAt(result, k) = first; });
    return wanted & (wanted - 1);
  }
  const uint64_t* const words = states.masks(tile);
  const uint32_t bits = msaa::maskBits(state, samples);
  alignas(16) uint8_t mask[4][msaa::kMaxSamples] = {};  // lanes by bit of the fragment's number, then by sample
  each([&](uint32_t k) {
    for (uint32_t i = 0; i < bits; ++i) mask[i][k] = static_cast<uint8_t>(at.of(words[i * samples + k]) & edges);
  });
  FragmentLanes shown(edges, mask, bits);
  Shown fragment[msaa::kMaxSamples];
  for (uint32_t f = 1; f < 1u << bits; ++f)
    if (shown.find(f, wanted)) readPlane(view, at, texels + f * planePitch, fragment[f]);
  each([&](uint32_t k) {
    F32x8 color[4];
    for (int c = 0; c < 4; ++c) color[c] = floats(first.word[c]);
    for (uint32_t rest = shown.some; rest; rest &= rest - 1) {
      const auto f = static_cast<uint32_t>(std::countr_zero(rest));
      const I32x8 there = fromLaneMask(LaneMask{shown.lanes[f][k]});
      for (int c = 0; c < 4; ++c) color[c] = there ? floats(fragment[f].word[c]) : color[c];
    }
    for (int c = 0; c < 4; ++c) store(shownAt(result, k).word[c], color[c], kAllLanes);
  });
  ask([&](uint32_t k, uint32_t last) {
    uint32_t differ = 0;
    for (uint32_t i = 0; i < bits; ++i) differ |= mask[i][k] ^ mask[i][last];
    return !(differ & active);
  });
  return same;
}

/// The samples whose bit of `words` is set in a pixel, a bit each.
ETZEL_INLINE_LOOP uint32_t samplesOfPixel(const uint64_t* words, uint32_t samples, uint32_t pixel) {
  uint32_t found = 0;
  for (uint32_t k = 0; k < samples; ++k) found |= static_cast<uint32_t>(words[k] >> pixel & 1) << k;
  return found;
}
ETZEL_INLINE_LOOP uint32_t eightSamplesOfPixel(const uint64_t* words, uint32_t pixel) {
  return laneMask(highWords(load<U64x8>(words) << (63 - pixel)));
}

/// What lanes' samples show: of fragment 0 the bytes from view.lanes.base, of the others their numbers' bits.
struct LaneFragments {
  I32x8 offset;
  U32x8 bit[4] = {};  ///< the samples that have it, a bit each
  uint32_t bits = 0;  ///< that some lane has
  bool expanded = false;

  ETZEL_INLINE_LOOP I32x8 of(uint32_t sample) const {
    U32x8 number{};
    for (uint32_t b = 0; b < bits; ++b) number |= (bit[b] >> sample & 1u) << b;
    return asInt(number);
  }
};

/// Of pixels anywhere in the image.
ETZEL_INLINE_LOOP LaneFragments fragmentsAnywhere(const ImageView& view, I32x8 x, I32x8 y) {
  const mem::FragmentLayout& layout = view.plane->fragments;
  const msaa::TileStates states(layout, view.samples, view.memory, view.baseLayer);
  const I32x8 tile = (y >> 3) * splat(static_cast<int32_t>(layout.tilesX)) + (x >> 3);
  const I32x8 pixel = ((y & 6) << 3) | ((x & 4) << 1) | ((x & 2) << 1) | ((y & 1) << 1) | (x & 1);  // pixelIndex()
  const Plane p = planeOf(view, 0);
  const uint32_t samples = view.samples;
  LaneFragments found;
  found.offset = splat(static_cast<int32_t>(p.base - view.lanes.base)) + x * splat(p.texel) + y * splat(p.row);
  // All that the loop waits for is asked for before, and what the neighbours to the right will want.
  for (int i = 0; i < 8; ++i) {
    const auto t = static_cast<uint32_t>(tile[i]);
    const std::byte* const texel = view.lanes.base + found.offset[i];
    __builtin_prefetch(texel);
    if (msaa::kindOf(states.state(t)) != msaa::TileKind::General) continue;
    __builtin_prefetch(states.masks(t)), __builtin_prefetch(states.masks(t + 1));
    __builtin_prefetch(&states.edges(t));
    __builtin_prefetch(texel + view.plane->samplePitch);
  }
  for (int i = 0; i < 8; ++i) {
    const auto t = static_cast<uint32_t>(tile[i]), at = static_cast<uint32_t>(pixel[i]);
    const uint8_t state = states.state(t);
    switch (msaa::kindOf(state)) {
      case msaa::TileKind::One: break;
      case msaa::TileKind::Clear:
        found.offset[i] = static_cast<int32_t>(states.clearColor(msaa::clearColorOf(state)) - view.lanes.base);
        break;
      case msaa::TileKind::Expanded: {
        constexpr uint32_t kBits[4] = {0xAAAA, 0xCCCC, 0xF0F0, 0xFF00};
        for (int b = 0; b < 4; ++b) found.bit[b][i] = kBits[b];
        found.bits = 4, found.expanded = true;
        break;
      }
      case msaa::TileKind::General: {
        if (!(states.edges(t) >> at & 1)) break;
        const uint64_t* const words = states.masks(t);
        const uint32_t bits = msaa::maskBits(state, samples);
        for (uint32_t b = 0; b < bits; ++b)
          found.bit[b][i] =
              samples == 8 ? eightSamplesOfPixel(words + 8 * b, at) : samplesOfPixel(words + b * samples, samples, at);
        found.bits = found.bits > bits ? found.bits : bits;
      }
    }
  }
  return found;
}

/// readSamples() of pixels anywhere.
inline uint32_t readSamplesAnywhere(const ImageView& view, I32x8 x, I32x8 y, uint32_t wanted, LaneWords* result) {
  const mem::MipLayout& m = view.plane->mip[0];
  const I32x8 valid = inside(x, static_cast<int32_t>(m.width)) & inside(y, static_cast<int32_t>(m.height));
  const LaneFragments fragments = fragmentsAnywhere(view, x & valid, y & valid);
  const auto planePitch = splat(static_cast<int32_t>(view.plane->samplePitch));
  format::Texel missing;
  const bool complete = laneMask(valid) == kAllLanes;
  if (!complete) missing = {{0, 0, 0, view.lanes.missingAlpha}};
  I32x8 fragment[msaa::kMaxSamples];
  uint32_t same = 0;
  forEachSample(wanted, [&](uint32_t k, uint32_t last) {
    fragment[k] = fragments.of(k);
    // Often the one before, else of a few.
    for (uint32_t rest = wanted & ((1u << k) - 1); rest;) {
      const uint32_t other = 31 - static_cast<uint32_t>(std::countl_zero(rest));
      if (!laneMask(fragment[other] != fragment[k])) {
        shownAt(result, k) = shownAt(result, other);
        same |= (other == last ? 1u : 0u) << k;
        return;
      }
      rest &= ~(1u << other);
    }
    const I32x8 offset = (fragments.offset + fragment[k] * planePitch) & valid;
    prefetchRight(view.lanes.base + offset[0], offset[2] - offset[0]);
    kernels(view).read({view, shownAt(result, k).word, kAllLanes}, view.lanes.base, offset, valid,
                       complete ? nullptr : &missing);
    if (k != last && fragments.expanded)
      same |= (areAlike(shownAt(result, k), shownAt(result, last), kAllLanes) ? 1u : 0u) << k;
  });
  return same;
}

/// abi::ReadSamples.
uint32_t readSamples(const ImageView* view, const LaneWords* place, LaneMask lanes, uint32_t samples,
                     LaneWords* result) {
  const uint32_t wanted = samples & msaa::allSamples(view->samples);
  const I32x8 x = ints(place[0]), y = ints(place[1]);
  TileLanes at;
  if (samples & (abi::kLieInQuads | abi::kLieInRow)) {
    at = {static_cast<uint32_t>(x[0]), static_cast<uint32_t>(y[0]), (samples & abi::kLieInRow) != 0};
    return readTileSamples(*view, at, lanes, samples & abi::kAskAlike, wanted, result);
  }
  if (findTile(*view, x, y, lanes, at))
    return readTileSamples(*view, at, lanes, samples & abi::kAskAlike, wanted, result);
  // Lanes that nobody asks for are where the first is that somebody does.
  const int first = std::countr_zero(lanes) & 7;
  const I32x8 asked = fromLaneMask(lanes);
  return readSamplesAnywhere(*view, asked ? x : splat(x[first]), asked ? y : splat(y[first]), wanted, result);
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
