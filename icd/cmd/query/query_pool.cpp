// Query pools and reading them from the host.
#include "icd/cmd/query/query_pool.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "icd/cmd/query/query_results.h"
#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "icd/sync/wait.h"

namespace etzel::icd {

uint32_t QueryPool::valuesPerQuery() const {
  if (type == VK_QUERY_TYPE_PIPELINE_STATISTICS) return uint32_t(std::popcount(statistics));
  return type == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT ? 2 : 1;
}

uint32_t queryResultBytes(const QueryPool& pool, VkQueryResultFlags flags) {
  uint32_t words = pool.valuesPerQuery() + (flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT ? 1 : 0);
  return words * (flags & VK_QUERY_RESULT_64_BIT ? 8 : 4);
}

bool writeQueryResult(const QueryPool& pool, uint32_t query, std::byte* out, VkQueryResultFlags flags) {
  const Query& q = pool.queries[query];
  const bool available = q.available.load(std::memory_order_seq_cst) != 0;
  const bool wide = flags & VK_QUERY_RESULT_64_BIT;
  auto store = [&](uint32_t index, uint64_t value) {
    if (wide) {
      std::memcpy(out + index * 8, &value, 8);
    } else {
      uint32_t narrow = uint32_t(value);
      std::memcpy(out + index * 4, &narrow, 4);
    }
  };
  const uint32_t n = pool.valuesPerQuery();
  // A partial result is any value between zero and the final one.
  if (available || (flags & VK_QUERY_RESULT_PARTIAL_BIT))
    for (uint32_t i = 0; i < n; ++i) store(i, available ? q.value[i] : 0);
  if (flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) store(n, available);
  return available;
}

void resetQueries(QueryPool& pool, uint32_t first, uint32_t count) {
  for (uint32_t i = 0; i < count && first + i < pool.count; ++i)
    pool.queries[first + i].available.store(0, std::memory_order_seq_cst);
}

VkResult CreateQueryPool(VkDevice device, const VkQueryPoolCreateInfo* info, const VkAllocationCallbacks* allocator,
                         VkQueryPool* out) {
  return createObject<QueryPool>(device, allocator, out, "a query pool", [&](QueryPool& pool) {
    pool.type = info->queryType;
    pool.statistics = info->queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS ? info->pipelineStatistics : 0;
    pool.count = info->queryCount;
    pool.queries.reset(new (std::nothrow) Query[info->queryCount]);
    return pool.queries ? VK_SUCCESS
                        : ETZEL_FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "no memory for %u queries", info->queryCount);
  });
}

ETZEL_DESTROY(QueryPool)

void ResetQueryPool(VkDevice, VkQueryPool pool, uint32_t first, uint32_t count) {
  resetQueries(*cast<QueryPool>(pool), first, count);
}

VkResult GetQueryPoolResults(VkDevice device, VkQueryPool queryPool, uint32_t first, uint32_t count, size_t dataSize,
                             void* data, VkDeviceSize stride, VkQueryResultFlags flags) {
  const Device* d = cast<Device>(device);
  const QueryPool& pool = *cast<QueryPool>(queryPool);
  if (d->ended()) return VK_ERROR_DEVICE_LOST;
  VkResult result = VK_SUCCESS;
  const uint32_t bytes = queryResultBytes(pool, flags);
  for (uint32_t i = 0; i < count && first + i < pool.count; ++i) {
    if (i * stride + bytes > dataSize) break;
    if (flags & VK_QUERY_RESULT_WAIT_BIT)
      waitUntil(kForever, [&] { return pool.queries[first + i].available.load() || d->ended(); });
    if (d->ended()) return VK_ERROR_DEVICE_LOST;
    bool available = writeQueryResult(pool, first + i, static_cast<std::byte*>(data) + i * stride, flags);
    if (!available && !(flags & VK_QUERY_RESULT_PARTIAL_BIT)) result = VK_NOT_READY;
  }
  return result;
}

}  // namespace etzel::icd
