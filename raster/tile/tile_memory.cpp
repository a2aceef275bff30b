#include "raster/tile/tile_memory.h"

#include <algorithm>
#include <cstring>

namespace etzel::raster {
namespace {

constexpr uint32_t kTilesAcross = kTileSize / mem::kFragmentTile, kTiles = kTilesAcross * kTilesAcross;
constexpr size_t kLine = 64;
/// What a worker may have: more would not stay in a core's own cache, if all of it were used.
constexpr size_t kMostBytes = 2 << 20;

constexpr size_t lines(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

bool isDepthOrStencil(uint32_t index) { return index >= kMaxColorAttachments; }

const tex::ImageView* viewOf(const Attachments& a, uint32_t index) {
  if (index < kMaxColorAttachments) return index < a.colorCount ? a.color[index] : nullptr;
  return index == kMaxColorAttachments ? a.depth : a.stencil;
}

size_t planeBytes(const Surface& s) { return lines(size_t{kTileSize} * kTileSize * s.texelBytes); }

/// The tile states of a depth or stencil tile.
mem::DepthTileLayout depthLayout(const Surface& image) {
  mem::DepthTileLayout t;
  t.tilesX = t.tilesY = kTilesAcross;
  t.wordOffset = lines(kTiles);
  size_t end = t.wordOffset + kTiles * sizeof(uint32_t);
  if (image.depthTiles->planeOffset) {
    const size_t planes = size_t{kTiles} * mem::depthPlanes(image.samples);
    t.planeOffset = lines(end);
    t.maskOffset = t.planeOffset + planes * mem::kDepthPlaneBytes;
    end = t.maskOffset + (image.samples > 1 ? planes * image.samples * sizeof(uint64_t) : 0);
  }
  t.layerPitch = lines(end);
  return t;
}

constexpr size_t kEdgeOffset = lines(mem::kTileStateOffset + kTiles);
constexpr size_t kMaskOffset = lines(kEdgeOffset + kTiles * sizeof(uint64_t));

size_t stateBytes(const Surface& image, uint32_t index) {
  if (isDepthOrStencil(index)) return depthLayout(image).layerPitch;
  return lines(kMaskOffset + size_t{kTiles} * mem::fragmentMaskWords(image.samples) * sizeof(uint64_t));
}

bool allOf(const uint8_t* states, uint32_t count, uint8_t kind) {
  return std::all_of(states, states + count, [&](uint8_t s) { return (s & 3) == kind; });
}

/// Asks for pixels that are about to be written.
void prefetchRows(const Surface& s, uint32_t x0, uint32_t x1, uint32_t y0, uint32_t y1, uint32_t layer) {
  for (uint32_t y = y0; y < y1; ++y) {
    const std::byte* const row = s.at(x0, y, layer, 0);
    for (uint32_t at = 0; at < (x1 - x0) * s.texelBytes; at += kLine) __builtin_prefetch(row + at, 1);
  }
}

}  // namespace

uint32_t chooseTileAttachments(const Attachments& attachments, uint32_t allowed, TilePlan& plan) {
  size_t bytes = 0;
  for (uint32_t rest = attachments.transient & allowed; rest; rest &= rest - 1) {
    const uint32_t index = static_cast<uint32_t>(std::countr_zero(rest));
    const tex::ImageView* const view = viewOf(attachments, index);
    if (!view) continue;
    const Surface s = surfaceOf(view);
    // Tile states tell what a tile has when it begins. Others are single-sampled colour, or compressed by no means.
    if (!s || (isDepthOrStencil(index) ? !s.depthTiles : !s.meta)) continue;
    const size_t need = s.samples * planeBytes(s) + stateBytes(s, index);
    if (bytes + need > kMostBytes) continue;
    bytes += need;
    plan.image[index] = s;
    plan.attachments |= 1u << index;
  }
  plan.undefined = attachments.undefined & plan.attachments;
  plan.stores = attachments.keepsTransient;
  return plan.attachments;
}

void TileMemory::arrange(const TilePlan& plan) {
  plan_ = plan.id;
  attachments_ = plan.attachments;
  size_t total = 0;
  for (uint32_t rest = attachments_; rest; rest &= rest - 1) {
    const uint32_t index = static_cast<uint32_t>(std::countr_zero(rest));
    total += plan.image[index].samples * planeBytes(plan.image[index]) + stateBytes(plan.image[index], index);
  }
  if (total > bytes_) {
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(4096, (total + 4095) / 4096 * 4096)));
    bytes_ = total;
  }
  std::byte* at = memory_.get();
  for (uint32_t rest = attachments_; rest; rest &= rest - 1) {
    const uint32_t index = static_cast<uint32_t>(std::countr_zero(rest));
    const Surface& image = plan.image[index];
    Surface& s = local_[index] = image;
    s.base = at;
    s.rowPitch = kTileSize * image.texelBytes;
    s.samplePitch = planeBytes(image);
    s.layerPitch = 0;
    std::byte* const states = at + s.samples * s.samplePitch;
    if (isDepthOrStencil(index)) {
      mem::DepthTileLayout& layout = depth_[index - kMaxColorAttachments] = depthLayout(image);
      layout.layerPitch = 0;
      s.depthTiles = &layout, s.depthMeta = states;
    } else {
      s.meta = states, s.metaPitch = 0;
      s.edgeOffset = kEdgeOffset, s.maskOffset = kMaskOffset;
      s.tilesX = s.tilesY = kTilesAcross;
    }
    at = states + stateBytes(image, index);
  }
}

