// vkCmdDraw* ("Drawing Commands"). Indirect parameters are read when the command runs.
#include <algorithm>
#include <cstring>

#include "icd/cmd/entry/record.h"

namespace etzel::icd {
namespace {

uint32_t readCount(const Buffer* buffer, uint64_t offset, uint32_t max) {
  if (bytesFrom(buffer, offset) < sizeof(uint32_t)) return 0;
  uint32_t n;
  std::memcpy(&n, buffer->data + offset, sizeof(n));
  return std::min(n, max);
}

void recordIndirect(VkCommandBuffer c, VkBuffer buffer, VkDeviceSize offset, uint32_t count, uint32_t stride,
                    bool indexed) {
  const Buffer* b = cast<Buffer>(buffer);
  record(c, [=](Replay& r) { r.drawIndirect(b, offset, count, stride, indexed); });
}

void recordIndirectCount(VkCommandBuffer c, VkBuffer buffer, VkDeviceSize offset, VkBuffer countBuffer,
                         VkDeviceSize countOffset, uint32_t max, uint32_t stride, bool indexed) {
  const Buffer* b = cast<Buffer>(buffer);
  const Buffer* counts = cast<Buffer>(countBuffer);
  record(c, [=](Replay& r) { r.drawIndirect(b, offset, readCount(counts, countOffset, max), stride, indexed); });
}

/// Gathers strided application structures.
template <class T>
const T* keepStrided(VkCommandBuffer c, const T* first, uint32_t count, uint32_t stride) {
  T* all = buf(c).arena.make<T>(count);
  for (uint32_t i = 0; i < count; ++i)
    std::memcpy(&all[i], reinterpret_cast<const std::byte*>(first) + size_t(i) * stride, sizeof(T));
  return all;
}

}  // namespace

void CmdDraw(VkCommandBuffer c, uint32_t vertexCount, uint32_t instanceCount, uint32_t firstVertex,
             uint32_t firstInstance) {
  record(c, [=](Replay& r) {
    raster::DrawParams p;
    p.count = vertexCount;
    p.instanceCount = instanceCount;
    p.first = firstVertex;
    p.firstInstance = firstInstance;
    r.draw(p);
  });
}

void CmdDrawIndexed(VkCommandBuffer c, uint32_t indexCount, uint32_t instanceCount, uint32_t firstIndex,
                    int32_t vertexOffset, uint32_t firstInstance) {
  record(c, [=](Replay& r) {
    raster::DrawParams p;
    p.count = indexCount;
    p.instanceCount = instanceCount;
    p.first = firstIndex;
    p.vertexOffset = vertexOffset;
    p.firstInstance = firstInstance;
    r.drawIndexed(p);
  });
}

void CmdDrawIndirect(VkCommandBuffer c, VkBuffer buffer, VkDeviceSize offset, uint32_t drawCount, uint32_t stride) {
  recordIndirect(c, buffer, offset, drawCount, stride, false);
}

void CmdDrawIndexedIndirect(VkCommandBuffer c, VkBuffer buffer, VkDeviceSize offset, uint32_t drawCount,
                            uint32_t stride) {
  recordIndirect(c, buffer, offset, drawCount, stride, true);
}

void CmdDrawIndirectCount(VkCommandBuffer c, VkBuffer buffer, VkDeviceSize offset, VkBuffer countBuffer,
                          VkDeviceSize countOffset, uint32_t maxDrawCount, uint32_t stride) {
  recordIndirectCount(c, buffer, offset, countBuffer, countOffset, maxDrawCount, stride, false);
}

void CmdDrawIndexedIndirectCount(VkCommandBuffer c, VkBuffer buffer, VkDeviceSize offset, VkBuffer countBuffer,
                                 VkDeviceSize countOffset, uint32_t maxDrawCount, uint32_t stride) {
  recordIndirectCount(c, buffer, offset, countBuffer, countOffset, maxDrawCount, stride, true);
}

void CmdDrawMulti(VkCommandBuffer c, uint32_t drawCount, const VkMultiDrawInfoEXT* pVertexInfo, uint32_t instanceCount,
                  uint32_t firstInstance, uint32_t stride) {
  const VkMultiDrawInfoEXT* draws = keepStrided(c, pVertexInfo, drawCount, stride);
  record(c, [=](Replay& r) {
    raster::DrawParams p;
    p.instanceCount = instanceCount;
    p.firstInstance = firstInstance;
    for (p.drawIndex = 0; p.drawIndex < drawCount; ++p.drawIndex) {
      p.count = draws[p.drawIndex].vertexCount;
      p.first = draws[p.drawIndex].firstVertex;
      r.draw(p);
    }
  });
}

void CmdDrawMultiIndexed(VkCommandBuffer c, uint32_t drawCount, const VkMultiDrawIndexedInfoEXT* pIndexInfo,
                         uint32_t instanceCount, uint32_t firstInstance, uint32_t stride,
                         const int32_t* pVertexOffset) {
  const VkMultiDrawIndexedInfoEXT* draws = keepStrided(c, pIndexInfo, drawCount, stride);
  const bool sameOffset = pVertexOffset != nullptr;
  const int32_t vertexOffset = pVertexOffset ? *pVertexOffset : 0;
  record(c, [=](Replay& r) {
    raster::DrawParams p;
    p.instanceCount = instanceCount;
    p.firstInstance = firstInstance;
    for (p.drawIndex = 0; p.drawIndex < drawCount; ++p.drawIndex) {
      const VkMultiDrawIndexedInfoEXT& d = draws[p.drawIndex];
      p.count = d.indexCount;
      p.first = d.firstIndex;
      p.vertexOffset = sameOffset ? vertexOffset : d.vertexOffset;
      r.drawIndexed(p);
    }
  });
}

void CmdDrawIndirectByteCount(VkCommandBuffer c, uint32_t instanceCount, uint32_t firstInstance, VkBuffer counterBuffer,
                              VkDeviceSize counterBufferOffset, uint32_t counterOffset, uint32_t vertexStride) {
  const Buffer* counter = cast<Buffer>(counterBuffer);
  record(c, [=](Replay& r) {
    uint32_t bytes = readCount(counter, counterBufferOffset, ~0u);
    raster::DrawParams p;
    p.count = vertexStride && bytes > counterOffset ? (bytes - counterOffset) / vertexStride : 0;
    p.instanceCount = instanceCount;
    p.firstInstance = firstInstance;
    r.draw(p);
  });
}

}  // namespace etzel::icd
