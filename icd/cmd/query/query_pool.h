// Query pools: results live in host memory, written by the queue thread, read by vkGetQueryPoolResults.
#pragma once

#include <atomic>
#include <memory>

#include "icd/object/object.h"

namespace etzel::icd {

struct Query {
  std::atomic<uint32_t> available{0};
  uint64_t value[12] = {};  ///< occlusion, timestamp: [0]; statistics: one per enabled bit, in bit order;
                            ///< transform feedback stream: written, needed
};
struct QueryPool : Object {
  using Handle = VkQueryPool;
  VkQueryType type = VK_QUERY_TYPE_OCCLUSION;
  VkQueryPipelineStatisticFlags statistics = 0;
  uint32_t count = 0;
  std::unique_ptr<Query[]> queries;
  uint32_t valuesPerQuery() const;
};

}  // namespace etzel::icd
