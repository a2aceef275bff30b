#include "raster/attachment/replicate.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "raster/attachment/surface.h"
#include "runtime/msaa/traffic.h"

namespace etzel::raster {
namespace {

constexpr uint32_t kStripRows = 32;  ///< a multiple of the tiles' height, so that no two strips share a tile

struct Area {
  uint32_t x0, y0, x1, y1;
};

/// Each tile gets a state, and plane 0, or each sample, the texels.
void countReplicate(const Surface& to, const Area& area, uint32_t layer) {
  const uint64_t bytes = uint64_t{area.x1 - area.x0} * (area.y1 - area.y0) * to.texelBytes;
  msaa::Moved m;
  m.plainWritten = bytes * to.samples;
  m.texelsWritten = to.meta ? bytes : m.plainWritten;
  if (to.meta || to.depthTiles)
    m.metaWritten = uint64_t{(area.x1 - 1) / msaa::kTile - area.x0 / msaa::kTile + 1} *
                    ((area.y1 - 1) / msaa::kTile - area.y0 / msaa::kTile + 1);
  msaa::addTraffic(to.at(0, 0, layer, 0), msaa::Work::Load, m);
}

void replicateStrip(const Surface& from, const Surface& to, const Area& area, uint32_t strip, uint32_t layer) {
  const uint32_t y0 = std::max(area.y0, strip * kStripRows), y1 = std::min(area.y1, (strip + 1) * kStripRows);
  const size_t rowBytes = size_t(area.x1 - area.x0) * from.texelBytes;
  const msaa::FragmentSurface fragments = to.fragments(layer);
  const msaa::DepthSurface depth = to.depth(layer), source = from.depth(layer);
  const uint32_t firstTile = area.x0 / msaa::kTile, lastTile = (area.x1 - 1) / msaa::kTile;
  for (uint32_t y = y0 & ~(msaa::kTile - 1); y < y1; y += msaa::kTile)
    for (uint32_t x = firstTile; x <= lastTile; ++x) {
      if (fragments) fragments.state(fragments.tileOf(x * msaa::kTile, y)) = msaa::makeState(msaa::TileKind::One);
      if (depth) depth.state(depth.tileOf(x * msaa::kTile, y)) = msaa::makeDepthState(msaa::DepthKind::Expanded);
    }
  const uint32_t planes = fragments ? 1 : to.samples;
  for (uint32_t y = y0; y < y1; ++y) {
    std::byte* first = to.at(area.x0, y, layer, 0);
    if (source)
      source.readRow(area.x0, y, area.x1 - area.x0, 0, first);
    else
      std::memcpy(first, from.at(area.x0, y, layer, 0), rowBytes);
    for (uint32_t plane = 1; plane < planes; ++plane) std::memcpy(to.at(area.x0, y, layer, plane), first, rowBytes);
  }
}

}  // namespace

void replicateAttachment(task::Pool* pool, const tex::ImageView& source, const tex::ImageView& destination,
                         const VkRect2D& area, uint32_t layers, uint32_t viewMask) {
  const Surface from = surfaceOf(&source), to = surfaceOf(&destination);
  if (!from || !to || from.texelBytes != to.texelBytes) return;
  const auto bound = [](int64_t v, uint32_t a, uint32_t b) {
    return static_cast<uint32_t>(std::clamp<int64_t>(v, 0, std::min(a, b)));
  };
  const Area pixels{bound(area.offset.x, from.width, to.width), bound(area.offset.y, from.height, to.height),
                    bound(int64_t(area.offset.x) + area.extent.width, from.width, to.width),
                    bound(int64_t(area.offset.y) + area.extent.height, from.height, to.height)};
  if (pixels.x0 >= pixels.x1 || pixels.y0 >= pixels.y1) return;

  std::vector<uint32_t> list;
  for (uint32_t i = 0; i < (viewMask ? 32 : layers); ++i)
    if ((!viewMask || viewMask >> i & 1) && i < from.layers && i < to.layers) list.push_back(i);
  if (to.samples > 1 && msaa::countsTraffic())
    for (uint32_t layer : list) countReplicate(to, pixels, layer);
  const uint32_t first = pixels.y0 / kStripRows, strips = (pixels.y1 - 1) / kStripRows + 1 - first;
  const uint32_t count = static_cast<uint32_t>(list.size()) * strips;
  const auto run = [&](uint32_t index, uint32_t) {
    replicateStrip(from, to, pixels, first + index % strips, list[index / strips]);
  };
  // Below a few hundred kilobytes waking threads costs more than copying.
  if (pool && pool->threads() > 1 && uint64_t(count) * kStripRows * (pixels.x1 - pixels.x0) >= 64 * 1024) {
    pool->parallelFor(count, run);
  } else {
    for (uint32_t i = 0; i < count; ++i) run(i, 0);
  }
}

}  // namespace etzel::raster
