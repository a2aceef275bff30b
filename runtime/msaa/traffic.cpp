#include "runtime/msaa/traffic.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <map>
#include <mutex>

namespace etzel::msaa {
namespace {

std::atomic<bool> counting{false};

struct Registry {
  std::mutex mutex;
  std::map<const std::byte*, Traffic> layers;
};
Registry& registry() {
  static Registry* const r = new Registry;  // lives as long as threads that may still count
  return *r;
}

/// Calls body(tile, part of the rectangle in it, pixels of it).
template <class Surface, class Body>
void forTiles(const Surface& s, Rect r, const Body& body) {
  r.x1 = std::min(r.x1, s.width), r.y1 = std::min(r.y1, s.height);
  for (uint32_t y = r.y0; y < r.y1; y = (y / kTile + 1) * kTile)
    for (uint32_t x = r.x0; x < r.x1; x = (x / kTile + 1) * kTile) {
      const Rect part = {x, y, std::min(r.x1, (x / kTile + 1) * kTile), std::min(r.y1, (y / kTile + 1) * kTile)};
      body(s.tileOf(x, y), part, uint64_t{part.x1 - part.x0} * (part.y1 - part.y0));
    }
}
/// Pixels of a tile that exist.
template <class Surface>
uint64_t pixelsOf(const Surface& s, uint32_t tile) {
  return uint64_t{std::min(kTile, s.width - s.tileLeft(tile))} * std::min(kTile, s.height - s.tileTop(tile));
}
uint64_t bitsOf(const Rect& r) {
  uint64_t bits = 0;
  for (uint32_t y = r.y0; y < r.y1; ++y)
    for (uint32_t x = r.x0; x < r.x1; ++x) bits |= uint64_t{1} << pixelIndex(x, y);
  return bits;
}
uint64_t count(uint64_t bits) { return static_cast<uint64_t>(std::popcount(bits)); }

/// Pixels of a general tile that have a mask.
uint64_t edgesIn(const FragmentSurface& s, uint32_t tile) {
  return kindOf(s.state(tile)) == TileKind::General ? s.edges(tile) : 0;
}

/// What a tile in such a state keeps beside its state byte.
uint64_t depthRecord(const DepthSurface& s, uint8_t state) {
  switch (s.kindOf(state)) {
    case DepthKind::Clear: return sizeof(uint32_t);
    case DepthKind::Planes: {
      const uint64_t planes = s.planeCount(state);
      return planes * sizeof(DepthPlane) + (planes > 1 ? planes * s.samples * sizeof(uint64_t) : 0);
    }
    default: return 0;
  }
}

/// Pixels that are read sample by sample.
Moved readSamples(const FragmentSurface& s, const Rect& r) {
  Moved m;
  forTiles(s, r, [&](uint32_t tile, const Rect& part, uint64_t pixels) {
    m.plainRead += pixels * s.texelBytes * s.samples;
    const bool clear = s && kindOf(s.state(tile)) == TileKind::Clear;
    m.texelsRead += clear ? s.texelBytes : pixels * s.texelBytes * s.samples;
    if (!s) return;
    ++m.metaRead;
    if (kindOf(s.state(tile)) == TileKind::General)
      m.metaRead += sizeof(uint64_t) + (edgesIn(s, tile) & bitsOf(part) ? maskBytes(s.state(tile), s.samples) : 0);
  });
  return m;
}

Moved readSamples(const DepthSurface& s, const Rect& r) {
  Moved m;
  forTiles(s, r, [&](uint32_t tile, const Rect&, uint64_t pixels) {
    const uint64_t all = pixels * s.texelBytes * s.samples;
    m.plainRead += all;
    if (s) m.metaRead += 1 + depthRecord(s, s.state(tile));
    if (!s || s.kindOf(s.state(tile)) == DepthKind::Expanded) m.texelsRead += all;
  });
  return m;
}

template <class Surface>
Moved writeSamples(const Surface& s, uint32_t tile, const Rect& r) {
  Moved m = expandTraffic(s, tile);
  m.metaRead += s ? 1 : 0;
  m.plainWritten = uint64_t{r.x1 - r.x0} * (r.y1 - r.y0) * s.texelBytes * s.samples;
  m.texelsWritten += m.plainWritten;
  return m;
}

/// The bytes that `read` reads, written.
Moved sameWritten(const Moved& read) {
  Moved m;
  m.texelsWritten = read.texelsRead, m.metaWritten = read.metaRead, m.plainWritten = read.plainRead;
  return m;
}

}  // namespace

bool countsTraffic() { return counting.load(std::memory_order_relaxed); }

void countTraffic(bool on) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  if (on) r.layers.clear();
  counting.store(on);
}

