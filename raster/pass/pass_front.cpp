// A pass' front end: prepares draws and runs their batches at once.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>

#include "raster/pass/pass_impl.h"
#include "raster/pixel_probe.h"
#include "raster/tile/draw/tile_draw.h"

namespace etzel::raster {
namespace {

/// Records and primitives beyond this run their tiles early: memory stays bounded, and tiles find them in the cache.
constexpr uint64_t kPendingBytes = 24 << 20;
constexpr size_t kPendingItems = 4 << 20;
/// Vertices of a front end task before those that repeat are dropped: the larger the batch, the fewer vertices on its
/// rim are shaded for two batches; but small draws need some tasks for all threads.
constexpr uint32_t kBatchVertices = 1536, kMaxBatchVertices = 12 * 1024, kBatchesPerDraw = 96;
static_assert(kMaxBatchVertices <= kMaxReusedVertices);
/// Vertices of the tasks that run before all wait for the last one and the tiles perhaps run: at least, and for each
/// thread, which then waits for an eighth of its time at most.
constexpr uint32_t kWaveVertices = 96 * 1024, kWaveVerticesOfThread = 8 * kBatchVertices;

/// By the library's routine: string moves, which compilers make of an assignment, take longer to begin than all of it.
void copyContext(abi::DispatchContext& to, const abi::DispatchContext& from) {
  size_t bytes = sizeof to;
  asm("" : "+r"(bytes));  // unknown to the compiler
  std::memcpy(&to, &from, bytes);
}

/// Asks for the memory that the next draw will write, of which no cache has anything where passes have many draws.
void prefetchContext(const DrawRecord& record) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&record);
  const auto end = offsetof(DrawRecord, state) + offsetof(DrawState, context) + sizeof(abi::DispatchContext);
  for (size_t at = 0; at < end; at += 64) __builtin_prefetch(bytes + at, 1);
}

}  // namespace

/// The same for any number of threads; stages that make more primitives get fewer.
uint32_t RenderPass::Impl::batchSize(const DrawState& s, const Assembly& assembly, uint64_t primitives) {
  const uint32_t verts = assembly.verticesPerPrimitive();
  const uint64_t share = assembly.verticesAreUnique() ? 0 : primitives * verts / kBatchesPerDraw;
  const uint64_t vertices = std::clamp<uint64_t>(share, kBatchVertices, kMaxBatchVertices);
  uint32_t size = std::max(1u, uint32_t(vertices) / verts);
  if (s.geometry) size = std::min(size, 128u);
  if (s.evaluation) size = std::min(size, 32u);
  return size;
}

/// Most draws differ only in what their shaders read: the last draw's preparations, in `frontDraw` and for tiles, serve
/// this one too. \returns false if they do not.
bool RenderPass::Impl::prepareLikeLast(const DrawState& state, DrawRecord& record) {
  if (draws.size() < 2 || !state.version) return false;
  // Tiles ask the state for discard rectangles, and a stage counts along stippled lines. A probe asks for everything.
  if (state.discardRectangleEnable || state.lineStipple || attachments.probe) return false;
  const DrawRecord& last = *draws[draws.size() - 2];
  const DrawState& l = last.state;
  if (l.version != state.version || l.statistics != state.statistics || l.countSamples != state.countSamples)
    return false;
  DrawState& r = record.state;
  r.version = state.version;
  r.statistics = state.statistics;
  r.countSamples = state.countSamples;
  copyContext(r.context, state.context);
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
  std::copy(std::begin(state.attachments.location), std::end(state.attachments.location),
            record.state.attachments.location);
  record.tile = nullptr;
  const DrawState& s = record.state;
  d.record = &record;
  d.state = &s;
  ++d.preparation;
  d.rasterizes = !s.rasterizerDiscard;
  if (d.rasterizes) prepareDraw(record, arena), leavesOneTexel |= record.tile->leavesOneTexel;

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
  if (attachments.probe && attachments.probe->x >= 0 && d.rasterizes) d.raster.prepareForProbe(target);
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
  if (!freeDraws.empty()) prefetchContext(*freeDraws.back());
  if (prepareLikeLast(state, record)) {
    d.fetch.rebind(state, params.firstInstance);
  } else {
    prepareFront(state, record);
    d.fetch.prepare(state, state.vertex->info.inputLocations, params.firstInstance);
  }
  return true;
}

void RenderPass::Impl::forgetStatistics() {
  for (auto& f : fronts)
    if (f) f->statistics() = {};
}

void RenderPass::Impl::addStatistics(Statistics& to) const {
  for (auto& f : fronts) {
    if (!f) continue;
    const Statistics& from = f->statistics();
    to.inputPrimitives += from.inputPrimitives;
    to.vertexInvocations += from.vertexInvocations;
    to.geometryInvocations += from.geometryInvocations;
    to.geometryPrimitives += from.geometryPrimitives;
    to.clippingInvocations += from.clippingInvocations;
    to.clippingPrimitives += from.clippingPrimitives;
    to.controlPatches += from.controlPatches;
    to.evaluationInvocations += from.evaluationInvocations;
    for (uint32_t i = 0; i < abi::kMaxStreams; ++i) {
      to.xfbPrimitivesWritten[i] += from.xfbPrimitivesWritten[i];
      to.xfbPrimitivesNeeded[i] += from.xfbPrimitivesNeeded[i];
      to.primitivesGenerated[i] += from.primitivesGenerated[i];
    }
  }
}

void RenderPass::Impl::runBatches(FrontDraw& draw, uint64_t primitives, uint32_t view) {
  const DrawState& s = *draw.state;
  const uint32_t size = batchSize(s, draw.assembly, primitives);
  const uint64_t batches = divideUp(primitives, size);
  auto batchAt = [&](uint64_t i) {
    FrontBatch b;
    b.first = i * size;
    b.count = uint32_t(std::min<uint64_t>(size, primitives - b.first));
    b.viewIndex = view;
    return b;
  };
  auto makeRoom = [&] {
    if (pendingBytes() > kPendingBytes || bins.size() > kPendingItems) runTiles();
  };
  // Captures and stipple patterns depend on everything before them: one worker, in order.
  const bool ordered = s.xfb || s.lineStipple;
  if (ordered || threads == 1 || batches == 1) {
    FrontWorker& worker = front(0);
    for (uint64_t i = 0; i < batches && !cancelled; ++i) {
      cancelled = !worker.run(batchAt(i));
      bins.add(worker.sink().items);
      makeRoom();
    }
    return;
  }
  const uint32_t waveVertices = std::max(kWaveVertices, threads * kWaveVerticesOfThread);
  const uint32_t waveBatches = waveVertices / (size * draw.assembly.verticesPerPrimitive());
  const uint32_t wave = std::clamp(waveBatches, 4 * threads, std::max(64u, 8 * threads));
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
    for (uint32_t i = 0; i < n; ++i) bins.add(batchItems[i]);
    makeRoom();
  }
}

}  // namespace etzel::raster
