// RenderPass: takes draws, runs the front end at once, keeps the bins, and runs the tiles at flush. Order is API order
// everywhere: batches of a draw run in any order, but their private bins are joined in order, and a tile walks its
// primitives in order.
#include "raster/pass/render_pass.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <vector>

#include "raster/attachment/clear.h"
#include "raster/attachment/tile_memory.h"
#include "raster/front/front_worker.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/tile_worker.h"

namespace etzel::raster {
namespace {

/// Records and primitives beyond this run their tiles early: memory stays bounded, and tiles find them in the cache.
constexpr uint64_t kPendingBytes = 24 << 20;
constexpr size_t kPendingItems = 4 << 20;
/// Tiles with less work than this (pixels, roughly) are not worth waking a thread for.
constexpr uint64_t kInlinePixels = 12 * 1024;
/// Vertices of a front end task before those that repeat are dropped: the larger the batch, the fewer vertices on its
/// rim are shaded for two batches; but small draws need some tasks for all threads.
constexpr uint32_t kBatchVertices = 1536, kMaxBatchVertices = 12 * 1024, kBatchesPerDraw = 96;
static_assert(kMaxBatchVertices <= kMaxReusedVertices);
/// Vertices of the tasks that run before bins are joined, and the tiles perhaps run.
constexpr uint32_t kWaveVertices = 96 * 1024;

/// Primitives per front end task, the same for any number of threads; stages that make more primitives get fewer.
uint32_t batchSize(const DrawState& s, const Assembly& assembly, uint64_t primitives) {
  const uint32_t verts = assembly.verticesPerPrimitive();
  const uint64_t share = assembly.verticesAreUnique() ? 0 : primitives * verts / kBatchesPerDraw;
  const uint64_t vertices = std::clamp<uint64_t>(share, kBatchVertices, kMaxBatchVertices);
  uint32_t size = std::max(1u, uint32_t(vertices) / verts);
  if (s.geometry) size = std::min(size, 128u);
  if (s.evaluation) size = std::min(size, 32u);
  return size;
}

}  // namespace

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

  bool makeFrontDraw(const DrawState& state, const DrawParams& params);
  bool prepareLikeLast(const DrawState& state, DrawRecord& record);
  void prepareFront(const DrawState& state, DrawRecord& record);
  void runBatches(FrontDraw& draw, uint64_t primitives, uint32_t view);
  bool runTiles(bool last = false, const AttachmentResolve* resolves = nullptr, size_t resolveCount = 0);
  void makeJobs();
  void runJobs(uint64_t pixels);
  TileJob jobOf(uint32_t tile) const;
  void addUndrawn();
  void takeStatistics(Statistics* to);
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
  std::vector<BinItem> items;                    ///< all pending, API order
  std::vector<std::vector<BinItem>> batchItems;  ///< of one wave of batches
  uint64_t pixelEstimate = 0;                    ///< of clears
  uint32_t clearedColors = 0;                    ///< colour attachments with clears since the last flush
  bool clearsDepthStencil = false;               ///< a clear of depth or stencil waits
  bool ranTiles = false;                         ///< since begin()
  bool cancelled = false;

  // runTiles()
  std::vector<uint32_t> offsets;
  std::vector<const BinnedPrimitive*> sorted;
  std::vector<TileJob> jobs;
  TilePlan plan;
};

RenderPass::RenderPass(task::Pool* pool) : impl_(std::make_unique<Impl>(pool)) {}
RenderPass::~RenderPass() = default;

void RenderPass::begin(const Attachments& attachments) {
  Impl& m = *impl_;
  if (!m.items.empty() || !m.draws.empty()) flush();
  m.attachments = attachments;
  m.clearedColors = 0;
  m.ranTiles = false;
  m.clearsDepthStencil = false;
  m.target = targetRect(attachments);
  m.grid.tilesX = uint32_t(std::max(0, m.target.maxX) + kTileSize - 1) / kTileSize;
  m.grid.tilesY = uint32_t(std::max(0, m.target.maxY) + kTileSize - 1) / kTileSize;
  m.grid.layers = std::max({1u, attachments.layers, uint32_t(std::bit_width(attachments.viewMask))});
}

