#include "icd/cmd/replay/replay.h"

#include "icd/pipeline/shader_object.h"

#include <algorithm>
#include <cstring>

#include "icd/cmd/buffer/command_buffer.h"
#include "icd/cmd/replay/mutants.h"
#include "icd/debug/command_number.h"
#include "icd/debug/debugger.h"
#include "icd/debug/history.h"
#include "icd/debug/shader_trace.h"
#include "icd/object/debug_name.h"
#include "icd/object/error.h"
#include "icd/physical_device/limits.h"
#include "icd/sync/wait.h"
#include "runtime/task/dispatch.h"
#include "runtime/tex/unit/texture_unit.h"

namespace etzel::icd {
namespace {

/// What table kNullTable points to.
alignas(64) constexpr std::byte kZeros[abi::kNullBytes] = {};

void initContext(abi::DispatchContext& context, Watched& watched, Faults& faults) {
  context = {};
  context.table[abi::kNullTable] = kZeros;
  context.tableBytes[abi::kNullTable] = sizeof(kZeros);
  context.functions = &tex::functionTable();
  context.aborts = &faults;
  context.cancel = &watched.cancel;
  context.progress = &watched.progress;
}

constexpr size_t slot(abi::Stage stage) { return static_cast<size_t>(stage); }

/// Whether an attachment of the pass is there that the draw must not touch.
bool hasUnusedAttachments(const raster::DrawState& state) {
  const raster::Attachments& a = state.attachments;
  bool unused = (a.depth && !state.depthDeclared) || (a.stencil && !state.stencilDeclared);
  for (uint32_t i = 0; i < a.colorCount; ++i) unused |= !state.blend[i].writes();
  return unused;
}

/// Turns off what would touch them.
void dropUnusedAttachments(raster::DrawState& state) {
  for (raster::BlendAttachment& b : state.blend)
    if (!b.writes()) b.writeMask = 0;
  if (!state.depthDeclared) state.depthTest = state.depthBoundsTest = false;
  if (!state.stencilDeclared) state.stencilTest = false;
}

/// Whether somebody asks for the numbers of draws and dispatches.
bool countsCommands() { return tracing() || debugging() || historyPossible() || printing(); }

/// Between draws outside of a pass nothing points into the arena, so it is emptied when it has grown this far.
constexpr size_t kArenaKeepBytes = 1 << 20;

}  // namespace

Replay::Replay(Device& device, Watched& watched)
    : device_(device), watched_(watched), pass_(device.pool.get(), &watched.progress) {
  reset();
}

void Replay::begin(const CommandBuffer& buffer) {
  cancelled_ = false;
  counts_ = countsCommands();
  nesting_ = 0;
  labels_.clear();
  if (!fresh_) reset();
  fresh_ = buffer.isBounded();
}

void Replay::reset() {
  predicate = true;
  pass_.abandon();
  queries_.reset();
  pending_ = false;
  static constexpr raster::DrawState kFresh;
  state_ = kFresh;
  state_.clampsDepthToUnit = device_.clampsDepthToUnit;
  initContext(state_.context, watched_, device_.faults);
  initContext(computeContext_, watched_, device_.faults);
  graphics_ = compute_ = nullptr;
  shaderObjects_ = false;
  clipOfClamp_ = true;
  std::fill(std::begin(vertexStride_), std::end(vertexStride_), 0);
  graphicsBindings_.reset();
  computeBindings_.reset();
  heaps_.reset();
  std::fill(std::begin(graphicsSlots_), std::end(graphicsSlots_), nullptr);
  std::fill(std::begin(computeSlots_), std::end(computeSlots_), nullptr);
  std::fill(std::begin(descriptorBuffers), std::end(descriptorBuffers), 0);
  std::memset(pushValues_, 0, sizeof(pushValues_));
  pushSnapshot_ = nullptr;
  indices_ = nullptr;
  indexBytes_ = 0;
  restartIndex_ = raster::DrawParams::kGreatestIndex;
  for (auto& b : xfbBinding_) b = {};
  for (auto& b : xfb_) b = {};
  xfbActive_ = false;
  arena_.reset();
}

bool Replay::run(const CommandBuffer& buffer) {
  begin(buffer);
  execute(buffer);
  if (pass_.active() && !cancelled()) flush();
  bool finished = !cancelled();
  if (!finished) pass_.abandon();
  queries_.settle();
  prints_.flush();
  return finished;
}

void Replay::execute(const CommandBuffer& buffer) {
  // "VK_EXT_nested_command_buffer": deeper is invalid, and a buffer that runs itself has no end.
  if (nesting_ > kMaxCommandBufferNesting) {
    (void)ETZEL_FAIL(VK_ERROR_UNKNOWN, "command buffers nest deeper than maxCommandBufferNestingLevel");
    return;
  }
  ++nesting_;
  for (const CommandBuffer::Command* c = buffer.head; c; c = c->next) {
    watched_.progress.store(1, std::memory_order_relaxed);
    c->run(c, *this);
    if (cancelled()) break;
  }
  --nesting_;
}

void Replay::flush() {
  if (pass_.active()) check(pass_.flush());
  settled();
}

// Nothing waits in the rasterizer any more.
void Replay::settled() {
  prints_.flush();
  queries_.settle();
  pending_ = false;
  state_.statistics = nullptr;
  arena_.reset();
  pushSnapshot_ = nullptr;
  graphicsBindings_.invalidate();
  computeBindings_.invalidate();
}

const std::byte* Replay::pushConstants() {
  if (!pushSnapshot_) {
    void* copy = arena_.allocate(sizeof(pushValues_), 64);
    std::memcpy(copy, pushValues_, sizeof(pushValues_));
    pushSnapshot_ = static_cast<const std::byte*>(copy);
  }
  return pushSnapshot_;
}

void Replay::setPushConstants(uint32_t offset, uint32_t size, const void* data) {
  if (offset > sizeof(pushValues_) || size > sizeof(pushValues_) - offset) return;
  std::memcpy(pushValues_ + offset, data, size);
  pushSnapshot_ = nullptr;
}

void Replay::bindPipeline(const Pipeline* p) {
  if (p->bindPoint == VK_PIPELINE_BIND_POINT_COMPUTE) {
    compute_ = p;
    computeBindings_.setLayout(p->layout.get());
    computeSlots_[slot(abi::Stage::Compute)] = p->mapped[slot(abi::Stage::Compute)].get();
    return;
  }
  graphics_ = p;
  shaderObjects_ = false;
  graphicsBindings_.setLayout(p->layout.get());
  for (size_t i = 0; i < std::size(graphicsSlots_); ++i) graphicsSlots_[i] = p->mapped[i].get();
  state_.version = ++stateVersion_;
  state_.vertex = p->kernel[slot(abi::Stage::Vertex)].get();
  state_.control = p->kernel[slot(abi::Stage::TessControl)].get();
  state_.evaluation = p->kernel[slot(abi::Stage::TessEvaluation)].get();
  state_.geometry = p->kernel[slot(abi::Stage::Geometry)].get();
  state_.fragment = p->kernel[slot(abi::Stage::Fragment)].get();
  if (!p->state) return;
  copyState(state_, *p->state, p->fixed);
  if (p->fixes(StatePiece::DepthClipOfClamp)) clipOfClamp_ = true;
  if (p->fixes(StatePiece::DepthClip)) clipOfClamp_ = false;
  if (clipOfClamp_) state_.depthClip = !state_.depthClamp;
  if (!p->fixes(StatePiece::VertexStride)) useDynamicStrides();
}

void Replay::useDynamicStrides() {
  for (uint32_t i = 0; i < raster::kMaxVertexBindings; ++i) state_.binding[i].stride = vertexStride_[i];
}

void Replay::setVertexStride(uint32_t binding, uint32_t stride) {
  if (binding >= raster::kMaxVertexBindings) return;
  vertexStride_[binding] = stride;
  if (!graphics_ || !graphics_->fixes(StatePiece::VertexStride)) state().binding[binding].stride = stride;
}

// Without VkPipelineRasterizationDepthClipStateCreateInfoEXT and its dynamic state clipping is the opposite of
// clamping.
void Replay::setDepthClamp(bool enable) {
  raster::DrawState& s = state();
  s.depthClamp = enable;
  if (clipOfClamp_) s.depthClip = !enable;
}

void Replay::setDepthClip(bool enable) {
  clipOfClamp_ = false;
  state().depthClip = enable;
}

void Replay::bindShader(VkShaderStageFlagBits stage, const Shader* shader) {
  if (stage == VK_SHADER_STAGE_COMPUTE_BIT) {
    if (shader) bindPipeline(&shader->pipeline);
    return;
  }
  if (!shaderObjects_) {
    // "Binding Shader Objects": a pipeline and shader objects replace each other as a whole.
    shaderObjects_ = true;
    graphics_ = nullptr;
    useDynamicStrides();
    std::fill(std::begin(graphicsSlots_), std::end(graphicsSlots_), nullptr);
    state_.vertex = state_.control = state_.evaluation = state_.geometry = state_.fragment = nullptr;
    state_.sampleShading = false;  // shaders alone decide
    state_.minSampleShading = 0;
    state_.discardRectangleCount = raster::kMaxDiscardRectangles;
    for (raster::BlendAttachment& b : state_.blend) b.declared = true;
    state_.depthDeclared = state_.stencilDeclared = true;
  }
  state_.version = ++stateVersion_;
  const auto set = [&](const abi::Kernel*& kernel, abi::Stage s) {
    kernel = shader ? shader->pipeline.kernel[slot(s)].get() : nullptr;
    graphicsSlots_[slot(s)] = shader ? shader->pipeline.mapped[slot(s)].get() : nullptr;
  };
  switch (stage) {
    case VK_SHADER_STAGE_VERTEX_BIT: set(state_.vertex, abi::Stage::Vertex); break;
    case VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT: set(state_.control, abi::Stage::TessControl); break;
    case VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT: set(state_.evaluation, abi::Stage::TessEvaluation); break;
    case VK_SHADER_STAGE_GEOMETRY_BIT: set(state_.geometry, abi::Stage::Geometry); break;
    case VK_SHADER_STAGE_FRAGMENT_BIT: set(state_.fragment, abi::Stage::Fragment); break;
    default: return;  // stages of extensions that are not offered are bound as null
  }
  // Bound shaders have the same set layouts, so any of them will do.
  if (shader) graphicsBindings_.setLayout(shader->pipeline.layout.get());
}

void Replay::bindIndexBuffer(const Buffer* buffer, uint64_t offset, VkIndexType type, uint64_t size) {
  indexBytes_ = bytesFrom(buffer, offset, size);
  indices_ = indexBytes_ ? buffer->data + offset : nullptr;
  indexType_ = type;
  restartIndex_ = raster::DrawParams::kGreatestIndex;
}

void Replay::bindVertexBuffer(uint32_t binding, const Buffer* buffer, uint64_t offset, uint64_t size) {
  if (binding >= raster::kMaxVertexBindings) return;
  raster::VertexBinding& b = state_.binding[binding];
  b.size = bytesFrom(buffer, offset, size);
  b.data = b.size ? buffer->data + offset : nullptr;
}

void Replay::prepareDraw() {
  graphicsBindings_.apply(state_.context, arena_, &pass_.implicitImages(), pass_.implicitSamples());
  state_.context.pushConstants = pushConstants();
  heaps_.apply(state_.context, graphicsSlots_, arena_, *device_.heapViews, &pass_.implicitImages(),
               pass_.implicitSamples());
  pass_.setSamplesWithoutAttachments(state_.samples);
  state_.context.sampleCount = state_.samples;
  if (state_.coverage.reduction == raster::CoverageReduction::Default) state_.coverage.reduction = coverageReduction_;
  state_.attachments = pass_.attachments();
  state_.statistics = queries_.statistics(arena_);
  state_.countSamples = queries_.anyOcclusion();
  state_.xfb = xfbActive_ ? xfb_ : nullptr;
  if (counts_) numberCommand(state_.context, arena_, printLog());
}

void Replay::noteDraw(const raster::DrawParams& params) {
  std::string label;
  for (const char* part : labels_) (label += label.empty() ? "" : "/") += part;
  pass_.watch()->noteDraw(commandNumber(state_.context), params, graphics_ ? debugNameOf(*graphics_) : std::string(),
                          label);
}

bool Replay::drawWatched(const raster::DrawParams& params) {
  raster::DrawState seen = state_;
  if (!watchStages(seen, commandPlace(state_.context, graphics_), pass_.watch())) return false;
  seen.version = 0;
  if (hasUnusedAttachments(seen)) dropUnusedAttachments(seen);
  pass_.raster().draw(seen, params);
  return true;
}

void Replay::draw(const raster::DrawParams& params) {
  if (!pass_.active() || !state_.vertex || !predicate) return;
  if (params.count == 0 || params.instanceCount == 0) return;
  prepareDraw();
  pending_ = true;
  if (pass_.watch()) noteDraw(params);
  if (counts_ && debugging() && drawWatched(params)) return;
#ifdef ETZEL_MUTANTS
  raster::DrawState defective = state_;
  raster::DrawParams defectiveParams = params;
  mutateDraw(defective, defectiveParams);
  dropUnusedAttachments(defective);
  return pass_.raster().draw(defective, defectiveParams);
#endif
  if (!hasUnusedAttachments(state_)) {
    pass_.raster().draw(state_, params);
    return;
  }
  raster::DrawState folded = state_;
  dropUnusedAttachments(folded);
  pass_.raster().draw(folded, params);
}

void Replay::drawIndexed(raster::DrawParams params) {
  // Any non-null pointer says "indexed"; without a buffer every index is past the end and reads as 0.
  params.indices = indices_ ? indices_ : kZeros;
  params.indexBytes = indices_ ? indexBytes_ : 0;
  params.indexType = indexType_;
  params.restartIndex = restartIndex_;
  draw(params);
}

void Replay::drawIndirect(const Buffer* buffer, uint64_t offset, uint32_t count, uint32_t stride, bool indexed) {
  if (!pass_.active() || !predicate) return;
  const uint64_t bytes = indexed ? sizeof(VkDrawIndexedIndirectCommand) : sizeof(VkDrawIndirectCommand);
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t at = offset + uint64_t(i) * stride;
    if (bytesFrom(buffer, at) < bytes) return;
    raster::DrawParams p;
    p.drawIndex = i;
    if (indexed) {
      VkDrawIndexedIndirectCommand c;
      std::memcpy(&c, buffer->data + at, sizeof(c));
      p.count = c.indexCount;
      p.instanceCount = c.instanceCount;
      p.first = c.firstIndex;
      p.vertexOffset = c.vertexOffset;
      p.firstInstance = c.firstInstance;
      drawIndexed(p);
    } else {
      VkDrawIndirectCommand c;
      std::memcpy(&c, buffer->data + at, sizeof(c));
      p.count = c.vertexCount;
      p.instanceCount = c.instanceCount;
      p.first = c.firstVertex;
      p.firstInstance = c.firstInstance;
      draw(p);
    }
  }
}

