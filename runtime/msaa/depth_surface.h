// One layer of a depth or stencil image: what its memory says about tiles of 8x8 pixels.
//
// A tile's state byte tells how its samples are stored:
//   Expanded  sample s lies in plane s, as without tile states. Zeroed memory is this.
//   Clear     every sample has the tile's word; no texel is read. The only other state of stencil.
//   Planes    up to eight depth planes (with one sample per pixel: one), each with the samples that it covers (a single
//             one: all of them). A sample's value is computed where it is needed, with the operations that drawing
//             uses, in their order: the same bits.
//
// Everything read from memory may be garbage (a new image in old memory): any state has some value for every sample,
// the same until it is written. A tile belongs to one thread at a time, except in expandShared() and in reads.
#pragma once

#include "runtime/base/assert.h"
#include "runtime/mem/image_layout.h"
#include "runtime/msaa/sample_positions.h"

namespace etzel::msaa {

/// How depth is stored and compared: as codes for fixed point, as floats otherwise.
enum class DepthFormat : uint8_t { None, D16, D24, D32F };
DepthFormat depthFormatOf(VkFormat format);

enum class DepthKind : uint8_t { Expanded, Clear, Planes };

/// The state byte: bits 1-0 the kind, 4-2 the number of planes less one.
constexpr DepthKind depthKindOf(uint8_t state) {
  return (state & 3) == 3 ? DepthKind::Expanded : static_cast<DepthKind>(state & 3);
}
constexpr uint32_t planeCountOf(uint8_t state) { return (state >> 2 & 7) + 1u; }
constexpr uint8_t makeDepthState(DepthKind kind, uint32_t planes = 1) {
  return static_cast<uint8_t>(static_cast<uint32_t>(kind) | (planes - 1) << 2);
}

/// Depth at (x, y), in pixels: ((x - x0) * dzdx + z0) + (y - y0) * dzdy, each operation rounded, then clamped, then
/// converted to the format.
struct DepthPlane {
  enum Kind : uint32_t { Open, Clamped, Constant };
  float x0 = 0, y0 = 0;
  float z0 = 0;  ///< Constant: the bits of the stored word, whatever the format
  float dzdx = 0, dzdy = 0;
  float low = 0, high = 0;  ///< Clamped: to these
  uint32_t kind = Open;

  bool operator==(const DepthPlane& o) const { return __builtin_memcmp(this, &o, sizeof o) == 0; }
};
static_assert(sizeof(DepthPlane) == mem::kDepthPlaneBytes);

struct DepthSurface {
  std::byte* texels = nullptr;  ///< the first pixel of sample 0
  std::byte* meta = nullptr;    ///< of this layer; null: all tiles are Expanded
  uint64_t samplePitch = 0, wordOffset = 0, planeOffset = 0, maskOffset = 0;
  uint32_t rowPitch = 0, texelBytes = 0, width = 0, height = 0, samples = 1;
  uint32_t tilesX = 0, tilesY = 0;
  uint32_t originX = 0, originY = 0;       ///< pixel at which the memory begins, a multiple of the tile's size
  DepthFormat format = DepthFormat::None;  ///< None: stencil

  DepthSurface() = default;
  /// \pre `layer` exists
  DepthSurface(const mem::ImageLayout& layout, const mem::PlaneLayout& plane, std::byte* memory, uint32_t layer);
  /// Whether there are tile states.
  explicit operator bool() const { return meta != nullptr; }

  uint32_t tileOf(uint32_t x, uint32_t y) const {
    return (y - originY) / mem::kFragmentTile * tilesX + (x - originX) / mem::kFragmentTile;
  }
  /// The first pixel of a tile.
  uint32_t tileLeft(uint32_t tile) const { return originX + tile % tilesX * mem::kFragmentTile; }
  uint32_t tileTop(uint32_t tile) const { return originY + tile / tilesX * mem::kFragmentTile; }
  uint8_t& state(uint32_t tile) const { return reinterpret_cast<uint8_t*>(meta)[tile]; }
  uint32_t& word(uint32_t tile) const { return reinterpret_cast<uint32_t*>(meta + wordOffset)[tile]; }
  bool hasPlanes() const { return planeOffset != 0; }
  /// The kind of a state; garbage may speak of planes where there is no room for any.
  DepthKind kindOf(uint8_t s) const {
    const DepthKind kind = depthKindOf(s);
    return kind == DepthKind::Planes && !hasPlanes() ? DepthKind::Expanded : kind;
  }
  /// \pre hasPlanes()
  DepthPlane* planes(uint32_t tile) const {
    ETZEL_ASSERT(hasPlanes());
    return reinterpret_cast<DepthPlane*>(meta + planeOffset) + uint64_t{tile} * mem::depthPlanes(samples);
  }
  /// Planes of a tile in that state.
  uint32_t planeCount(uint8_t s) const { return samples > 1 ? planeCountOf(s) : 1; }
  /// Coverage of plane `index`, a word per sample, bits as pixelIndex() numbers them. A tile with one plane has none,
  /// nor has a surface with one sample per pixel.
  uint64_t* masks(uint32_t tile, uint32_t index) const {
    return reinterpret_cast<uint64_t*>(meta + maskOffset) +
           (uint64_t{tile} * mem::depthPlanes(samples) + index) * samples;
  }
  std::byte* at(uint32_t x, uint32_t y, uint32_t sample) const {
    return texels + sample * samplePitch + uint64_t{y - originY} * rowPitch + uint64_t{x - originX} * texelBytes;
  }

  /// What a sample has, in the low texelBytes.
  uint32_t sampleWord(uint32_t x, uint32_t y, uint32_t sample) const;
  /// What `sample` has in pixels [x, x + count) of a row, texels one after another.
  void readRow(uint32_t x, uint32_t y, uint32_t count, uint32_t sample, std::byte* out) const;

  /// Turns any state into Expanded.
  void expand(uint32_t tile) const;
  /// expand() for every tile that [x0, x1) x [y0, y1) touches, while other threads may do the same.
  void expandShared(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1) const;
  /// Fills all samples of pixels [x0, x1) x [y0, y1) with a word.
  void clear(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t value) const;
  /// Takes over the same tile, `fromTile` there, of a surface of the same format, size, texels and sample count, as it
  /// is.
  void copyTile(uint32_t tile, const DepthSurface& from, uint32_t fromTile) const;

  /// One plane that covers the whole tile. \pre hasPlanes()
  void setPlane(uint32_t tile, const DepthPlane& plane) const {
    ETZEL_ASSERT(hasPlanes());
    planes(tile)[0] = plane;
    state(tile) = makeDepthState(DepthKind::Planes);
  }

 private:
  /// Words of four pixels from (x, y) on; all lie in `tile`, but need not exist.
  void words4(uint8_t state, uint32_t tile, uint32_t x, uint32_t y, uint32_t sample, uint32_t* out) const;
};

/// Gives the texels of a layer all values, so that memory can be read without asking here.
void expandLayer(const mem::ImageLayout& layout, const mem::PlaneLayout& plane, std::byte* memory, uint32_t layer);

}  // namespace etzel::msaa
