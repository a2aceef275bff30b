#include "raster/tile/flat_tile.h"

#include "raster/attachment/clear.h"
#include "raster/tile/cover/tile_rect.h"
#include "raster/tile/hidden_primitives.h"
#include "raster/tile/run_tile.h"
#include "raster/tile/shade/one_color.h"

namespace etzel::raster::ETZEL_TARGET {
namespace {

bool operator==(const TileRect& a, const TileRect& b) {
  return a.x0 == b.x0 && a.y0 == b.y0 && a.x1 == b.x1 && a.y1 == b.y1;
}

/// clipToTile() for all tiles of a job.
TileRect clipToJob(const TileJob& job, const BinnedPrimitive& p) {
  TileRect r = clipToTile(job, p);
  const int32_t right = job.x + static_cast<int32_t>(job.across * kTileSize);
  r.x1 = p.maxX < right ? p.maxX : right;
  return r;
}

/// Whether a primitive is a polygon that stores or blends one colour in all of `r`, and does nothing else.
bool fillsAll(const BinnedPrimitive& p, const TileRect& r) {
  if (p.kind != PrimitiveKind::Polygon || !p.draw->tile->leavesOneTexel) return false;
  return !(p.draw->tile->kernel->info.sysValues & abi::kPixelSysValues) && coversAll(p, r);
}

/// Stores eight equal texels all over a rectangle.
void fillShortRows(const Surface& surface, const TileRect& r, uint32_t layer, U32x8 texels) {
  const uint32_t width = static_cast<uint32_t>(r.x1 - r.x0);
  std::byte* row = surface.at(static_cast<uint32_t>(r.x0), static_cast<uint32_t>(r.y0), layer, 0);
  for (int32_t y = r.y0; y < r.y1; ++y, row += surface.rowPitch) {
    uint32_t x = 0;
    for (; x + 8 <= width; x += 8) store(row + 4 * x, texels);
    if (x < width) __builtin_memcpy(row + 4 * x, &texels, 4 * (width - x));
  }
}

}  // namespace

uint32_t flatFrom(const TileJob& job) {
  if (job.count == 0 || job.count > kHideWindow) return TileJob::kNotFlat;
  const BinnedPrimitive& last = *job.primitives[job.count - 1];
  const TileRect seen = clipToJob(job, last);
  if (seen.empty() || !fillsAll(last, seen)) return TileJob::kNotFlat;
  const uint32_t targets = last.draw->tile->targets;
  uint32_t from = TileJob::kNotFlat;  // until something hides what comes before it
  for (uint32_t i = job.count; i-- > 0;) {
    const BinnedPrimitive& p = *job.primitives[i];
    const TileRect r = clipToJob(job, p);
    const bool isClear = p.kind == PrimitiveKind::Clear;
    if (isClear && !(p.clear->color < kMaxColorAttachments && targets >> p.clear->color & 1)) continue;
    if (from != TileJob::kNotFlat) {
      if ((!isClear && p.draw->tile->readsTile) || !isHiddenBy(p, r, seen, targets)) return TileJob::kNotFlat;
      continue;
    }
    if (!(r == seen)) return TileJob::kNotFlat;
    if (isClear) {
      from = i;
      continue;
    }
    if (p.draw->tile->targets != targets || !fillsAll(p, seen)) return TileJob::kNotFlat;
    if (p.draw->tile->color[0].bytes == ByteWrite::Store) from = i;
  }
  // Somebody who looks on would see what is hidden.
  if (job.count > 1 && targets & ~job.attachments->alone) return TileJob::kNotFlat;
  return from;
}

void runFlat(WorkerState& w, const TileJob& job) {
  const BinnedPrimitive& last = *job.primitives[job.count - 1];
  const TileRect r = clipToJob(job, last);
  const uint32_t attachment = last.draw->tile->color[0].attachment;
  U32x8 texels = {};
  for (uint32_t i = 0; i < job.count; ++i) {
    const BinnedPrimitive& p = *job.primitives[i];
    if (p.kind == PrimitiveKind::Clear) {
      if (p.clear->color != attachment)
        runClear(w, job, p);
      else if (i == job.flatFrom)
        texels = splat<U32x8>(clearedTexel(*job.attachments->view(attachment), p.clear->value.color));
      continue;
    }
    if (i < job.flatFrom) continue;
    if (p.draw != w.record) switchDraw(w, p.draw);
    beginPrimitive(w, p);
    w.fragmentInvocations += static_cast<uint32_t>(r.pixels());
    if (!findOneColor(w, *w.draw)) return;
    const ColorTarget& t = w.draw->color[0];
    if (t.bytes == ByteWrite::Store)
      texels = load<U32x8>(&w.oneColor.after);
    else
      texels = OneColorTexels<ByteWrite::Blend>(w.oneColor, t).of(texels);
    p.draw->state.context.madeProgress();
  }
  constexpr int32_t kLong = 512;  // texels: what fillWithTexel() stores without reading memory first
  const Surface& surface = last.draw->tile->color[0].surface;
  if (r.x1 - r.x0 < kLong) return fillShortRows(surface, r, job.layer, texels);
  const auto at = [](int32_t place) { return static_cast<uint32_t>(place); };
  fillWithTexel(surface, {at(r.x0), at(r.y0), at(r.x1), at(r.y1)}, job.layer, texels[0]);
}

}  // namespace etzel::raster::ETZEL_TARGET
