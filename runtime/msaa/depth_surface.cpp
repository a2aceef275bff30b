#include "runtime/msaa/depth_surface.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "runtime/base/assert.h"
#include "runtime/msaa/fragment_surface.h"
#include "runtime/simd/cpu.h"
#include "runtime/simd/vec.h"

namespace etzel::msaa {
namespace {

/// Locks for tiles that threads share, chosen by the address of the state byte.
constexpr uint32_t kLocks = 64;
std::atomic_flag tileLock[kLocks];

using simd::F32x4, simd::I32x4;

F32x4 splat(float v) { return simd::splat<F32x4>(v); }

/// Words of pixels x to x + 3 of row y at a sample's place (offsets in pixels).
I32x4 evaluate(const DepthPlane& p, DepthFormat format, uint32_t x, uint32_t y, float sx, float sy) {
  if (p.kind == DepthPlane::Constant) {
    const int32_t word = std::bit_cast<int32_t>(p.z0);
    return I32x4{word, word, word, word};
  }
  const float fx = static_cast<float>(x), fy = static_cast<float>(y);
  const F32x4 px = (splat(fx) + F32x4{0, 1, 2, 3}) + splat(sx), py = splat(fy) + splat(sy);
  F32x4 z = ((px - splat(p.x0)) * splat(p.dzdx) + splat(p.z0)) + (py - splat(p.y0)) * splat(p.dzdy);
  if (p.kind == DepthPlane::Clamped) z = simd::clamp(z, p.low, p.high);
  switch (format) {
    case DepthFormat::D16: return simd::roundScaledToInt(simd::clamp(z, 0, 1), 65535.0);
    case DepthFormat::D24: return simd::roundScaledToInt(simd::clamp(z, 0, 1), 16777215.0);
    default: return (I32x4)z;
  }
}

void store(std::byte* to, const uint32_t* words, uint32_t bytes, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    switch (bytes) {
      case 1: to[i] = static_cast<std::byte>(words[i]); break;
      case 2: std::memcpy(to + i * 2, &words[i], 2); break;
      default: std::memcpy(to + size_t{i} * 4, &words[i], 4);
    }
  }
}

template <class T>
void fillTexels(std::byte* to, uint32_t word, uint32_t count) {
  const T texel = static_cast<T>(word);
  for (uint32_t i = 0; i < count; ++i) std::memcpy(to + i * sizeof(T), &texel, sizeof(T));
}
void fill(std::byte* to, uint32_t word, uint32_t bytes, uint32_t count) {
  switch (bytes) {
    case 1: return fillTexels<uint8_t>(to, word, count);
    case 2: return fillTexels<uint16_t>(to, word, count);
    default: return fillTexels<uint32_t>(to, word, count);
  }
}

}  // namespace

DepthFormat depthFormatOf(VkFormat format) {
  switch (format) {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_D16_UNORM_S8_UINT: return DepthFormat::D16;
    case VK_FORMAT_X8_D24_UNORM_PACK32:
    case VK_FORMAT_D24_UNORM_S8_UINT: return DepthFormat::D24;
    case VK_FORMAT_D32_SFLOAT:
    case VK_FORMAT_D32_SFLOAT_S8_UINT: return DepthFormat::D32F;
    default: return DepthFormat::None;
  }
}

DepthSurface::DepthSurface(const mem::ImageLayout& layout, const mem::PlaneLayout& plane, std::byte* memory,
                           uint32_t layer) {
  ETZEL_ASSERT(layer < layout.arrayLayers);
  const mem::MipLayout& mip = plane.mip[0];
  const mem::DepthTileLayout& t = plane.tiles;
  texels = memory + plane.offset + layer * plane.layerPitch + mip.offset;
  meta = t.offset ? memory + t.offset + layer * t.layerPitch : nullptr;
  samplePitch = plane.samplePitch;
  wordOffset = t.wordOffset, planeOffset = t.planeOffset, maskOffset = t.maskOffset;
  rowPitch = mip.rowPitch, texelBytes = plane.blockBytes, width = mip.width, height = mip.height;
  samples = layout.samples;
  tilesX = t.tilesX, tilesY = t.tilesY;
  format = depthFormatOf(plane.format);
}

void DepthSurface::words4(uint8_t s, uint32_t tile, uint32_t x, uint32_t y, uint32_t sample, uint32_t* out) const {
  const SamplePositions& positions = standardSamplePositions(samples);
  const float sx = static_cast<float>(positions.x[sample]) * 0.0625f;
  const float sy = static_cast<float>(positions.y[sample]) * 0.0625f;
  const DepthPlane* plane = planes(tile);
  I32x4 words = evaluate(plane[0], format, x, y, sx, sy);
  for (uint32_t i = 1; i < planeCount(s); ++i) {
    const uint64_t mask = masks(tile, i)[sample];
    I32x4 covered;
    for (uint32_t k = 0; k < 4; ++k) covered[k] = -static_cast<int32_t>(mask >> pixelIndex(x + k, y) & 1);
    words = covered ? evaluate(plane[i], format, x, y, sx, sy) : words;
  }
  std::memcpy(out, &words, sizeof words);
}

uint32_t DepthSurface::sampleWord(uint32_t x, uint32_t y, uint32_t sample) const {
  const uint32_t tile = meta ? tileOf(x, y) : 0;
  const uint8_t s = meta ? __atomic_load_n(&state(tile), __ATOMIC_ACQUIRE) : 0;
  if (kindOf(s) == DepthKind::Clear) return word(tile);
  if (kindOf(s) == DepthKind::Planes) {
    uint32_t words[4];
    words4(s, tile, x & ~3u, y, sample, words);
    return words[x & 3];
  }
  uint32_t value = 0;
  std::memcpy(&value, at(x, y, sample), texelBytes);
  return value;
}

