// Topologies, index types, restart, instancing, indirect draws and queries.
#include <algorithm>
#include <numeric>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

/// Draws points that append (vertex index, instance index) to a list; returns the sorted list.
struct Recorder {
  Gpu& gpu;
  Buffer out;
  Image target;
  DrawState s;
  explicit Recorder(Gpu& gpu) : gpu(gpu) {
    gpu.require(gpu.features.features.vertexPipelineStoresAndAtomics, "vertexPipelineStoresAndAtomics");
    out = gpu.buffer(4096 * 8 + 16);
    target = gpu.image({.width = 8, .height = 8, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
    gpu.clear(target, {});
    s.vert =
        "#version 450\nlayout(binding=0) buffer R { uint n, pad; uvec2 r[]; };\nvoid main() { r[atomicAdd(n, 1u)] = "
        "uvec2(gl_VertexIndex, gl_InstanceIndex); gl_Position = vec4(0, 0, 0, 1); gl_PointSize = 1.0; }\n";
    s.frag = writes("vec4(1.0)");
    s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    s.colors = {target};
    s.bindings = {storage(out)};
  }
  std::set<std::pair<uint32_t, uint32_t>> run() {
    draw(gpu, s);
    std::set<std::pair<uint32_t, uint32_t>> seen;
    for (uint32_t i = 0; i < std::min(4096u, out.as<uint32_t>()[0]); ++i)
      seen.insert({out.as<uint32_t>()[2 + i * 2], out.as<uint32_t>()[3 + i * 2]});
    return seen;
  }
};
using Seen = std::set<std::pair<uint32_t, uint32_t>>;

/// Pixels lit by a topology over unit cells: how many primitives a count of vertices makes.
void topology(Gpu& gpu, VkPrimitiveTopology topology, uint32_t vertices, uint32_t primitives) {
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  info.queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS;
  info.queryCount = 1;
  info.pipelineStatistics = VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT |
                            VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_PRIMITIVES_BIT;
  gpu.require(gpu.features.features.pipelineStatisticsQuery, "pipelineStatisticsQuery");
  VkQueryPool pool;
  CTS_VK(vkCreateQueryPool(gpu.device, &info, nullptr, &pool));
  gpu.later([&gpu, pool] { vkDestroyQueryPool(gpu.device, pool, nullptr); });
  Image target = gpu.image({.width = 8, .height = 8, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  DrawState s;
  s.vert =
      "#version 450\nvoid main() { gl_Position = vec4(gl_VertexIndex & 1, gl_VertexIndex & 2, 0, 1); gl_PointSize = "
      "1.0; }\n";
  s.frag = writes("vec4(1.0)");
  s.topology = topology;
  s.vertexCount = vertices;
  s.colors = {target};
  s.before = [&](VkCommandBuffer cmd) { vkCmdResetQueryPool(cmd, pool, 0, 1), vkCmdBeginQuery(cmd, pool, 0, 0); };
  s.after = [&](VkCommandBuffer cmd) { vkCmdEndQuery(cmd, pool, 0); };
  draw(gpu, s);
  uint64_t result[2];
  gpu.results(pool, 0, 1, 16, result, 16, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  // Vertices of incomplete primitives may be counted or not.
  EXPECT_LE(result[0], vertices);
  EXPECT_EQ(result[1], primitives);
}

void addDirect() {
  struct T {
    const char* name;
    VkPrimitiveTopology topology;
    uint32_t (*primitives)(uint32_t);
  };
  static const T list[] = {
      {"points", VK_PRIMITIVE_TOPOLOGY_POINT_LIST, [](uint32_t n) { return n; }},
      {"lines", VK_PRIMITIVE_TOPOLOGY_LINE_LIST, [](uint32_t n) { return n / 2; }},
      {"line_strip", VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, [](uint32_t n) { return n < 2 ? 0 : n - 1; }},
      {"triangles", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, [](uint32_t n) { return n / 3; }},
      {"triangle_strip", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, [](uint32_t n) { return n < 3 ? 0 : n - 2; }},
      {"triangle_fan", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, [](uint32_t n) { return n < 3 ? 0 : n - 2; }}};
  for (auto& t : list)
    for (uint32_t n : {1u, 2u, 3u, 4u, 7u, 12u, 100u})
      add(text("draw.primitives.%s.vertices%u", t.name, n),
          [&t, n](Gpu& gpu) { topology(gpu, t.topology, n, t.primitives(n)); });
  for (uint32_t first : {0u, 5u})
    for (uint32_t instances : {0u, 1u, 3u})
      for (uint32_t firstInstance : {0u, 7u})
        add(text("draw.direct.first%u.instances%u.from%u", first, instances, firstInstance), [=](Gpu& gpu) {
          Recorder r(gpu);
          r.s.vertexCount = 9, r.s.firstVertex = first, r.s.instanceCount = instances,
          r.s.firstInstance = firstInstance;
          Seen want;
          for (uint32_t i = 0; i < instances; ++i)
            for (uint32_t v = 0; v < 9; ++v) want.insert({first + v, firstInstance + i});
          EXPECT_TRUE(r.run() == want);
        });
}

void addIndexed() {
  for (VkIndexType type : {VK_INDEX_TYPE_UINT16, VK_INDEX_TYPE_UINT32, VK_INDEX_TYPE_UINT8_EXT})
    for (int32_t offset : {0, 100, -3})
      for (uint32_t first : {0u, 4u})
        add(text("draw.indexed.bits%d.offset%d.first%u",
                 type == VK_INDEX_TYPE_UINT16   ? 16
                 : type == VK_INDEX_TYPE_UINT32 ? 32
                                                : 8,
                 offset < 0 ? 1000 - offset : offset, first),
            [=](Gpu& gpu) {
              if (type == VK_INDEX_TYPE_UINT8_EXT) gpu.requireExtension(VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME);
              static const uint32_t indices[] = {3, 9, 4, 250, 17, 3, 60, 5, 200, 11};
              std::vector<uint8_t> bytes;
              uint32_t width = type == VK_INDEX_TYPE_UINT16 ? 2 : type == VK_INDEX_TYPE_UINT32 ? 4 : 1;
              for (uint32_t i : indices)
                for (uint32_t b = 0; b < width; ++b) bytes.push_back(uint8_t(i >> (8 * b)));
              Buffer buffer = gpu.buffer(bytes);
              Recorder r(gpu);
              r.s.commands = [&](VkCommandBuffer cmd) {
                vkCmdBindIndexBuffer(cmd, buffer.handle, 0, type), vkCmdDrawIndexed(cmd, 6, 1, first, offset, 2);
              };
              Seen want;
              for (uint32_t i = first; i < first + 6; ++i) want.insert({uint32_t(int(indices[i]) + offset), 2});
              EXPECT_TRUE(r.run() == want);
            });
}

void addIndirect() {
  for (uint32_t draws : {1u, 2u, 5u})
    for (int kind = 0; kind < 4; ++kind)
      add(text("draw.indirect.%s.draws%u",
               kind == 0   ? "plain"
               : kind == 1 ? "indexed"
               : kind == 2 ? "count"
                           : "indexed_count",
               draws),
          [=](Gpu& gpu) {
            if (draws > 1) gpu.require(gpu.features.features.multiDrawIndirect, "multiDrawIndirect");
            gpu.require(gpu.features.features.drawIndirectFirstInstance, "drawIndirectFirstInstance");
            if (kind > 1) gpu.require(gpu.features12.drawIndirectCount, "drawIndirectCount");
            bool indexed = kind & 1;
            std::vector<uint32_t> words(64), indices(64);
            std::iota(indices.rbegin(), indices.rend(), 0);
            Seen want;
            uint32_t stride = 32, made = kind > 1 ? (draws + 1) / 2 : draws;  // the count buffer asks for fewer
            for (uint32_t i = 0; i < draws; ++i) {
              uint32_t* w = &words[i * 8];
              w[0] = 3 + i, w[1] = 1 + i % 2, w[2] = i * 7;
              if (indexed)
                w[3] = 5, w[4] = i;
              else
                w[3] = i;
              for (uint32_t v = 0; i < made && v < w[0]; ++v)
                for (uint32_t k = 0; k < w[1]; ++k) want.insert({indexed ? indices[w[2] + v] + 5 : w[2] + v, i + k});
            }
            Buffer indirect = gpu.buffer(words), ib = gpu.buffer(indices), count = gpu.buffer(16);
            count.as<uint32_t>()[1] = made;
            Recorder r(gpu);
            r.s.commands = [&](VkCommandBuffer cmd) {
              vkCmdBindIndexBuffer(cmd, ib.handle, 0, VK_INDEX_TYPE_UINT32);
              if (kind == 0) vkCmdDrawIndirect(cmd, indirect.handle, 0, draws, stride);
              if (kind == 1) vkCmdDrawIndexedIndirect(cmd, indirect.handle, 0, draws, stride);
              if (kind == 2) vkCmdDrawIndirectCount(cmd, indirect.handle, 0, count.handle, 4, draws, stride);
              if (kind == 3) vkCmdDrawIndexedIndirectCount(cmd, indirect.handle, 0, count.handle, 4, draws, stride);
            };
            EXPECT_TRUE(r.run() == want);
          });
}

}  // namespace

void registerDraw() {
  addDirect();
  addIndexed();
  addIndirect();
}

void registerQueries() {
  for (uint32_t edge : {1u, 5u, 8u})
    for (bool precise : {false, true})
      add(text("query.occlusion.%s.edge%u", precise ? "precise" : "any", edge), [=](Gpu& gpu) {
        if (precise) gpu.require(gpu.features.features.occlusionQueryPrecise, "occlusionQueryPrecise");
        VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
        info.queryType = VK_QUERY_TYPE_OCCLUSION;
        info.queryCount = 2;
        VkQueryPool pool;
        CTS_VK(vkCreateQueryPool(gpu.device, &info, nullptr, &pool));
        gpu.later([&gpu, pool] { vkDestroyQueryPool(gpu.device, pool, nullptr); });
        Image target = gpu.image({.width = 8, .height = 8, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
        DrawState s;
        s.vert = coverAll();
        s.frag = writes("vec4(1.0)");
        s.colors = {target};
        s.scissors = {{{0, 0}, {edge, edge}}};
        s.before = [&](VkCommandBuffer cmd) { vkCmdResetQueryPool(cmd, pool, 0, 2); };
        s.commands = [&](VkCommandBuffer cmd) {
          vkCmdBeginQuery(cmd, pool, 0, precise ? VK_QUERY_CONTROL_PRECISE_BIT : 0);
          vkCmdDraw(cmd, 3, 2, 0, 0);
          vkCmdEndQuery(cmd, pool, 0);
          vkCmdBeginQuery(cmd, pool, 1, precise ? VK_QUERY_CONTROL_PRECISE_BIT : 0);
          vkCmdEndQuery(cmd, pool, 1);
        };
        draw(gpu, s);
        uint64_t got[2];
        gpu.results(pool, 0, 2, 16, got, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
        if (precise)
          EXPECT_EQ(got[0], 2 * edge * edge);
        else
          EXPECT_NE(got[0], 0u);
        EXPECT_EQ(got[1], 0u) << "an empty query";
      });
  add("query.timestamp.order", [](Gpu& gpu) {
    gpu.require(gpu.limits().timestampComputeAndGraphics, "timestamps");
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 2;
    VkQueryPool pool;
    CTS_VK(vkCreateQueryPool(gpu.device, &info, nullptr, &pool));
    gpu.later([&gpu, pool] { vkDestroyQueryPool(gpu.device, pool, nullptr); });
    gpu.submit([&](VkCommandBuffer cmd) {
      vkCmdResetQueryPool(cmd, pool, 0, 2);
      vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool, 0);
      fullBarrier(cmd);
      vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 1);
    });
    uint64_t got[2];
    gpu.results(pool, 0, 2, 16, got, 8, VK_QUERY_RESULT_64_BIT);
    EXPECT_LE(got[0], got[1]);
  });
}

}  // namespace etzel::cts
