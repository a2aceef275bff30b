#include "raster/tile/tile_memory.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "runtime/base/debug_flags.h"

namespace etzel::raster {
namespace {

using mem::kFragmentTile;

constexpr size_t kPage = 4096;
/// What a worker may have: more would not stay in a core's own cache, if all of it were used.
constexpr size_t kMostBytes = 2 << 20;

bool isDepthOrStencil(uint32_t index) { return index >= Attachments::depthIndex; }

size_t planeBytes(const Surface& s) { return size_t{kTileSize} * kTileSize * s.texelBytes; }

mem::FragmentLayout fragmentsOf(const Surface& image) {
  return mem::fragmentLayout(kTileSize, kTileSize, image.samples);
}
mem::DepthTileLayout depthTilesOf(const Surface& image) {
  return mem::depthTileLayout(kTileSize, kTileSize, image.samples, image.depthTiles->planeOffset != 0);
}

size_t bytesOf(const Surface& image, uint32_t index) {
  const uint64_t states = isDepthOrStencil(index) ? depthTilesOf(image).layerPitch : fragmentsOf(image).layerPitch;
  return image.samples * planeBytes(image) + states;
}

/// Calls body(number) for each attachment of `bits`.
template <class Body>
void forAttachments(uint32_t bits, const Body& body) {
  for (; bits; bits &= bits - 1) body(static_cast<uint32_t>(std::countr_zero(bits)));
}

/// Whether `count` tiles from a state on are clear, whatever they are tiles of.
bool areClear(const uint8_t* states, uint32_t count) {
  static_assert(uint32_t(msaa::TileKind::Clear) == uint32_t(msaa::DepthKind::Clear));
  return std::all_of(states, states + count, [](uint8_t s) { return msaa::kindOf(s) == msaa::TileKind::Clear; });
}

}  // namespace

uint32_t tileAttachmentOf(const Attachments& a, const TilePlan& plan, const AttachmentResolve& resolve) {
  uint32_t i = 0;
  while (i < Attachments::count && !(plan.attachments >> i & 1 && a.view(i) == resolve.from)) ++i;
  return i;
}

bool planTiles(const Attachments& attachments, uint32_t allowed, const AttachmentResolve* resolves, size_t count,
               TilePlan& plan) {
  if (debug(DebugFlag::NoTileMemory)) return false;
  size_t bytes = 0;
  forAttachments(attachments.transient & allowed, [&](uint32_t index) {
    const Surface s = surfaceOf(attachments.view(index));
    if (!s || (isDepthOrStencil(index) ? !s.depthTiles : !s.meta)) return;
    if (bytes + bytesOf(s, index) > kMostBytes) return;
    bytes += bytesOf(s, index);
    plan.image[index] = s;
    plan.attachments |= 1u << index;
  });
  if (!plan.attachments) return false;
  static std::atomic<uint64_t> plans{0};
  plan.id = plans.fetch_add(1, std::memory_order_relaxed) + 1;
  plan.undefined = attachments.undefined & plan.attachments;
  plan.stores = attachments.keepsTransient;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t from = tileAttachmentOf(attachments, plan, resolves[i]);
    if (from == Attachments::count) continue;
    const ResolveJob job =
        prepareResolve(resolves[i], attachments.renderArea, attachments.layers, attachments.viewMask);
    if (!job.empty()) plan.resolves.push_back({from, job});
  }
  return true;
}

void TileMemory::arrange(const TilePlan& plan) {
  plan_ = plan.id;
  attachments_ = plan.attachments;
  size_t total = 0;
  forAttachments(attachments_, [&](uint32_t index) { total += bytesOf(plan.image[index], index); });
  if (total > bytes_) {
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kPage, (total + kPage - 1) / kPage * kPage)));
    bytes_ = total;
  }
  std::byte* at = memory_.get();
  forAttachments(attachments_, [&](uint32_t index) {
    const Surface& image = plan.image[index];
    Surface& s = local_[index] = image;
    s.base = at;
    s.rowPitch = kTileSize * image.texelBytes, s.samplePitch = planeBytes(image), s.layerPitch = 0;
    std::byte* const states = at + s.samples * s.samplePitch;
    if (isDepthOrStencil(index)) {
      mem::DepthTileLayout& layout = depth_[index - Attachments::depthIndex] = depthTilesOf(image);
      layout.layerPitch = 0;
      s.depthTiles = &layout, s.depthMeta = states;
    } else {
      const mem::FragmentLayout layout = fragmentsOf(image);
      s.meta = states, s.metaPitch = 0, s.edgeOffset = layout.edgeOffset, s.maskOffset = layout.maskOffset;
      s.tilesX = layout.tilesX, s.tilesY = layout.tilesY;
    }
    at += bytesOf(image, index);
  });
}

