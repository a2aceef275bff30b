#include "raster/attachment/tile_copy.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "raster/bin.h"

namespace etzel::raster {
namespace {

using msaa::TileKind;
constexpr uint32_t kTile = mem::kFragmentTile;

/// Whether `count` tiles from a state on are clear, whatever they are tiles of.
bool areClear(const uint8_t* states, uint32_t count) {
  static_assert(uint32_t(TileKind::Clear) == uint32_t(msaa::DepthKind::Clear));
  return std::all_of(states, states + count, [](uint8_t s) { return msaa::kindOf(s) == TileKind::Clear; });
}

/// Calls body(x, y, across, y1) for each row of 8x8 tiles that an image has of the 64x64 pixels at (left, top): its
/// first pixel, how many tiles, and where its pixels end.
template <class Surface, class Body>
void forRows(const Surface& image, uint32_t left, uint32_t top, const Body& body) {
  const uint32_t right = std::min(left + kTileSize, image.width), bottom = std::min(top + kTileSize, image.height);
  const uint32_t across = divideUp(right - left, kTile);
  for (uint32_t y = top; y < bottom; y += kTile) body(left, y, across, std::min(y + kTile, bottom));
}

template <class Surface>
bool isClear(const Surface& image, uint32_t x, uint32_t y) {
  bool clear = true;
  forRows(image, x, y, [&](uint32_t left, uint32_t row, uint32_t across, uint32_t) {
    clear = clear && areClear(&image.state(image.tileOf(left, row)), across);
  });
  return clear;
}

/// One fragment plane of pixels [x0, x1) x [y0, y1).
void copyPlane(const msaa::FragmentSurface& from, const msaa::FragmentSurface& to, uint32_t plane, uint32_t x0,
               uint32_t x1, uint32_t y0, uint32_t y1) {
  const size_t bytes = size_t{x1 - x0} * to.texelBytes;
  const std::byte* source = from.at(x0, y0, plane);
  std::byte* out = to.at(x0, y0, plane);
  for (uint32_t y = y0; y < y1; ++y, source += from.rowPitch, out += to.rowPitch) std::memcpy(out, source, bytes);
}

/// A tile's row of texels, whose size is mostly one of a few.
void copyWholeRow(std::byte* to, const std::byte* from, uint32_t bytes) {
  switch (bytes) {
    case 4: std::memcpy(to, from, kTile * 4); return;
    case 8: std::memcpy(to, from, kTile * 8); return;
    case 16: std::memcpy(to, from, kTile * 16); return;
    default: std::memcpy(to, from, size_t{kTile} * bytes);
  }
}

/// The texels of one fragment plane in the pixels of `shown`, as msaa::pixelIndex() numbers them, of the tile at (x0,
/// y0).
void copyPixels(const msaa::FragmentSurface& from, const msaa::FragmentSurface& to, uint32_t plane, uint32_t x0,
                uint32_t y0, uint64_t shown) {
  if (!shown) return;
  const uint32_t bytes = to.texelBytes;
  const uint32_t columns = std::min(to.width - x0, kTile), rows = std::min(to.height - y0, kTile);
  const std::byte* source = from.at(x0, y0, plane);
  std::byte* out = to.at(x0, y0, plane);
  for (uint32_t y = 0; y < rows; ++y, source += from.rowPitch, out += to.rowPitch) {
    uint32_t row = msaa::rowOf(shown, y) & ((1u << columns) - 1);
    if (row == (1u << kTile) - 1) {
      copyWholeRow(out, source, bytes);
      continue;
    }
    for (; row; row &= row - 1) {
      const size_t at = size_t{static_cast<uint32_t>(std::countr_zero(row))} * bytes;
      msaa::copyTexel(out + at, source + at, bytes);
    }
  }
}

/// What a General tile has besides plane 0: masks, and the texels that they show.
void copyFragments(const msaa::FragmentSurface& from, uint32_t fromTile, const msaa::FragmentSurface& to,
                   uint32_t toTile, uint8_t state) {
  const uint32_t samples = to.samples, bits = msaa::maskBits(state, samples);
  const uint64_t* words = from.masks(fromTile);
  const uint64_t edges = from.edges(fromTile);
  to.edges(toTile) = edges;
  std::memcpy(to.masks(toTile), words, msaa::maskBytes(state, samples));
  const uint32_t x0 = from.tileLeft(fromTile), y0 = from.tileTop(fromTile);
  // Garbage may show more fragments than it says there are, but none that its masks have no bits for.
  const uint32_t planes = std::min(1u << bits, samples);
  for (uint32_t plane = 1; plane < planes; ++plane) {
    uint64_t shown = 0;
    for (uint32_t k = 0; k < samples; ++k) {
      uint64_t here = edges;
      for (uint32_t i = 0; i < bits; ++i) here &= plane >> i & 1 ? words[i * samples + k] : ~words[i * samples + k];
      shown |= here;
    }
    copyPixels(from, to, plane, x0, y0, shown);
  }
}

/// All of a tile but plane 0, which may be in the image already.
void copyRest(const msaa::FragmentSurface& from, uint32_t fromTile, const msaa::FragmentSurface& to, uint32_t toTile,
              uint32_t x1, uint32_t y1) {
  const uint8_t s = from.state(fromTile);
  if (msaa::kindOf(s) == TileKind::General) {
    copyFragments(from, fromTile, to, toTile, s);
  } else if (msaa::kindOf(s) == TileKind::Expanded) {
    for (uint32_t plane = 1; plane < to.samples; ++plane)
      copyPlane(from, to, plane, from.tileLeft(fromTile), x1, from.tileTop(fromTile), y1);
  }
}

/// Copies a row of tiles. Clear tiles stay what they are where both layers have the clear colour; `alike`: all of them.
void copyRow(const msaa::FragmentSurface& from, const msaa::FragmentSurface& to, uint32_t x, uint32_t y,
             uint32_t across, uint32_t x1, uint32_t y1, bool alike) {
  const uint32_t source = from.tileOf(x, y), tile = to.tileOf(x, y);
  const uint8_t* const states = &from.state(source);
  if (alike && areClear(states, across)) {
    std::memcpy(&to.state(tile), states, across);
    return;
  }
  const bool anyClear =
      std::any_of(states, states + across, [](uint8_t s) { return msaa::kindOf(s) == TileKind::Clear; });
  if (!anyClear) copyPlane(from, to, 0, x, x1, y, y1);
  for (uint32_t i = 0; i < across; ++i, x += kTile) {
    const uint8_t s = states[i];
    const uint32_t end = std::min(x + kTile, x1);
    if (msaa::kindOf(s) == TileKind::Clear) {
      const uint32_t color = msaa::clearColorOf(s);
      if (alike || std::memcmp(to.clearColor(color), from.clearColor(color), to.texelBytes) == 0)
        to.state(tile + i) = s;
      else
        to.copyTile(tile + i, from, source + i, end - x, y1 - y);
      continue;
    }
    if (anyClear) copyPlane(from, to, 0, x, end, y, y1);
    copyRest(from, source + i, to, tile + i, end, y1);
    to.state(tile + i) = s;
  }
}

void copyTile(const msaa::FragmentSurface& from, const msaa::FragmentSurface& to, uint32_t left, uint32_t top) {
  const uint32_t x1 = std::min(left + kTileSize, to.width);
  const bool alike = std::memcmp(to.clearColor(0), from.clearColor(0), mem::kClearColors * mem::kClearColorBytes) == 0;
  forRows(to, left, top, [&](uint32_t x, uint32_t y, uint32_t across, uint32_t y1) {
    copyRow(from, to, x, y, across, x1, y1, alike);
  });
}

void copyTile(const msaa::DepthSurface& from, const msaa::DepthSurface& to, uint32_t left, uint32_t top) {
  forRows(to, left, top, [&](uint32_t x, uint32_t y, uint32_t across, uint32_t) {
    const uint32_t source = from.tileOf(x, y), tile = to.tileOf(x, y);
    if (areClear(&from.state(source), across)) {
      std::memcpy(&to.state(tile), &from.state(source), across);
      std::memcpy(&to.word(tile), &from.word(source), across * sizeof(uint32_t));
      return;
    }
    for (uint32_t i = 0; i < across; ++i) to.copyTile(tile + i, from, source + i);
  });
}

}  // namespace

bool isClearTile(const msaa::FragmentSurface& image, uint32_t x, uint32_t y) { return isClear(image, x, y); }
bool isClearTile(const msaa::DepthSurface& image, uint32_t x, uint32_t y) { return isClear(image, x, y); }

void loadTile(const msaa::FragmentSurface& image, const msaa::FragmentSurface& local) {
  std::memcpy(local.clearColor(0), image.clearColor(0), mem::kClearColors * mem::kClearColorBytes);
  copyTile(image, local, local.originX, local.originY);
}
void loadTile(const msaa::DepthSurface& image, const msaa::DepthSurface& local) {
  copyTile(image, local, local.originX, local.originY);
}

void zeroTile(const msaa::FragmentSurface& local) {
  std::memset(local.clearColor(0), 0, mem::kClearColorBytes);
  std::memset(&local.state(0), msaa::makeState(TileKind::Clear), local.tilesX * local.tilesY);
}
void zeroTile(const msaa::DepthSurface& local) {
  std::memset(&local.state(0), msaa::makeDepthState(msaa::DepthKind::Clear), local.tilesX * local.tilesY);
  std::memset(&local.word(0), 0, local.tilesX * local.tilesY * sizeof(uint32_t));
}

void storeTile(const msaa::FragmentSurface& local, const msaa::FragmentSurface& image) {
  copyTile(local, image, local.originX, local.originY);
}
void storeTile(const msaa::DepthSurface& local, const msaa::DepthSurface& image) {
  copyTile(local, image, local.originX, local.originY);
}

}  // namespace etzel::raster
