// Small triangles and culled ones: what the front end and set-up cost.
#include <cstring>

#include "../scenario.h"
#include "color.frag.h"
#include "draws.h"
#include "mesh.vert.h"

namespace vkbench {
namespace {

Outcome looseTrianglesOf(Gpu& gpu, uint32_t count, float area) {
  const Target target = gpu.makeTarget({.width = kWidth, .height = kHeight});
  const std::vector<Vertex> vertices = looseTriangles(count, area);
  const Buffer vb = bufferOf<Vertex>(gpu, vertices);
  const VkPipeline pipeline =
      gpu.makePipeline({.stages = {{VK_SHADER_STAGE_VERTEX_BIT, mesh_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, color_frag}},
                        .target = &target,
                        .vertices = true},
                       gpu.layout);
  return drawOutcome(gpu, target, count / 1e6, [&](VkCommandBuffer c) {
    bindMesh(gpu, c, pipeline, vb, {});
    vkCmdDraw(c, count * 3, 1, 0, 0);
  });
}

Outcome indexedMesh(Gpu& gpu, bool culled) {
  const Target target = gpu.makeTarget({.width = kWidth, .height = kHeight});
  const Mesh mesh = gridMesh(500, 400);
  const Buffer vb = bufferOf<Vertex>(gpu, mesh.vertices), ib = bufferOf<uint32_t>(gpu, mesh.indices);
  const VkPipeline pipeline =
      gpu.makePipeline({.stages = {{VK_SHADER_STAGE_VERTEX_BIT, mesh_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, color_frag}},
                        .target = &target,
                        .vertices = true,
                        .cull = culled ? VK_CULL_MODE_BACK_BIT : VK_CULL_MODE_NONE},
                       gpu.layout);
  return drawOutcome(gpu, target, double(mesh.indices.size()) / 3e6, [&](VkCommandBuffer c) {
    bindMesh(gpu, c, pipeline, vb, {}, &ib);
    vkCmdDrawIndexed(c, uint32_t(mesh.indices.size()), 1, 0, 0, 0);
  });
}

}  // namespace

std::vector<Scenario> rasterScenarios() {
  // A million loose triangles read 48 MB of vertices.
  return {
      {"raster.triangles_2px", "Mtri/s", true, Bound::Read, 0.048, 0.02,
       [](Gpu& g) { return looseTrianglesOf(g, 200000, 2); }},
      {"raster.triangles_10px", "Mtri/s", true, Bound::Read, 0.048, 0.02,
       [](Gpu& g) { return looseTrianglesOf(g, 100000, 10); }},
      {"raster.triangles_100px", "Mtri/s", true, Bound::Read, 0.048, 0.02,
       [](Gpu& g) { return looseTrianglesOf(g, 20000, 100); }},
      {"raster.indexed_mesh", "Mtri/s", true, Bound::Read, 0.02, 0.02, [](Gpu& g) { return indexedMesh(g, false); }},
      {"raster.indexed_culled", "Mtri/s", true, Bound::Read, 0.02, 0.02, [](Gpu& g) { return indexedMesh(g, true); }},
  };
}

}  // namespace vkbench
