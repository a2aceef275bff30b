// Replay: runs the recorded commands of command buffers on a queue's thread. It holds what Vulkan calls the command
// buffer's state: bound pipelines, sets, vertex and index buffers, fixed-function values, push constants, the render
// pass instance, active queries. Closures made in entry_*.cpp read and change it; nothing else does.
#pragma once

#include <atomic>

#include "icd/cmd/pass/pass_instance.h"
#include "icd/cmd/query/active_queries.h"
#include "icd/cmd/replay/bindings.h"
#include "icd/cmd/replay/heaps.h"
#include "icd/debug/print_log.h"
#include "icd/object/device.h"
#include "icd/physical_device/limits.h"
#include "icd/pipeline/pipeline.h"
#include "raster/draw.h"

namespace etzel::icd {

struct CommandBuffer;
struct Shader;

/// What a queue's watchdog shares with what runs.
struct Watched {
  std::atomic<uint32_t> cancel{0};    ///< raised by the watchdog when there is no progress any more
  std::atomic<uint32_t> progress{0};  ///< set when a command, a workgroup, a primitive is done; reset by the watchdog
};

class Replay {
 public:
  Replay(Device& device, Watched& watched);

  /// Runs a primary command buffer from fresh state. \returns false when it was cancelled.
  bool run(const CommandBuffer& buffer);
  /// vkCmdExecuteCommands: runs a secondary one in place.
  void execute(const CommandBuffer& buffer);

  // Drawing and dispatching. Draws outside of a render pass, or without a pipeline, do nothing.
  void draw(const raster::DrawParams& params);
  void drawIndexed(raster::DrawParams params);
  void drawIndirect(const Buffer* buffer, uint64_t offset, uint32_t count, uint32_t stride, bool indexed);
  void dispatch(const uint32_t base[3], const uint32_t count[3]);

  // State.
  void bindPipeline(const Pipeline* pipeline);
  /// VK_EXT_shader_object: null unbinds the stage.
  void bindShader(VkShaderStageFlagBits stage, const Shader* shader);
  void setPushConstants(uint32_t offset, uint32_t size, const void* data);
  void bindIndexBuffer(const Buffer* buffer, uint64_t offset, VkIndexType type, uint64_t size = VK_WHOLE_SIZE);
  /// VK_EXT_primitive_restart_index: until the next index buffer is bound.
  void setRestartIndex(uint32_t index) { restartIndex_ = index; }
  void bindVertexBuffer(uint32_t binding, const Buffer* buffer, uint64_t offset, uint64_t size);
  /// Dynamic values that a bound pipeline may overrule: strides by its own, clipping by being the opposite of clamping.
  void setVertexStride(uint32_t binding, uint32_t stride);
  void setDepthClamp(bool enable);
  void setDepthClip(bool enable);
  /// For changes: what is drawn next is prepared anew.
  raster::DrawState& state() {
    state_.version = ++stateVersion_;
    return state_;
  }
  Bindings& bindings(VkPipelineBindPoint point) {
    return point == VK_PIPELINE_BIND_POINT_COMPUTE ? computeBindings_ : graphicsBindings_;
  }
  PassInstance& pass() { return pass_; }
  void nextSubpass() { passed(pass_.nextSubpass()); }
  void endRenderPass() { passed(pass_.end()); }
  void beginCustomResolve() { passed(pass_.beginCustomResolve()); }
  void endRendering() { passed(pass_.endRendering()); }

  // Queries.
  void beginQuery(QueryPool* pool, uint32_t query, uint32_t stream);
  void endQuery(QueryPool* pool, uint32_t query, uint32_t stream);
  void writeTimestamp(QueryPool* pool, uint32_t query, bool early);

  // Transform feedback ("Transform Feedback").
  void bindXfbBuffer(uint32_t binding, const Buffer* buffer, uint64_t offset, uint64_t size);
  void beginTransformFeedback(uint32_t first, uint32_t count, Buffer* const* counters, const uint64_t* offsets);
  void endTransformFeedback(uint32_t first, uint32_t count, Buffer* const* counters, const uint64_t* offsets);

  /// VK_EXT_debug_utils' labels of command buffers, where debuggers and histories want them. `name` outlives the
  /// replay.
  void beginLabel(const char* name) { labels_.push_back(name); }
  void endLabel() {
    if (!labels_.empty()) labels_.pop_back();
  }

