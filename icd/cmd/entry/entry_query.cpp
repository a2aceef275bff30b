// vkCmd* of query pools ("Queries").
#include <algorithm>

#include "icd/cmd/entry/record.h"
#include "icd/cmd/query/query_results.h"
#include "icd/sync/wait.h"

namespace etzel::icd {

void CmdBeginQueryIndexed(VkCommandBuffer c, VkQueryPool queryPool, uint32_t query, VkQueryControlFlags,
                          uint32_t index) {
  QueryPool* pool = cast<QueryPool>(queryPool);
  record(c, [=](Replay& r) { r.beginQuery(pool, query, index); });
}

void CmdEndQueryIndexed(VkCommandBuffer c, VkQueryPool queryPool, uint32_t query, uint32_t index) {
  QueryPool* pool = cast<QueryPool>(queryPool);
  record(c, [=](Replay& r) { r.endQuery(pool, query, index); });
}

void CmdResetQueryPool(VkCommandBuffer c, VkQueryPool queryPool, uint32_t first, uint32_t count) {
  QueryPool* pool = cast<QueryPool>(queryPool);
  recordBounded(c, count * sizeof(Query), [=](Replay&) { resetQueries(*pool, first, count); });
}

void CmdWriteTimestamp2(VkCommandBuffer c, VkPipelineStageFlags2 stage, VkQueryPool queryPool, uint32_t query) {
  QueryPool* pool = cast<QueryPool>(queryPool);
  const bool early = stage == VK_PIPELINE_STAGE_2_NONE || stage == VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT;
  recordBounded(c, kNextToNothing, [=](Replay& r) { r.writeTimestamp(pool, query, early); });
}

void CmdCopyQueryPoolResults(VkCommandBuffer c, VkQueryPool queryPool, uint32_t first, uint32_t count,
                             VkBuffer destination, VkDeviceSize offset, VkDeviceSize stride, VkQueryResultFlags flags) {
  const QueryPool* pool = cast<QueryPool>(queryPool);
  const Buffer* buffer = cast<Buffer>(destination);
  record(c, [=](Replay& r) {
    const uint32_t bytes = queryResultBytes(*pool, flags);
    for (uint32_t i = 0; i < count && first + i < pool->count; ++i) {
      const uint64_t at = offset + i * stride;
      if (bytesFrom(buffer, at) < bytes) return;
      if (flags & VK_QUERY_RESULT_WAIT_BIT)
        waitUntil(kForever, [&] {
          return pool->queries[first + i].available.load(std::memory_order_seq_cst) || r.cancelled() ||
                 r.device().lost.load();
        });
      writeQueryResult(*pool, first + i, buffer->data + at, flags);
    }
  });
}

}  // namespace etzel::icd
