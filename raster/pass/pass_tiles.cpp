// A pass' tiles: joins the bins, and runs the tiles that have primitives.
#include <algorithm>
#include <atomic>

#include "raster/pass/pass_impl.h"

namespace etzel::raster {
namespace {

/// Tiles with less work than this (pixels, roughly) are not worth waking a thread for.
constexpr uint64_t kInlinePixels = 12 * 1024;

/// Whether a job does what the one before it does to the neighbours to the left, and that is clearing.
bool goesOnClearing(const TileJob& before, const TileJob& job) {
  constexpr uint32_t kMostAcross = 32;  // other threads want some rows as well
  const auto isClear = [](const BinnedPrimitive* p) { return p->kind == PrimitiveKind::Clear; };
  return before.layer == job.layer && before.y == job.y && before.across < kMostAcross &&
         before.x + static_cast<int32_t>(before.across * kTileSize) == job.x &&
         std::equal(before.primitives, before.primitives + before.count, job.primitives, job.primitives + job.count) &&
         std::all_of(job.primitives, job.primitives + job.count, isClear);
}

}  // namespace

/// The job of a tile of the grid, without primitives.
TileJob RenderPass::Impl::jobOf(uint32_t tile) const {
  TileJob job;
  job.layer = tile / grid.perLayer();
  const uint32_t in = tile % grid.perLayer();
  job.x = int32_t(in % grid.tilesX * kTileSize), job.y = int32_t(in / grid.tilesX * kTileSize);
  job.attachments = &attachments;
  return job;
}

/// Tiles without primitives have to be resolved as well.
void RenderPass::Impl::addUndrawn() {
  if (plan.resolves.empty()) return;
  const uint32_t tileCount = grid.perLayer() * grid.layers;
  std::vector<bool> drawn(tileCount);
  auto tileOf = [&](const TileJob& job) {
    return job.layer * grid.perLayer() + uint32_t(job.y) / kTileSize * grid.tilesX + uint32_t(job.x) / kTileSize;
  };
  for (const TileJob& job : jobs) drawn[tileOf(job)] = true;
  for (uint32_t tile = 0; tile < tileCount; ++tile)
    if (!drawn[tile]) jobs.push_back(jobOf(tile));
}

/// Makes jobs of the tiles that have primitives.
void RenderPass::Impl::makeJobs() {
  jobs.clear();
  if (cancelled) return;
  for (const PendingBins::TileBin& bin : bins.join(*pool)) {
    TileJob job = jobOf(bin.tile);
    job.primitives = bin.primitives;
    job.count = bin.count;
    jobs.push_back(job);
  }
}

/// Makes one job of neighbours that are only cleared: long rows are filled without reading them, those of a tile are
/// not.
void RenderPass::Impl::joinClears() {
  size_t kept = 0;
  for (const TileJob& job : jobs) {
    if (kept && goesOnClearing(jobs[kept - 1], job))
      ++jobs[kept - 1].across;
    else
      jobs[kept++] = job;
  }
  jobs.resize(kept);
}

/// Runs the jobs. `pixels`: how much work they are, roughly
void RenderPass::Impl::runJobs(uint64_t pixels) {
  const bool parallel = threads > 1 && jobs.size() > 1 && pixels > kInlinePixels;
  for (uint32_t i = 0; i < (parallel ? threads : 1); ++i) {
    if (!tiles[i]) tiles[i] = makeTileWorker();
  }
  if (!parallel) {
    for (size_t i = 0; i < jobs.size() && !cancelled; ++i) cancelled = !tiles[0]->run(jobs[i]);
    tiles[0]->finish();
    return;
  }
  // Long lists first: the last tile to finish should be a short one. Among equals downwards: neighbours in a row have
  // their tiles' states in the same cache lines.
  std::stable_sort(jobs.begin(), jobs.end(), [](const TileJob& a, const TileJob& b) {
    return a.count != b.count ? a.count > b.count : a.x < b.x;
  });
  std::atomic<bool> failed{false};
  pool->parallelFor(uint32_t(jobs.size()), [&](uint32_t i, uint32_t worker) {
    if (failed.load(std::memory_order_relaxed)) return;
    if (!tiles[worker]->run(jobs[i])) failed.store(true, std::memory_order_relaxed);
  });
  for (auto& worker : tiles) worker->finish();
  cancelled = failed.load(std::memory_order_relaxed);
}

bool RenderPass::Impl::runTiles(bool last, const AttachmentResolve* resolves, size_t resolveCount) {
  uint64_t pixels = pixelEstimate;
  for (auto& f : fronts) pixels += f ? f->sink().pixelEstimate : 0;
  makeJobs();
  const bool planned = !jobs.empty() && planTiles(attachments, !ranTiles, last, resolves, resolveCount, plan);
  if (planned) {
    addUndrawn();
    for (TileJob& job : jobs) job.plan = &plan;
    for (const TilePlan::Resolve& r : plan.resolves) pixels += uint64_t{r.job.x1 - r.job.x0} * (r.job.y1 - r.job.y0);
  }
  if (!planned && !attachments.probe) joinClears();
  ranTiles |= !jobs.empty();
  if (!jobs.empty()) runJobs(pixels);
  bins.clear();
  pixelEstimate = 0;
  for (auto& f : fronts) {
    if (!f) continue;
    f->sink().arena.reset();
    f->sink().arenaBytes = 0;
    f->sink().pixelEstimate = 0;
  }
  return planned;
}

}  // namespace etzel::raster
