// Tessellation ("Tessellation" chapter): control kernels patch by patch, the fixed-function tessellator, and
// evaluation kernels over the domain points of many patches at once.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "raster/front/geometry_emitter.h"

namespace etzel::raster {

using abi::SysValue;

namespace {

constexpr uint32_t kMostControlWarps = abi::kMaxPatchVertices / kWarpLanes;

}  // namespace

/// Runs all invocations of one patch, barrier by barrier. Code that takes a whole workgroup gets the patch's warps at
/// once: what debugs them stops and steps all of them together.
bool FrontWorker::runControl(const uint32_t* input, uint32_t patchId, uint32_t* output, uint32_t* patchRecord) {
  const DrawState& s = *draw_->state;
  const uint32_t vertices = std::max(1u, s.control->info.outputVertices);
  const uint32_t warps = divideUp(vertices, kWarpLanes);
  std::fill(controlShared_.begin(), controlShared_.end(), LaneWords{});
  for (uint32_t w = 0; w < warps; ++w) {
    WarpMemory& memory = *control_[w];
    abi::Warp& warp = memory.warp();
    memory.setAll(SysValue::PrimitiveId, patchId);
    memory.setAll(SysValue::ViewIndex, viewIndex_);
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      memory.sys(SysValue::InvocationId)[i] = w * kWarpLanes + i;
      warp.inRecords[i] = input;
      warp.outRecords[i] = output;
      warp.patchRecord[i] = patchRecord;
    }
    warp.inRecordStride = draw_->vertexShape.stride();
    warp.inRecordCount = s.patchControlPoints;
    warp.outRecordStride = draw_->controlShape.stride();
    warp.shared = reinterpret_cast<std::byte*>(controlShared_.data());
    memory.restart(firstLanes(std::min(kWarpLanes, vertices - w * kWarpLanes)));
  }
  const abi::Executable* executable = s.control->executable.load(std::memory_order_acquire);
  return warps > 1 && executable->workgroup ? runControlAtOnce(*executable, warps) : runControlInTurn(warps);
}

bool FrontWorker::runControlAtOnce(const abi::Executable& executable, uint32_t warps) {
  std::array<abi::Warp, kMostControlWarps> all;
  for (uint32_t w = 0; w < warps; ++w) {
    all[w] = control_[w]->warp();
    all[w].executable = &executable;
  }
  return executable.workgroup(executable.code, all.data(), warps) != abi::WarpStatus::Cancelled;
}

bool FrontWorker::runControlInTurn(uint32_t warps) {
  uint32_t running = firstLanes(warps);
  while (running) {
    for (uint32_t w = 0; w < warps; ++w) {
      if (!(running >> w & 1)) continue;
      const abi::WarpStatus status = draw_->state->control->run(&control_[w]->warp());
      if (status == abi::WarpStatus::Cancelled) return false;
      if (status == abi::WarpStatus::Done) running &= ~(1u << w);
    }
  }
  return true;
}

