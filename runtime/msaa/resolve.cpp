#include "runtime/msaa/resolve.h"

#include <algorithm>
#include <bit>

namespace etzel::msaa {
namespace {

constexpr uint32_t kChunk = 64;  ///< pixels that are worked on together

/// Sums of planes 0 to samples - 1.
void averagePlanes(const FragmentSurface& s, uint32_t x, uint32_t y, uint32_t bytes, std::byte* out) {
  const uint32_t n = s.samples, shift = static_cast<uint32_t>(std::countr_zero(n));
  const std::byte* first = s.at(x, y, 0);
  uint16_t sum[kChunk * 4];
  for (uint32_t at = 0; at < bytes; at += kChunk * 4) {
    const uint32_t part = std::min(bytes - at, kChunk * 4);
    for (uint32_t i = 0; i < part; ++i) sum[i] = static_cast<uint16_t>(n / 2);
    for (uint32_t k = 0; k < n; ++k) {
      const uint8_t* p = reinterpret_cast<const uint8_t*>(first + k * s.planePitch + at);
      for (uint32_t i = 0; i < part; ++i) sum[i] = static_cast<uint16_t>(sum[i] + p[i]);
    }
    for (uint32_t i = 0; i < part; ++i) out[at + i] = static_cast<std::byte>(sum[i] >> shift);
  }
}

/// One pixel with several fragments.
void averagePixel(const FragmentSurface& s, FragmentMask mask, uint32_t x, uint32_t y, std::byte* out) {
  const uint32_t n = s.samples, shift = static_cast<uint32_t>(std::countr_zero(n)), bytes = s.texelBytes;
  if (bytes == 4) {
    // Two bytes in each half of a word: 16 * 255 fits.
    uint32_t even = 0x00010001u * (n / 2), odd = even;
    for (uint32_t k = 0; k < n; ++k) {
      uint32_t texel;
      std::memcpy(&texel, s.at(x, y, fragmentOf(mask, k, n)), 4);
      even += texel & 0x00FF00FFu, odd += texel >> 8 & 0x00FF00FFu;
    }
    const uint32_t texel = (even >> shift & 0x00FF00FFu) | (odd >> shift & 0x00FF00FFu) << 8;
    std::memcpy(out, &texel, 4);
    return;
  }
  for (uint32_t b = 0; b < bytes; ++b) {
    uint32_t sum = n / 2;
    for (uint32_t k = 0; k < n; ++k) sum += static_cast<uint8_t>(s.at(x, y, fragmentOf(mask, k, n))[b]);
    out[b] = static_cast<std::byte>(sum >> shift);
  }
}

/// The part of a row in a tile of several fragments.
void averageGeneral(const FragmentSurface& s, uint32_t tile, uint32_t x, uint32_t y, uint32_t count, std::byte* out) {
  std::memcpy(out, s.at(x, y, 0), size_t{count} * s.texelBytes);
  const uint64_t edges = s.edges(tile);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t pixel = pixelIndex(x + i, y);
    if (edges >> pixel & 1) averagePixel(s, s.loadMask(tile, pixel), x + i, y, out + size_t{i} * s.texelBytes);
  }
}

bool oneFragment(const FragmentSurface& s, uint32_t x, uint32_t y, uint32_t count) {
  if (!s) return s.samples == 1;
  for (uint32_t tile = s.tileOf(x, y); tile <= s.tileOf(x + count - 1, y); ++tile)
    if (kindOf(s.state(tile)) >= TileKind::General) return false;
  return true;
}

void add(format::Texel* sum, const format::Texel* other, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t c = 0; c < 4; ++c)
      sum[i].word[c] = std::bit_cast<uint32_t>(std::bit_cast<float>(sum[i].word[c]) +
                                               std::bit_cast<float>(other[i].word[c]));
}
void scale(format::Texel* texels, float factor, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t& w : texels[i].word) w = std::bit_cast<uint32_t>(std::bit_cast<float>(w) * factor);
}

}  // namespace

bool isBytesUnorm(const format::FormatInfo& info) {
  if (info.numeric != format::Numeric::Unorm || !info.isColor()) return false;
  for (const format::Channel& c : info.channel)
    if (c.bits != 0 && (c.bits != 8 || c.shift % 8 != 0)) return false;
  return true;
}

void averageBytes(const FragmentSurface& s, uint32_t x, uint32_t y, uint32_t count, std::byte* out) {
  if (!s) return averagePlanes(s, x, y, count * s.texelBytes, out);
  for (const uint32_t end = x + count; x < end;) {
    const uint32_t tile = s.tileOf(x, y);
    const TileKind kind = kindOf(s.state(tile));
    // Neighbours of the same kind are one run.
    uint32_t next = (x / kTile + 1) * kTile, last = tile;
    if (kind == TileKind::One || kind == TileKind::Expanded)
      while (next < end && kindOf(s.state(last + 1)) == kind) next += kTile, ++last;
    next = std::min(next, end);
    const uint32_t n = next - x, bytes = n * s.texelBytes;
    switch (kind) {
      case TileKind::One: std::memcpy(out, s.at(x, y, 0), bytes); break;
      case TileKind::Clear: s.readRow(x, y, n, 0, out); break;
      case TileKind::General: averageGeneral(s, tile, x, y, n, out); break;
      case TileKind::Expanded: averagePlanes(s, x, y, bytes, out); break;
    }
    out += bytes, x = next;
  }
}

void averageFloats(const FragmentSurface& s, format::DecodeFn decode, uint32_t x, uint32_t y, uint32_t count,
                   format::Texel* out) {
  const uint32_t n = s.samples;
  std::byte bytes[kChunk * 32];
  for (uint32_t at = 0; at < count; at += kChunk, out += kChunk) {
    const uint32_t part = std::min(count - at, kChunk);
    if (oneFragment(s, x + at, y, part)) {
      s.readRow(x + at, y, part, 0, bytes);
      decode(bytes, out, part);
      // What the sums below give, overflow included.
      scale(out, static_cast<float>(n), part);
    } else {
      // A binary counter of partial sums: after sample k as many wait as k + 1 has bits set.
      format::Texel waiting[5][kChunk];
      uint32_t depth = 0;
      for (uint32_t k = 0; k < n; ++k) {
        s.readRow(x + at, y, part, k, bytes);
        decode(bytes, waiting[depth], part);
        for (uint32_t bits = k; bits & 1; bits >>= 1, --depth) add(waiting[depth - 1], waiting[depth], part);
        ++depth;
      }
      std::copy_n(waiting[0], part, out);
    }
    scale(out, 1.0f / static_cast<float>(n), part);  // a power of two: exact
  }
}

}  // namespace etzel::msaa