void TileMemory::load(const Surface& image, const Surface& local, const TileJob& job, bool undefined) const {
  const uint32_t x0 = local.originX, y0 = local.originY;
  const uint32_t x1 = std::min(x0 + kTileSize, image.width), y1 = std::min(y0 + kTileSize, image.height);
  const uint32_t across = (x1 - x0 + mem::kFragmentTile - 1) / mem::kFragmentTile;
  if (local.meta) {
    const msaa::FragmentSurface from = image.fragments(job.layer), to = local.fragments(0);
    if (undefined) {
      std::memset(to.clearColor(0), 0, mem::kClearColorBytes);
      std::memset(&to.state(0), msaa::makeState(msaa::TileKind::Clear), kTiles);
      return;
    }
    std::memcpy(to.clearColor(0), from.clearColor(0), mem::kTileStateOffset);
    for (uint32_t y = y0; y < y1; y += mem::kFragmentTile) {
      const uint32_t tile = to.tileOf(x0, y), source = from.tileOf(x0, y);
      const bool clear = allOf(&from.state(source), across, static_cast<uint8_t>(msaa::TileKind::Clear));
      if (clear) {
        std::memcpy(&to.state(tile), &from.state(source), across);
        continue;
      }
      for (uint32_t i = 0; i < across; ++i) {
        if (msaa::kindOf(from.state(source + i)) == msaa::TileKind::Clear)
          to.state(tile + i) = from.state(source + i);
        else
          to.copyTile(tile + i, from, source + i, std::min(mem::kFragmentTile, x1 - to.tileLeft(tile + i)),
                      std::min(mem::kFragmentTile, y1 - y));
      }
    }
    return;
  }
  const msaa::DepthSurface from = image.depth(job.layer), to = local.depth(0);
  if (undefined) {
    std::memset(&to.state(0), msaa::makeDepthState(msaa::DepthKind::Clear), kTiles);
    std::memset(&to.word(0), 0, kTiles * sizeof(uint32_t));
    return;
  }
  for (uint32_t y = y0; y < y1; y += mem::kFragmentTile) {
    const uint32_t tile = to.tileOf(x0, y), source = from.tileOf(x0, y);
    if (allOf(&from.state(source), across, static_cast<uint8_t>(msaa::DepthKind::Clear))) {
      std::memcpy(&to.state(tile), &from.state(source), across);
      std::memcpy(&to.word(tile), &from.word(source), across * sizeof(uint32_t));
      continue;
    }
    for (uint32_t i = 0; i < across; ++i) to.copyTile(tile + i, from, source + i);
  }
}

