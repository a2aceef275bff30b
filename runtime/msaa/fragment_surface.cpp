#include "runtime/msaa/fragment_surface.h"

#include "runtime/base/assert.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "runtime/simd/cpu.h"

namespace etzel::msaa {
namespace {

/// Locks for tiles that threads share, chosen by the address of the state byte.
constexpr uint32_t kLocks = 64;
std::atomic_flag tileLock[kLocks];

class TileGuard {
 public:
  explicit TileGuard(const void* state) : flag_(tileLock[reinterpret_cast<uintptr_t>(state) % kLocks]) {
    while (flag_.test_and_set(std::memory_order_acquire)) simd::pause();
  }
  ~TileGuard() { flag_.clear(std::memory_order_release); }
  TileGuard(const TileGuard&) = delete;
  TileGuard& operator=(const TileGuard&) = delete;

 private:
  std::atomic_flag& flag_;
};

struct Area {
  uint32_t x, y, columns, rows;
};
Area areaOf(const FragmentSurface& s, uint32_t tile) {
  const uint32_t x = s.tileLeft(tile), y = s.tileTop(tile);
  return {x, y, std::min(kTile, s.width - x), std::min(kTile, s.height - y)};
}

}  // namespace

void fillTexels(std::byte* to, const std::byte* texel, uint32_t bytes, uint32_t count) {
  if (bytes > 16 || !std::has_single_bit(bytes)) {
    for (uint32_t i = 0; i < count; ++i) copyTexel(to + size_t{i} * bytes, texel, bytes);
    return;
  }
  std::byte pattern[16];
  for (uint32_t i = 0; i < 16; i += bytes) copyTexel(pattern + i, texel, bytes);
  std::byte* const end = to + size_t{count} * bytes;
  constexpr ptrdiff_t kLong = 2048;
  if (bytes <= 8 && end - to >= kLong) {
    const size_t words = static_cast<size_t>(end - to) / 8;
    uint64_t word;
    std::memcpy(&word, pattern, sizeof word);
    simd::fillWords(to, word, words);
    to += 8 * words;
  }
  for (; end - to >= 16; to += 16) std::memcpy(to, pattern, 16);
  for (; to < end; to += bytes) copyTexel(to, pattern, bytes);
}

FragmentMask maskIn(const uint64_t* words, uint32_t samples, uint32_t bits, uint32_t pixel) {
  FragmentMask mask = 0;
  for (uint32_t i = 0; i < bits; ++i)
    for (uint32_t k = 0; k < samples; ++k) mask |= (words[i * samples + k] >> pixel & 1) << (4 * k + i);
  return mask;
}

FragmentSurface::FragmentSurface(const mem::ImageLayout& layout, const mem::PlaneLayout& plane, std::byte* memory,
                                 uint32_t layer) {
  ETZEL_ASSERT(layer < layout.arrayLayers);
  const mem::MipLayout& mip = plane.mip[0];
  const mem::FragmentLayout& f = plane.fragments;
  texels = memory + plane.offset + layer * plane.layerPitch + mip.offset;
  meta = f.offset ? memory + f.offset + layer * f.layerPitch : nullptr;
  planePitch = plane.samplePitch, edgeOffset = f.edgeOffset, maskOffset = f.maskOffset;
  rowPitch = mip.rowPitch, texelBytes = plane.blockBytes, width = mip.width, height = mip.height;
  samples = layout.samples;
  tilesX = f.tilesX, tilesY = f.tilesY;
}

FragmentMask FragmentSurface::maskAt(uint32_t x, uint32_t y) const {
  const uint32_t tile = tileOf(x, y), pixel = pixelIndex(x, y);
  const TileKind kind = kindOf(state(tile));
  if (kind == TileKind::Expanded) return identityMask(samples);
  if (kind != TileKind::General || !(edges(tile) >> pixel & 1)) return 0;
  return loadMask(tile, pixel);
}

const std::byte* FragmentSurface::texelIn(uint8_t state, uint32_t tile, uint32_t x, uint32_t y, uint32_t sample) const {
  switch (kindOf(state)) {
    case TileKind::One: return at(x, y, 0);
    case TileKind::Clear: return clearColor(clearColorOf(state));
    case TileKind::Expanded: return at(x, y, sample);
    default: break;
  }
  const uint32_t pixel = pixelIndex(x, y);
  uint32_t fragment = 0;
  if (edges(tile) >> pixel & 1)
    for (uint32_t i = 0; i < maskBits(state, samples); ++i)
      fragment |= static_cast<uint32_t>(masks(tile)[i * samples + sample] >> pixel & 1) << i;
  return at(x, y, fragment);
}

const std::byte* FragmentSurface::sampleTexel(uint32_t x, uint32_t y, uint32_t sample) const {
  const uint32_t tile = tileOf(x, y);
  return texelIn(state(tile), tile, x, y, sample);
}

const std::byte* FragmentSurface::fragmentTexel(uint32_t x, uint32_t y, uint32_t fragment) const {
  const uint32_t tile = tileOf(x, y);
  const uint8_t s = state(tile);
  fragment = std::min(fragment, samples - 1);
  switch (kindOf(s)) {
    case TileKind::One: return at(x, y, 0);
    case TileKind::Clear: return clearColor(clearColorOf(s));
    case TileKind::Expanded: return at(x, y, fragment);
    default: return at(x, y, edges(tile) >> pixelIndex(x, y) & 1 ? fragment : 0);
  }
}

void FragmentSurface::readRow(uint32_t x, uint32_t y, uint32_t count, uint32_t sample, std::byte* out) const {
  if (!meta) {
    std::memcpy(out, at(x, y, sample), size_t{count} * texelBytes);
    return;
  }
  for (const uint32_t end = x + count; x < end;) {
    const uint32_t tile = tileOf(x, y), next = std::min(end, (x / kTile + 1) * kTile), n = next - x;
    const uint8_t s = state(tile);
    switch (kindOf(s)) {
      case TileKind::One: std::memcpy(out, at(x, y, 0), size_t{n} * texelBytes); break;
      case TileKind::Clear: fillTexels(out, clearColor(clearColorOf(s)), texelBytes, n); break;
      case TileKind::Expanded: std::memcpy(out, at(x, y, sample), size_t{n} * texelBytes); break;
      default: readGeneralRow(s, tile, x, y, n, sample, out);
    }
    out += size_t{n} * texelBytes, x = next;
  }
}

void FragmentSurface::readGeneralRow(uint8_t state, uint32_t tile, uint32_t x, uint32_t y, uint32_t count,
                                     uint32_t sample, std::byte* out) const {
  const uint32_t several = rowOf(edges(tile), y), bits = maskBits(state, samples);
  uint32_t row[4];  // by bit of the fragment's number
  bool alike = true;
  for (uint32_t i = 0; i < bits; ++i) {
    row[i] = rowOf(masks(tile)[i * samples + sample], y) & several;
    alike &= row[i] == 0 || row[i] == 255;
  }
  const auto fragmentOf = [&](uint32_t pixel) {
    uint32_t fragment = 0;
    for (uint32_t i = 0; i < bits; ++i) fragment |= (row[i] >> pixel & 1) << i;
    return fragment;
  };
  if (alike) return void(std::memcpy(out, at(x, y, fragmentOf(0)), size_t{count} * texelBytes));
  for (uint32_t i = 0; i < count; ++i, out += texelBytes)
    copyTexel(out, at(x + i, y, fragmentOf((x + i) % kTile)), texelBytes);
}

void FragmentSurface::fillPlane(uint32_t tile, const std::byte* texel) const {
  const Area a = areaOf(*this, tile);
  for (uint32_t y = 0; y < a.rows; ++y) fillTexels(at(a.x, a.y + y, 0), texel, texelBytes, a.columns);
}

void FragmentSurface::materialize(uint32_t tile) const {
  uint8_t& s = state(tile);
  if (kindOf(s) != TileKind::Clear) return;
  fillPlane(tile, clearColor(clearColorOf(s)));
  s = makeState(TileKind::One);
}

void FragmentSurface::expand(uint32_t tile) const {
  const uint8_t s = state(tile);
  if (kindOf(s) == TileKind::Expanded) return;
  const Area a = areaOf(*this, tile);
  // Pixels with several fragments move between planes: each row is gathered before any of it is written.
  const bool general = kindOf(s) == TileKind::General;
  if (kindOf(s) == TileKind::Clear) fillPlane(tile, clearColor(clearColorOf(s)));
  std::byte shown[kMaxSamples][kTile * mem::kClearColorBytes];
  for (uint32_t y = 0; y < a.rows; ++y) {
    const size_t bytes = size_t{a.columns} * texelBytes;
    const std::byte* first = at(a.x, a.y + y, 0);
    for (uint32_t sample = 0; sample < samples && general; ++sample)
      readGeneralRow(s, tile, a.x, a.y + y, a.columns, sample, shown[sample]);
    for (uint32_t sample = general ? 0 : 1; sample < samples; ++sample)
      std::memcpy(at(a.x, a.y + y, sample), general ? shown[sample] : first, bytes);
  }
  __atomic_store_n(&state(tile), makeState(TileKind::Expanded), __ATOMIC_RELEASE);
}

void FragmentSurface::expandShared(uint32_t tile) const {
  uint8_t* s = &state(tile);
  if (kindOf(__atomic_load_n(s, __ATOMIC_ACQUIRE)) == TileKind::Expanded) return;
  TileGuard guard(s);
  expand(tile);
}

void FragmentSurface::sharedSampleTexel(uint32_t x, uint32_t y, uint32_t sample, std::byte* out) const {
  const uint32_t tile = tileOf(x, y);
  const uint8_t* s = &state(tile);
  if (kindOf(__atomic_load_n(s, __ATOMIC_ACQUIRE)) == TileKind::Expanded)
    return copyTexel(out, at(x, y, sample), texelBytes);
  // An expansion moves samples, and stores to others follow it.
  TileGuard guard(s);
  copyTexel(out, texelIn(*s, tile, x, y, sample), texelBytes);
}

void FragmentSurface::setMask(uint32_t tile, uint32_t pixel, FragmentMask mask) const {
  uint8_t& s = state(tile);
  const uint64_t bit = uint64_t{1} << pixel;
  if (mask == 0) {
    if (kindOf(s) != TileKind::General) return;
    if ((edges(tile) &= ~bit) == 0) s = makeState(TileKind::One);
    return;
  }
  const bool general = kindOf(s) == TileKind::General;
  if (!general) edges(tile) = 0;
  edges(tile) |= bit;
  const SampleMask shown = fragmentsOf(mask, allSamples(samples), samples);
  const uint32_t before = general ? maskBits(s, samples) : 0, lastBefore = before ? lastFragment(s) & (samples - 1) : 0;
  const uint32_t last = std::max(static_cast<uint32_t>(std::bit_width(shown)) - 1, lastBefore);
  s = makeState(TileKind::General, last);
  uint64_t* word = masks(tile);
  for (uint32_t i = 0; i < maskBits(s, samples); ++i)
    for (uint32_t k = 0; k < samples; ++k, ++word)
      *word = (i < before ? *word & ~bit : 0) | (mask >> (4 * k + i) & 1) << pixel;
}

void FragmentSurface::writeSamples(uint32_t x, uint32_t y, SampleMask covered, const std::byte* texel) const {
  const uint32_t tile = tileOf(x, y), pixel = pixelIndex(x, y);
  if (!covered) return;
  if (kindOf(state(tile)) == TileKind::Expanded) {
    for (; covered; covered &= covered - 1)
      copyTexel(at(x, y, static_cast<uint32_t>(std::countr_zero(covered))), texel, texelBytes);
    return;
  }
  materialize(tile);
  const FragmentWrite write = allocateFragment(maskAt(x, y), covered, samples);
  copyTexel(at(x, y, write.fragment), texel, texelBytes);
  setMask(tile, pixel, write.mask);
}

SampleMask FragmentSurface::isolateSamples(uint32_t x, uint32_t y, SampleMask covered) const {
  const uint32_t tile = tileOf(x, y), pixel = pixelIndex(x, y);
  if (!covered || kindOf(state(tile)) == TileKind::Expanded) return covered;
  materialize(tile);
  const FragmentSplit split = splitFragments(maskAt(x, y), covered, samples);
  SampleMask planes = 0;
  for (uint32_t i = 0; i < split.count; ++i) {
    const FragmentSplit::Step step = split.step[i];
    if (step.from != step.to) copyTexel(at(x, y, step.to), at(x, y, step.from), texelBytes);
    planes |= 1u << step.to;
  }
  setMask(tile, pixel, split.mask);
  return planes;
}

void FragmentSurface::clear(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, const std::byte* texel,
                            int32_t color) const {
  x1 = std::min(x1, width), y1 = std::min(y1, height);
  if (x0 >= x1 || y0 >= y1) return;
  const uint8_t cleared = makeState(TileKind::Clear, 0, static_cast<uint32_t>(color) & 3);
  // Whole tiles of a row of tiles are one run of state bytes.
  const uint32_t wholeX0 = divideUp(x0, kTile), wholeX1 = x1 == width ? divideUp(width, kTile) : x1 / kTile;
  for (uint32_t ty = y0 / kTile; ty * kTile < y1; ++ty) {
    const uint32_t top = ty * kTile, bottom = std::min(top + kTile, height);
    const bool wholeRows = y0 <= top && y1 >= bottom;
    if (wholeRows && color >= 0 && wholeX1 > wholeX0)
      std::memset(&state(tileOf(wholeX0 * kTile, top)), cleared, wholeX1 - wholeX0);
    for (uint32_t tx = x0 / kTile; tx * kTile < x1; ++tx) {
      const uint32_t tile = tileOf(tx * kTile, top);
      uint8_t& s = state(tile);
      if (wholeRows && tx >= wholeX0 && tx < wholeX1) {
        if (color >= 0) {
          tx = wholeX1 - 1;
          continue;
        }
        fillPlane(tile, texel);
        s = makeState(TileKind::One);
        continue;
      }
      if (color >= 0 && s == cleared) continue;
      materialize(tile);
      const uint32_t left = std::max(x0, tx * kTile), right = std::min(x1, (tx + 1) * kTile);
      const uint32_t planes = kindOf(s) == TileKind::Expanded ? samples : 1;
      uint64_t bits = 0;
      for (uint32_t y = std::max(y0, top); y < std::min(y1, bottom); ++y) {
        for (uint32_t p = 0; p < planes; ++p) fillTexels(at(left, y, p), texel, texelBytes, right - left);
        for (uint32_t x = left; x < right; ++x) bits |= uint64_t{1} << pixelIndex(x, y);
      }
      if (kindOf(s) == TileKind::General && (edges(tile) &= ~bits) == 0) s = makeState(TileKind::One);
    }
  }
}

int32_t FragmentSurface::reserveClearColor(const std::byte* texel, bool replace, bool everything) const {
  for (uint32_t i = 0; i < mem::kClearColors; ++i)
    if (std::memcmp(clearColor(i), texel, texelBytes) == 0) return static_cast<int32_t>(i);
  if (!replace) return -1;
  uint32_t used = 0;
  if (!everything) {
    const uint8_t* s = &state(0);
    for (uint32_t i = 0; i < tilesX * tilesY; ++i)
      if (kindOf(s[i]) == TileKind::Clear) used |= 1u << clearColorOf(s[i]);
  }
  const uint32_t free = static_cast<uint32_t>(std::countr_one(used));
  if (free >= mem::kClearColors) return -1;
  copyTexel(clearColor(free), texel, texelBytes);
  return static_cast<int32_t>(free);
}

void FragmentSurface::copyTile(uint32_t tile, const FragmentSurface& from, uint32_t fromTile, uint32_t columns,
                               uint32_t rows) const {
  const uint8_t s = from.state(fromTile);
  const uint32_t x = tileLeft(tile), y = tileTop(tile), fx = from.tileLeft(fromTile), fy = from.tileTop(fromTile);
  uint32_t planes = 1;
  switch (kindOf(s)) {
    case TileKind::Clear:
      fillPlane(tile, from.clearColor(clearColorOf(s)));
      state(tile) = makeState(TileKind::One);
      return;
    case TileKind::General:
      planes = std::min(lastFragment(s) + 1, samples);
      edges(tile) = from.edges(fromTile);
      std::memcpy(masks(tile), from.masks(fromTile), size_t{maskBits(s, samples)} * samples * sizeof(uint64_t));
      break;
    case TileKind::Expanded: planes = samples; break;
    default: break;
  }
  for (uint32_t p = 0; p < planes; ++p)
    for (uint32_t row = 0; row < rows; ++row)
      std::memcpy(at(x, y + row, p), from.at(fx, fy + row, p), size_t{columns} * texelBytes);
  state(tile) = s;
}

uint32_t FragmentSurface::countFragments(uint32_t tile) const {
  const Area a = areaOf(*this, tile);
  const uint32_t pixels = a.columns * a.rows;
  switch (kindOf(state(tile))) {
    case TileKind::Clear: return 0;
    case TileKind::One: return pixels;
    case TileKind::Expanded: return pixels * samples;
    default: break;
  }
  uint32_t total = 0;
  for (uint32_t y = a.y; y < a.y + a.rows; ++y)
    for (uint32_t x = a.x; x < a.x + a.columns; ++x)
      total += static_cast<uint32_t>(std::popcount(fragmentsOf(maskAt(x, y), allSamples(samples), samples)));
  return total;
}

}  // namespace etzel::msaa