/// Gives a colour tile its first contents.
void TileMemory::loadColor(const msaa::FragmentSurface& from, const msaa::FragmentSurface& to, bool undefined) {
  if (undefined) {
    std::memset(to.clearColor(0), 0, mem::kClearColorBytes);
    std::memset(&to.state(0), msaa::makeState(msaa::TileKind::Clear), to.tilesX * to.tilesY);
    return;
  }
  std::memcpy(to.clearColor(0), from.clearColor(0), mem::kClearColors * mem::kClearColorBytes);
  const uint32_t x0 = to.originX, x1 = std::min(x0 + kTileSize, from.width);
  const uint32_t y1 = std::min(to.originY + kTileSize, from.height),
                 across = (x1 - x0 + kFragmentTile - 1) / kFragmentTile;
  for (uint32_t y = to.originY; y < y1; y += kFragmentTile) {
    const uint32_t tile = to.tileOf(x0, y), source = from.tileOf(x0, y);
    std::memcpy(&to.state(tile), &from.state(source), across);
    if (areClear(&to.state(tile), across)) continue;
    for (uint32_t i = 0; i < across; ++i)
      if (msaa::kindOf(to.state(tile + i)) != msaa::TileKind::Clear)
        to.copyTile(tile + i, from, source + i, std::min(kFragmentTile, x1 - to.tileLeft(tile + i)),
                    std::min(kFragmentTile, y1 - y));
  }
}

/// Gives a depth or stencil tile its first contents.
void TileMemory::loadDepth(const msaa::DepthSurface& from, const msaa::DepthSurface& to, bool undefined) {
  if (undefined) {
    std::memset(&to.state(0), msaa::makeDepthState(msaa::DepthKind::Clear), to.tilesX * to.tilesY);
    std::memset(&to.word(0), 0, to.tilesX * to.tilesY * sizeof(uint32_t));
    return;
  }
  const uint32_t x0 = to.originX, x1 = std::min(x0 + kTileSize, from.width);
  const uint32_t y1 = std::min(to.originY + kTileSize, from.height),
                 across = (x1 - x0 + kFragmentTile - 1) / kFragmentTile;
  for (uint32_t y = to.originY; y < y1; y += kFragmentTile) {
    const uint32_t tile = to.tileOf(x0, y), source = from.tileOf(x0, y);
    if (areClear(&from.state(source), across)) {
      std::memcpy(&to.state(tile), &from.state(source), across);
      std::memcpy(&to.word(tile), &from.word(source), across * sizeof(uint32_t));
      continue;
    }
    for (uint32_t i = 0; i < across; ++i) to.copyTile(tile + i, from, source + i);
  }
}

void TileMemory::begin(const TilePlan& plan, const TileJob& job) {
  if (plan_ != plan.id) arrange(plan);
  forAttachments(attachments_, [&](uint32_t index) {
    Surface& s = local_[index];
    s.originX = static_cast<uint32_t>(job.x), s.originY = static_cast<uint32_t>(job.y);
    const bool undefined = plan.undefined >> index & 1;
    if (isDepthOrStencil(index))
      loadDepth(plan.image[index].depth(job.layer), s.depth(job.layer), undefined);
    else
      loadColor(plan.image[index].fragments(job.layer), s.fragments(job.layer), undefined);
  });
}

void TileMemory::redirect(TileDraw& draw) const {
  if (attachments_ & Attachments::depthBit && draw.depthStencil.depth)
    draw.depthStencil.depth = local_[Attachments::depthIndex];
  if (attachments_ & Attachments::stencilBit && draw.depthStencil.stencil)
    draw.depthStencil.stencil = local_[Attachments::stencilIndex];
  for (uint32_t i = 0; i < draw.colorCount; ++i) {
    const uint32_t index = draw.color[i].attachment;
    if (attachments_ >> index & 1) draw.color[i].surface = local_[index];
  }
}

void TileMemory::resolve(const TilePlan& plan, const TileJob& job, bool drawn) const {
  const auto left = static_cast<uint32_t>(job.x), top = static_cast<uint32_t>(job.y);
  for (const TilePlan::Resolve& r : plan.resolves) {
    const ResolveJob& j = r.job;
    const uint32_t x0 = std::max(j.x0, left), x1 = std::min(j.x1, left + kTileSize);
    const uint32_t y0 = std::max(j.y0, top), y1 = std::min(j.y1, top + kTileSize);
    if (j.hasLayer(job.layer) && x0 < x1 && y0 < y1)
      resolveRect(j, drawn ? local_[r.attachment] : j.source, x0, y0, x1, y1, job.layer);
  }
}

void TileMemory::store(const TilePlan& plan, const TileJob& job) const {
  forAttachments(attachments_, [&](uint32_t index) {
    const Surface &local = local_[index], &image = plan.image[index];
    const uint32_t x1 = std::min(local.originX + kTileSize, image.width);
    const uint32_t y1 = std::min(local.originY + kTileSize, image.height);
    for (uint32_t y = local.originY; y < y1; y += kFragmentTile) {
      for (uint32_t x = local.originX; x < x1; x += kFragmentTile) {
        if (isDepthOrStencil(index)) {
          const msaa::DepthSurface from = local.depth(job.layer), to = image.depth(job.layer);
          to.copyTile(to.tileOf(x, y), from, from.tileOf(x, y));
        } else {
          const msaa::FragmentSurface from = local.fragments(job.layer), to = image.fragments(job.layer);
          to.copyTile(to.tileOf(x, y), from, from.tileOf(x, y), std::min(kFragmentTile, x1 - x),
                      std::min(kFragmentTile, y1 - y));
        }
      }
    }
  });
}

}  // namespace etzel::raster
