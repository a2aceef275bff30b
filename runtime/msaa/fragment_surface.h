// One layer of a compressed multisampled colour image: what its memory says about tiles of 8x8 pixels.
//
// A pixel stores each distinct colour of its samples once, as a fragment; fragment f of all pixels lies in plane f, and
// the pixel's mask (fragment_mask.h) says which fragment a sample shows. A tile's state byte tells how much of that
// exists:
//   One       every pixel has one fragment, in plane 0. Masks and edge word are not read. Zeroed memory is this.
//   Clear     every sample has a clear colour of the layer; no plane is read.
//   General   pixels with a bit in the edge word have a mask, the others one fragment.
//   Expanded  sample s lies in plane s, as without compression.
//
// Everything read from memory may be garbage (a new image in old memory), so nothing here relies on it: indices are cut
// down to what exists. A tile belongs to one thread at a time, except in expandShared() and sharedSampleTexel().
#pragma once

#include <bit>
#include <cstring>

#include "runtime/base/assert.h"
#include "runtime/mem/image_layout.h"
#include "runtime/msaa/fragment_mask.h"

namespace etzel::msaa {

enum class TileKind : uint8_t { One, Clear, General, Expanded };

/// The state byte: bits 1-0 the kind, 5-2 the greatest fragment index (General), 7-6 the clear colour (Clear).
constexpr TileKind kindOf(uint8_t state) { return static_cast<TileKind>(state & 3); }
constexpr uint32_t lastFragment(uint8_t state) { return state >> 2 & 15; }
constexpr uint32_t clearColorOf(uint8_t state) { return state >> 6; }
constexpr uint8_t makeState(TileKind kind, uint32_t lastFragmentIndex = 0, uint32_t clearColor = 0) {
  return static_cast<uint8_t>(static_cast<uint32_t>(kind) | lastFragmentIndex << 2 | clearColor << 6);
}

inline constexpr uint32_t kTile = mem::kFragmentTile;

/// Copies a texel, whose size is mostly one of a few.
inline void copyTexel(std::byte* to, const std::byte* from, uint32_t bytes) {
  switch (bytes) {
    case 1: *to = *from; return;
    case 2: std::memcpy(to, from, 2); return;
    case 4: std::memcpy(to, from, 4); return;
    case 8: std::memcpy(to, from, 8); return;
    case 16: std::memcpy(to, from, 16); return;
    default: std::memcpy(to, from, bytes);
  }
}
/// Writes a texel of `bytes` bytes `count` times.
void fillTexels(std::byte* to, const std::byte* texel, uint32_t bytes, uint32_t count);

/// A pixel's place in its tile's edge word and masks: 4x2 groups right then down; in a group the left quad first.
constexpr uint32_t pixelIndex(uint32_t x, uint32_t y) {
  const uint32_t group = (y >> 1 & 3) * 2 + (x >> 2 & 1);
  return group * 8 + (x >> 1 & 1) * 4 + (y & 1) * 2 + (x & 1);
}
/// Of a word of a tile's pixels, as pixelIndex() numbers them, the bits of those of a row, left to right.
constexpr uint32_t rowOf(uint64_t word, uint32_t y) {
  // Two groups of eight have the row, two pixels of every four.
  uint64_t row = word >> ((y & 6) << 3) >> (2 * (y & 1)) & 0x3333;
  row = (row | row >> 2) & 0x0F0F;
  return static_cast<uint32_t>((row | row >> 4) & 255);
}

/// Bits of a fragment index that the masks of a General tile have; words of higher bits are not read, and count as 0.
constexpr uint32_t maskBits(uint8_t state, uint32_t samples) {
  return static_cast<uint32_t>(std::bit_width(lastFragment(state) & (samples - 1)));
}
/// Bytes of the words that are read.
constexpr uint64_t maskBytes(uint8_t state, uint32_t samples) {
  return uint64_t{maskBits(state, samples)} * samples * sizeof(uint64_t);
}
/// A pixel of a tile's masks: words of 64 pixels, for bit 0 of the fragment index one per sample, then for bit 1, ...
FragmentMask maskIn(const uint64_t* words, uint32_t samples, uint32_t bits, uint32_t pixel);

/// Where the states of a layer's tiles lie, their edges, masks and colours: the only place that knows.
struct TileStates {
  std::byte* meta = nullptr;  ///< of the layer; null: there are none
  uint64_t edgeOffset = 0, maskOffset = 0;
  uint32_t tilesX = 0, tilesY = 0, samples = 1;

  TileStates() = default;
  /// \param memory the image's first byte
  TileStates(const mem::FragmentLayout& l, uint32_t sampleCount, std::byte* memory, uint32_t layer)
      : meta(l.offset ? memory + l.offset + layer * l.layerPitch : nullptr),
        edgeOffset(l.edgeOffset),
        maskOffset(l.maskOffset),
        tilesX(l.tilesX),
        tilesY(l.tilesY),
        samples(sampleCount) {}

