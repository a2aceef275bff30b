#include "icd/cmd/query/active_queries.h"

#include <algorithm>

#include "icd/sync/wait.h"

namespace etzel::icd {

void ActiveQueries::begin(QueryPool* pool, uint32_t query, uint32_t stream, uint32_t views) {
  if (!pool || query >= pool->count) return;
  Running r;
  r.pool = pool;
  r.query = query;
  r.stream = std::min(stream, abi::kMaxStreams - 1);
  r.views = std::min(std::max(views, 1u), pool->count - query);
  active_.push_back(std::move(r));
  span_ = nullptr;
}

void ActiveQueries::end(QueryPool* pool, uint32_t query, uint32_t stream) {
  auto it = std::find_if(active_.begin(), active_.end(), [&](const Running& r) {
    return r.pool == pool && r.query == query && r.stream == std::min(stream, abi::kMaxStreams - 1);
  });
  if (it == active_.end()) return;
  finished_.push_back(std::move(*it));
  active_.erase(it);
  span_ = nullptr;
}

bool ActiveQueries::anyOcclusion() const {
  return std::any_of(active_.begin(), active_.end(),
                     [](const Running& r) { return r.pool->type == VK_QUERY_TYPE_OCCLUSION; });
}

raster::Statistics* ActiveQueries::statistics(Arena& arena) {
  if (active_.empty()) return nullptr;
  if (!span_) {
    span_ = arena.make<Span>();
    for (Running& r : active_) r.spans.push_back(span_);
  }
  return &span_->statistics;
}

void ActiveQueries::addComputeInvocations(Arena& arena, uint64_t count) {
  if (statistics(arena)) span_->computeInvocations += count;
}

void ActiveQueries::fold(Running& r) {
  for (const Span* span : r.spans) {
    const raster::Statistics& s = span->statistics;
    switch (r.pool->type) {
      case VK_QUERY_TYPE_OCCLUSION: r.sum[0] += s.samplesPassed; break;
      case VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT:
        r.sum[0] += s.xfbPrimitivesWritten[r.stream];
        r.sum[1] += s.xfbPrimitivesNeeded[r.stream];
        break;
      case VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT: r.sum[0] += s.primitivesGenerated[r.stream]; break;
      case VK_QUERY_TYPE_PIPELINE_STATISTICS: {
        // In the order of VkQueryPipelineStatisticFlagBits.
        const uint64_t values[] = {s.inputVertices,         s.inputPrimitives,       s.vertexInvocations,
                                   s.geometryInvocations,   s.geometryPrimitives,    s.clippingInvocations,
                                   s.clippingPrimitives,    s.fragmentInvocations,   s.controlPatches,
                                   s.evaluationInvocations, span->computeInvocations};
        uint32_t slot = 0;
        for (uint32_t bit = 0; bit < std::size(values); ++bit)
          if (r.pool->statistics & (1u << bit)) r.sum[slot++] += values[bit];
        break;
      }
      default: break;
    }
  }
  r.spans.clear();
}

// "Queries": with multiview, how the result is spread over the consecutive queries is ours to choose; all in the first.
void ActiveQueries::publish(const Running& r) {
  for (uint32_t v = 0; v < r.views; ++v) {
    Query& q = r.pool->queries[r.query + v];
    for (uint32_t i = 0; i < std::size(q.value); ++i) q.value[i] = v == 0 ? r.sum[i] : 0;
    q.available.store(1, std::memory_order_seq_cst);
  }
}

void ActiveQueries::settle() {
  for (Running& r : active_) fold(r);
  span_ = nullptr;
  if (finished_.empty()) return;
  for (Running& r : finished_) {
    fold(r);
    publish(r);
  }
  finished_.clear();
  notifyWaiters();
}

void ActiveQueries::reset() {
  active_.clear();
  finished_.clear();
  span_ = nullptr;
}

}  // namespace etzel::icd
