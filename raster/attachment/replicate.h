// The opposite of a resolve: every sample gets what the single-sampled image has (the load operation of
// multisampled rendering to single-sampled attachments).
#pragma once

#include "runtime/task/pool.h"
#include "runtime/tex/view.h"

namespace etzel::raster {

/// Gives every sample of one aspect of a multisampled attachment the value of the single-sampled `source`, in the same
/// format: the load operation of VK_EXT_multisampled_render_to_single_sampled. Outside of `area` samples of the same
/// 8x8 tiles become undefined.
void replicateAttachment(task::Pool* pool, const tex::ImageView& source, const tex::ImageView& destination,
                         const VkRect2D& area, uint32_t layers, uint32_t viewMask);

}  // namespace etzel::raster
