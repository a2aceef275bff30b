// Fills rectangles of attachments: load operations and vkCmdClearAttachments ("Clearing Images Inside a Render Pass
// Instance"). Any thread that owns the pixels.
#pragma once

#include "raster/attachment/surface.h"
#include "raster/draw.h"
#include "runtime/msaa/traffic.h"

namespace etzel::raster {

/// Fills all samples of `rect` (clipped to the view) in one layer of a colour view. Whole tiles of compressed surfaces
/// only refer to the clear colour of index `color`, unless that is negative.
void clearColorRect(const tex::ImageView& view, const VkClearColorValue& value, const VkRect2D& rect, uint32_t layer,
                    int32_t color = -1);
/// Reserves a clear colour in a layer of a compressed view for clearing `rect`; -1 where that is not possible.
/// `replace`: no clear or draw of this view is pending, so that colours no tile shows may be given up.
int32_t reserveClearColor(const tex::ImageView& view, const VkClearColorValue& value, const VkRect2D& rect,
                          uint32_t layer, bool replace);
/// The same for a depth view (view.plane = the depth plane) and for a stencil view; whole tiles of surfaces with tile
/// states only refer to the value. \returns the texel as a word
uint32_t clearDepthRect(const tex::ImageView& view, float depth, const VkRect2D& rect, uint32_t layer);
void clearStencilRect(const tex::ImageView& view, uint32_t stencil, const VkRect2D& rect, uint32_t layer);

/// What clearing leaves in each texel of a colour view. \pre texels of four bytes
uint32_t clearedTexel(const tex::ImageView& view, const VkClearColorValue& value);
/// Stores a texel everywhere in `rect` of one layer. \pre texels of four bytes, one sample; the rectangle lies inside
/// of the surface
void fillWithTexel(const Surface& surface, const msaa::Rect& rect, uint32_t layer, uint32_t texel);

/// The same where the pixels of `rect` are in `surface` for now: the view's, or tile memory, which stands for it.
void clearColorIn(const tex::ImageView& view, const Surface& surface, const VkClearColorValue& value,
                  const VkRect2D& rect, uint32_t layer, int32_t color);
uint32_t clearDepthIn(const tex::ImageView& view, const Surface& surface, float depth, const VkRect2D& rect,
                      uint32_t layer);
void clearStencilIn(const tex::ImageView& view, const Surface& surface, uint32_t stencil, const VkRect2D& rect,
                    uint32_t layer);

}  // namespace etzel::raster
