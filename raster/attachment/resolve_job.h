// Resolves of multisampled attachments ("Render Pass Multisample Resolve Operations", VkResolveModeFlagBits), by
// rectangles: of a whole attachment, or of a tile that has just been drawn.
#pragma once

#include "raster/attachment/surface.h"
#include "raster/draw.h"
#include "runtime/format/format.h"
#include "runtime/task/pool.h"

namespace etzel::raster {

/// One resolve, prepared. Immutable, for any thread.
struct ResolveJob {
  enum class Kind : uint8_t { Copy, AverageBytes, AverageFloat, Minimum, Maximum, StencilMinimum, StencilMaximum };
  Surface source, destination;
  format::DecodeFn decode = nullptr;
  format::EncodeFn encode = nullptr;
  Kind kind = Kind::Copy;
  uint32_t x0 = 0, y0 = 0, x1 = 0, y1 = 0;  ///< pixels that both have; nothing to do where there are none
  uint32_t layers = 0, viewMask = 0;

  bool empty() const { return x0 >= x1 || y0 >= y1; }
  bool hasLayer(uint32_t layer) const {
    return layer < source.layers && layer < destination.layers &&
           (viewMask ? layer < 32 && (viewMask >> layer & 1) : layer < layers);
  }
};

ResolveJob prepareResolve(const AttachmentResolve& resolve, const VkRect2D& area, uint32_t layers, uint32_t viewMask);

/// Resolves a part of one layer. \param source the job's, or tile memory that holds [x0, x1) x [y0, y1)
/// \pre y0 and y1 are multiples of 8, or the job's
void resolveRect(const ResolveJob& job, const Surface& source, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
                 uint32_t layer);

/// Resolves one attachment into a single-sampled one at the end of a subpass.
void resolveAttachment(task::Pool* pool, const AttachmentResolve& resolve, const VkRect2D& area, uint32_t layers,
                       uint32_t viewMask);

}  // namespace etzel::raster
