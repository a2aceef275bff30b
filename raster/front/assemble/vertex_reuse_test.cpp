#include "raster/front/assemble/vertex_reuse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace etzel::raster {
namespace {

TEST(VertexReuse, GivesEveryVertexOfAnInstanceOneRecordInTheOrderOfFirstUse) {
  std::mt19937 random(1);
  VertexReuse reuse;
  for (uint32_t round = 0; round < 200; ++round) {
    reuse.begin();
    // Several instances in one memory; dense and sparse numbers, also at the ends of their range.
    std::vector<uint32_t> memory, record, expected, instanceEnd;
    for (uint32_t instance = 0; instance < 1 + random() % 4; ++instance) {
      const uint32_t count = random() % 300, spread = random() % 2 ? 1 + random() % 200 : ~0u;
      const uint32_t base = random() % 3 ? random() : ~0u - 100;
      for (uint32_t i = 0; i < count; ++i) memory.push_back(base + random() % spread);
      instanceEnd.push_back(uint32_t(memory.size()));
    }
    const std::vector<uint32_t> input = memory;
    record.resize(memory.size());
    uint32_t begin = 0;
    for (uint32_t end : instanceEnd) {
      const uint32_t before = reuse.count();
      reuse.add(memory.data() + begin, end - begin, memory.data(), record.data() + begin);
      std::vector<uint32_t> seen;
      for (uint32_t i = begin; i < end; ++i) {
        const auto found = std::find(seen.begin(), seen.end(), input[i]);
        ASSERT_EQ(record[i], before + uint32_t(found - seen.begin()));
        if (found == seen.end()) seen.push_back(input[i]);
      }
      ASSERT_EQ(reuse.count(), before + seen.size());
      expected.insert(expected.end(), seen.begin(), seen.end());
      begin = end;
    }
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), memory.begin()));
  }
}

TEST(VertexReuse, HoldsAsManyRecordsAsItSays) {
  VertexReuse reuse;
  std::vector<uint32_t> vertex(kMaxReusedVertices), record(vertex.size());
  for (uint32_t i = 0; i < vertex.size(); ++i) vertex[i] = i;
  reuse.begin();
  reuse.add(vertex.data(), uint32_t(vertex.size()), vertex.data(), record.data());
  EXPECT_EQ(reuse.count(), kMaxReusedVertices);
  for (uint32_t i = 0; i < vertex.size(); ++i) ASSERT_EQ(record[i], i);
}

}  // namespace
}  // namespace etzel::raster