void addTraffic(const std::byte* layer, Work work, const Moved& moved) {
  if (moved == Moved{}) return;
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  r.layers[layer].moved[static_cast<uint32_t>(work)] += moved;
}

Traffic trafficOf(const std::byte* layer) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  const auto found = r.layers.find(layer);
  return found == r.layers.end() ? Traffic{} : found->second;
}

Moved clearTraffic(const FragmentSurface& s, const Rect& r, bool byState) {
  Moved m;
  forTiles(s, r, [&](uint32_t tile, const Rect& part, uint64_t pixels) {
    m.plainWritten += pixels * s.texelBytes * s.samples;
    if (!s) {
      m.texelsWritten += pixels * s.texelBytes * s.samples;
      return;
    }
    if (pixels == pixelsOf(s, tile)) {
      ++m.metaWritten;
      if (!byState) m.texelsWritten += pixels * s.texelBytes;
      return;
    }
    const TileKind kind = kindOf(s.state(tile));
    ++m.metaRead;
    if (kind == TileKind::Clear) {
      m.texelsRead += s.texelBytes, m.texelsWritten += pixelsOf(s, tile) * s.texelBytes;
      ++m.metaWritten;
    }
    m.texelsWritten += pixels * s.texelBytes * (kind == TileKind::Expanded ? s.samples : 1);
    if (kind == TileKind::General) {
      m.metaRead += sizeof(uint64_t), m.metaWritten += sizeof(uint64_t);
      if (!(s.edges(tile) & ~bitsOf(part))) ++m.metaWritten;
    }
  });
  return m;
}

Moved clearTraffic(const DepthSurface& s, const Rect& r, uint32_t value) {
  Moved m;
  forTiles(s, r, [&](uint32_t tile, const Rect&, uint64_t pixels) {
    const uint64_t all = pixels * s.texelBytes * s.samples;
    m.plainWritten += all;
    if (!s) {
      m.texelsWritten += all;
    } else if (pixels == pixelsOf(s, tile)) {
      m.metaWritten += 1 + sizeof(uint32_t);
    } else if (const uint8_t state = s.state(tile); s.kindOf(state) == DepthKind::Clear && s.word(tile) == value) {
      m.metaRead += 1 + sizeof(uint32_t);
    } else {
      m += expandTraffic(s, tile);
      ++m.metaRead;
      m.texelsWritten += all;
    }
  });
  return m;
}

Moved expandTraffic(const FragmentSurface& s, uint32_t tile) {
  Moved m;
  if (!s) return m;
  const uint64_t plane = pixelsOf(s, tile) * s.texelBytes;
  switch (kindOf(s.state(tile))) {
    case TileKind::Expanded: return m;
    case TileKind::Clear: m.texelsRead = s.texelBytes, m.texelsWritten = plane * s.samples; break;
    case TileKind::One: m.texelsRead = plane, m.texelsWritten = plane * (s.samples - 1); break;
    case TileKind::General:
      // Sample by sample: fragments move between planes.
      m.texelsRead = m.texelsWritten = plane * s.samples;
      m.metaRead = sizeof(uint64_t) + maskBytes(s.state(tile), s.samples);
      break;
  }
  m.metaWritten = 1;
  return m;
}

Moved expandTraffic(const DepthSurface& s, uint32_t tile) {
  Moved m;
  if (!s || s.kindOf(s.state(tile)) == DepthKind::Expanded) return m;
  m.metaRead = depthRecord(s, s.state(tile));
  m.texelsWritten = pixelsOf(s, tile) * s.texelBytes * s.samples;
  m.metaWritten = 1;
  return m;
}

