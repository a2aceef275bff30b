// The rasterizer's front door: a render pass instance takes draws, bins their primitives, and runs the tiles when
// flushed.
//
// Threading: one RenderPass is used by one queue thread; it spreads work over its pool.
#pragma once

#include <memory>

#include "raster/draw.h"
#include "runtime/task/pool.h"

namespace etzel::raster {

/// Draws between beginning and end of one subpass or dynamic rendering instance.
class RenderPass {
 public:
  explicit RenderPass(task::Pool* pool);
  ~RenderPass();

  /// Starts on these attachments. Load operations are the caller's (clearAttachment below).
  void begin(const Attachments& attachments);
  /// Fills a rectangle of an attachment: loadOp CLEAR and vkCmdClearAttachments. `color` is the index, or ~0u for
  /// depth-stencil with `aspects`.
  void clearAttachment(uint32_t color, VkImageAspectFlags aspects, const VkClearValue& value, const ClearRect& rect);
  /// Takes a draw in order. `state` is copied. May run everything at once or keep it until flush().
  void draw(const DrawState& state, const DrawParams& params);
  /// Runs what is pending; afterwards all attachment memory, statistics and transform feedback are up to date.
  /// \returns false when a watchdog cancelled it.
  bool flush();
  /// The same at the end of the pass, with its resolves of the render area. Transient attachments have undefined
  /// contents afterwards. The destinations are none of the attachments.
  bool finish(const AttachmentResolve* resolves, size_t count);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace etzel::raster
