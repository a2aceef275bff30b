// How a query's values reach the application: shared by vkGetQueryPoolResults and vkCmdCopyQueryPoolResults.
#pragma once

#include "icd/cmd/query/query_pool.h"

namespace etzel::icd {

/// Bytes that one query of `pool` writes with `flags`.
uint32_t queryResultBytes(const QueryPool& pool, VkQueryResultFlags flags);

/// Writes one query's results to `out` ("Queries", Query Operation). \returns whether it was available.
bool writeQueryResult(const QueryPool& pool, uint32_t query, std::byte* out, VkQueryResultFlags flags);

/// Makes queries unavailable.
void resetQueries(QueryPool& pool, uint32_t first, uint32_t count);

}  // namespace etzel::icd