void Replay::dispatch(const uint32_t base[3], const uint32_t count[3]) {
  if (!compute_ || !predicate || !count[0] || !count[1] || !count[2]) return;
  const abi::Kernel* kernel = compute_->kernel[slot(abi::Stage::Compute)].get();
  if (!kernel) return;
  if (!pending_ && arena_.capacityBytes() > kArenaKeepBytes) settled();
  computeBindings_.apply(computeContext_, arena_);
  computeContext_.pushConstants = pushConstants();
  heaps_.apply(computeContext_, computeSlots_, arena_, *device_.heapViews);
  task::DispatchSize size;
  uint64_t invocations = 1;
  for (int i = 0; i < 3; ++i) {
    size.base[i] = base[i];
    size.count[i] = count[i];
    invocations *= uint64_t(count[i]) * kernel->info.localSize[i];
  }
  queries_.addComputeInvocations(arena_, invocations);
  if (counts_) {
    numberCommand(computeContext_, arena_, printLog());
    if (debugging()) kernel = watched(kernel, commandPlace(computeContext_, compute_));
  }
  check(task::dispatch(*device_.pool, *kernel, computeContext_, size));
  if (!counts_) return;
  prints_.flush();
  if (historyPossible()) History::get().dispatched(commandNumber(computeContext_), progress());
}

