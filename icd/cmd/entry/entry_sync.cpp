// Barriers, events, conditional rendering, device masks, labels. Everything outside of a render pass runs in order and
// to its end, so only inside of one do barriers have work: the rasterizer's waiting draws.
#include <algorithm>
#include <cstring>

#include "icd/cmd/entry/record.h"
#include "icd/debug/history.h"
#include "icd/sync/objects.h"

namespace etzel::icd {
namespace {

void recordEvent(VkCommandBuffer c, VkEvent handle, bool set) {
  Event* event = cast<Event>(handle);
  recordBounded(c, kNextToNothing, [=](Replay& r) {
    if (r.pass().active()) r.flush();
    event->store(set);
  });
}

constexpr VkAccessFlags2 kReadsDescriptors = VK_ACCESS_2_DESCRIPTOR_BUFFER_READ_BIT_EXT |
                                             VK_ACCESS_2_SAMPLER_HEAP_READ_BIT_EXT |
                                             VK_ACCESS_2_RESOURCE_HEAP_READ_BIT_EXT | VK_ACCESS_2_MEMORY_READ_BIT;

/// Whether what was written to descriptor buffers is visible behind it.
bool showsDescriptors(const VkDependencyInfo& info) {
  const auto reads = [](const auto& barrier) { return (barrier.dstAccessMask & kReadsDescriptors) != 0; };
  const auto* ranges =
      findNext<VkMemoryRangeBarriersInfoKHR>(info.pNext, VK_STRUCTURE_TYPE_MEMORY_RANGE_BARRIERS_INFO_KHR);
  if (ranges &&
      std::any_of(ranges->pMemoryRangeBarriers, ranges->pMemoryRangeBarriers + ranges->memoryRangeBarrierCount, reads))
    return true;
  return std::any_of(info.pMemoryBarriers, info.pMemoryBarriers + info.memoryBarrierCount, reads) ||
         std::any_of(info.pBufferMemoryBarriers, info.pBufferMemoryBarriers + info.bufferMemoryBarrierCount, reads);
}

}  // namespace

void CmdPipelineBarrier2(VkCommandBuffer c, const VkDependencyInfo* info) {
  const bool descriptors = !info || showsDescriptors(*info);  // null: vkCmdPipelineBarrier
  recordBounded(c, kNextToNothing, [=](Replay& r) {
    if (r.pass().active()) r.flush();
    if (descriptors) r.rereadDescriptors();
  });
}

void CmdSetEvent2(VkCommandBuffer c, VkEvent event, const VkDependencyInfo*) { recordEvent(c, event, true); }
void CmdResetEvent2(VkCommandBuffer c, VkEvent event, VkPipelineStageFlags2) { recordEvent(c, event, false); }

void CmdWaitEvents2(VkCommandBuffer c, uint32_t count, const VkEvent* pEvents, const VkDependencyInfo*) {
  Event* const* events = keepObjects<Event>(c, pEvents, count);
  record(c, [=](Replay& r) {
    if (r.pass().active()) r.flush();
    // The host or another queue may be the one to set them.
    waitUntil(kForever, [&] {
      if (r.cancelled() || r.device().lost.load()) return true;
      for (uint32_t i = 0; i < count; ++i)
        if (!events[i]->set.load(std::memory_order_seq_cst)) return false;
      return true;
    });
    r.rereadDescriptors();
  });
}

void CmdBeginConditionalRendering(VkCommandBuffer c, const VkConditionalRenderingBeginInfoEXT* info) {
  const Buffer* b = cast<Buffer>(info->buffer);
  const uint64_t offset = info->offset;
  const bool inverted = info->flags & VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT;
  record(c, [=](Replay& r) {
    uint32_t value = 0;
    if (bytesFrom(b, offset) >= sizeof(value)) std::memcpy(&value, b->data + offset, sizeof(value));
    r.predicate = (value != 0) != inverted;
  });
}

void CmdEndConditionalRendering(VkCommandBuffer c) {
  record(c, [](Replay& r) { r.predicate = true; });
}

// There is one physical device, so every mask selects it.
void CmdSetDeviceMask(VkCommandBuffer, uint32_t) {}

// Labels are for tools that stand between the application and the driver, for debuggers and histories.
void CmdBeginDebugUtilsLabel(VkCommandBuffer c, const VkDebugUtilsLabelEXT* label) {
  if (!historyPossible()) return;
  const char* name = label->pLabelName ? label->pLabelName : "";
  const char* kept = keep(c, name, uint32_t(std::strlen(name) + 1));
  recordBounded(c, kNextToNothing, [=](Replay& r) { r.beginLabel(kept); });
}
void CmdEndDebugUtilsLabel(VkCommandBuffer c) {
  if (historyPossible()) recordBounded(c, kNextToNothing, [](Replay& r) { r.endLabel(); });
}
void CmdInsertDebugUtilsLabel(VkCommandBuffer, const VkDebugUtilsLabelEXT*) {}

}  // namespace etzel::icd