bool FrontWorker::tessellateAndShade(const VertexBlock& block, const PrimitiveList& patches) {
  const DrawState& s = *draw_->state;
  const abi::ProgramInfo &control = s.control->info, &evaluation = s.evaluation->info;
  const uint32_t verts = patches.verticesPerPrimitive;
  const uint32_t outVertices = std::max(1u, control.outputVertices), outStride = draw_->controlShape.stride();
  TessParams params;
  // Modes may be declared on either stage; the compiler reports them where they stand.
  params.mode = TessMode(std::max(evaluation.tessMode, control.tessMode));
  params.spacing = TessSpacing(std::max(evaluation.tessSpacing, control.tessSpacing));
  params.pointMode = evaluation.tessPointMode || control.tessPointMode;
  // VertexOrderCw is seen with the domain's origin where the state puts it: v down for the upper left.
  params.clockwise = (evaluation.tessClockwise || control.tessClockwise) == s.tessDomainOriginLowerLeft;
  points_.clear();
  pointIndices_.clear();
  pointPrimitiveIds_.clear();
  pointInstances_.clear();
  uint32_t* input =
      static_cast<uint32_t*>(temporary_.allocate((size_t(verts) * block.stride + abi::kRecordWords) * 4, 16));
  for (uint32_t p = 0; p < patches.count; ++p) {
    for (uint32_t k = 0; k < verts; ++k) {
      std::memcpy(input + size_t(k) * block.stride, block.record(patches.vertex[size_t(p) * verts + k]),
                  size_t(block.stride) * 4);
    }
    // Behind the last record there is room for a whole one: an index that runs out of a shader's array stays inside.
    const size_t words = size_t(outVertices) * outStride + abi::kRecordWords;
    uint32_t* output = static_cast<uint32_t*>(temporary_.allocate(words * 4, 16));
    uint32_t* patchRecord = static_cast<uint32_t*>(temporary_.allocate(abi::kRecordWords * 4, 16));
    std::memset(output, 0, words * 4);
    std::memset(patchRecord, 0, abi::kRecordWords * 4);
    if (!runControl(input, patches.primitiveId[p], output, patchRecord)) return false;
    s.context.madeProgress();
    for (int i = 0; i < 4; ++i) params.outer[i] = std::bit_cast<float>(patchRecord[abi::kWordTessLevelOuter + i]);
    for (int i = 0; i < 2; ++i) params.inner[i] = std::bit_cast<float>(patchRecord[abi::kWordTessLevelInner + i]);
    tessellate(params, tess_);
    const uint32_t base = uint32_t(points_.size());
    for (const DomainPoint& at : tess_.points) points_.push_back({at, output, patchRecord, patches.primitiveId[p]});
    for (uint32_t index : tess_.indices) pointIndices_.push_back(base + index);
    pointPrimitiveIds_.resize(pointIndices_.size() / tess_.verticesPerPrimitive, patches.primitiveId[p]);
    if (patches.instance) pointInstances_.resize(pointPrimitiveIds_.size(), patches.instance[p]);
    if (points_.size() >= 512 && !shadeDomainPoints()) return false;
  }
  statistics_.controlPatches += patches.count;
  const uint32_t controlWarps = divideUp(outVertices, kWarpLanes);
  s.control->countWarps(uint64_t(patches.count) * controlWarps);
  return shadeDomainPoints();
}

bool FrontWorker::shadeDomainPoints() {
  const DrawState& s = *draw_->state;
  const RecordShape& shape = draw_->evaluationShape;
  const uint32_t count = uint32_t(points_.size());
  if (count == 0) return true;
  VertexBlock block;
  block.stride = shape.stride();
  block.count = count;
  block.words = recordMemory(size_t(count) * block.stride, !s.geometry);
  abi::Warp& warp = evaluation_.warp();
  warp.inRecordStride = draw_->controlShape.stride();
  warp.inRecordCount = std::max(1u, s.control->info.outputVertices);
  evaluation_.setAll(SysValue::ViewIndex, viewIndex_);
  for (uint32_t first = 0; first < count; first += kWarpLanes) {
    const uint32_t lanes = std::min(kWarpLanes, count - first);
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      const PendingPoint& p = points_[first + std::min(i, lanes - 1)];
      evaluation_.sys(SysValue::TessCoordX)[i] = std::bit_cast<uint32_t>(p.at.u);
      evaluation_.sys(SysValue::TessCoordY)[i] = std::bit_cast<uint32_t>(p.at.v);
      evaluation_.sys(SysValue::TessCoordZ)[i] = std::bit_cast<uint32_t>(p.at.w);
      evaluation_.sys(SysValue::PrimitiveId)[i] = p.patchId;
      warp.inRecords[i] = p.control;
      warp.patchRecord[i] = p.patch;
    }
    shape.clear(evaluation_.out());
    if (!evaluation_.run(firstLanes(lanes))) return false;
    s.context.madeProgress();
    shape.store(evaluation_.out(), lanes, block.record(first));
  }
  statistics_.evaluationInvocations += count;
  s.evaluation->countWarps(divideUp(count, kWarpLanes));
  PrimitiveList list;
  list.verticesPerPrimitive = tess_.verticesPerPrimitive;
  list.count = uint32_t(pointPrimitiveIds_.size());
  list.vertex = pointIndices_.data();
  list.primitiveId = pointPrimitiveIds_.data();
  if (draw_->raster.tellsInstances) list.instance = pointInstances_.data();
  const bool ok = afterVertices(block, list);
  points_.clear();
  pointIndices_.clear();
  pointPrimitiveIds_.clear();
  pointInstances_.clear();
  return ok;
}

}  // namespace etzel::raster