void RenderPass::clearAttachment(uint32_t color, VkImageAspectFlags aspects, const VkClearValue& value,
                                 const ClearRect& rect) {
  Impl& m = *impl_;
  const int64_t right = int64_t(rect.rect.offset.x) + rect.rect.extent.width;
  const int64_t bottom = int64_t(rect.rect.offset.y) + rect.rect.extent.height;
  BinnedPrimitive p;
  p.kind = PrimitiveKind::Clear;
  p.minX = std::max(rect.rect.offset.x, m.target.minX);
  p.minY = std::max(rect.rect.offset.y, m.target.minY);
  p.maxX = int32_t(std::min<int64_t>(right, m.target.maxX));
  p.maxY = int32_t(std::min<int64_t>(bottom, m.target.maxY));
  if (p.minX >= p.maxX || p.minY >= p.maxY) return;
  const VkRect2D clipped{{p.minX, p.minY}, {uint32_t(p.maxX - p.minX), uint32_t(p.maxY - p.minY)}};
  const bool isColor = color < m.attachments.colorCount && m.attachments.color[color];
  const bool isFirst = m.draws.empty() && !(isColor && m.clearedColors >> color & 1);
  if (isColor) m.clearedColors |= 1u << color;
  const uint32_t cleared = isColor ? 1u << color : Attachments::depthBit | Attachments::stencilBit;
  m.attachments.undefined &= ~cleared;
  // Clears of depth and stencil that only change tile states are done at once too.
  auto hasTiles = [](const tex::ImageView* view) { return !view || (view->plane && view->plane->tiles.offset); };
  const bool depthAtOnce = !isColor && m.draws.empty() && !m.clearsDepthStencil &&
                           (!(aspects & VK_IMAGE_ASPECT_DEPTH_BIT) || hasTiles(m.attachments.depth)) &&
                           (!(aspects & VK_IMAGE_ASPECT_STENCIL_BIT) || hasTiles(m.attachments.stencil));
  if (!isColor && !depthAtOnce) m.clearsDepthStencil = true;
  BinSink& sink = m.front(0).sink();
  sink.items.clear();
  auto clearLayer = [&](uint32_t layer) {
    if (layer >= m.grid.layers) return;
    ClearRecord record;
    record.color = color;
    record.aspects = aspects;
    record.value = value;
    if (isColor) {
      const tex::ImageView& view = *m.attachments.color[color];
      record.clearColor = reserveClearColor(view, value.color, clipped, layer, isFirst);
      // Only tile states change: done at once, unless something before it waits.
      if (record.clearColor >= 0 && isFirst)
        return clearColorRect(view, value.color, clipped, layer, record.clearColor);
    }
    if (depthAtOnce) {
      if (aspects & VK_IMAGE_ASPECT_DEPTH_BIT && m.attachments.depth)
        clearDepthRect(*m.attachments.depth, value.depthStencil.depth, clipped, layer);
      if (aspects & VK_IMAGE_ASPECT_STENCIL_BIT && m.attachments.stencil)
        clearStencilRect(*m.attachments.stencil, value.depthStencil.stencil, clipped, layer);
      return;
    }
    p.clear = m.arena.copy(&record, 1);
    p.layer = layer;
    binPrimitive(m.arena.copy(&p, 1), m.grid, sink);
  };
  if (m.attachments.viewMask) {
    // "Multiview": clears go to all views of the subpass.
    for (uint32_t mask = m.attachments.viewMask; mask; mask &= mask - 1) clearLayer(uint32_t(std::countr_zero(mask)));
  } else {
    const uint32_t end = uint32_t(std::min<uint64_t>(uint64_t(rect.baseLayer) + rect.layerCount, m.grid.layers));
    for (uint32_t layer = rect.baseLayer; layer < end; ++layer) clearLayer(layer);
  }
  m.items.insert(m.items.end(), sink.items.begin(), sink.items.end());
  sink.items.clear();
}

