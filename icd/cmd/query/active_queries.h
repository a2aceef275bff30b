// Queries while commands run. Counting must not make draws wait: each span of draws with the same active queries
// counts into its own Statistics, and a query adds up its spans once the rasterizer has run them.
#pragma once

#include <vector>

#include "icd/cmd/query/query_pool.h"
#include "raster/draw.h"
#include "runtime/base/arena.h"

namespace etzel::icd {

class ActiveQueries {
 public:
  /// `views`: views of the current multiview subpass, 1 otherwise; the query takes that many consecutive slots.
  void begin(QueryPool* pool, uint32_t query, uint32_t stream, uint32_t views);
  void end(QueryPool* pool, uint32_t query, uint32_t stream);
  bool any() const { return !active_.empty(); }
  bool anyOcclusion() const;
  bool unpublished() const { return !finished_.empty(); }

  /// Where draws (and dispatches) count from now on; null when no query is active. Memory comes from `arena` and must
  /// live until settle().
  raster::Statistics* statistics(Arena& arena);
  void addComputeInvocations(Arena& arena, uint64_t count);

  /// All draws so far have run: adds up the spans and publishes the queries that have ended.
  void settle();
  void reset();

 private:
  struct Span {
    raster::Statistics statistics;
    uint64_t computeInvocations = 0;
  };
  struct Running {
    QueryPool* pool = nullptr;
    uint32_t query = 0, stream = 0, views = 1;
    uint64_t sum[12] = {};
    std::vector<const Span*> spans;
  };
  static void fold(Running& r);
  static void publish(const Running& r);

  std::vector<Running> active_, finished_;
  Span* span_ = nullptr;
};

}  // namespace etzel::icd
