// What a render pass knows between its draws. Order is API order everywhere: batches of a draw run in any order, but
// their private bins are joined in order, and a tile walks its primitives in order.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "raster/attachment/tile_memory.h"
#include "raster/front/front_worker.h"
#include "raster/pass/pending_bins.h"
#include "raster/pass/render_pass.h"
#include "raster/tile/tile_worker.h"
#include "runtime/base/arena.h"

namespace etzel::raster {

struct RenderPass::Impl {
  explicit Impl(task::Pool* p) : pool(p), threads(std::max(1u, p->threads())) {
    fronts.resize(threads);
    tiles.resize(threads);
  }

  FrontWorker& front(uint32_t i) {
    if (!fronts[i]) fronts[i] = std::make_unique<FrontWorker>();
    return *fronts[i];
  }

  uint64_t pendingBytes() const {
    uint64_t n = 0;
    for (const auto& f : fronts) n += f ? f->sink().arenaBytes : 0;
    return n;
  }

  // pass_front.cpp
  /// Primitives per front end task.
  static uint32_t batchSize(const DrawState& state, const Assembly& assembly, uint64_t primitives);
  bool makeFrontDraw(const DrawState& state, const DrawParams& params);
  bool prepareLikeLast(const DrawState& state, DrawRecord& record);
  void prepareFront(const DrawState& state, DrawRecord& record);
  void runBatches(FrontDraw& draw, uint64_t primitives, uint32_t view);
  /// Before and behind a draw that somebody counts; those between are counted as well.
  void forgetStatistics();
  void addStatistics(Statistics& to) const;

  // pass_tiles.cpp
  /// Runs what waits. `last`: the pass ends, resolves are due. \returns whether tiles went by `plan`
  bool runTiles(bool last = false, const AttachmentResolve* resolves = nullptr, size_t resolveCount = 0);
  void makeJobs();
  void findFlatTiles();
  void joinFills();
  void runJobs(uint64_t pixels);
  TileJob jobOf(uint32_t tile) const;
  void addUndrawn();

  bool forgetDraws();

  task::Pool* pool;
  const uint32_t threads;
  Attachments attachments;
  TileGrid grid;
  PixelRect target;
  Arena arena{64 * 1024};  ///< TileDraws and clears, until flush
  std::vector<std::unique_ptr<DrawRecord>> draws;
  std::vector<std::unique_ptr<DrawRecord>> freeDraws;
  FrontDraw frontDraw;
  std::vector<std::unique_ptr<FrontWorker>> fronts;  ///< per worker of the pool
  std::vector<std::unique_ptr<TileWorker>> tiles;
  PendingBins bins;
  std::vector<std::vector<BinItem>> batchItems;  ///< of one wave of batches
  uint64_t pixelEstimate = 0;                    ///< of clears
  uint32_t clearedColors = 0;                    ///< colour attachments with clears since the last flush
  bool clearsDepthStencil = false;               ///< a clear of depth or stencil waits
  bool leavesOneTexel = false;                   ///< some draw that waits has TileDraw::leavesOneTexel
  bool ranTiles = false;                         ///< since begin()
  bool cancelled = false;

  // runTiles()
  std::vector<TileJob> jobs;
  TilePlan plan;
};

}  // namespace etzel::raster