/// Most draws differ only in what their shaders read: the last draw's preparations, in `frontDraw` and for tiles, serve
/// this one too. \returns false if they do not.
bool RenderPass::Impl::prepareLikeLast(const DrawState& state, DrawRecord& record) {
  if (draws.size() < 2 || !state.version) return false;
  // Tiles ask the state for discard rectangles, and a stage counts along stippled lines.
  if (state.discardRectangleEnable || state.lineStipple) return false;
  const DrawRecord& last = *draws[draws.size() - 2];
  const DrawState& l = last.state;
  if (l.version != state.version || l.statistics != state.statistics || l.countSamples != state.countSamples)
    return false;
  DrawState& r = record.state;
  r.version = state.version;
  r.statistics = state.statistics;
  r.countSamples = state.countSamples;
  r.context = state.context;
  r.context.sampleCount = l.context.sampleCount;
  r.context.sampleLocations = l.context.sampleLocations;
  r.context.perSample = l.context.perSample;
  record.tile = last.tile;
  // The front end is done with the caller's state when draw() returns.
  frontDraw.state = frontDraw.raster.draw = &state;
  frontDraw.record = frontDraw.raster.record = &record;
  return true;
}

/// What the front end needs of a draw that is not like the last one.
void RenderPass::Impl::prepareFront(const DrawState& state, DrawRecord& record) {
  FrontDraw& d = frontDraw;
  record.state = state;
  record.state.attachments = attachments;
  record.tile = nullptr;
  const DrawState& s = record.state;
  d.record = &record;
  d.state = &s;
  ++d.preparation;
  d.rasterizes = !s.rasterizerDiscard;
  if (d.rasterizes) prepareDraw(record, arena);

  const abi::ProgramInfo* fragment = s.fragment && d.rasterizes ? &s.fragment->info : nullptr;
  const abi::ProgramInfo* geometry = s.geometry ? &s.geometry->info : nullptr;
  const bool tessellates = s.control && s.evaluation;
  const abi::ProgramInfo* afterVertex = tessellates ? &s.control->info : geometry ? geometry : fragment;
  const abi::ProgramInfo* last = &s.vertex->info;
  d.vertexShape = RecordShape::make(s.vertex->info, afterVertex);
  const RecordShape* lastShape = &d.vertexShape;
  if (tessellates) {
    d.controlShape = RecordShape::make(s.control->info, &s.evaluation->info);
    d.evaluationShape = RecordShape::make(s.evaluation->info, geometry ? geometry : fragment);
    last = &s.evaluation->info;
    lastShape = &d.evaluationShape;
  }
  if (geometry) {
    d.geometryShape = RecordShape::make(*geometry, fragment);
    last = geometry;
    lastShape = &d.geometryShape;
  }
  d.raster = makeRasterState(record, *last, grid, target, lastShape->stride());
}

/// \returns false when there is nothing to draw.
bool RenderPass::Impl::makeFrontDraw(const DrawState& state, const DrawParams& params) {
  FrontDraw& d = frontDraw;
  d.params = params;
  d.indexed = params.indices != nullptr;
  d.assembly.build(state.topology, state.primitiveRestart, state.provokingVertexLast, state.patchControlPoints, params);
  if (state.statistics) {
    const uint64_t views = std::max(1, std::popcount(attachments.viewMask));
    state.statistics->inputVertices += d.assembly.vertexCount() * params.instanceCount * views;
  }
  if (d.assembly.primitiveCount() == 0) return false;

  if (freeDraws.empty()) freeDraws.push_back(std::make_unique<DrawRecord>());
  draws.push_back(std::move(freeDraws.back()));
  freeDraws.pop_back();
  DrawRecord& record = *draws.back();
  if (!prepareLikeLast(state, record)) prepareFront(state, record);
  d.fetch.prepare(state, state.vertex->info.inputLocations, params.firstInstance);
  return true;
}

