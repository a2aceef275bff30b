// Work before the rasterizer: long vertex shaders, tessellation, geometry shaders, instancing.
#include "../scenario.h"
#include "color.frag.h"
#include "draws.h"
#include "heavy.vert.h"
#include "instance.vert.h"
#include "patch.tesc.h"
#include "patch.tese.h"
#include "patch.vert.h"
#include "sprite.geom.h"
#include "sprite.vert.h"

namespace vkbench {
namespace {

constexpr auto kVertex = VK_SHADER_STAGE_VERTEX_BIT;
constexpr auto kFragment = VK_SHADER_STAGE_FRAGMENT_BIT;

Outcome heavyVertices(Gpu& gpu) {
  const Target target = gpu.makeTarget({.width = kWidth, .height = kHeight});
  const Mesh mesh = gridMesh(300, 200);
  const Buffer vb = bufferOf<Vertex>(gpu, mesh.vertices), ib = bufferOf<uint32_t>(gpu, mesh.indices);
  const VkPipeline pipeline = gpu.makePipeline(
      {.stages = {{kVertex, heavy_vert}, {kFragment, color_frag}}, .target = &target, .vertices = true}, gpu.layout);
  return drawOutcome(gpu, target, double(mesh.vertices.size()) / 1e6, [&](VkCommandBuffer c) {
    bindMesh(gpu, c, pipeline, vb, {}, &ib);
    vkCmdDrawIndexed(c, uint32_t(mesh.indices.size()), 1, 0, 0, 0);
  });
}

Outcome tessellation(Gpu& gpu) {
  gpu.require(gpu.features.tessellationShader, "tessellationShader");
  const Target target = gpu.makeTarget({.width = kWidth, .height = kHeight});
  const Mesh mesh = gridMesh(24, 16);
  std::vector<Vertex> corners;  // four a patch
  for (uint32_t y = 0; y < 16; ++y)
    for (uint32_t x = 0; x < 24; ++x)
      for (const uint32_t i : {y * 25 + x, y * 25 + x + 1, y * 25 + x + 25, y * 25 + x + 26})
        corners.push_back(mesh.vertices[i]);
  const Buffer vb = bufferOf<Vertex>(gpu, corners);
  const VkPipeline pipeline = gpu.makePipeline({.stages = {{kVertex, patch_vert},
                                                           {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, patch_tesc},
                                                           {VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, patch_tese},
                                                           {kFragment, color_frag}},
                                                .target = &target,
                                                .vertices = true,
                                                .topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST,
                                                .patchPoints = 4},
                                               gpu.layout);
  return drawOutcome(gpu, target, 24 * 16 * 16 * 16 * 2 / 1e6, [&](VkCommandBuffer c) {
    bindMesh(gpu, c, pipeline, vb, {.offset = {0, 0, 0, 16}});
    // Two draws: lavapipe 22.3 loses what lies beyond 65,535 tessellated vertices of one draw.
    const auto half = uint32_t(corners.size() / 2);
    vkCmdDraw(c, half, 1, 0, 0);
    vkCmdDraw(c, half, 1, half, 0);
  });
}

Outcome geometryShader(Gpu& gpu) {
  gpu.require(gpu.features.geometryShader, "geometryShader");
  const Target target = gpu.makeTarget({.width = kWidth, .height = kHeight});
  constexpr uint32_t kPoints = 50000;
  Random random(3);
  std::vector<Vertex> points(kPoints);
  for (Vertex& p : points)
    p = {random.unit() * 2 - 1, random.unit() * 2 - 1, random.unit(), random.word() | 0xff000000u};
  const Buffer vb = bufferOf<Vertex>(gpu, points);
  const VkPipeline pipeline = gpu.makePipeline(
      {.stages = {{kVertex, sprite_vert}, {VK_SHADER_STAGE_GEOMETRY_BIT, sprite_geom}, {kFragment, color_frag}},
       .target = &target,
       .vertices = true,
       .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST},
      gpu.layout);
  return drawOutcome(gpu, target, kPoints * 2 / 1e6, [&](VkCommandBuffer c) {
    bindMesh(gpu, c, pipeline, vb, {});
    vkCmdDraw(c, kPoints, 1, 0, 0);
  });
}

Outcome instancing(Gpu& gpu) {
  const Target target = gpu.makeTarget({.width = kWidth, .height = kHeight, .depth = true});
  const VkPipeline pipeline = gpu.makePipeline(
      {.stages = {{kVertex, instance_vert}, {kFragment, color_frag}}, .target = &target, .depthTest = true},
      gpu.layout);
  return drawOutcome(gpu, target, 10000 * 12 / 1e6, [&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    push(gpu, c, MeshPush{});
    vkCmdDraw(c, 36, 10000, 0, 0);
  });
}

}  // namespace

std::vector<Scenario> geometryScenarios() {
  // heavy.vert: 64 rounds of some 24 operations a vertex.
  return {
      {"geometry.vertex_heavy", "Mvert/s", true, Bound::Fma, 64 * 24e-3, 0.02, heavyVertices},
      {"geometry.tessellation", "Mtri/s", true, Bound::None, 0, 0.02, tessellation},
      {"geometry.geometry_shader", "Mtri/s", true, Bound::None, 0, 0.02, geometryShader},
      {"geometry.instancing", "Mtri/s", true, Bound::None, 0, 0.02, instancing},
  };
}

}  // namespace vkbench
