// Particles that add to what is there: quads that fade where they meet a scene, and points.
#include <algorithm>
#include <cstddef>

#include "../scenario.h"
#include "color.frag.h"
#include "mesh.vert.h"
#include "particle.frag.h"
#include "particle.vert.h"
#include "point.frag.h"
#include "point.vert.h"
#include "resources.h"

namespace vkbench {
namespace {

struct Particle {
  float x, y, z, size;  ///< size: of a side, in pixels
  uint32_t rgba;
};

std::vector<Particle> cloud(uint32_t count, float least, float most) {
  Random random(count);
  std::vector<Particle> all(count);
  for (Particle& p : all)
    p = {random.unit() * 1.9f - 0.95f, random.unit() * 1.9f - 0.95f, random.unit(),
         least + (most - least) * random.unit(), (random.word() & 0x3f3f3fu) | 0x60101010u};
  return all;
}

double pixels(const std::vector<Particle>& all) {
  double sum = 0;
  for (const Particle& p : all) sum += double(p.size) * p.size;
  return sum;
}

/// Bright in the middle, nothing at the edge.
Image spot(Gpu& gpu) {
  constexpr uint32_t kSize = 64;
  const Image image = gpu.makeImage({kSize, kSize, VK_FORMAT_R8_UNORM, kTexture});
  std::vector<uint32_t> words(kSize * kSize / 4);
  auto* const bytes = reinterpret_cast<uint8_t*>(words.data());
  for (uint32_t i = 0; i < kSize * kSize; ++i) {
    const float x = (float(i % kSize) + 0.5f) * 2 / kSize - 1, y = (float(i / kSize) + 0.5f) * 2 / kSize - 1;
    bytes[i] = uint8_t(255 * std::max(0.0f, 1 - x * x - y * y));
  }
  gpu.upload(image, words);
  return image;
}

/// What quads fade into: a mesh drawn with depth, before what is timed.
Target drawnScene(Gpu& gpu) {
  Target target = gpu.makeTarget({.width = kWidth, .height = kHeight, .depth = true, .readsDepth = true});
  const GridDraw grid(gpu, target, 100, 50, mesh_vert, color_frag);
  gpu.submit(gpu.record([&](VkCommandBuffer c) {
    grid.record(c);
    gpu.barrier(c);
  }));
  return target;
}

GraphicsDesc particlesOnto(const Target& target, Spirv vertex, Spirv fragment) {
  return {.stages = {{VK_SHADER_STAGE_VERTEX_BIT, vertex}, {VK_SHADER_STAGE_FRAGMENT_BIT, fragment}},
          .target = &target,
          .blend = true,
          .adds = true,
          .stride = sizeof(Particle),
          .attributes = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                         {1, 0, VK_FORMAT_R8G8B8A8_UNORM, offsetof(Particle, rgba)}}};
}

Outcome softQuads(Gpu& gpu) {
  const Target scene = drawnScene(gpu), target = gpu.makeTarget({.width = kWidth, .height = kHeight});
  const std::vector<Particle> all = cloud(8000, 16, 64);
  const Buffer instances = bufferOf<Particle>(gpu, all);
  const Image image = spot(gpu);
  const Resources resources(gpu,
                            {sampled(image, gpu.makeSampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, 0, false,
                                                            VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE)),
                             sampled(scene.depth, gpu.makeSampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST))});
  GraphicsDesc d = particlesOnto(target, particle_vert, particle_frag);
  d.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  d.instanced = true;
  const VkPipeline pipeline = gpu.makePipeline(d, resources.layout);
  return drawOutcome(gpu, target, pixels(all) / 1e6, [&](VkCommandBuffer c) {
    const VkDeviceSize zero = 0;
    resources.bind(c, pipeline);
    vkCmdBindVertexBuffers(c, 0, 1, &instances.buffer, &zero);
    vkCmdDraw(c, 4, uint32_t(all.size()), 0, 0);
  });
}

Outcome points(Gpu& gpu) {
  gpu.require(gpu.features.largePoints, "largePoints");
  const Target target = gpu.makeTarget({.width = kWidth, .height = kHeight});
  const std::vector<Particle> all = cloud(100000, 3, 9);
  const Buffer vertices = bufferOf<Particle>(gpu, all);
  GraphicsDesc d = particlesOnto(target, point_vert, point_frag);
  d.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  const VkPipeline pipeline = gpu.makePipeline(d, gpu.layout);
  return drawOutcome(gpu, target, double(all.size()) / 1e6, [&](VkCommandBuffer c) {
    const VkDeviceSize zero = 0;
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindVertexBuffers(c, 0, 1, &vertices.buffer, &zero);
    vkCmdDraw(c, uint32_t(all.size()), 1, 0, 0);
  });
}

}  // namespace

std::vector<Scenario> particleScenarios() {
  return {
      {"particles.soft_quads", "Mpix/s", true, Bound::CacheCopy, 0.004, 0.02, softQuads},
      {"particles.points", "Mpoint/s", true, Bound::None, 0, 0.02, points},
  };
}

}  // namespace vkbench
