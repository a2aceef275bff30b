// Runs geometry shaders ("Geometry Shading"): one lane per invocation, primitives in order, invocations of a primitive
// next to each other.
#include <algorithm>
#include <bit>
#include <cstring>

#include "raster/front/geometry_emitter.h"

namespace etzel::raster {

using abi::SysValue;

void FrontWorker::emitVertex(abi::Warp* warp, uint32_t stream, LaneMask lanes) {
  Emitter& e = *static_cast<Emitter*>(warp->user);
  if (stream >= kMaxStreams) return;
  // Lanes mostly emit together: then their records are turned together too.
  const uint32_t first = e.lane[0].count, all = uint32_t(std::bit_width(lanes));
  bool together = lanes == firstLanes(all) && first < e.maxVertices;
  for (uint32_t i = 1; i < all; ++i) together &= e.lane[i].count == first;
  if (together) e.shape->store(warp->out, all, e.record(0, first), size_t(e.maxVertices) * e.shape->stride());
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    if (!(lanes >> i & 1)) continue;
    Emitter::Lane& lane = e.lane[i];
    if (lane.count >= e.maxVertices) continue;  // vertices beyond the declared maximum are lost
    if (!together) e.shape->storeLane(warp->out, i, e.record(i, lane.count));
    e.vertex(i, lane.count) = {uint8_t(stream), lane.cut[stream]};
    lane.cut[stream] = false;
    ++lane.count;
  }
}

void FrontWorker::endPrimitive(abi::Warp* warp, uint32_t stream, LaneMask lanes) {
  Emitter& e = *static_cast<Emitter*>(warp->user);
  if (stream >= kMaxStreams) return;
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    if (lanes >> i & 1) e.lane[i].cut[stream] = true;
  }
}

void FrontWorker::Emitter::assemble(uint32_t lanes, const uint32_t* laneId, const uint32_t* laneInstance,
                                    VertexBlock& out) {
  for (uint32_t st = 0; st < kMaxStreams; ++st) {
    indices[st].clear();
    ids[st].clear();
    instances[st].clear();
    continues[st].clear();
  }
  uint32_t slot = 0;
  for (uint32_t i = 0; i < lanes; ++i) {
    uint32_t length[kMaxStreams] = {}, last[kMaxStreams][2] = {};
    for (uint32_t v = 0; v < lane[i].count; ++v, ++slot) {
      if (out.record(slot) != record(i, v)) std::memcpy(out.record(slot), record(i, v), size_t(out.stride) * 4);
      const auto [st, startsStrip] = vertex(i, v);
      if (startsStrip) length[st] = 0;
      const uint32_t n = length[st]++;
      auto& corners = indices[st];
      bool complete = true;
      if (outputKind == 0) {
        corners.push_back(slot);
      } else if (outputKind == 1) {
        complete = n >= 1;
        if (complete) corners.insert(corners.end(), {last[st][1], slot});
      } else {
        complete = n >= 2;
        const bool odd = n & 1;
        if (complete && !odd) corners.insert(corners.end(), {last[st][0], last[st][1], slot});
        if (complete && odd && provokingLast) corners.insert(corners.end(), {last[st][1], last[st][0], slot});
        if (complete && odd && !provokingLast) corners.insert(corners.end(), {last[st][0], slot, last[st][1]});
      }
      if (complete) {
        ids[st].push_back(laneId[i]);
        if (laneInstance) instances[st].push_back(laneInstance[i]);
        continues[st].push_back(outputKind == 1 && n >= 2);
      }
      last[st][0] = last[st][1];
      last[st][1] = slot;
    }
  }
}

/// Takes what a warp has emitted on to the next stage.
void FrontWorker::takeEmitted(uint32_t lanes, const uint32_t* laneId, const uint32_t* laneInstance) {
  Emitter& e = *emitter_;
  uint32_t count = 0;
  for (uint32_t i = 0; i < lanes; ++i) count += e.lane[i].count;
  e.filled = count == lanes * e.maxVertices;
  if (count == 0) return;
  VertexBlock out;
  out.stride = draw_->geometryShape.stride();
  out.count = count;
  const bool inPlace = e.filled && e.records != e.buffer.data();
  out.words = inPlace ? e.records : recordMemory(size_t(count) * out.stride, true);
  e.assemble(lanes, laneId, laneInstance, out);
  for (uint32_t st = 0; st < kMaxStreams; ++st) {
    if (e.ids[st].empty()) continue;
    PrimitiveList produced;
    produced.verticesPerPrimitive = e.outputKind + 1u;
    produced.count = uint32_t(e.ids[st].size());
    produced.vertex = e.indices[st].data();
    produced.primitiveId = e.ids[st].data();
    if (laneInstance) produced.instance = e.instances[st].data();
    produced.continuesStrip = draw_->state->lineStipple ? e.continues[st].data() : nullptr;
    statistics_.geometryPrimitives += produced.count;
    afterLastStage(st, out, produced);
  }
}

bool FrontWorker::runGeometry(const VertexBlock& block, const PrimitiveList& list) {
  const DrawState& s = *draw_->state;
  Emitter& e = *emitter_;
  const uint32_t verts = list.verticesPerPrimitive;
  const uint32_t invocations = std::max(1u, s.geometry->info.geometryInvocations);
  const uint64_t total = uint64_t(list.count) * invocations;
  const size_t inputWords = size_t(verts) * block.stride;
  abi::Warp& warp = geometry_.warp();
  warp.emitVertex = emitVertex;
  warp.endPrimitive = endPrimitive;
  warp.user = &e;
  warp.inRecordStride = block.stride;
  warp.inRecordCount = verts;
  geometry_.setAll(SysValue::ViewIndex, viewIndex_);
  std::vector<uint32_t>& input = indices_;  // adjacency is not stripped when a geometry shader reads it
  input.resize(inputWords * kWarpLanes + abi::kRecordWords);

  for (uint64_t first = 0; first < total; first += kWarpLanes) {
    const uint32_t lanes = uint32_t(std::min<uint64_t>(kWarpLanes, total - first));
    uint32_t laneId[kWarpLanes] = {}, laneInstance[kWarpLanes] = {};
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      const uint64_t at = first + std::min(i, lanes - 1);
      const uint32_t primitive = uint32_t(at / invocations);
      uint32_t* to = input.data() + inputWords * i;
      for (uint32_t k = 0; k < verts; ++k) {
        std::memcpy(to + size_t(k) * block.stride, block.record(list.vertex[size_t(primitive) * verts + k]),
                    size_t(block.stride) * 4);
      }
      warp.inRecords[i] = to;
      laneId[i] = list.primitiveId[primitive];
      if (list.instance) laneInstance[i] = list.instance[primitive];
      geometry_.sys(SysValue::PrimitiveId)[i] = laneId[i];
      geometry_.sys(SysValue::InvocationId)[i] = uint32_t(at % invocations);
    }
    e.beginWarp(e.filled ? recordMemory(size_t(lanes) * e.maxVertices * draw_->geometryShape.stride(), true) : nullptr);
    draw_->geometryShape.clear(geometry_.out());
    if (!geometry_.run(firstLanes(lanes))) return false;
    s.context.madeProgress();
    takeEmitted(lanes, laneId, list.instance ? laneInstance : nullptr);
  }
  statistics_.geometryInvocations += total;
  s.geometry->countWarps(divideUp(total, kWarpLanes));
  return true;
}

}  // namespace etzel::raster
