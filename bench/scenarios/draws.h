// The few lines that scenarios with draws share.
#pragma once

#include <cmath>
#include <cstring>

#include "../scenario.h"

namespace vkbench {

template <class T>
Buffer bufferOf(Gpu& gpu, std::span<const T> values) {
  const Buffer b = gpu.makeBuffer(values.size_bytes());
  std::memcpy(b.mapped, values.data(), values.size_bytes());
  return b;
}

template <class T>
void push(const Gpu& gpu, VkCommandBuffer c, const T& constants, VkPipelineLayout layout = VK_NULL_HANDLE) {
  vkCmdPushConstants(c, layout ? layout : gpu.layout, VK_SHADER_STAGE_ALL, 0, sizeof(T), &constants);
}

/// Texture coordinates turned by 20 degrees, at the wanted texels a pixel along each axis of an image of so many.
inline FullPush turnedTexels(float texelsX, float texelsY, float size) {
  const float u = texelsX * kWidth / size, v = texelsY * kHeight / size, co = std::cos(0.35f), si = std::sin(0.35f);
  return {.map = {u * co, u * si, -v * si, v * co}};
}

inline void bindMesh(const Gpu& gpu, VkCommandBuffer c, VkPipeline pipeline, const Buffer& vertices,
                     const MeshPush& constants, const Buffer* indices = nullptr) {
  const VkDeviceSize zero = 0;
  vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdBindVertexBuffers(c, 0, 1, &vertices.buffer, &zero);
  if (indices) vkCmdBindIndexBuffer(c, indices->buffer, 0, VK_INDEX_TYPE_UINT32);
  push(gpu, c, constants);
}

/// gridMesh() in one colour, with depth where the target has it. `vertex`: mesh.vert.
class GridDraw {
 public:
  GridDraw(Gpu& gpu, const Target& target, uint32_t columns, uint32_t rows, Spirv vertex, Spirv fragment)
      : gpu_(gpu), target_(target) {
    const Mesh mesh = gridMesh(columns, rows);
    vertices_ = bufferOf<Vertex>(gpu, mesh.vertices), indices_ = bufferOf<uint32_t>(gpu, mesh.indices);
    count_ = uint32_t(mesh.indices.size());
    pipeline_ =
        gpu.makePipeline({.stages = {{VK_SHADER_STAGE_VERTEX_BIT, vertex}, {VK_SHADER_STAGE_FRAGMENT_BIT, fragment}},
                          .target = &target,
                          .vertices = true,
                          .depthTest = target.desc.depth},
                         gpu.layout);
  }
  /// A whole pass.
  void record(VkCommandBuffer c, const MeshPush& constants = {}) const {
    gpu_.begin(c, target_);
    bindMesh(gpu_, c, pipeline_, vertices_, constants, &indices_);
    vkCmdDrawIndexed(c, count_, 1, 0, 0, 0);
    vkCmdEndRenderPass(c);
  }

 private:
  Gpu& gpu_;
  const Target& target_;
  Buffer vertices_, indices_;
  uint32_t count_;
  VkPipeline pipeline_;
};

/// Times one render pass with `draws` in it; `work` is how many of the scenario's units that is.
template <class F>
Outcome drawOutcome(Gpu& gpu, const Target& target, double work, F draws) {
  const VkCommandBuffer commands = gpu.record([&](VkCommandBuffer c) {
    gpu.begin(c, target);
    draws(c);
    vkCmdEndRenderPass(c);
  });
  Outcome out;
  out.timing = gpu.time(commands);
  out.value = work / out.timing.median;
  digestImage(out, gpu.read(target.picture()), target.desc.width, target.desc.height);
  return out;
}

/// Times one dispatch (or several, in `body`).
template <class F>
Outcome commandOutcome(Gpu& gpu, double work, F body) {
  Outcome out;
  out.timing = gpu.time(gpu.record([&](VkCommandBuffer c) {
    body(c);
    gpu.barrier(c);
  }));
  out.value = work / out.timing.median;
  return out;
}

}  // namespace vkbench