void Replay::beginQuery(QueryPool* pool, uint32_t query, uint32_t stream) {
  queries_.begin(pool, query, stream, pass_.active() ? pass_.viewCount() : 1);
}

void Replay::endQuery(QueryPool* pool, uint32_t query, uint32_t stream) {
  queries_.end(pool, query, stream);
  if (!pending_) queries_.settle();
}

void Replay::writeTimestamp(QueryPool* pool, uint32_t query, bool early) {
  if (!early && pending_) flush();
  uint32_t views = pass_.active() ? pass_.viewCount() : 1;
  uint64_t now = nowNs();
  for (uint32_t v = 0; v < views && query + v < pool->count; ++v) {
    Query& q = pool->queries[query + v];
    q.value[0] = now;
    q.available.store(1, std::memory_order_seq_cst);
  }
  notifyWaiters();
}

void Replay::bindXfbBuffer(uint32_t binding, const Buffer* buffer, uint64_t offset, uint64_t size) {
  if (binding >= raster::kMaxXfbBuffers) return;
  XfbBinding& b = xfbBinding_[binding];
  b.size = bytesFrom(buffer, offset, size);
  b.data = b.size ? buffer->data + offset : nullptr;
}

void Replay::beginTransformFeedback(uint32_t first, uint32_t count, Buffer* const* counters, const uint64_t* offsets) {
  flush();
  for (uint32_t i = 0; i < raster::kMaxXfbBuffers; ++i) xfb_[i] = {xfbBinding_[i].data, xfbBinding_[i].size, 0};
  for (uint32_t i = 0; i < count && first + i < raster::kMaxXfbBuffers; ++i) {
    if (bytesFrom(counters[i], offsets[i]) < sizeof(uint32_t)) continue;
    uint32_t written;
    std::memcpy(&written, counters[i]->data + offsets[i], sizeof(written));
    xfb_[first + i].written = written;
  }
  xfbActive_ = true;
}

void Replay::endTransformFeedback(uint32_t first, uint32_t count, Buffer* const* counters, const uint64_t* offsets) {
  flush();
  for (uint32_t i = 0; i < count && first + i < raster::kMaxXfbBuffers; ++i) {
    if (bytesFrom(counters[i], offsets[i]) < sizeof(uint32_t)) continue;
    uint32_t written = uint32_t(xfb_[first + i].written);
    std::memcpy(counters[i]->data + offsets[i], &written, sizeof(written));
  }
  xfbActive_ = false;
}

}  // namespace etzel::icd