  uint8_t& state(uint32_t tile) const { return reinterpret_cast<uint8_t*>(meta)[mem::kTileStateOffset + tile]; }
  /// A bit for each pixel with several fragments, as pixelIndex() numbers them. Of General tiles only.
  uint64_t& edges(uint32_t tile) const { return reinterpret_cast<uint64_t*>(meta + edgeOffset)[tile]; }
  /// The masks of a tile, as maskIn() reads them.
  uint64_t* masks(uint32_t tile) const {
    return reinterpret_cast<uint64_t*>(meta + maskOffset) + uint64_t{tile} * mem::fragmentMaskWords(samples);
  }
  std::byte* clearColor(uint32_t index) const { return meta + index * mem::kClearColorBytes; }
};

/// One layer. Without states sample s lies in plane s, and only at() and readRow() are of use.
struct FragmentSurface : TileStates {
  std::byte* texels = nullptr;  ///< the first pixel of plane 0
  uint64_t planePitch = 0;
  uint32_t rowPitch = 0, texelBytes = 0, width = 0, height = 0;
  uint32_t originX = 0, originY = 0;  ///< pixel at which the memory begins, a multiple of the tile's size

  FragmentSurface() = default;
  /// \pre `layer` exists
  FragmentSurface(const mem::ImageLayout& layout, const mem::PlaneLayout& plane, std::byte* memory, uint32_t layer);
  explicit operator bool() const { return meta != nullptr; }

  uint32_t tileOf(uint32_t x, uint32_t y) const { return (y - originY) / kTile * tilesX + (x - originX) / kTile; }
  /// The first pixel of a tile.
  uint32_t tileLeft(uint32_t tile) const { return originX + tile % tilesX * kTile; }
  uint32_t tileTop(uint32_t tile) const { return originY + tile / tilesX * kTile; }
  std::byte* at(uint32_t x, uint32_t y, uint32_t plane) const {
    return texels + plane * planePitch + uint64_t{y - originY} * rowPitch + uint64_t{x - originX} * texelBytes;
  }

  /// The mask of a pixel with an edge bit. \pre the tile is General
  FragmentMask loadMask(uint32_t tile, uint32_t pixel) const {
    ETZEL_ASSERT(kindOf(state(tile)) == TileKind::General);
    return maskIn(masks(tile), samples, maskBits(state(tile), samples), pixel);
  }

  /// The mask of a pixel as shaders see it: 0 for pixels with one fragment, the identity where tiles are expanded.
  FragmentMask maskAt(uint32_t x, uint32_t y) const;
  /// Bytes of the texel that a sample shows; valid until the tile is written.
  const std::byte* sampleTexel(uint32_t x, uint32_t y, uint32_t sample) const;
  /// Bytes of a fragment. Pixels with one fragment have it under every index; indices beyond the samples are cut down.
  const std::byte* fragmentTexel(uint32_t x, uint32_t y, uint32_t fragment) const;
  /// What `sample` shows in pixels [x, x + count) of a row.
  void readRow(uint32_t x, uint32_t y, uint32_t count, uint32_t sample, std::byte* out) const;

  /// Turns Clear into One: plane 0 gets the colour.
  void materialize(uint32_t tile) const;
  /// Turns any state into Expanded.
  void expand(uint32_t tile) const;
  /// expand() for tiles that several threads access at the same time (storage images).
  void expandShared(uint32_t tile) const;
  /// Copies what a sample shows to `out` while other threads may expand the tile.
  void sharedSampleTexel(uint32_t x, uint32_t y, uint32_t sample, std::byte* out) const;

  /// Replaces `covered` samples of a pixel with a colour.
  void writeSamples(uint32_t x, uint32_t y, SampleMask covered, const std::byte* texel) const;
  /// Makes `covered` samples of a pixel independent of the others: returns the planes that hold them, each exactly
  /// once. Changing those planes' texels changes all and only the covered samples.
  SampleMask isolateSamples(uint32_t x, uint32_t y, SampleMask covered) const;

  /// Fills all samples of pixels [x0, x1) x [y0, y1). `color`: the clear colour's index (reserveClearColor), which
  /// whole tiles then refer to; negative: texels are written.
  void clear(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, const std::byte* texel, int32_t color) const;
  /// Finds or makes a clear colour of the layer. With `replace` colours that no tile shows may be given up, and all of
  /// them where `everything` will be cleared; nothing may be under way that clears to them then.
  /// \returns its index, or -1 when all are taken
  int32_t reserveClearColor(const std::byte* texel, bool replace, bool everything) const;

  /// Takes over a tile of a surface of the same size of texels and sample count with its compression. Both tiles have
  /// `columns` x `rows` pixels.
  void copyTile(uint32_t tile, const FragmentSurface& from, uint32_t fromTile, uint32_t columns, uint32_t rows) const;

  /// Fragments that the pixels of a tile keep in total, for statistics: 64 when nothing has an edge, 0 when clear.
  uint32_t countFragments(uint32_t tile) const;

 private:
  /// readRow() in one tile, which is General.
  void readGeneralRow(uint8_t state, uint32_t tile, uint32_t x, uint32_t y, uint32_t count, uint32_t sample,
                      std::byte* out) const;
  void fillPlane(uint32_t tile, const std::byte* texel) const;
  void setMask(uint32_t tile, uint32_t pixel, FragmentMask mask) const;
  /// sampleTexel() for a state that has been read already.
  const std::byte* texelIn(uint8_t state, uint32_t tile, uint32_t x, uint32_t y, uint32_t sample) const;
};

}  // namespace etzel::msaa
