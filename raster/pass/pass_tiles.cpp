// A pass' tiles: joins the bins, and runs the tiles that have primitives.
#include <algorithm>
#include <atomic>

#include "raster/pass/pass_impl.h"
#include "raster/tile/flat_tile.h"
#include "runtime/mutant/mutant.h"
#include "runtime/simd/cpu.h"

namespace etzel::raster {
namespace {

/// Tiles with less work than this (pixels, roughly) are not worth waking a thread for.
constexpr uint64_t kInlinePixels = 12 * 1024;

bool isClear(const BinnedPrimitive* p) { return p->kind == PrimitiveKind::Clear; }

/// Whether a job that clears and draws to colour with one sample a pixel, no more, needs no plan: such colour is never
/// in tile memory, so that is for the clears to say.
bool needsNoPlan(const TileJob& job) {
  if (!job.plan) return true;
  return job.plan->resolves.empty() && std::none_of(job.primitives, job.primitives + job.count, [&](const auto* p) {
           return isClear(p) &&
                  (p->clear->color >= kMaxColorAttachments || job.plan->attachments >> p->clear->color & 1);
         });
}

constexpr uint32_t kMostAcross = 32;  ///< tiles of a job: other threads want some rows as well

/// Whether a job has the same primitives as the one before it, which is for its neighbours to the left.
bool goesOn(const TileJob& before, const TileJob& job) {
  return before.layer == job.layer && before.y == job.y &&
         before.x + static_cast<int32_t>(before.across * kTileSize) == job.x &&
         std::equal(before.primitives, before.primitives + before.count, job.primitives, job.primitives + job.count);
}

/// The same where both fill rectangles outside of tile memory.
bool goesOnFilling(const TileJob& before, const TileJob& job) {
  if (before.across >= kMostAcross || job.flatFrom != before.flatFrom) return false;
  const bool isFlat = job.flatFrom != TileJob::kNotFlat;
  if (isFlat && mutated(Mutant::FlatNeighbours)) return before.layer == job.layer && before.y == job.y;
  if (!goesOn(before, job)) return false;
  return isFlat || (std::all_of(job.primitives, job.primitives + job.count, isClear) && needsNoPlan(job));
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

/// Finds the tiles that are flat.
void RenderPass::Impl::findFlatTiles() {
  const auto find = ETZEL_CHOOSE(flatFrom);
  for (size_t i = 0, end; i < jobs.size(); i = end) {
    TileJob row = jobs[i];
    for (end = i + 1; end < jobs.size() && row.across < kMostAcross && goesOn(row, jobs[end]); ++end) ++row.across;
    row.flatFrom = needsNoPlan(row) ? find(row) : TileJob::kNotFlat;
    const bool asks = row.flatFrom == TileJob::kNotFlat && row.across > 1 && needsNoPlan(row);
    for (size_t at = i; at < end; ++at) {
      TileJob& job = jobs[at];
      job.flatFrom = asks ? find(job) : row.flatFrom;
      if (job.flatFrom != TileJob::kNotFlat) job.plan = nullptr;
    }
  }
}

/// Makes one job of neighbours in which the same rectangles are filled: long rows are filled without reading them,
/// those of a tile are not.
void RenderPass::Impl::joinFills() {
  size_t kept = 0;
  for (const TileJob& job : jobs) {
    if (kept && goesOnFilling(jobs[kept - 1], job))
      ++jobs[kept - 1].across, jobs[kept - 1].plan = nullptr;
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
  if (!attachments.probe) {
    if (leavesOneTexel) findFlatTiles();
    joinFills();
  }
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