Moved resolveTraffic(const FragmentSurface& s, const Rect& r, Reading reading) {
  Moved m;
  const uint64_t planes = reading == Reading::OneSample ? 1 : s.samples;
  if (s && reading == Reading::RowFragments) {
    for (uint32_t y = r.y0; y < std::min(r.y1, s.height); ++y)
      forTiles(s, {r.x0, y, r.x1, y + 1}, [&](uint32_t tile, const Rect& row, uint64_t pixels) {
        const uint8_t state = s.state(tile);
        const bool edges = edgesIn(s, tile) & bitsOf(row);
        const uint64_t fragments = kindOf(state) == TileKind::Expanded ? s.samples
                                   : edges                             ? 1u << maskBits(state, s.samples)
                                                                       : 1;
        m.plainRead += pixels * s.texelBytes * s.samples;
        m.texelsRead += kindOf(state) == TileKind::Clear ? s.texelBytes : pixels * s.texelBytes * fragments;
        m.metaRead += 1 + (kindOf(state) == TileKind::General ? sizeof(uint64_t) : 0);
        if (edges) m.metaRead += maskBytes(state, s.samples);
      });
    return m;
  }
  forTiles(s, r, [&](uint32_t tile, const Rect& part, uint64_t pixels) {
    m.plainRead += pixels * s.texelBytes * planes;
    if (!s) {
      m.texelsRead += pixels * s.texelBytes * planes;
      return;
    }
    const uint8_t state = s.state(tile);
    ++m.metaRead;
    switch (kindOf(state)) {
      case TileKind::Clear: m.texelsRead += s.texelBytes; return;
      case TileKind::One: m.texelsRead += pixels * s.texelBytes; return;
      case TileKind::Expanded: m.texelsRead += pixels * s.texelBytes * planes; return;
      case TileKind::General: break;
    }
    m.metaRead += sizeof(uint64_t);
    const uint64_t edges = s.edges(tile), bits = bitsOf(part);
    if (reading == Reading::OneSample) {
      m.texelsRead += pixels * s.texelBytes;
      if (edges & bits) m.metaRead += maskBytes(state, s.samples);
      return;
    }
    const uint64_t last = lastFragment(state) & (s.samples - 1);
    m.metaRead += maskBytes(state, s.samples);
    for (uint32_t group = 0; group < 8; ++group) {
      const uint64_t lanes = count(bits >> group * 8 & 255);
      const bool some = edges >> group * 8 & 255;
      m.texelsRead += lanes * s.texelBytes * (some ? last + 1 : 1);
    }
  });
  return m;
}

Moved resolveTraffic(const DepthSurface& s, const Rect& r, Reading reading) {
  Moved m;
  forTiles(s, r, [&](uint32_t tile, const Rect&, uint64_t pixels) {
    const uint64_t bytes = pixels * s.texelBytes * (reading == Reading::OneSample ? 1 : s.samples);
    m.plainRead += bytes;
    if (s) ++m.metaRead;
    if (s && reading == Reading::OneSample && s.kindOf(s.state(tile)) != DepthKind::Expanded) {
      m.metaRead += depthRecord(s, s.state(tile));
      return;
    }
    if (s) m += expandTraffic(s, tile);
    m.texelsRead += bytes;
  });
  return m;
}

CopyTraffic copyTileTraffic(const FragmentSurface& s, uint32_t tile) {
  Moved m;
  const uint64_t plane = pixelsOf(s, tile) * s.texelBytes;
  const uint8_t state = s.state(tile);
  m.plainRead = plane * s.samples;
  m.metaRead = 1;
  switch (kindOf(state)) {
    case TileKind::Clear: m.texelsRead = s.texelBytes; break;
    case TileKind::One: m.texelsRead = plane; break;
    case TileKind::Expanded: m.texelsRead = plane * s.samples; break;
    case TileKind::General:
      m.texelsRead = plane * std::min(lastFragment(state) + 1, s.samples);
      m.metaRead += sizeof(uint64_t) + uint64_t{32} * s.samples;
      break;
  }
  CopyTraffic c{m, sameWritten(m)};
  // Clear colours belong to a layer: the copy gets texels.
  if (kindOf(state) == TileKind::Clear) c.destination.texelsWritten = plane;
  return c;
}

CopyTraffic copyTileTraffic(const DepthSurface& s, uint32_t tile) {
  Moved m;
  m.plainRead = pixelsOf(s, tile) * s.texelBytes * s.samples;
  m.metaRead = 1 + depthRecord(s, s.state(tile));
  if (s.kindOf(s.state(tile)) == DepthKind::Expanded) m.texelsRead = m.plainRead;
  return {m, sameWritten(m)};
}

CopyTraffic copySamplesTraffic(const FragmentSurface& from, const Rect& r, const FragmentSurface& to, uint32_t tile) {
  return {readSamples(from, r), writeSamples(to, tile, r)};
}
CopyTraffic copySamplesTraffic(const DepthSurface& from, const Rect& r, const DepthSurface& to, uint32_t tile) {
  return {readSamples(from, r), writeSamples(to, tile, r)};
}

}  // namespace etzel::msaa
