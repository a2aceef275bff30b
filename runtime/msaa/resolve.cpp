#include "runtime/msaa/resolve.h"

#include <algorithm>
#include <bit>

#include "runtime/msaa/resolve_tile.h"
#include "runtime/simd/cpu.h"

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

/// Pixels of one row in a tile, or in a run of tiles of the same state that have no edges.
void averageRow(const FragmentSurface& s, uint32_t tile, uint32_t x, uint32_t y, uint32_t count, std::byte* out) {
  const uint8_t state = s.state(tile);
  switch (kindOf(state)) {
    case TileKind::One: std::memcpy(out, s.at(x, y, 0), size_t{count} * s.texelBytes); break;
    case TileKind::Clear: fillTexels(out, s.clearColor(clearColorOf(state)), s.texelBytes, count); break;
    case TileKind::General: averageGeneral(s, tile, x, y, count, out); break;
    case TileKind::Expanded: averagePlanes(s, x, y, count * s.texelBytes, out); break;
  }
}

/// How many of the `count` tiles from `tile` on are alike and have no edges; 1 for others.
uint32_t equalTiles(const FragmentSurface& s, uint32_t tile, uint32_t count) {
  const uint8_t state = s.state(tile);
  uint32_t n = 1;
  if (kindOf(state) <= TileKind::Clear)
    while (n < count && s.state(tile + n) == state) ++n;
  return n;
}
/// How many of the `count` tiles from `tile` on there are before the next long run of equal ones.
uint32_t differentTiles(const FragmentSurface& s, uint32_t tile, uint32_t count) {
  constexpr uint32_t kLong = 8;
  for (uint32_t n = 0; n < count;) {
    const uint32_t equal = equalTiles(s, tile + n, count - n);
    if (equal >= kLong || (n == 0 && equal == count)) return n;
    n += equal;
  }
  return count;
}

void add(format::Texel* sum, const format::Texel* other, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t c = 0; c < 4; ++c)
      sum[i].word[c] =
          std::bit_cast<uint32_t>(std::bit_cast<float>(sum[i].word[c]) + std::bit_cast<float>(other[i].word[c]));
}
void scale(format::Texel* texels, float factor, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t& w : texels[i].word) w = std::bit_cast<uint32_t>(std::bit_cast<float>(w) * factor);
}

/// Sums of all samples of pixels of a row, added in a tree of pairs: a binary counter of partial sums, of which as many
/// wait after sample k as k + 1 has bits set. `sample(k, to)`: gives those of one sample
template <class Sample>
void addSamples(uint32_t samples, uint32_t count, format::Texel* out, const Sample& sample) {
  format::Texel waiting[5][kChunk];
  uint32_t depth = 0;
  for (uint32_t k = 0; k < samples; ++k) {
    sample(k, waiting[depth]);
    for (uint32_t bits = k; bits & 1; bits >>= 1, --depth) add(waiting[depth - 1], waiting[depth], count);
    ++depth;
  }
  std::copy_n(waiting[0], count, out);
}

/// Sums of pixels in a General tile: each fragment is decoded once.
void addFragments(const FragmentSurface& s, format::DecodeFn decode, uint32_t tile, uint32_t x, uint32_t y,
                  uint32_t count, format::Texel* out) {
  const uint32_t n = s.samples, fragments = 1u << maskBits(s.state(tile), n);  // that masks can show
  const uint64_t edges = s.edges(tile);
  format::Texel fragment[kMaxSamples][kTile];
  decode(s.at(x, y, 0), fragment[0], count);
  std::copy_n(fragment[0], count, out);
  scale(out, static_cast<float>(n), count);
  bool decoded = false;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t pixel = pixelIndex(x + i, y);
    if (!(edges >> pixel & 1)) continue;
    for (uint32_t k = 1; k < fragments && !decoded; ++k) decode(s.at(x, y, k), fragment[k], count);
    decoded = true;
    const FragmentMask mask = s.loadMask(tile, pixel);
    addSamples(n, 1, out + i, [&](uint32_t k, format::Texel* to) { *to = fragment[fragmentOf(mask, k, n)][i]; });
  }
}