  /// VK_EXT_descriptor_buffer: what is bound, by index.
  VkDeviceAddress descriptorBuffers[kMaxDescriptorBuffers] = {};
  /// What was written there is to be seen from here on. Not while draws wait.
  void rereadDescriptors() {
    graphicsBindings_.reread();
    computeBindings_.reread();
    heaps_.reread();
  }
  Heaps& heaps() { return heaps_; }

  /// "Conditional Rendering": false discards draws, dispatches and attachment clears.
  bool predicate = true;

  /// Runs the draws that wait in the rasterizer, so that their memory, queries and feedback can be read.
  void flush();
  /// To be called with the result of anything that the watchdog can cancel.
  void check(bool finished) { cancelled_ |= !finished; }
  bool cancelled() const { return cancelled_ || watched_.cancel.load(std::memory_order_relaxed) != 0; }
  Device& device() { return device_; }
  task::Pool* pool() { return device_.pool.get(); }
  /// What the watchdog looks at, for who sleeps in a command.
  std::atomic<uint32_t>* progress() { return &watched_.progress; }

 private:
  void begin(const CommandBuffer& buffer);
  void reset();
  void settled();
  void passed(bool finished) {
    check(finished);
    settled();
  }
  void prepareDraw();
  CommandPlace commandPlace(const abi::DispatchContext& context, const Object* pipeline) const {
    return {commandNumber(context), labels_, pipeline};
  }
  /// Who takes what shaders print; null: nobody.
  PrintLog* printLog() { return printing() ? &prints_ : nullptr; }
  /// Draws with shaders that a debugger looks into. \returns false where none of them concerns it
  bool drawWatched(const raster::DrawParams& params);
  void noteDraw(const raster::DrawParams& params);
  void useDynamicStrides();
  const std::byte* pushConstants();

  Device& device_;
  Watched& watched_;
  bool cancelled_ = false;
  bool fresh_ = false;    ///< nothing has changed state since reset()
  bool counts_ = false;   ///< somebody asked for the numbers of draws and dispatches when the command buffer began
  uint32_t nesting_ = 0;  ///< command buffers inside of which the running one is, itself included

  std::vector<const char*> labels_;  ///< from the outermost on
  PassInstance pass_;
  ActiveQueries queries_;
  Arena arena_{64 * 1024};  ///< what pending draws point to; reset by flush()
  bool pending_ = false;    ///< draws since the last flush

  raster::DrawState state_;
  uint64_t stateVersion_ = 0;  ///< the last that state_ had
  const Pipeline* graphics_ = nullptr;
  /// "Coverage Reduction": the default of the extension that the device has, if only one.
  const raster::CoverageReduction coverageReduction_ =
      device_.has("VK_AMD_mixed_attachment_samples") && !device_.has("VK_NV_framebuffer_mixed_samples")
          ? raster::CoverageReduction::Truncate
          : raster::CoverageReduction::Merge;
  bool shaderObjects_ = false;  ///< graphics stages come from shader objects, not from graphics_
  bool clipOfClamp_ = true;     ///< depth is clipped where it is not clamped
  uint32_t vertexStride_[raster::kMaxVertexBindings] = {};  ///< bytes, the last of setVertexStride
  const Pipeline* compute_ = nullptr;
  Bindings graphicsBindings_, computeBindings_;
  Heaps heaps_;
  StageSlots graphicsSlots_[6] = {}, computeSlots_[6] = {};  ///< by stage, of what is bound
  abi::DispatchContext computeContext_;
  PrintLog prints_;
  alignas(16) std::byte pushValues_[256] = {};
  const std::byte* pushSnapshot_ = nullptr;  ///< null: values changed since

  const std::byte* indices_ = nullptr;
  uint64_t indexBytes_ = 0;
  VkIndexType indexType_ = VK_INDEX_TYPE_UINT32;
  uint64_t restartIndex_ = raster::DrawParams::kGreatestIndex;

  struct XfbBinding {
    std::byte* data = nullptr;
    uint64_t size = 0;
  } xfbBinding_[raster::kMaxXfbBuffers];
  raster::XfbBuffer xfb_[raster::kMaxXfbBuffers];
  bool xfbActive_ = false;
};

/// Bytes of `buffer` from `offset` on, at most `wanted` (VK_WHOLE_SIZE: all); 0 when there are none.
inline uint64_t bytesFrom(const Buffer* buffer, uint64_t offset, uint64_t wanted = VK_WHOLE_SIZE) {
  if (!buffer || !buffer->data || offset >= buffer->size) return 0;
  uint64_t rest = buffer->size - offset;
  return wanted < rest ? wanted : rest;
}

}  // namespace etzel::icd