void DepthSurface::readRow(uint32_t x, uint32_t y, uint32_t count, uint32_t sample, std::byte* out) const {
  if (!meta) {
    std::memcpy(out, at(x, y, sample), size_t{count} * texelBytes);
    return;
  }
  for (const uint32_t end = x + count; x < end;) {
    const uint32_t tile = tileOf(x, y), next = std::min(end, (x / kTile + 1) * kTile), n = next - x;
    const uint8_t s = state(tile);
    if (kindOf(s) == DepthKind::Clear) {
      fill(out, word(tile), texelBytes, n);
    } else if (kindOf(s) == DepthKind::Planes) {
      uint32_t words[kTile];
      const uint32_t left = x / kTile * kTile;
      words4(s, tile, left, y, sample, words);
      words4(s, tile, left + 4, y, sample, words + 4);
      store(out, words + (x - left), texelBytes, n);
    } else {
      std::memcpy(out, at(x, y, sample), size_t{n} * texelBytes);
    }
    out += size_t{n} * texelBytes, x = next;
  }
}

void DepthSurface::expand(uint32_t tile) const {
  const uint8_t s = state(tile);
  const DepthKind kind = kindOf(s);
  if (kind == DepthKind::Expanded) return;
  const uint32_t x = tileLeft(tile), y = tileTop(tile);
  const uint32_t columns = std::min(kTile, width - x), rows = std::min(kTile, height - y);
  for (uint32_t sample = 0; sample < samples; ++sample) {
    for (uint32_t row = y; row < y + rows; ++row) {
      if (kind == DepthKind::Clear) {
        fill(at(x, row, sample), word(tile), texelBytes, columns);
        continue;
      }
      uint32_t words[kTile];
      words4(s, tile, x, row, sample, words);
      words4(s, tile, x + 4, row, sample, words + 4);
      store(at(x, row, sample), words, texelBytes, columns);
    }
  }
  __atomic_store_n(&state(tile), makeDepthState(DepthKind::Expanded), __ATOMIC_RELEASE);
}

void DepthSurface::expandShared(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1) const {
  if (!meta || x0 >= x1 || y0 >= y1) return;
  for (uint32_t ty = y0 / kTile; ty <= (y1 - 1) / kTile && ty * kTile < height; ++ty) {
    for (uint32_t tx = x0 / kTile; tx <= (x1 - 1) / kTile && tx * kTile < width; ++tx) {
      const uint32_t tile = tileOf(tx * kTile, ty * kTile);
      uint8_t* s = &state(tile);
      if (kindOf(__atomic_load_n(s, __ATOMIC_ACQUIRE)) == DepthKind::Expanded) continue;
      std::atomic_flag& lock = tileLock[reinterpret_cast<uintptr_t>(s) % kLocks];
      while (lock.test_and_set(std::memory_order_acquire)) simd::pause();
      expand(tile);
      lock.clear(std::memory_order_release);
    }
  }
}

void DepthSurface::clear(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t value) const {
  if (x0 >= x1 || y0 >= y1) return;
  for (uint32_t ty = y0 / kTile; ty <= (y1 - 1) / kTile; ++ty) {
    const uint32_t top = std::max(y0, ty * kTile), bottom = std::min(y1, (ty + 1) * kTile);
    const bool allRows = top == ty * kTile && bottom == std::min(height, (ty + 1) * kTile);
    for (uint32_t tx = x0 / kTile; tx <= (x1 - 1) / kTile;) {
      const uint32_t tile = tileOf(tx * kTile, ty * kTile);
      const uint32_t left = std::max(x0, tx * kTile);
      // Whole tiles in a run.
      uint32_t whole = 0;
      if (allRows && left == tx * kTile) whole = (x1 == width ? divideUp(width, kTile) : x1 / kTile) - tx;
      if (whole) {
        std::memset(&state(tile), makeDepthState(DepthKind::Clear), whole);
        std::fill_n(&word(tile), whole, value);
        tx += whole;
        continue;
      }
      const uint32_t right = std::min(x1, (tx + 1) * kTile);
      const bool same = kindOf(state(tile)) == DepthKind::Clear && word(tile) == value;
      if (!same) {
        expand(tile);
        for (uint32_t sample = 0; sample < samples; ++sample)
          for (uint32_t y = top; y < bottom; ++y) fill(at(left, y, sample), value, texelBytes, right - left);
      }
      ++tx;
    }
  }
}

void DepthSurface::copyTile(uint32_t tile, const DepthSurface& from, uint32_t fromTile) const {
  const uint8_t s = from.state(fromTile);
  const uint32_t x = tileLeft(tile), y = tileTop(tile);
  const uint32_t columns = std::min(kTile, width - x), rows = std::min(kTile, height - y);
  switch (kindOf(s)) {
    case DepthKind::Clear: word(tile) = from.word(fromTile); break;
    case DepthKind::Planes:
      std::memcpy(planes(tile), from.planes(fromTile), planeCount(s) * sizeof(DepthPlane));
      if (planeCount(s) > 1)
        std::memcpy(masks(tile, 0), from.masks(fromTile, 0), size_t{planeCount(s)} * samples * sizeof(uint64_t));
      break;
    default:
      for (uint32_t sample = 0; sample < samples; ++sample)
        for (uint32_t row = y; row < y + rows; ++row)
          std::memcpy(at(x, row, sample), from.at(x, row, sample), size_t{columns} * texelBytes);
  }
  state(tile) = s;
}

void expandLayer(const mem::ImageLayout& layout, const mem::PlaneLayout& plane, std::byte* memory, uint32_t layer) {
  const DepthSurface s(layout, plane, memory, layer);
  s.expandShared(0, 0, s.width, s.height);
}

}  // namespace etzel::msaa
