// VK_EXT_transform_feedback: buffers, and where capturing begins and ends ("Transform Feedback").
#include "icd/cmd/entry/record.h"

namespace etzel::icd {
namespace {

/// Absent offsets are zeros.
const VkDeviceSize* keepOffsets(VkCommandBuffer c, const VkDeviceSize* offsets, uint32_t count) {
  return offsets ? keep(c, offsets, count) : buf(c).arena.make<VkDeviceSize>(count);
}

}  // namespace

void CmdBindTransformFeedbackBuffers(VkCommandBuffer c, uint32_t first, uint32_t count, const VkBuffer* pBuffers,
                                     const VkDeviceSize* pOffsets, const VkDeviceSize* pSizes) {
  Buffer* const* buffers = keepObjects<Buffer>(c, pBuffers, count);
  const VkDeviceSize* offsets = keep(c, pOffsets, count);
  const VkDeviceSize* sizes = keep(c, pSizes, count);
  record(c, [=](Replay& r) {
    for (uint32_t i = 0; i < count; ++i)
      r.bindXfbBuffer(first + i, buffers[i], offsets[i], sizes ? sizes[i] : VK_WHOLE_SIZE);
  });
}

void CmdBeginTransformFeedback(VkCommandBuffer c, uint32_t first, uint32_t count, const VkBuffer* pCounters,
                               const VkDeviceSize* pOffsets) {
  Buffer* const* counters = keepObjects<Buffer>(c, pCounters, count);
  const VkDeviceSize* offsets = keepOffsets(c, pOffsets, count);
  record(c, [=](Replay& r) { r.beginTransformFeedback(first, count, counters, offsets); });
}

void CmdEndTransformFeedback(VkCommandBuffer c, uint32_t first, uint32_t count, const VkBuffer* pCounters,
                             const VkDeviceSize* pOffsets) {
  Buffer* const* counters = keepObjects<Buffer>(c, pCounters, count);
  const VkDeviceSize* offsets = keepOffsets(c, pOffsets, count);
  record(c, [=](Replay& r) { r.endTransformFeedback(first, count, counters, offsets); });
}

}  // namespace etzel::icd
