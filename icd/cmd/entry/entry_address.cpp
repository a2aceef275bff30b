// Commands that name memory by its device address (VK_KHR_device_address_commands): the ones that name buffers, with a
// buffer for each range that lives as long as what is recorded. Device addresses are the host's.
#include <algorithm>

#include "icd/cmd/entry/record.h"
#include "runtime/mutant/mutant.h"

namespace etzel::icd {
namespace {

/// A buffer that is a range of addresses; null for the null address. The command buffer's memory goes without
/// destructors, and there is nothing in it to destroy.
VkBuffer bufferOf(VkCommandBuffer c, VkDeviceAddress address, VkDeviceSize size) {
  if (!address) return VK_NULL_HANDLE;
  auto* b = new (buf(c).arena.allocate(sizeof(Buffer), alignof(Buffer))) Buffer;
  b->data = reinterpret_cast<std::byte*>(address) + (mutated(Mutant::AddressRange) ? 4 : 0);
  b->size = size;
  return handleOf(b);
}
VkBuffer bufferOf(VkCommandBuffer c, const VkDeviceAddressRangeKHR& r) { return bufferOf(c, r.address, r.size); }
VkBuffer bufferOf(VkCommandBuffer c, const VkStridedDeviceAddressRangeKHR& r) { return bufferOf(c, r.address, r.size); }

VkBufferImageCopy2 regionOf(const VkDeviceMemoryImageCopyKHR& r) {
  VkBufferImageCopy2 region{VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2};
  region.bufferRowLength = r.addressRowLength, region.bufferImageHeight = r.addressImageHeight;
  region.imageSubresource = r.imageSubresource;
  region.imageOffset = r.imageOffset, region.imageExtent = r.imageExtent;
  return region;
}

/// `command(i, buffer)` for the buffers that transform feedback's infos name; none where there are no infos.
template <class Command>
void forFeedback(VkCommandBuffer c, uint32_t count, const VkBindTransformFeedbackBuffer2InfoEXT* infos,
                 Command command) {
  for (uint32_t i = 0; i < count && infos; ++i) command(i, bufferOf(c, infos[i].addressRange));
}

}  // namespace

void CmdBindIndexBuffer3(VkCommandBuffer c, const VkBindIndexBuffer3InfoKHR* info) {
  CmdBindIndexBuffer2(c, bufferOf(c, info->addressRange), 0, info->addressRange.size, info->indexType);
}

void CmdBindVertexBuffers3(VkCommandBuffer c, uint32_t first, uint32_t count, const VkBindVertexBuffer3InfoKHR* infos) {
  for (uint32_t i = 0; i < count; ++i) {
    const VkStridedDeviceAddressRangeKHR& range = infos[i].addressRange;
    const VkBuffer buffer = bufferOf(c, range);
    const VkDeviceSize offset = 0;
    CmdBindVertexBuffers2(c, first + i, 1, &buffer, &offset, &range.size, infos[i].setStride ? &range.stride : nullptr);
  }
}

void CmdDrawIndirect2(VkCommandBuffer c, const VkDrawIndirect2InfoKHR* info) {
  const auto& range = info->addressRange;
  CmdDrawIndirect(c, bufferOf(c, range), 0, info->drawCount, uint32_t(range.stride));
}

void CmdDrawIndexedIndirect2(VkCommandBuffer c, const VkDrawIndirect2InfoKHR* info) {
  const auto& range = info->addressRange;
  CmdDrawIndexedIndirect(c, bufferOf(c, range), 0, info->drawCount, uint32_t(range.stride));
}

void CmdDrawIndirectCount2(VkCommandBuffer c, const VkDrawIndirectCount2InfoKHR* info) {
  const auto& range = info->addressRange;
  CmdDrawIndirectCount(c, bufferOf(c, range), 0, bufferOf(c, info->countAddressRange), 0, info->maxDrawCount,
                       uint32_t(range.stride));
}

void CmdDrawIndexedIndirectCount2(VkCommandBuffer c, const VkDrawIndirectCount2InfoKHR* info) {
  const auto& range = info->addressRange;
  CmdDrawIndexedIndirectCount(c, bufferOf(c, range), 0, bufferOf(c, info->countAddressRange), 0, info->maxDrawCount,
                              uint32_t(range.stride));
}

void CmdDispatchIndirect2(VkCommandBuffer c, const VkDispatchIndirect2InfoKHR* info) {
  CmdDispatchIndirect(c, bufferOf(c, info->addressRange), 0);
}

void CmdCopyMemory(VkCommandBuffer c, const VkCopyDeviceMemoryInfoKHR* info) {
  for (uint32_t i = 0; info && i < info->regionCount; ++i) {
    const VkDeviceMemoryCopyKHR& r = info->pRegions[i];
    VkBufferCopy2 region{VK_STRUCTURE_TYPE_BUFFER_COPY_2};
    region.size = std::min(r.srcRange.size, r.dstRange.size);
    if (!region.size) continue;
    VkCopyBufferInfo2 copy{VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2};
    copy.srcBuffer = bufferOf(c, r.srcRange), copy.dstBuffer = bufferOf(c, r.dstRange);
    copy.regionCount = 1, copy.pRegions = &region;
    CmdCopyBuffer2(c, &copy);
  }
}

void CmdCopyMemoryToImage(VkCommandBuffer c, const VkCopyDeviceMemoryImageInfoKHR* info) {
  for (uint32_t i = 0; info && i < info->regionCount; ++i) {
    const VkBufferImageCopy2 region = regionOf(info->pRegions[i]);
    VkCopyBufferToImageInfo2 copy{VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2};
    copy.srcBuffer = bufferOf(c, info->pRegions[i].addressRange), copy.dstImage = info->image;
    copy.dstImageLayout = info->pRegions[i].imageLayout;
    copy.regionCount = 1, copy.pRegions = &region;
    CmdCopyBufferToImage2(c, &copy);
  }
}

void CmdCopyImageToMemory(VkCommandBuffer c, const VkCopyDeviceMemoryImageInfoKHR* info) {
  for (uint32_t i = 0; info && i < info->regionCount; ++i) {
    const VkBufferImageCopy2 region = regionOf(info->pRegions[i]);
    VkCopyImageToBufferInfo2 copy{VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2};
    copy.srcImage = info->image, copy.dstBuffer = bufferOf(c, info->pRegions[i].addressRange);
    copy.srcImageLayout = info->pRegions[i].imageLayout;
    copy.regionCount = 1, copy.pRegions = &region;
    CmdCopyImageToBuffer2(c, &copy);
  }
}

void CmdUpdateMemory(VkCommandBuffer c, const VkDeviceAddressRangeKHR* range, VkAddressCommandFlagsKHR,
                     VkDeviceSize size, const void* data) {
  CmdUpdateBuffer(c, bufferOf(c, *range), 0, size, data);
}

void CmdFillMemory(VkCommandBuffer c, const VkDeviceAddressRangeKHR* range, VkAddressCommandFlagsKHR, uint32_t data) {
  CmdFillBuffer(c, bufferOf(c, *range), 0, range->size, data);
}

void CmdWriteMarkerToMemory(VkCommandBuffer c, const VkMemoryMarkerInfoAMD* info) {
  CmdWriteBufferMarker2(c, info->stage, bufferOf(c, info->dstRange), 0, info->marker);
}

void CmdCopyQueryPoolResultsToMemory(VkCommandBuffer c, VkQueryPool pool, uint32_t first, uint32_t count,
                                     const VkStridedDeviceAddressRangeKHR* range, VkAddressCommandFlagsKHR,
                                     VkQueryResultFlags flags) {
  CmdCopyQueryPoolResults(c, pool, first, count, bufferOf(c, *range), 0, range->stride, flags);
}

void CmdBeginConditionalRendering2(VkCommandBuffer c, const VkConditionalRenderingBeginInfo2EXT* info) {
  VkConditionalRenderingBeginInfoEXT begin{VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT};
  begin.buffer = bufferOf(c, info->addressRange), begin.flags = info->flags;
  CmdBeginConditionalRendering(c, &begin);
}

void CmdBindTransformFeedbackBuffers2(VkCommandBuffer c, uint32_t first, uint32_t count,
                                      const VkBindTransformFeedbackBuffer2InfoEXT* infos) {
  forFeedback(c, count, infos, [&](uint32_t i, VkBuffer buffer) {
    const VkDeviceSize offset = 0;
    CmdBindTransformFeedbackBuffers(c, first + i, 1, &buffer, &offset, &infos[i].addressRange.size);
  });
}

void CmdBeginTransformFeedback2(VkCommandBuffer c, uint32_t first, uint32_t count,
                                const VkBindTransformFeedbackBuffer2InfoEXT* infos) {
  VkBuffer* counters = buf(c).arena.make<VkBuffer>(count);
  forFeedback(c, count, infos, [&](uint32_t i, VkBuffer buffer) { counters[i] = buffer; });
  CmdBeginTransformFeedback(c, first, count, counters, nullptr);
}

void CmdEndTransformFeedback2(VkCommandBuffer c, uint32_t first, uint32_t count,
                              const VkBindTransformFeedbackBuffer2InfoEXT* infos) {
  VkBuffer* counters = buf(c).arena.make<VkBuffer>(count);
  forFeedback(c, count, infos, [&](uint32_t i, VkBuffer buffer) { counters[i] = buffer; });
  CmdEndTransformFeedback(c, first, count, counters, nullptr);
}

void CmdDrawIndirectByteCount2(VkCommandBuffer c, uint32_t instanceCount, uint32_t firstInstance,
                               const VkBindTransformFeedbackBuffer2InfoEXT* info, uint32_t counterOffset,
                               uint32_t vertexStride) {
  CmdDrawIndirectByteCount(c, instanceCount, firstInstance, bufferOf(c, info->addressRange), 0, counterOffset,
                           vertexStride);
}

}  // namespace etzel::icd
