// Fills rectangles of attachments: load operations and vkCmdClearAttachments ("Clearing Images Inside a Render Pass
// Instance"). Any thread that owns the pixels.
#pragma once

#include "raster/draw.h"

namespace etzel::raster {

/// Fills all samples of `rect` (clipped to the view) in one layer of a colour view.
void clearColorRect(const tex::ImageView& view, const VkClearColorValue& value, const VkRect2D& rect, uint32_t layer);
/// The same for a depth view (view.plane = the depth plane) and for a stencil view.
void clearDepthRect(const tex::ImageView& view, float depth, const VkRect2D& rect, uint32_t layer);
void clearStencilRect(const tex::ImageView& view, uint32_t stencil, const VkRect2D& rect, uint32_t layer);

/// What RenderPass::clearAttachment does, at once: `color` is the attachment index, or ~0u for the depth-stencil
/// attachment with `aspects`. With a view mask in `attachments` the layers are the mask's bits. Spreads rows over
/// `pool` (may be null) when the rectangle is large.
void clearAttachmentPixels(task::Pool* pool, const Attachments& attachments, uint32_t color,
                           VkImageAspectFlags aspects, const VkClearValue& value, const ClearRect& rect);

}  // namespace etzel::raster
