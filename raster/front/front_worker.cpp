#include "raster/front/front_worker.h"

#include <algorithm>

#include "raster/front/geometry_emitter.h"
#include "raster/front/primitive/transform_feedback.h"
#include "runtime/simd/word_runs.h"

namespace etzel::raster {

using abi::SysValue;

namespace {

/// Words of lanes [0, lanes); the others get the first one again.
void takeLanes(LaneWords& to, const uint32_t* words, uint32_t lanes) {
  if (lanes == kWarpLanes) return simd::store(to, simd::load<simd::U32x8>(words));
  for (uint32_t i = 0; i < kWarpLanes; ++i) to.lane[i] = words[i < lanes ? i : 0];
}

}  // namespace

FrontWorker::FrontWorker() = default;
FrontWorker::~FrontWorker() = default;

void FrontWorker::begin(const FrontDraw& draw) {
  draw_ = &draw;
  if (preparation_ != draw.preparation) prepare(draw);
  preparation_ = draw.preparation;
  const abi::DispatchContext* context = &draw.state->context;
  for (WarpMemory* stage : {&vertex_, &evaluation_, &geometry_}) stage->warp().context = context;
  for (auto& warp : control_) warp->warp().context = context;
  vertex_.setAll(SysValue::BaseVertex, draw.indexed ? uint32_t(draw.params.vertexOffset) : draw.params.first);
  vertex_.setAll(SysValue::BaseInstance, draw.params.firstInstance);
  vertex_.setAll(SysValue::DrawIndex, draw.params.drawIndex);
}

void FrontWorker::prepare(const FrontDraw& draw) {
  const DrawState& s = *draw.state;
  primitives_ = std::make_unique<PrimitiveStage>(draw.raster, sink_);
  vertex_.prepare(s.vertex);
  vertex_.warp().user = this, vertex_.warp().fetchAttribute = fetchAttribute;
  for (uint32_t i = 0; i < kWarpLanes; ++i) vertex_.sys(SysValue::LaneId)[i] = i;
  if (s.control) {
    const uint32_t warps = divideUp(std::max(1u, s.control->info.outputVertices), kWarpLanes);
    while (control_.size() < warps) control_.push_back(std::make_unique<WarpMemory>());
    for (uint32_t w = 0; w < warps; ++w) {
      control_[w]->prepare(s.control);
      control_[w]->setAll(SysValue::PatchVertices, s.patchControlPoints);
      for (uint32_t i = 0; i < kWarpLanes; ++i) control_[w]->sys(SysValue::LaneId)[i] = i;
    }
    controlShared_.resize((s.control->sharedBytes + 31) / 32);
  }
  if (s.evaluation) {
    evaluation_.prepare(s.evaluation);
    evaluation_.setAll(SysValue::PatchVertices, s.control ? s.control->info.outputVertices : s.patchControlPoints);
    for (uint32_t i = 0; i < kWarpLanes; ++i) evaluation_.sys(SysValue::LaneId)[i] = i;
  }
  if (s.geometry) {
    geometry_.prepare(s.geometry);
    for (uint32_t i = 0; i < kWarpLanes; ++i) geometry_.sys(SysValue::LaneId)[i] = i;
    if (!emitter_) emitter_ = std::make_unique<Emitter>();
    emitter_->begin(s.geometry->info, draw.geometryShape, s.provokingVertexLast);
  }
}

uint32_t* FrontWorker::recordMemory(size_t words, bool lastStage) {
  if (lastStage && draw_->rasterizes) return sink_.words(words);
  return static_cast<uint32_t*>(temporary_.allocate(4 * words, 16));
}

VertexBlock FrontWorker::shadeVertices(const uint32_t* vertex, const uint32_t* instance, uint32_t count) {
  const DrawState& s = *draw_->state;
  const RecordShape& shape = draw_->vertexShape;
  VertexBlock block;
  block.stride = shape.stride();
  block.count = count;
  const bool isLast = !s.evaluation && !s.geometry;
  block.words = recordMemory(size_t(count) * block.stride, isLast);
  block.placed = isLast && draw_->rasterizes;
  if (block.placed) primitives_->beginPlaces(count);
  vertex_.setAll(SysValue::ViewIndex, viewIndex_);
  for (uint32_t first = 0; first < count; first += kWarpLanes) {
    const uint32_t lanes = std::min(kWarpLanes, count - first);
    LaneWords& number = vertex_.sys(SysValue::VertexIndex);
    LaneWords inDraw;
    takeLanes(number, vertex + first, lanes);
    takeLanes(inDraw, instance + first, lanes);
    simd::store(vertex_.sys(SysValue::InstanceIndex), simd::words(inDraw) + draw_->params.firstInstance);
    draw_->fetch.fetch(number, inDraw, vertex_.in());
    shape.clear(vertex_.out());
    if (!vertex_.run(firstLanes(lanes))) {
      block.count = 0;
      return block;
    }
    shape.store(vertex_.out(), lanes, block.record(first));
    if (block.placed) primitives_->placeEight(first, vertex_.out() + abi::kWordPosition);
  }
  s.context.madeProgress();
  statistics_.vertexInvocations += count;
  s.vertex->countWarps(divideUp(count, kWarpLanes));
  return block;
}

void FrontWorker::fetchAttribute(abi::Warp* warp, uint32_t location, LaneMask lanes, const LaneWords* element,
                                 LaneWords* result) {
  static_cast<const FrontWorker*>(warp->user)->draw_->fetch.fetchElement(location, lanes, *element, result);
}

bool FrontWorker::run(const FrontBatch& batch) {
  const Assembly& assembly = draw_->assembly;
  const DrawState& s = *draw_->state;
  temporary_.reset();
  sink_.items.clear();
  viewIndex_ = batch.viewIndex;
  // Room for the warps of one batch: 12,000 vertices, or what 32 patches and their geometry shaders may come to.
  const uint64_t order = batch.first << 24;
  for (WarpMemory* stage : {&vertex_, &evaluation_, &geometry_}) stage->warp().order = order;
  for (auto& warp : control_) warp->warp().order = order;
  const BinSink::Mark mark = sink_.mark();
  const uint32_t verts = assembly.verticesPerPrimitive(), total = batch.count * verts;
  auto words = [&](size_t count) { return static_cast<uint32_t*>(temporary_.allocate(count * 4)); };
  uint32_t* vertex = words(total);
  uint32_t* instance = words(total);
  uint32_t* slot = words(total);
  uint32_t* primitiveId = words(batch.count);
  uint32_t* instanceIndex = draw_->raster.tellsInstances ? words(batch.count) : nullptr;
  uint8_t* continues = nullptr;
  if (s.lineStipple) continues = static_cast<uint8_t*>(temporary_.allocate(batch.count));

  // Each vertex of the batch is shaded once.
  reuse_.begin();
  uint32_t unique = 0;
  for (uint32_t done = 0; done < batch.count;) {
    const uint64_t at = batch.first + done, perInstance = assembly.primitiveCount();
    const auto inInstance = at < perInstance ? 0 : static_cast<uint32_t>(at / perInstance);
    const uint64_t local = at - inInstance * perInstance;
    const uint32_t n = uint32_t(std::min<uint64_t>(batch.count - done, perInstance - local));
    const uint32_t begin = done * verts, before = unique;
    if (assembly.isSequence()) {
      unique += assembly.sequence(local, n, unique, vertex + unique, slot + begin);
    } else {
      assembly.primitives(local, n, vertex + begin);
      reuse_.add(vertex + begin, n * verts, vertex, slot + begin);
      unique = reuse_.count();
    }
    simd::fill(instance + before, inInstance, unique - before);
    if (instanceIndex) simd::fill(instanceIndex + done, draw_->params.firstInstance + inInstance, n);
    simd::countUp(primitiveId + done, uint32_t(local), n);
    if (continues) {
      for (uint32_t i = 0; i < n; ++i) continues[done + i] = assembly.placeInStrip(local + i) != 0;
    }
    done += n;
  }
  statistics_.inputPrimitives += batch.count;
  const VertexBlock block = shadeVertices(vertex, instance, unique);
  if (block.count != unique) return false;

  PrimitiveList list;
  list.verticesPerPrimitive = verts;
  list.count = batch.count;
  list.vertex = slot;
  list.primitiveId = primitiveId;
  list.instance = instanceIndex;
  list.continuesStrip = continues;
  const bool ok = s.control && s.evaluation ? tessellateAndShade(block, list) : afterVertices(block, list);
  if (sink_.items.empty()) sink_.rewind(mark);
  return ok;
}

bool FrontWorker::afterVertices(const VertexBlock& block, const PrimitiveList& list) {
  if (draw_->state->geometry) return runGeometry(block, list);
  if (list.verticesPerPrimitive <= 3) {
    afterLastStage(0, block, list);
    return true;
  }
  // Adjacent vertices are for geometry shaders only.
  static constexpr uint32_t kLine[] = {1, 2}, kTriangle[] = {0, 2, 4};
  const bool isLine = list.verticesPerPrimitive == 4;
  const uint32_t core = isLine ? 2 : 3;
  const uint32_t* which = isLine ? kLine : kTriangle;
  indices_.clear();
  for (uint32_t i = 0; i < list.count; ++i) {
    for (uint32_t k = 0; k < core; ++k)
      indices_.push_back(list.vertex[size_t(i) * list.verticesPerPrimitive + which[k]]);
  }
  PrimitiveList stripped = list;
  stripped.verticesPerPrimitive = core;
  stripped.vertex = indices_.data();
  afterLastStage(0, block, stripped);
  return true;
}

void FrontWorker::afterLastStage(uint32_t stream, const VertexBlock& block, const PrimitiveList& list) {
  const DrawState& s = *draw_->state;
  if (list.count == 0) return;
  statistics_.primitivesGenerated[stream] += list.count;
  if (s.xfb) captureTransformFeedback(*draw_->raster.last, stream, block, list, s.xfb, statistics_);
  if (draw_->rasterizes && stream == s.rasterizationStream) primitives_->run(block, list, viewIndex_, statistics_);
}

}  // namespace etzel::raster
