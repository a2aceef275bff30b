#include "raster/front/primitive/transform_feedback.h"

#include <cstring>

namespace etzel::raster {

void captureTransformFeedback(const abi::ProgramInfo& info, uint32_t stream, const VertexBlock& block,
                              const PrimitiveList& list, XfbBuffer* buffers, Statistics& statistics) {
  uint32_t used = 0;  // buffers this stream writes
  for (const auto& o : info.xfbOutputs) {
    if (o.stream == stream && o.buffer < kMaxXfbBuffers) used |= 1u << o.buffer;
  }
  const uint32_t verts = list.verticesPerPrimitive;
  statistics.xfbPrimitivesNeeded[stream] += list.count;
  for (uint32_t i = 0; i < list.count; ++i) {
    // "If any buffer lacks room for the whole primitive, nothing of it is written."
    bool fits = true;
    for (uint32_t b = 0; b < kMaxXfbBuffers; ++b) {
      if (!(used >> b & 1)) continue;
      const uint64_t end = buffers[b].written + uint64_t(info.xfbStride[b]) * verts;
      fits = fits && buffers[b].data && end <= buffers[b].size;
    }
    if (!fits) continue;
    for (uint32_t k = 0; k < verts; ++k) {
      const uint32_t* record = block.record(list.vertex[size_t(i) * verts + k]);
      for (const auto& o : info.xfbOutputs) {
        if (o.stream != stream || !(used >> o.buffer & 1)) continue;
        const XfbBuffer& b = buffers[o.buffer];
        if (o.offset + 4 > info.xfbStride[o.buffer]) continue;
        std::memcpy(b.data + b.written + uint64_t(k) * info.xfbStride[o.buffer] + o.offset, record + o.word, 4);
      }
    }
    for (uint32_t b = 0; b < kMaxXfbBuffers; ++b) {
      if (used >> b & 1) buffers[b].written += uint64_t(info.xfbStride[b]) * verts;
    }
    ++statistics.xfbPrimitivesWritten[stream];
  }
}

}  // namespace etzel::raster
