#include "raster/attachment/tile_memory.h"

#include <algorithm>
#include <atomic>

#include "raster/attachment/tile_copy.h"
#include "runtime/base/debug_flags.h"

namespace etzel::raster {
namespace {

constexpr size_t kPage = 4096;
/// What a worker may have: more would not stay in a core's own cache, if all of it were used.
constexpr size_t kMostBytes = 2 << 20;
/// Primitives from which on drawing in the cache saves more than it costs to move a tile's pixels there.
constexpr uint32_t kEnough = 8;

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

/// Whether nothing is kept of what the tile had. "Load Operations" end at the render area, tiles do not.
bool isUndefined(const TilePlan& plan, const TileJob& job, uint32_t index) {
  if (!(plan.undefined >> index & 1)) return false;
  const VkRect2D& area = job.attachments->renderArea;
  const auto covers = [](int64_t from, uint32_t extent, int64_t begin, uint32_t size) {
    return from <= begin && from + extent >= std::min<int64_t>(begin + kTileSize, size);
  };
  const Surface& image = plan.image[index];
  return covers(area.offset.x, area.extent.width, job.x, image.width) &&
         covers(area.offset.y, area.extent.height, job.y, image.height);
}

/// Whether an attachment has pixels in the tile that would have to be moved in.
bool hasPixels(const TilePlan& plan, const TileJob& job, uint32_t index) {
  if (isUndefined(plan, job, index)) return false;
  const auto x = static_cast<uint32_t>(job.x), y = static_cast<uint32_t>(job.y);
  const Surface& image = plan.image[index];
  return !(isDepthOrStencil(index) ? isClearTile(image.depth(job.layer), x, y)
                                   : isClearTile(image.fragments(job.layer), x, y));
}

}  // namespace

uint32_t tileAttachmentOf(const Attachments& a, const TilePlan& plan, const AttachmentResolve& resolve) {
  uint32_t i = 0;
  while (i < Attachments::count && !(plan.attachments >> i & 1 && a.view(i) == resolve.from)) ++i;
  return i;
}

bool planTiles(const Attachments& attachments, bool first, bool last, const AttachmentResolve* resolves, size_t count,
               TilePlan& plan) {
  plan.attachments = plan.kept = 0;
  plan.resolves.clear();
  if (!attachments.alone || debug(DebugFlag::NoTileMemory)) return false;
  size_t bytes = 0;
  forAttachments(attachments.alone, [&](uint32_t index) {
    const Surface s = surfaceOf(attachments.view(index));
    if (!s || (isDepthOrStencil(index) ? !s.depthTiles : !s.meta)) return;
    const bool kept = !last || !(attachments.discarded >> index & 1);
    // Depth with one sample per pixel gains no more than it takes to write it back.
    if (kept && s.samples == 1) return;
    if (bytes + bytesOf(s, index) > kMostBytes) return;
    bytes += bytesOf(s, index);
    plan.image[index] = s;
    plan.attachments |= 1u << index;
    plan.kept |= uint32_t{kept} << index;
  });
  if (!plan.attachments) return false;
  static std::atomic<uint64_t> plans{0};
  plan.id = plans.fetch_add(1, std::memory_order_relaxed) + 1;
  plan.undefined = first ? attachments.undefined & plan.attachments : 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t from = tileAttachmentOf(attachments, plan, resolves[i]);
    if (from == Attachments::count) continue;
    const ResolveJob job =
        prepareResolve(resolves[i], attachments.renderArea, attachments.layers, attachments.viewMask);
    if (!job.empty()) plan.resolves.push_back({from, job});
  }
  return true;
}

/// \returns false without memory.
bool TileMemory::arrange(const TilePlan& plan) {
  size_t total = 0;
  forAttachments(plan.attachments, [&](uint32_t index) { total += bytesOf(plan.image[index], index); });
  if (total > bytes_) {
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kPage, alignUp(total, kPage))));
    bytes_ = memory_ ? total : 0;
  }
  if (!memory_) return false;
  plan_ = plan.id;
  std::byte* at = memory_.get();
  forAttachments(plan.attachments, [&](uint32_t index) {
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
  return true;
}

void TileMemory::load(const TilePlan& plan, const TileJob& job, uint32_t index) {
  Surface& local = local_[index];
  const Surface& image = plan.image[index];
  local.originX = static_cast<uint32_t>(job.x), local.originY = static_cast<uint32_t>(job.y);
  const bool undefined = isUndefined(plan, job, index);
  if (isDepthOrStencil(index)) {
    const msaa::DepthSurface to = local.depth(job.layer);
    undefined ? zeroTile(to) : loadTile(image.depth(job.layer), to);
  } else {
    const msaa::FragmentSurface to = local.fragments(job.layer);
    undefined ? zeroTile(to) : loadTile(image.fragments(job.layer), to);
  }
}

void TileMemory::begin(const TilePlan& plan, const TileJob& job) {
  held_ = 0;
  if (plan_ != plan.id && !arrange(plan)) return;
  forAttachments(plan.attachments, [&](uint32_t index) {
    if (job.count < kEnough && hasPixels(plan, job, index)) return;
    load(plan, job, index);
    held_ |= 1u << index;
  });
}

void TileMemory::resolve(const TilePlan& plan, const TileJob& job) const {
  const auto left = static_cast<uint32_t>(job.x), top = static_cast<uint32_t>(job.y);
  for (const TilePlan::Resolve& r : plan.resolves) {
    const ResolveJob& j = r.job;
    const uint32_t x0 = std::max(j.x0, left), x1 = std::min(j.x1, left + kTileSize);
    const uint32_t y0 = std::max(j.y0, top), y1 = std::min(j.y1, top + kTileSize);
    if (j.hasLayer(job.layer) && x0 < x1 && y0 < y1)
      resolveRect(j, surface(r.attachment, j.source), x0, y0, x1, y1, job.layer);
  }
}

void TileMemory::store(const TilePlan& plan, const TileJob& job) const {
  forAttachments(held_ & plan.kept, [&](uint32_t index) {
    const Surface &local = local_[index], &image = plan.image[index];
    if (isDepthOrStencil(index))
      storeTile(local.depth(job.layer), image.depth(job.layer));
    else
      storeTile(local.fragments(job.layer), image.fragments(job.layer));
  });
}

}  // namespace etzel::raster
