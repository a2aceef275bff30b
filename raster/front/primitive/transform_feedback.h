// Transform feedback ("Vertex Post-Processing"): appends captured words of whole primitives to the bound buffers, in
// API order, and counts. The caller calls it from one thread at a time, in order.
#pragma once

#include "raster/front/primitive/primitive_stage.h"

namespace etzel::raster {

/// Captures the primitives of one stream; counts what was written and what would have needed room.
void captureTransformFeedback(const abi::ProgramInfo& info, uint32_t stream, const VertexBlock& block,
                              const PrimitiveList& list, XfbBuffer* buffers, Statistics& statistics);

}  // namespace etzel::raster