void RenderPass::Impl::takeStatistics(Statistics* to) {
  for (auto& f : fronts) {
    if (!f) continue;
    Statistics& from = f->statistics();
    if (to) {
      to->inputPrimitives += from.inputPrimitives;
      to->vertexInvocations += from.vertexInvocations;
      to->geometryInvocations += from.geometryInvocations;
      to->geometryPrimitives += from.geometryPrimitives;
      to->clippingInvocations += from.clippingInvocations;
      to->clippingPrimitives += from.clippingPrimitives;
      to->controlPatches += from.controlPatches;
      to->evaluationInvocations += from.evaluationInvocations;
      for (uint32_t i = 0; i < 4; ++i) {
        to->xfbPrimitivesWritten[i] += from.xfbPrimitivesWritten[i];
        to->xfbPrimitivesNeeded[i] += from.xfbPrimitivesNeeded[i];
        to->primitivesGenerated[i] += from.primitivesGenerated[i];
      }
    }
    from = {};
  }
}

void RenderPass::Impl::runBatches(FrontDraw& draw, uint64_t primitives, uint32_t view) {
  const DrawState& s = *draw.state;
  const uint32_t size = batchSize(s, draw.assembly, primitives);
  const uint64_t batches = (primitives + size - 1) / size;
  auto batchAt = [&](uint64_t i) {
    FrontBatch b;
    b.first = i * size;
    b.count = uint32_t(std::min<uint64_t>(size, primitives - b.first));
    b.viewIndex = view;
    return b;
  };
  auto makeRoom = [&] {
    if (pendingBytes() > kPendingBytes || items.size() > kPendingItems) runTiles();
  };
  // Captures and stipple patterns depend on everything before them: one worker, in order.
  const bool ordered = s.xfb || s.lineStipple;
  if (ordered || threads == 1 || batches == 1) {
    FrontWorker& worker = front(0);
    for (uint64_t i = 0; i < batches && !cancelled; ++i) {
      cancelled = !worker.run(batchAt(i));
      items.insert(items.end(), worker.sink().items.begin(), worker.sink().items.end());
      makeRoom();
    }
    return;
  }
  const uint32_t waveBatches = kWaveVertices / (size * draw.assembly.verticesPerPrimitive());
  const uint32_t wave = std::clamp(waveBatches, std::min(64u, 4 * threads), 64u);
  batchItems.resize(wave);
  std::atomic<bool> failed{false};
  for (uint64_t first = 0; first < batches && !cancelled; first += wave) {
    const uint32_t n = uint32_t(std::min<uint64_t>(wave, batches - first));
    pool->parallelFor(n, [&](uint32_t i, uint32_t worker) {
      FrontWorker& w = *fronts[worker];
      if (!w.run(batchAt(first + i))) failed.store(true, std::memory_order_relaxed);
      std::swap(batchItems[i], w.sink().items);
    });
    cancelled = failed.load(std::memory_order_relaxed);
    for (uint32_t i = 0; i < n; ++i) items.insert(items.end(), batchItems[i].begin(), batchItems[i].end());
    makeRoom();
  }
}