/// How many of the `count` pixels from x on lie in tiles of the same kind: those with one fragment and those that are
/// clear count as one, General tiles stand alone.
uint32_t equalPixels(const FragmentSurface& s, uint32_t x, uint32_t y, uint32_t count) {
  auto kindAt = [&](uint32_t at) {
    const TileKind kind = kindOf(s.state(s.tileOf(at, y)));
    return kind == TileKind::Clear ? TileKind::One : kind;
  };
  const TileKind kind = kindAt(x);
  uint32_t next = (x / kTile + 1) * kTile;
  while (next < x + count && kind != TileKind::General && kindAt(next) == kind) next += kTile;
  return std::min(next - x, count);
}

}  // namespace

bool isBytesUnorm(const format::FormatInfo& info) {
  if (info.numeric != format::Numeric::Unorm || !info.isColor()) return false;
  for (const format::Channel& c : info.channel)
    if (c.bits != 0 && (c.bits != 8 || c.shift % 8 != 0)) return false;
  return true;
}

void averageBytes(const FragmentSurface& s, uint32_t x0, uint32_t y0, uint32_t width, uint32_t height, std::byte* out,
                  size_t outPitch) {
  const uint32_t bytes = s.texelBytes;
  if (!s) {
    for (uint32_t y = 0; y < height; ++y) averagePlanes(s, x0, y0 + y, width * bytes, out + y * outPitch);
    return;
  }
  static auto& averageTiles = ETZEL_CHOOSE(averageTiles);
  const uint32_t x1 = x0 + width, y1 = y0 + height;
  for (uint32_t y = y0; y < y1;) {
    const uint32_t rows = std::min(y1, (y / kTile + 1) * kTile) - y;
    std::byte* const line = out + (y - y0) * outPitch;
    for (uint32_t x = x0; x < x1;) {
      const uint32_t tile = s.tileOf(x, y),
                     whole = x % kTile == 0 && rows == kTile && bytes == 4 ? (x1 - x) / kTile : 0;
      std::byte* const to = line + size_t{x - x0} * bytes;
      const uint32_t different = differentTiles(s, tile, whole);
      if (different > 0) {
        averageTiles(s, tile, different, to, outPitch);
        x += different * kTile;
        continue;
      }
      const uint32_t next = std::min((x / kTile + equalTiles(s, tile, (x1 - 1) / kTile - x / kTile + 1)) * kTile, x1);
      // What is clear has no rows of its own: without gaps it is one long one.
      const bool together = kindOf(s.state(tile)) == TileKind::Clear && size_t{next - x} * bytes == outPitch;
      if (together) averageRow(s, tile, x, y, (next - x) * rows, to);
      for (uint32_t row = 0; row < rows && !together; ++row)
        averageRow(s, tile, x, y + row, next - x, to + row * outPitch);
      x = next;
    }
    y += rows;
  }
}

void averageFloats(const FragmentSurface& s, format::DecodeFn decode, uint32_t x, uint32_t y, uint32_t count,
                   format::Texel* out) {
  const uint32_t n = s.samples;
  const float share = 1.0f / static_cast<float>(n);  // a power of two: exact
  std::byte bytes[kChunk * 32];
  auto read = [&](uint32_t pixels, uint32_t sample, format::Texel* to) {
    s.readRow(x, y, pixels, sample, bytes);
    decode(bytes, to, pixels);
  };
  for (const uint32_t end = x + count; x < end;) {
    const uint32_t most = std::min(end - x, kChunk), part = s ? equalPixels(s, x, y, most) : most;
    const uint32_t tile = s ? s.tileOf(x, y) : 0;
    const TileKind kind = s ? kindOf(s.state(tile)) : TileKind::Expanded;
    if (kind == TileKind::General) {
      addFragments(s, decode, tile, x, y, part, out);
    } else if (kind == TileKind::Expanded && n > 1) {
      addSamples(n, part, out, [&](uint32_t k, format::Texel* to) { read(part, k, to); });
    } else {
      read(part, 0, out);
      scale(out, static_cast<float>(n), part);  // what sums would give, overflow included
    }
    scale(out, share, part);
    x += part, out += part;
  }
}

}  // namespace etzel::msaa
