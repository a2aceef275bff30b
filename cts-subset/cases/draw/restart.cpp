// Primitive restart with every index type and topology, and the vertex that provokes flat inputs.
#include <algorithm>

#include "cts-subset/cases/draw/topology.h"
#include "cts-subset/cases/groups.h"

namespace etzel::cts {
namespace {

VkDeviceSize indexBytes(VkIndexType type) {
  return type == VK_INDEX_TYPE_UINT16 ? 2 : type == VK_INDEX_TYPE_UINT32 ? 4 : 1;
}

/// The vertices of the primitives that indices make, in any order.
std::vector<std::vector<uint32_t>> received(Gpu& gpu, const Topology& in, const std::vector<uint32_t>& indices,
                                            VkIndexType type, bool restart) {
  if (type == VK_INDEX_TYPE_UINT8_EXT) gpu.requireExtension(VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME);
  std::vector<uint8_t> bytes;
  for (uint32_t i : indices)
    for (VkDeviceSize b = 0; b < indexBytes(type); ++b) bytes.push_back(uint8_t(i >> (8 * b)));
  Buffer ib = gpu.buffer(bytes);
  DrawState s;
  s.restart = restart;
  s.commands = [&](VkCommandBuffer cmd) {
    vkCmdBindIndexBuffer(cmd, ib.handle, 0, type);
    vkCmdDrawIndexed(cmd, uint32_t(indices.size()), 1, 0, 0, 0);
  };
  std::vector<std::vector<uint32_t>> list;
  for (const Received& r : receivedPrimitives(gpu, in, s)) list.push_back(r.vertices);
  std::sort(list.begin(), list.end());
  return list;
}

void restarts(Gpu& gpu, const Topology& in, VkIndexType type, int pattern, bool enabled) {
  uint32_t special = type == VK_INDEX_TYPE_UINT16 ? 0xffff : type == VK_INDEX_TYPE_UINT32 ? ~0u : 0xff;
  // Pieces of several lengths; restarts at the beginning, in a row and at the end; the special index of narrower types
  // is an ordinary one.
  static const std::vector<std::vector<uint32_t>> patterns[] = {
      {{0, 1, 2, 3, 4, 5, 6}, {10, 11, 12, 13, 14, 15, 16, 17}},
      {{}, {7, 3, 9, 1, 12, 4}, {}, {}, {20, 21, 22, 23}, {}},
      {{0}, {1, 2}, {3, 4, 5}, {6, 7, 8, 9}, {30, 31, 32, 33, 34, 35, 36, 37, 38}},
      {{0xfe, 0xfd, 5, 6, 0xfe, 2}, {1, 2, 3, 4, 5, 6}}};
  std::vector<uint32_t> indices;
  std::vector<std::vector<uint32_t>> want;
  if (!enabled && type != VK_INDEX_TYPE_UINT32) special = 77;  // an index like others
  bool first = true;
  for (auto& piece : patterns[pattern]) {
    if (!first) indices.push_back(enabled ? special : 77);
    first = false;
    indices.insert(indices.end(), piece.begin(), piece.end());
    if (!enabled) continue;
    for (auto& p : primitivesOf(in.topology, uint32_t(piece.size()))) {
      want.emplace_back();
      for (uint32_t i : p) want.back().push_back(piece[i]);
    }
  }
  if (!enabled)
    for (auto& p : primitivesOf(in.topology, uint32_t(indices.size()))) {
      want.emplace_back();
      for (uint32_t i : p) want.back().push_back(indices[i]);
    }
  std::sort(want.begin(), want.end());
  EXPECT_EQ(received(gpu, in, indices, type, enabled), want);
}

/// A flat input takes its value from the first (or last) vertex of each primitive.
void provoking(Gpu& gpu, const Topology& in, bool last) {
  if (last) {
    gpu.requireExtension(VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME);
  }
  Image target =
      gpu.image({.format = VK_FORMAT_R32_UINT, .width = 16, .height = 4, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  gpu.clear(target, {});
  DrawState s;
  // Vertices of a zigzag; the fan has its first vertex in the middle below.
  bool fan = in.topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, lines = in.vertices == 2;
  s.vert = text(
      "#version 450\nlayout(location=0) flat out uint id;\nvoid main() { int i = gl_VertexIndex; id = uint(i) + 1u;\n"
      "vec2 p = %s; gl_Position = vec4(p / vec2(8.0, 2.0) - 1.0, 0.0, 1.0); gl_PointSize = 1.0; }\n",
      fan     ? "i == 0 ? vec2(8.0, 4.0) : vec2(float(i - 1) * 4.0, 0.0)"
      : lines ? "vec2(float(i) * 3.0 + 0.5, 1.5)"
              : "vec2(float(i) * 2.0, (i & 1) != 0 ? 0.0 : 4.0)");
  s.frag =
      "#version 450\nlayout(location=0) flat in uint id;\nlayout(location=0) out uint c;\nvoid main() { c = id; }\n";
  s.topology = in.topology;
  s.vertexCount = 6;
  s.colors = {target};
  VkPipelineRasterizationProvokingVertexStateCreateInfoEXT mode{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT, nullptr,
      VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT};
  if (last) s.raster.pNext = &mode;
  draw(gpu, s);
  auto bytes = gpu.download(target, 4);
  auto* got = reinterpret_cast<uint32_t*>(bytes.data());
  std::set<uint32_t> seen(got, got + 64), want = {0};
  for (auto& p : primitivesOf(in.topology, 6)) {
    // Strips list their odd triangles in another order; what provokes is the vertex with the lowest (or highest) place
    // that is not the fan's common one.
    uint32_t low = ~0u, high = 0;
    for (uint32_t i : p)
      if (!fan || i != 0) low = std::min(low, i), high = std::max(high, i);
    want.insert((last ? high : low) + 1);
  }
  EXPECT_TRUE(seen == want) << seen.size() << " values instead of " << want.size();
  if (fan || lines) return;
  // Each triangle of the strip (or list) has its own number where only it is: the pixel around its centre.
  for (auto& p : primitivesOf(in.topology, 6)) {
    double x = 0, y = 0;
    for (uint32_t i : p) x += i * 2.0 / 3, y += (i & 1 ? 0.0 : 4.0) / 3;
    uint32_t low = *std::min_element(p.begin(), p.end()), high = *std::max_element(p.begin(), p.end());
    EXPECT_EQ(got[int(y) * 16 + int(x)], (last ? high : low) + 1) << "triangle of vertex " << low;
  }
}

}  // namespace

void registerRestart() {
  const std::pair<VkIndexType, const char*> types[] = {
      {VK_INDEX_TYPE_UINT16, "uint16"}, {VK_INDEX_TYPE_UINT32, "uint32"}, {VK_INDEX_TYPE_UINT8_EXT, "uint8"}};
  for (auto& in : topologies) {
    bool list = in.topology == VK_PRIMITIVE_TOPOLOGY_POINT_LIST || in.topology == VK_PRIMITIVE_TOPOLOGY_LINE_LIST ||
                in.topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST ||
                in.topology == VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY ||
                in.topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY;
    for (auto [type, name] : types)
      for (int pattern = 0; pattern < 4; ++pattern)
        for (bool enabled : {false, true})
          add(text("draw.restart.%s.%s.pattern%d.%s", in.name, name, pattern, enabled ? "on" : "off"),
              [=, &in, type = type](Gpu& gpu) {
                if (list && enabled) gpu.requireExtension(VK_EXT_PRIMITIVE_TOPOLOGY_LIST_RESTART_EXTENSION_NAME);
                restarts(gpu, in, type, pattern, enabled);
              });
    if (in.vertices > 3 || in.vertices == 1) continue;
    for (bool last : {false, true})
      add(text("draw.provoking_vertex.%s.%s", in.name, last ? "last" : "first"),
          [=, &in](Gpu& gpu) { provoking(gpu, in, last); });
  }
}

}  // namespace etzel::cts
