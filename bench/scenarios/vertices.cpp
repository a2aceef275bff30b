// Vertices as programs store them: formats of attributes, kinds of indices and topologies, one varied at a time. What
// is drawn lies beside the target, so that vertices alone are worked on; lines lie on it.
#include "draws.h"

#include "color.frag.h"
#include "mesh.vert.h"

namespace vkbench {
namespace {

constexpr uint32_t kColumns = 250, kRows = 200, kInstances = 8;

struct Layout {
  VkFormat position = VK_FORMAT_R32G32B32_SFLOAT, color = VK_FORMAT_R8G8B8A8_UNORM;
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  VkIndexType indices = VK_INDEX_TYPE_UINT16;  ///< NONE: vertices one after the other
  bool visible = false;
};

/// Bytes of random codes; none of them is a number that floats or halves do not have.
Buffer vertexBuffer(Gpu& gpu, uint32_t bytes) {
  const Buffer b = gpu.makeBuffer(bytes);
  Random random(61);
  for (uint32_t& w : b.as<uint32_t>()) w = random.word() & 0x3bff3bffu;
  return b;
}

Outcome draw(Gpu& gpu, const Layout& layout) {
  for (const VkFormat format : {layout.position, layout.color})
    gpu.requireBufferFormat(format, VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT);
  const Target target = gpu.makeTarget({.width = kWidth, .height = kHeight});
  const bool indexed = layout.indices != VK_INDEX_TYPE_NONE_KHR;
  constexpr uint32_t kStride = 32, kVertices = kColumns * kRows;
  const Buffer vertices = vertexBuffer(gpu, kVertices * kStride);
  const std::vector<uint32_t> list = gridMesh(kColumns - 1, kRows - 1).indices;
  const std::vector<uint16_t> shorts(list.begin(), list.end());
  const bool wide = layout.indices == VK_INDEX_TYPE_UINT32;
  const Buffer indices = wide ? bufferOf<uint32_t>(gpu, list) : bufferOf<uint16_t>(gpu, shorts);
  const VkPipeline pipeline =
      gpu.makePipeline({.stages = {{VK_SHADER_STAGE_VERTEX_BIT, mesh_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, color_frag}},
                        .target = &target,
                        .topology = layout.topology,
                        .stride = kStride,
                        .attributes = {{0, 0, layout.position, 0}, {1, 0, layout.color, 16}}},
                       gpu.layout);
  // Positions of random floats are up to 1.9 in size.
  const MeshPush constants{.offset = {layout.visible ? 0.0f : 5.0f, 0, 0, 0}};
  const uint32_t count = indexed ? uint32_t(list.size()) : kVertices;
  const uint32_t instances = layout.visible ? 1 : kInstances;
  return commandOutcome(gpu, double(count) * instances / 1e6, [&](VkCommandBuffer c) {
    const VkDeviceSize zero = 0;
    gpu.begin(c, target);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindVertexBuffers(c, 0, 1, &vertices.buffer, &zero);
    if (indexed) vkCmdBindIndexBuffer(c, indices.buffer, 0, layout.indices);
    push(gpu, c, constants);
    if (indexed)
      vkCmdDrawIndexed(c, count, instances, 0, 0, 0);
    else
      vkCmdDraw(c, count, instances, 0, 0);
    vkCmdEndRenderPass(c);
  });
}

}  // namespace

std::vector<Scenario> vertexScenarios() {
  std::vector<Scenario> all;
  const auto add = [&](const std::string& name, const Layout& layout) {
    all.push_back(
        {"vertices." + name, "Mvert/s", true, Bound::None, 0, 0.01, [layout](Gpu& g) { return draw(g, layout); }});
  };
  const std::pair<const char*, VkFormat> formats[] = {{"rgba8", VK_FORMAT_R8G8B8A8_UNORM},
                                                      {"bgra8", VK_FORMAT_B8G8R8A8_UNORM},
                                                      {"rgba8_snorm", VK_FORMAT_R8G8B8A8_SNORM},
                                                      {"rgba8_uscaled", VK_FORMAT_R8G8B8A8_USCALED},
                                                      {"rgb10a2", VK_FORMAT_A2B10G10R10_UNORM_PACK32},
                                                      {"rgb10a2_snorm", VK_FORMAT_A2B10G10R10_SNORM_PACK32},
                                                      {"rg16", VK_FORMAT_R16G16_UNORM},
                                                      {"rgba16_snorm", VK_FORMAT_R16G16B16A16_SNORM},
                                                      {"rg16f", VK_FORMAT_R16G16_SFLOAT},
                                                      {"rgba16f", VK_FORMAT_R16G16B16A16_SFLOAT},
                                                      {"r32f", VK_FORMAT_R32_SFLOAT},
                                                      {"rg32f", VK_FORMAT_R32G32_SFLOAT},
                                                      {"rgb32f", VK_FORMAT_R32G32B32_SFLOAT},
                                                      {"rgba32f", VK_FORMAT_R32G32B32A32_SFLOAT}};
  for (const auto& [name, format] : formats) add(name, {.color = format});
  add("place_rgba16f", {.position = VK_FORMAT_R16G16B16A16_SFLOAT});
  add("place_rgba16_snorm", {.position = VK_FORMAT_R16G16B16A16_SNORM});
  add("indices_32", {.indices = VK_INDEX_TYPE_UINT32});
  add("list", {.indices = VK_INDEX_TYPE_NONE_KHR});
  add("strip", {.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, .indices = VK_INDEX_TYPE_NONE_KHR});
  add("fan", {.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, .indices = VK_INDEX_TYPE_NONE_KHR});
  add("line_list", {.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST, .indices = VK_INDEX_TYPE_NONE_KHR});
  add("lines", {.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST, .indices = VK_INDEX_TYPE_NONE_KHR, .visible = true});
  add("line_strip", {.topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, .indices = VK_INDEX_TYPE_NONE_KHR, .visible = true});
  return all;
}

}  // namespace vkbench
