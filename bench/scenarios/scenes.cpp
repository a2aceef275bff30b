// Frames of a small three-dimensional world: textured with reflections, shadowed, deferred, and resolved by a shader.
#include <cmath>

#include "../scenario.h"
#include "color.frag.h"
#include "gbuffer_five.frag.h"
#include "gbuffer_three.frag.h"
#include "lighting_five.frag.h"
#include "lighting_three.frag.h"
#include "mesh.vert.h"
#include "resolve_eight.frag.h"
#include "resolve_four.frag.h"
#include "world.h"
#include "world.vert.h"
#include "world_light.vert.h"
#include "world_shadowed.frag.h"
#include "world_textured.frag.h"

namespace vkbench {
namespace {

constexpr auto kNearest = VK_SAMPLER_MIPMAP_MODE_NEAREST, kLinear = VK_SAMPLER_MIPMAP_MODE_LINEAR;

/// Stones: neighbours differ, but not wildly.
std::vector<uint32_t> stoneTexels(uint32_t size, uint64_t seed) {
  std::vector<uint32_t> t = noiseTexels(size, size, seed);
  for (uint32_t& w : t) w = 0xff606060u + (w & 0x3f3f3fu);
  return t;
}

/// Directions near (0, 0, 1), as bytes.
std::vector<uint32_t> bumpTexels(uint32_t size) {
  std::vector<uint32_t> t;
  for (uint32_t y = 0; y < size; ++y)
    for (uint32_t x = 0; x < size; ++x) {
      const auto byte = [](float v) { return uint32_t(127.5f + 127.5f * v); };
      const float nx = 0.3f * std::sin(float(x) * 0.2f), ny = 0.3f * std::cos(float(y) * 0.17f);
      t.push_back(byte(nx) | byte(ny) << 8 | byte(std::sqrt(1 - nx * nx - ny * ny)) << 16 | 0xff000000u);
    }
  return t;
}

Image levelled(Gpu& gpu, uint32_t size, uint32_t levels, VkFormat format, std::vector<uint32_t> texels) {
  const Image image = gpu.makeImage({size, size, format, kTexture, levels});
  uploadChain(gpu, image, std::move(texels));
  return image;
}

Image skyCube(Gpu& gpu) {
  constexpr uint32_t kSize = 256;
  const Image sky = gpu.makeImage({.width = kSize, .height = kSize, .usage = kTexture, .mips = 9, .cube = true});
  for (uint32_t face = 0; face < 6; ++face) {
    std::vector<uint32_t> t;
    for (uint32_t y = 0; y < kSize; ++y)
      for (uint32_t x = 0; x < kSize; ++x) t.push_back(0xff800000u | (40 + face * 20 + y / 4) << 8 | (60 + x / 4));
    uploadChain(gpu, sky, std::move(t), face);
  }
  return sky;
}

/// Albedo, bumps and a reflected sky, all with levels; the commonest frame of all.
Outcome textured(Gpu& gpu, bool srgb) {
  const Target target = gpu.makeTarget({.width = kWidth,
                                        .height = kHeight,
                                        .format = srgb ? VK_FORMAT_B8G8R8A8_SRGB : VK_FORMAT_B8G8R8A8_UNORM,
                                        .depth = true});
  const World world(gpu);
  const VkFormat format = srgb ? VK_FORMAT_R8G8B8A8_SRGB : VK_FORMAT_R8G8B8A8_UNORM;
  const Image albedo = levelled(gpu, 1024, 11, format, stoneTexels(1024, 71));
  const Image bumps = levelled(gpu, 512, 10, VK_FORMAT_R8G8B8A8_UNORM, bumpTexels(512));
  const Image sky = skyCube(gpu);
  const VkSampler sampler = gpu.makeSampler(VK_FILTER_LINEAR, kLinear);
  const Resources resources(
      gpu, {uniform(world.camera()), sampled(albedo, sampler), sampled(bumps, sampler), sampled(sky, sampler)});
  const VkPipeline pipeline = world.makePipeline(target, world_vert, world_textured_frag, resources.layout);
  return drawOutcome(gpu, target, kPixels / 1e6, [&](VkCommandBuffer c) {
    resources.bind(c, pipeline);
    world.draw(c, resources);
  });
}

/// Depth from the light, then a lit frame with nine comparisons a pixel.
Outcome shadowed(Gpu& gpu) {
  constexpr uint32_t kMap = 1024;
  const Target shadow = gpu.makeTarget({.width = kMap, .height = kMap, .colors = 0, .depth = true, .readsDepth = true});
  const Target target = gpu.makeTarget({.width = kWidth, .height = kHeight, .depth = true});
  const World world(gpu);
  const VkSampler compare = gpu.makeSampler(VK_FILTER_LINEAR, kNearest, 0, true, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
  const Resources light(gpu, {uniform(world.camera())});
  const Resources lit(gpu, {uniform(world.camera()), sampled(shadow.depth, compare)});
  const VkPipeline first = world.makePipeline(shadow, world_light_vert, {}, light.layout);
  const VkPipeline second = world.makePipeline(target, world_vert, world_shadowed_frag, lit.layout);
  return pictureOutcome(gpu, kPixels / 1e6, target.picture(), [&](VkCommandBuffer c) {
    gpu.begin(c, shadow);
    light.bind(c, first);
    world.draw(c, light);
    vkCmdEndRenderPass(c);
    gpu.barrier(c);
    gpu.begin(c, target);
    lit.bind(c, second);
    world.draw(c, lit);
    vkCmdEndRenderPass(c);
  });
}

/// Several targets of several formats and depth, then a pass that reads them all.
Outcome deferred(Gpu& gpu, std::vector<VkFormat> formats) {
  const bool five = formats.size() == 5;
  gpu.require(gpu.properties.limits.maxColorAttachments >= formats.size(), "color attachments");
  const Target gbuffer = gpu.makeTarget(
      {.width = kWidth, .height = kHeight, .depth = true, .readsDepth = true, .formats = std::move(formats)});
  const Target screen = gpu.makeTarget({.width = kWidth, .height = kHeight});
  const World world(gpu);
  const Image albedo = levelled(gpu, 1024, 11, VK_FORMAT_R8G8B8A8_UNORM, stoneTexels(1024, 71));
  const Resources surface(gpu, {uniform(world.camera()), sampled(albedo, gpu.makeSampler(VK_FILTER_LINEAR, kLinear))});
  const VkPipeline fill = world.makePipeline(
      gbuffer, world_vert, five ? Spirv{gbuffer_five_frag} : Spirv{gbuffer_three_frag}, surface.layout);
  const VkSampler nearest = gpu.makeSampler(VK_FILTER_NEAREST, kNearest);
  const auto color = [&](size_t i) { return sampled(gbuffer.colors[i], nearest); };
  const Resource camera = uniform(world.camera()), depth = sampled(gbuffer.depth, nearest);
  const FullPass lighting =
      five
          ? FullPass(gpu, screen, lighting_five_frag, {camera, depth, color(0), color(1), color(2), color(3), color(4)})
          : FullPass(gpu, screen, lighting_three_frag, {camera, depth, color(0), color(1), color(2)});
  return pictureOutcome(gpu, kPixels / 1e6, screen.picture(), [&](VkCommandBuffer c) {
    gpu.begin(c, gbuffer);
    surface.bind(c, fill);
    world.draw(c, surface);
    vkCmdEndRenderPass(c);
    gpu.barrier(c);
    lighting.record(c);
  });
}

/// Samples of a drawn mesh, tone-mapped before they are averaged.
Outcome shaderResolve(Gpu& gpu, uint32_t samples, VkFormat format) {
  gpu.requireSamples(samples);
  const Target target =
      gpu.makeTarget({.width = kWidth, .height = kHeight, .format = format, .samples = samples, .keepSamples = true});
  const GridDraw grid(gpu, target, 100, 50, mesh_vert, color_frag);
  gpu.submit(gpu.record([&](VkCommandBuffer c) {
    grid.record(c, {.tint = {2, 1.5f, 1, 1}});
    gpu.barrier(c);
  }));
  const Target screen = gpu.makeTarget({.width = kWidth, .height = kHeight});
  const FullPass resolve(gpu, screen, samples == 8 ? Spirv{resolve_eight_frag} : Spirv{resolve_four_frag},
                         {sampled(target.colors[0], gpu.makeSampler(VK_FILTER_NEAREST, kNearest))});
  return pictureOutcome(gpu, kPixels / 1e6, screen.picture(), [&](VkCommandBuffer c) { resolve.record(c); });
}

}  // namespace

std::vector<Scenario> sceneScenarios() {
  constexpr auto kBytes = VK_FORMAT_R8G8B8A8_UNORM, kHalves = VK_FORMAT_R16G16B16A16_SFLOAT;
  const std::vector<VkFormat> three = {kBytes, kHalves, VK_FORMAT_R16G16_SFLOAT};
  const std::vector<VkFormat> five = {kBytes, VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_R16G16_SFLOAT,
                                      VK_FORMAT_B10G11R11_UFLOAT_PACK32, kHalves};
  return {
      {"scenes.textured_unorm", "Mpix/s", true, Bound::None, 0, 0.02, [](Gpu& g) { return textured(g, false); }},
      {"scenes.textured_srgb", "Mpix/s", true, Bound::None, 0, 0.02, [](Gpu& g) { return textured(g, true); }},
      {"scenes.shadow_pcf", "Mpix/s", true, Bound::None, 0, 0.02, shadowed},
      {"scenes.deferred_3", "Mpix/s", true, Bound::None, 0, 0.02, [=](Gpu& g) { return deferred(g, three); }},
      {"scenes.deferred_5", "Mpix/s", true, Bound::None, 0, 0.02, [=](Gpu& g) { return deferred(g, five); }},
      {"scenes.resolve_4x", "Mpix/s", true, Bound::CacheCopy, 0.004, 0.02,
       [=](Gpu& g) { return shaderResolve(g, 4, kBytes); }},
      {"scenes.resolve_8x", "Mpix/s", true, Bound::CacheCopy, 0.004, 0.02,
       [=](Gpu& g) { return shaderResolve(g, 8, kBytes); }},
      {"scenes.resolve_hdr_4x", "Mpix/s", true, Bound::CacheCopy, 0.006, 0.02,
       [=](Gpu& g) { return shaderResolve(g, 4, kHalves); }},
  };
}

}  // namespace vkbench
