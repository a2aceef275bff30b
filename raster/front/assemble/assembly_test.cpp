#include "raster/front/assemble/assembly.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace etzel::raster {
namespace {

using Tuples = std::vector<std::vector<uint32_t>>;

Tuples assemble(VkPrimitiveTopology topology, DrawParams params, bool restart = false, bool last = false,
                uint32_t patch = 3) {
  Assembly a;
  a.build(topology, restart, last, patch, params);
  Tuples result;
  std::vector<uint32_t> all(a.primitiveCount() * a.verticesPerPrimitive());
  a.primitives(0, uint32_t(a.primitiveCount()), all.data());
  for (uint64_t i = 0; i < a.primitiveCount(); ++i) {
    std::vector<uint32_t> one(a.verticesPerPrimitive());
    a.primitives(i, 1, one.data());  // random access and streaming must agree
    EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin() + i * one.size()));
    result.push_back(one);
  }
  return result;
}

DrawParams vertices(uint32_t count, uint32_t first = 0) {
  DrawParams p;
  p.count = count;
  p.first = first;
  return p;
}

template <class T>
DrawParams indexed(const std::vector<T>& indices, VkIndexType type) {
  DrawParams p;
  p.count = uint32_t(indices.size());
  p.indices = reinterpret_cast<const std::byte*>(indices.data());
  p.indexBytes = indices.size() * sizeof(T);
  p.indexType = type;
  return p;
}

TEST(Assembly, ListsDropIncompletePrimitives) {
  EXPECT_EQ(assemble(VK_PRIMITIVE_TOPOLOGY_POINT_LIST, vertices(2, 5)), (Tuples{{5}, {6}}));
  EXPECT_EQ(assemble(VK_PRIMITIVE_TOPOLOGY_LINE_LIST, vertices(5)), (Tuples{{0, 1}, {2, 3}}));
  EXPECT_EQ(assemble(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, vertices(5)), (Tuples{{0, 1, 2}}));
  EXPECT_EQ(assemble(VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, vertices(9), false, false, 4),
            (Tuples{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_TRUE(assemble(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, vertices(2)).empty());
}

TEST(Assembly, StripsAndFansKeepWindingAndProvokingVertex) {
  EXPECT_EQ(assemble(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, vertices(5)), (Tuples{{0, 1, 2}, {1, 3, 2}, {2, 3, 4}}));
  EXPECT_EQ(assemble(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, vertices(5), false, true),
            (Tuples{{0, 1, 2}, {2, 1, 3}, {2, 3, 4}}));
  EXPECT_EQ(assemble(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, vertices(4)), (Tuples{{1, 2, 0}, {2, 3, 0}}));
  EXPECT_EQ(assemble(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, vertices(4), false, true), (Tuples{{0, 1, 2}, {0, 2, 3}}));
}

TEST(Assembly, AdjacencyFollowsTheSpecificationsTable) {
  const auto strip = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY;
  EXPECT_EQ(assemble(strip, vertices(6)), (Tuples{{0, 1, 2, 5, 4, 3}}));
  EXPECT_EQ(assemble(strip, vertices(10)), (Tuples{{0, 1, 2, 6, 4, 3}, {2, 5, 6, 8, 4, 0}, {4, 2, 6, 9, 8, 7}}));
  EXPECT_EQ(assemble(VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY, vertices(5)),
            (Tuples{{0, 1, 2, 3}, {1, 2, 3, 4}}));
}

TEST(Assembly, ACustomIndexRestartsAndTheGreatestNoMore) {
  const uint16_t indices[] = {0, 1, 2, 7, 3, 0xFFFF, 4};
  DrawParams p;
  p.count = 7;
  p.indices = reinterpret_cast<const std::byte*>(indices);
  p.indexBytes = sizeof indices;
  p.indexType = VK_INDEX_TYPE_UINT16;
  p.restartIndex = 7;
  const Tuples want = {{0, 1, 2}, {3, 0xFFFF, 4}};
  EXPECT_EQ(assemble(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, p, true), want);
  p.restartIndex = 0x10007;  // no index of 16 bits has this value
  EXPECT_EQ(assemble(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, p, true).size(), 2u);
}

TEST(Assembly, SequencesNameTheVerticesOfPrimitivesOnce) {
  constexpr uint32_t kBase = 100, kPatch = 5;
  for (uint32_t topology = 0; topology <= VK_PRIMITIVE_TOPOLOGY_PATCH_LIST; ++topology) {
    for (const bool last : {false, true}) {
      Assembly a;
      a.build(VkPrimitiveTopology(topology), false, last, kPatch, vertices(150, 7));
      if (!a.isSequence()) continue;
      const auto all = uint32_t(a.primitiveCount()), corners = a.verticesPerPrimitive();
      for (uint32_t first : {0u, 1u, 2u, 5u}) {
        for (uint32_t count : {1u, 2u, 3u, 7u, 8u, 11u, 12u, all - first}) {
          SCOPED_TRACE(::testing::Message() << topology << ' ' << last << ' ' << first << ' ' << count);
          std::vector<uint32_t> expected(count * corners), vertex(count * corners), record(count * corners);
          a.primitives(first, count, expected.data());
          const uint32_t used = a.sequence(first, count, kBase, vertex.data(), record.data());
          ASSERT_LE(used, count * corners);
          vertex.resize(used);
          EXPECT_TRUE(std::is_sorted(vertex.begin(), vertex.end()));
          EXPECT_EQ(std::adjacent_find(vertex.begin(), vertex.end()), vertex.end());
          std::vector<bool> named(used);
          for (uint32_t i = 0; i < count * corners; ++i) {
            ASSERT_LT(record[i] - kBase, used);
            EXPECT_EQ(vertex[record[i] - kBase], expected[i]);
            named[record[i] - kBase] = true;
          }
          EXPECT_EQ(std::count(named.begin(), named.end(), false), 0);
        }
      }
    }
  }
}

TEST(Assembly, RestartSplitsStripsForEveryIndexType) {
  const Tuples expected{{0, 1, 2}, {7, 8, 9}, {8, 3, 9}};
  const std::vector<uint8_t> i8{0, 1, 2, 0xFF, 5, 0xFF, 7, 8, 9, 3};
  const std::vector<uint16_t> i16{0, 1, 2, 0xFFFF, 5, 0xFFFF, 7, 8, 9, 3};
  const std::vector<uint32_t> i32{0, 1, 2, ~0u, 5, ~0u, 7, 8, 9, 3};
  const auto strip = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  EXPECT_EQ(assemble(strip, indexed(i8, VK_INDEX_TYPE_UINT8_EXT), true), expected);
  EXPECT_EQ(assemble(strip, indexed(i16, VK_INDEX_TYPE_UINT16), true), expected);
  EXPECT_EQ(assemble(strip, indexed(i32, VK_INDEX_TYPE_UINT32), true), expected);
}

TEST(Assembly, IndicesBeyondTheBufferReadZero) {
  const std::vector<uint16_t> i16{4, 5, 6};
  DrawParams p = indexed(i16, VK_INDEX_TYPE_UINT16);
  p.count = 6;
  p.vertexOffset = 10;
  EXPECT_EQ(assemble(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, p), (Tuples{{14, 15, 16}, {10, 10, 10}}));
}

}  // namespace
}  // namespace etzel::raster