void TileMemory::begin(const TilePlan& plan, const TileJob& job) {
  if (plan_ != plan.id) arrange(plan);
  for (uint32_t rest = attachments_; rest; rest &= rest - 1) {
    const uint32_t index = static_cast<uint32_t>(std::countr_zero(rest));
    Surface& s = local_[index];
    s.originX = static_cast<uint32_t>(job.x), s.originY = static_cast<uint32_t>(job.y);
    load(plan.image[index], s, job, plan.undefined >> index & 1);
  }
}

void TileMemory::store(const TilePlan& plan, const TileJob& job) const {
  for (uint32_t rest = attachments_; rest; rest &= rest - 1) {
    const uint32_t index = static_cast<uint32_t>(std::countr_zero(rest));
    const Surface &local = local_[index], &image = plan.image[index];
    const uint32_t x1 = std::min(local.originX + kTileSize, image.width);
    const uint32_t y1 = std::min(local.originY + kTileSize, image.height);
    for (uint32_t y = local.originY; y < y1; y += mem::kFragmentTile)
      for (uint32_t x = local.originX; x < x1; x += mem::kFragmentTile) {
        if (local.meta) {
          const msaa::FragmentSurface from = local.fragments(0), to = image.fragments(job.layer);
          to.copyTile(to.tileOf(x, y), from, from.tileOf(x, y), std::min(mem::kFragmentTile, x1 - x),
                      std::min(mem::kFragmentTile, y1 - y));
        } else {
          const msaa::DepthSurface from = local.depth(0), to = image.depth(job.layer);
          to.copyTile(to.tileOf(x, y), from, from.tileOf(x, y));
        }
      }
  }
}

void TileMemory::redirect(TileDraw& draw) const {
  if (attachments_ & Attachments::depthBit && draw.depthStencil.depth)
    draw.depthStencil.depth = local_[kMaxColorAttachments];
  if (attachments_ & Attachments::stencilBit && draw.depthStencil.stencil)
    draw.depthStencil.stencil = local_[kMaxColorAttachments + 1];
  for (uint32_t i = 0; i < draw.colorCount; ++i) {
    const uint32_t index = draw.color[i].attachment;
    if (attachments_ >> index & 1) draw.color[i].surface = local_[index];
  }
}

void TileMemory::resolve(const TilePlan& plan, const TileJob& job, bool drawn) const {
  for (const TilePlan::Resolve& r : plan.resolves) {
    const ResolveJob& j = r.job;
    if (!j.hasLayer(job.layer)) continue;
    const auto left = static_cast<uint32_t>(job.x), top = static_cast<uint32_t>(job.y);
    const uint32_t x0 = std::max(j.x0, left), x1 = std::min(j.x1, left + kTileSize);
    const uint32_t y0 = std::max(j.y0, top), y1 = std::min(j.y1, top + kTileSize);
    if (x0 >= x1 || y0 >= y1) continue;
    const Surface& source = drawn ? local_[r.attachment] : j.source;
    // A row of tiles at a time: what is written next is asked for meanwhile.
    constexpr uint32_t kRows = mem::kFragmentTile;
    auto end = [&](uint32_t y) { return std::min(y1, (y / kRows + 1) * kRows); };
    prefetchRows(j.destination, x0, x1, y0, end(y0), job.layer);
    for (uint32_t y = y0; y < y1; y = end(y)) {
      prefetchRows(j.destination, x0, x1, end(y), std::min(y1, end(y) + kRows), job.layer);
      resolveRect(j, source, x0, y, x1, end(y), job.layer);
    }
  }
}

}  // namespace etzel::raster
