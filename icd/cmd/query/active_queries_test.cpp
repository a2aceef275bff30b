#include "icd/cmd/query/active_queries.h"

#include <gtest/gtest.h>

namespace etzel::icd {
namespace {

std::unique_ptr<QueryPool> pool(VkQueryType type, uint32_t count) {
  auto p = std::make_unique<QueryPool>();
  p->type = type;
  p->count = count;
  p->queries.reset(new Query[count]);
  return p;
}

TEST(ActiveQueries, NestedQueriesCountTheSpansTheyWereActiveIn) {
  auto outer = pool(VK_QUERY_TYPE_OCCLUSION, 1), inner = pool(VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT, 1);
  Arena arena;
  ActiveQueries q;
  EXPECT_EQ(q.statistics(arena), nullptr);
  q.begin(outer.get(), 0, 0, 1);
  q.statistics(arena)->samplesPassed = 10;
  q.begin(inner.get(), 0, 2, 1);
  raster::Statistics* both = q.statistics(arena);
  both->samplesPassed = 5;
  both->primitivesGenerated[2] = 3;
  q.end(outer.get(), 0, 0);
  q.statistics(arena)->primitivesGenerated[2] = 4;
  q.end(inner.get(), 0, 2);
  EXPECT_EQ(outer->queries[0].available, 0u);
  q.settle();
  EXPECT_EQ(outer->queries[0].value[0], 15u);
  EXPECT_EQ(inner->queries[0].value[0], 7u);
  EXPECT_EQ(outer->queries[0].available, 1u);
}

TEST(ActiveQueries, AQuerySurvivesSettlingInItsMiddle) {
  auto p = pool(VK_QUERY_TYPE_OCCLUSION, 1);
  Arena arena;
  ActiveQueries q;
  q.begin(p.get(), 0, 0, 1);
  q.statistics(arena)->samplesPassed = 1;
  q.settle();
  arena.reset();
  q.statistics(arena)->samplesPassed = 2;
  q.end(p.get(), 0, 0);
  q.settle();
  EXPECT_EQ(p->queries[0].value[0], 3u);
}

TEST(ActiveQueries, MultiviewTakesConsecutiveQueriesWhoseSumIsTheResult) {
  auto p = pool(VK_QUERY_TYPE_OCCLUSION, 4);
  Arena arena;
  ActiveQueries q;
  q.begin(p.get(), 1, 0, 3);
  q.statistics(arena)->samplesPassed = 6;
  q.end(p.get(), 1, 0);
  q.settle();
  EXPECT_EQ(p->queries[0].available, 0u);
  uint64_t sum = 0;
  for (uint32_t i = 1; i < 4; ++i) {
    EXPECT_EQ(p->queries[i].available, 1u);
    sum += p->queries[i].value[0];
  }
  EXPECT_EQ(sum, 6u);
}

TEST(ActiveQueries, StatisticsAreInTheOrderOfTheirBits) {
  auto p = pool(VK_QUERY_TYPE_PIPELINE_STATISTICS, 1);
  p->statistics = VK_QUERY_PIPELINE_STATISTIC_VERTEX_SHADER_INVOCATIONS_BIT |
                  VK_QUERY_PIPELINE_STATISTIC_FRAGMENT_SHADER_INVOCATIONS_BIT |
                  VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT;
  Arena arena;
  ActiveQueries q;
  q.begin(p.get(), 0, 0, 1);
  raster::Statistics* s = q.statistics(arena);
  s->fragmentInvocations = 2;
  s->vertexInvocations = 1;
  q.addComputeInvocations(arena, 3);
  q.end(p.get(), 0, 0);
  q.settle();
  for (uint64_t i = 0; i < 3; ++i) EXPECT_EQ(p->queries[0].value[i], i + 1);
}

}  // namespace
}  // namespace etzel::icd