void RenderPass::draw(const DrawState& state, const DrawParams& params) {
  Impl& m = *impl_;
  if (!state.vertex || params.count == 0 || params.instanceCount == 0 || m.cancelled) return;
  if (!m.makeFrontDraw(state, params)) return;
  FrontDraw& d = m.frontDraw;
  const uint64_t primitives = d.assembly.primitiveCount() * params.instanceCount;
  const bool parallel = m.threads > 1 && primitives > batchSize(*d.state, d.assembly, primitives);
  for (uint32_t i = 0; i < (parallel ? m.threads : 1); ++i) m.front(i).begin(d);
  if (m.attachments.viewMask) {
    for (uint32_t mask = m.attachments.viewMask; mask; mask &= mask - 1) {
      m.runBatches(d, primitives, uint32_t(std::countr_zero(mask)));
    }
  } else {
    m.runBatches(d, primitives, 0);
  }
  m.takeStatistics(d.state->statistics);
}

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
  if (items.empty() || cancelled) return;
  // Joins the bins: a counting sort by tile keeps API order within each tile.
  uint32_t low = ~0u, high = 0;
  for (const BinItem& i : items) {
    low = std::min(low, i.tile);
    high = std::max(high, i.tile);
  }
  sorted.resize(items.size());
  auto addJob = [&](uint32_t tile, size_t begin, size_t end) {
    TileJob job = jobOf(tile);
    job.primitives = sorted.data() + begin;
    job.count = uint32_t(end - begin);
    jobs.push_back(job);
  };
  const uint64_t range = uint64_t(high) - low + 1;
  if (range <= 16 * items.size() + 4096) {
    offsets.assign(range + 1, 0);
    for (const BinItem& i : items) ++offsets[i.tile - low + 1];
    for (uint64_t t = 0; t < range; ++t) offsets[t + 1] += offsets[t];
    for (const BinItem& i : items) sorted[offsets[i.tile - low]++] = i.primitive;
    uint32_t begin = 0;  // offsets[t] is the end of tile t by now
    for (uint64_t t = 0; t < range; ++t) {
      if (offsets[t] > begin) addJob(low + uint32_t(t), begin, offsets[t]);
      begin = offsets[t];
    }
    return;
  }
  std::stable_sort(items.begin(), items.end(), [](const BinItem& a, const BinItem& b) { return a.tile < b.tile; });
  for (size_t i = 0; i < items.size(); ++i) sorted[i] = items[i].primitive;
  for (size_t begin = 0; begin < items.size();) {
    size_t end = begin + 1;
    while (end < items.size() && items[end].tile == items[begin].tile) ++end;
    addJob(items[begin].tile, begin, end);
    begin = end;
  }
}

/// Runs the jobs. `pixels`: how much work they are, roughly
void RenderPass::Impl::runJobs(uint64_t pixels) {
  const bool parallel = threads > 1 && jobs.size() > 1 && pixels > kInlinePixels;
  for (uint32_t i = 0; i < (parallel ? threads : 1); ++i) {
    if (!tiles[i]) tiles[i] = makeTileWorker();
  }
  if (!parallel) {
    for (const TileJob& job : jobs) {
      cancelled = !tiles[0]->run(job);
      if (cancelled) return;
    }
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
  cancelled = failed.load(std::memory_order_relaxed);
}

/// Runs what waits. `last`: the pass ends, resolves are due. \returns whether tiles went by `plan`
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
  ranTiles |= !jobs.empty();
  if (!jobs.empty()) runJobs(pixels);
  items.clear();
  pixelEstimate = 0;
  for (auto& f : fronts) {
    if (!f) continue;
    f->sink().arena.reset();
    f->sink().arenaBytes = 0;
    f->sink().pixelEstimate = 0;
  }
  return planned;
}

bool RenderPass::flush() {
  impl_->runTiles();
  return impl_->forgetDraws();
}

bool RenderPass::finish(const AttachmentResolve* resolves, size_t count) {
  Impl& m = *impl_;
  const bool planned = m.runTiles(true, resolves, count);
  const bool ok = m.forgetDraws();
  for (size_t i = 0; i < count; ++i)
    if (!planned || tileAttachmentOf(m.attachments, m.plan, resolves[i]) == Attachments::count)
      resolveAttachment(m.pool, *resolves[i].from, *resolves[i].to, resolves[i].aspect, resolves[i].mode,
                        m.attachments.renderArea, m.attachments.layers, m.attachments.viewMask);
  return ok;
}

bool RenderPass::Impl::forgetDraws() {
  for (auto& record : draws) freeDraws.push_back(std::move(record));
  draws.clear();
  clearedColors = 0;
  clearsDepthStencil = false;
  arena.reset();
  const bool ok = !cancelled;
  cancelled = false;
  return ok;
}

}  // namespace etzel::raster
