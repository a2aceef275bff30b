// Skinned meshes with 16-bit indices: a crowd in one instanced draw, and figures drawn one by one.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "../scenario.h"
#include "color.frag.h"
#include "resources.h"
#include "skinned.vert.h"
#include "skinned_crowd.vert.h"

namespace vkbench {
namespace {

constexpr uint32_t kBones = 64, kFigures = 48, kAround = 32, kAlong = 64;

struct SkinnedVertex {
  float position[3], normal[3];
  uint8_t bones[4], weights[4];
};

struct Figure {
  std::vector<SkinnedVertex> vertices;
  std::vector<uint16_t> indices;
};

/// A tube of length 1 that its bones bend; each vertex follows the four nearest.
Figure tube() {
  Figure f;
  for (uint32_t y = 0; y <= kAlong; ++y)
    for (uint32_t x = 0; x <= kAround; ++x) {
      const float a = float(x) * 6.2831853f / kAround, along = float(y) / kAlong;
      const float nx = std::cos(a), nz = std::sin(a), radius = 0.08f + 0.04f * std::sin(along * 9);
      SkinnedVertex v{{nx * radius, along - 0.5f, nz * radius}, {nx, 0, nz}, {}, {96, 80, 48, 31}};
      for (uint32_t b = 0; b < 4; ++b) v.bones[b] = uint8_t(std::min(y * (kBones - 1) / kAlong + b, kBones - 1));
      f.vertices.push_back(v);
    }
  for (uint32_t y = 0; y < kAlong; ++y)
    for (uint32_t x = 0; x < kAround; ++x) {
      const uint32_t a = y * (kAround + 1) + x, b = a + 1, c = a + kAround + 1, d = c + 1;
      for (const uint32_t i : {a, d, b, a, c, d}) f.indices.push_back(uint16_t(i));
    }
  return f;
}

/// Turns about z and small shifts, other ones for each figure.
std::vector<float> poses(uint32_t figures) {
  std::vector<float> m;
  for (uint32_t i = 0; i < figures * kBones; ++i) {
    const float along = float(i % kBones) / kBones;
    const float a = 0.5f * std::sin(along * 5 + float(i / kBones));
    const float c = std::cos(a), s = std::sin(a);
    for (const float v : {c, s, 0.0f, 0.0f, -s, c, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.05f * a, 0.0f, 0.0f, 1.0f})
      m.push_back(v);
  }
  return m;
}

Outcome skinned(Gpu& gpu, bool crowd) {
  const Target target = gpu.makeTarget({.width = kWidth, .height = kHeight, .depth = true});
  const Figure figure = tube();
  const Buffer vertices = bufferOf<SkinnedVertex>(gpu, figure.vertices);
  const Buffer indices = bufferOf<uint16_t>(gpu, figure.indices);
  const Buffer bones = bufferOf<float>(gpu, poses(crowd ? kFigures : 1));
  const Resources resources(gpu, {crowd ? storage(bones) : uniform(bones)});
  const VkPipeline pipeline = gpu.makePipeline(
      {.stages = {{VK_SHADER_STAGE_VERTEX_BIT, crowd ? Spirv{skinned_crowd_vert} : Spirv{skinned_vert}},
                  {VK_SHADER_STAGE_FRAGMENT_BIT, color_frag}},
       .target = &target,
       .depthTest = true,
       .cull = VK_CULL_MODE_BACK_BIT,
       .stride = sizeof(SkinnedVertex),
       .attributes = {{0, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(SkinnedVertex, position)},
                      {1, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(SkinnedVertex, normal)},
                      {2, 0, VK_FORMAT_R8G8B8A8_UINT, offsetof(SkinnedVertex, bones)},
                      {3, 0, VK_FORMAT_R8G8B8A8_UNORM, offsetof(SkinnedVertex, weights)}}},
      resources.layout);
  const double work = double(figure.vertices.size()) * kFigures / 1e6;
  return drawOutcome(gpu, target, work, [&](VkCommandBuffer c) {
    const VkDeviceSize zero = 0;
    const auto count = uint32_t(figure.indices.size());
    resources.bind(c, pipeline);
    vkCmdBindVertexBuffers(c, 0, 1, &vertices.buffer, &zero);
    vkCmdBindIndexBuffer(c, indices.buffer, 0, VK_INDEX_TYPE_UINT16);
    if (crowd) return vkCmdDrawIndexed(c, count, kFigures, 0, 0, 0);
    for (uint32_t i = 0; i < kFigures; ++i) {
      const float place[4] = {(float(i % 12) + 0.5f) / 6 - 1, (float(i / 12) + 0.5f) / 2 - 1, 0.4f, 0.45f};
      resources.push(c, place);
      vkCmdDrawIndexed(c, count, 1, 0, 0, 0);
    }
  });
}

}  // namespace

std::vector<Scenario> skinningScenarios() {
  return {
      {"skinning.crowd", "Mvert/s", true, Bound::None, 0, 0.02, [](Gpu& g) { return skinned(g, true); }},
      {"skinning.draws", "Mvert/s", true, Bound::None, 0, 0.02, [](Gpu& g) { return skinned(g, false); }},
  };
}

}  // namespace vkbench
