// What happens to vertices before they are rasterized: what vertex shaders read and write, geometry shaders and
// tessellation of every kind, one varied at a time. Meshes of small triangles on the target.
#include <bit>

#include "resources.h"

#include "color.frag.h"
#include "mesh.vert.h"
#include "patch.vert.h"
#include "stage.vert.h"
#include "stage_clip.vert.h"
#include "stage_culls.geom.h"
#include "stage_invocations.geom.h"
#include "stage_isolines.tese.h"
#include "stage_lines.geom.h"
#include "stage_normals.geom.h"
#include "stage_patch.tesc.h"
#include "stage_quads.tese.h"
#include "stage_quads_odd.tese.h"
#include "stage_quads_points.tese.h"
#include "stage_shells.geom.h"
#include "stage_triangles.geom.h"
#include "stage_triangles.tese.h"
#include "stage_triangles_even.tese.h"
#include "stage_wide.frag.h"
#include "stage_wide.vert.h"

namespace vkbench {
namespace {

constexpr uint32_t kColumns = 200, kRows = 150;

struct Meshwork {
  Spirv vertex = mesh_vert, geometry, control, evaluation, fragment = color_frag;
  int32_t variant = 0;
  uint32_t columns = kColumns, rows = kRows;
  GraphicsDesc state = {};  ///< beside what is told here
};

/// The corners of all cells, four each.
std::vector<uint32_t> patchesOf(uint32_t columns, uint32_t rows) {
  std::vector<uint32_t> corners;
  for (uint32_t y = 0; y < rows; ++y)
    for (uint32_t x = 0; x < columns; ++x) {
      const uint32_t a = y * (columns + 1) + x;
      corners.insert(corners.end(), {a, a + 1, a + columns + 1, a + columns + 2});
    }
  return corners;
}

Outcome draw(Gpu& gpu, const Meshwork& m, uint32_t samples) {
  gpu.require(m.geometry.empty() || gpu.features.geometryShader, "geometryShader");
  gpu.require(m.control.empty() || gpu.features.tessellationShader, "tessellationShader");
  gpu.require(m.vertex.data() != stage_clip_vert || gpu.features.shaderClipDistance, "shaderClipDistance");
  const bool fills = m.state.polygons == VK_POLYGON_MODE_FILL;
  gpu.require(fills || gpu.features.fillModeNonSolid, "fillModeNonSolid");
  const Target target =
      gpu.makeTarget({.width = kWidth, .height = kHeight, .samples = samples, .depth = true, .resolve = samples > 1});
  const Mesh mesh = gridMesh(m.columns, m.rows);
  const std::vector<uint32_t> list = m.control.empty() ? mesh.indices : patchesOf(m.columns, m.rows);
  const Buffer vertices = bufferOf<Vertex>(gpu, mesh.vertices), indices = bufferOf<uint32_t>(gpu, list);
  const Buffer places = gpu.makeBuffer(4096 * 16), bones = gpu.makeBuffer(64 * 64);
  for (uint32_t i = 0; i < 64 * 16; ++i) bones.as<float>()[i] = i % 16 % 5 == 0 ? 1.0f : 0.0f;
  const Image heights = gpu.makeImage({.width = 256, .height = 256, .usage = kTexture});
  gpu.upload(heights, noiseTexels(256, 256, 81));
  const VkSampler sampler = gpu.makeSampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST);
  const Resources resources(gpu, {storage(places), uniform(bones), sampled(heights, sampler)});
  const float variant = std::bit_cast<float>(m.variant);
  GraphicsDesc desc = m.state;
  desc.stages = {{VK_SHADER_STAGE_VERTEX_BIT, m.vertex}, {VK_SHADER_STAGE_FRAGMENT_BIT, m.fragment}};
  if (!m.geometry.empty()) desc.stages.push_back({VK_SHADER_STAGE_GEOMETRY_BIT, m.geometry});
  if (!m.control.empty()) {
    desc.stages.push_back({VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, m.control});
    desc.stages.push_back({VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, m.evaluation});
    desc.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, desc.patchPoints = 4;
  }
  desc.target = &target, desc.vertices = true, desc.depthTest = true, desc.variant = &variant;
  const VkPipeline pipeline = gpu.makePipeline(desc, resources.layout);
  return drawOutcome(gpu, target, 1, [&](VkCommandBuffer c) {
    resources.bind(c, pipeline);
    const VkDeviceSize zero = 0;
    vkCmdBindVertexBuffers(c, 0, 1, &vertices.buffer, &zero);
    vkCmdBindIndexBuffer(c, indices.buffer, 0, VK_INDEX_TYPE_UINT32);
    resources.push(c, MeshPush{});
    vkCmdDrawIndexed(c, uint32_t(list.size()), 1, 0, 0, 0);
  });
}

}  // namespace

std::vector<Scenario> stageScenarios() {
  std::vector<Scenario> all;
  const auto add = [&](const std::string& name, const Meshwork& m) {
    all.push_back({"stage." + name, "draw/s", true, Bound::None, 0, 0.02, [m](Gpu& g) { return draw(g, m, 1); }});
    all.push_back(
        {"stage." + name + "_4x", "draw/s", true, Bound::None, 0, 0.02, [m](Gpu& g) { return draw(g, m, 4); }});
  };
  // As the shader numbers them.
  const char* operations[] = {"matrix", "bones", "storage", "texture", "fetch", "normal", "wave", "no_attributes"};
  int32_t operation = 0;
  for (const char* name : operations) add(name, {.vertex = stage_vert, .variant = operation++});
  add("clip", {.vertex = stage_clip_vert});
  add("wide", {.vertex = stage_wide_vert, .fragment = stage_wide_frag});
  add("culled_back", {.state = {.cull = VK_CULL_MODE_BACK_BIT}});
  add("culled_front", {.state = {.cull = VK_CULL_MODE_FRONT_BIT}});
  add("wires", {.state = {.polygons = VK_POLYGON_MODE_LINE}});
  add("corners", {.state = {.polygons = VK_POLYGON_MODE_POINT}});
  const std::pair<const char*, Spirv> geometries[] = {
      {"triangles", stage_triangles_geom}, {"lines", stage_lines_geom},     {"shells", stage_shells_geom},
      {"culls", stage_culls_geom},         {"normals", stage_normals_geom}, {"invocations", stage_invocations_geom}};
  for (const auto& [name, code] : geometries) add(std::string("geometry_") + name, {.geometry = code});
  const std::pair<const char*, Spirv> evaluations[] = {{"quads", stage_quads_tese},
                                                       {"quads_odd", stage_quads_odd_tese},
                                                       {"points", stage_quads_points_tese},
                                                       {"triangles", stage_triangles_tese},
                                                       {"triangles_even", stage_triangles_even_tese},
                                                       {"isolines", stage_isolines_tese}};
  for (const auto& [name, code] : evaluations)
    for (const auto& [levels, level, columns] :
         {std::tuple{"_2", 2.0f, 100u}, {"_7", 7.0f, 30u}, {"_16", 15.5f, 16u}, {"_64", 63.5f, 4u}})
      add(std::string("patches_") + name + levels, {.vertex = patch_vert,
                                                    .control = stage_patch_tesc,
                                                    .evaluation = code,
                                                    .variant = std::bit_cast<int32_t>(level),
                                                    .columns = columns,
                                                    .rows = columns});
  return all;
}

}  // namespace vkbench
