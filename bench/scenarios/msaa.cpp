// The same work at 1 to 16 samples a pixel: clear, fill, scenes of many and of few edges, resolve, deferred shading.
#include "../scenario.h"
#include "color.frag.h"
#include "deferred.frag.h"
#include "draws.h"
#include "full.vert.h"
#include "gbuffer.frag.h"
#include "gradient.frag.h"
#include "mesh.vert.h"

namespace vkbench {
namespace {

Target targetOf(Gpu& gpu, uint32_t samples, bool depth, bool keepsSamples = false) {
  gpu.requireSamples(samples);
  return gpu.makeTarget({.width = kWidth,
                         .height = kHeight,
                         .samples = samples,
                         .depth = depth,
                         .resolve = samples > 1,
                         .keepSamples = keepsSamples});
}

Outcome clear(Gpu& gpu, uint32_t samples) {
  return drawOutcome(gpu, targetOf(gpu, samples, false), kPixels / 1e6, [](VkCommandBuffer) {});
}

Outcome fill(Gpu& gpu, uint32_t samples) {
  const Target target = targetOf(gpu, samples, false);
  const VkPipeline pipeline = gpu.makePipeline(
      {.stages = {{VK_SHADER_STAGE_VERTEX_BIT, full_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, gradient_frag}},
       .target = &target,
       .blend = true},
      gpu.layout);
  return drawOutcome(gpu, target, kPixels * 4 / 1e6, [&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    push(gpu, c, FullPush{.color = {0.9f, 0.6f, 0.3f, 0.4f}});
    vkCmdDraw(c, 3, 4, 0, 0);
  });
}

/// How fine a mesh is: cells both ways, two triangles each.
struct Fineness {
  uint32_t columns, rows;
};
constexpr Fineness kFine{100, 50};   ///< triangles of some 200 pixels: every fourth pixel has an edge
constexpr Fineness kCoarse{42, 23};  ///< triangles of some 1,000 pixels: 7 % of the pixels end with an edge

/// Two layers of a wavy mesh, with depth test. Counts triangles or pixels.
Outcome scene(Gpu& gpu, uint32_t samples, Fineness fineness, bool perTriangle, bool keepsSamples = false) {
  const Target target = targetOf(gpu, samples, true, keepsSamples);
  const Mesh mesh = gridMesh(fineness.columns, fineness.rows);
  const Buffer vb = bufferOf<Vertex>(gpu, mesh.vertices), ib = bufferOf<uint32_t>(gpu, mesh.indices);
  const VkPipeline pipeline =
      gpu.makePipeline({.stages = {{VK_SHADER_STAGE_VERTEX_BIT, mesh_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, color_frag}},
                        .target = &target,
                        .vertices = true,
                        .depthTest = true},
                       gpu.layout);
  const double layer = perTriangle ? double(mesh.indices.size()) / 3e6 : kPixels / 1e6;
  return drawOutcome(gpu, target, 2 * layer, [&](VkCommandBuffer c) {
    bindMesh(gpu, c, pipeline, vb, {.offset = {0, 0, 0.1f, 0}}, &ib);
    vkCmdDrawIndexed(c, uint32_t(mesh.indices.size()), 1, 0, 0, 0);
    push(gpu, c, MeshPush{.offset = {0.07f, 0.03f, 0, 0}, .tint = {0.7f, 0.9f, 0.5f, 1}});
    vkCmdDrawIndexed(c, uint32_t(mesh.indices.size()), 1, 0, 0, 0);
  });
}

Outcome resolve(Gpu& gpu, uint32_t samples) {
  gpu.requireSamples(samples);
  const Target target = gpu.makeTarget({.width = kWidth, .height = kHeight, .samples = samples, .keepSamples = true});
  const Mesh mesh = gridMesh(100, 50);
  const Buffer vb = bufferOf<Vertex>(gpu, mesh.vertices), ib = bufferOf<uint32_t>(gpu, mesh.indices);
  const VkPipeline pipeline =
      gpu.makePipeline({.stages = {{VK_SHADER_STAGE_VERTEX_BIT, mesh_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, color_frag}},
                        .target = &target,
                        .vertices = true},
                       gpu.layout);
  const Image flat = gpu.makeImage(
      {kWidth, kHeight, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
  gpu.submit(gpu.record([&](VkCommandBuffer c) {
    gpu.begin(c, target);
    bindMesh(gpu, c, pipeline, vb, {}, &ib);
    vkCmdDrawIndexed(c, uint32_t(mesh.indices.size()), 1, 0, 0, 0);
    vkCmdEndRenderPass(c);
    gpu.toGeneral(c, flat);
    gpu.barrier(c);
  }));
  Outcome out = commandOutcome(gpu, kPixels / 1e6, [&](VkCommandBuffer c) {
    VkImageResolve region{};
    region.srcSubresource = region.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.extent = {kWidth, kHeight, 1};
    vkCmdResolveImage(c, target.colors[0].image, VK_IMAGE_LAYOUT_GENERAL, flat.image, VK_IMAGE_LAYOUT_GENERAL, 1,
                      &region);
  });
  digestImage(out, gpu.read(flat), kWidth, kHeight);
  return out;
}

/// A multisampled G-buffer, then lighting once a sample into a multisampled target that is resolved.
Outcome deferred(Gpu& gpu, uint32_t samples) {
  gpu.requireSamples(samples);
  gpu.require(gpu.features.sampleRateShading, "sampleRateShading");
  constexpr uint32_t kW = 960, kH = 540;
  const Target gbuffer =
      gpu.makeTarget({.width = kW, .height = kH, .samples = samples, .colors = 2, .depth = true, .keepSamples = true});
  const Target lit = gpu.makeTarget({.width = kW, .height = kH, .samples = samples, .resolve = true});
  const Mesh mesh = gridMesh(50, 25);
  const Buffer vb = bufferOf<Vertex>(gpu, mesh.vertices), ib = bufferOf<uint32_t>(gpu, mesh.indices);
  const VkDescriptorType types[2] = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                     VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER};
  const VkDescriptorSetLayout setLayout = gpu.makeSetLayout(types);
  const VkPipelineLayout layout = gpu.makeLayout(setLayout);
  const VkDescriptorSet set = gpu.makeSet(setLayout);
  const VkSampler sampler = gpu.makeSampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST);
  for (uint32_t i = 0; i < 2; ++i) gpu.writeImage(set, i, types[i], gbuffer.colors[i], sampler);
  const VkPipeline first = gpu.makePipeline(
      {.stages = {{VK_SHADER_STAGE_VERTEX_BIT, mesh_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, gbuffer_frag}},
       .target = &gbuffer,
       .vertices = true,
       .depthTest = true},
      gpu.layout);
  const VkPipeline second = gpu.makePipeline(
      {.stages = {{VK_SHADER_STAGE_VERTEX_BIT, full_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, deferred_frag}},
       .target = &lit,
       .sampleShading = true},
      layout);
  Outcome out = commandOutcome(gpu, double(kW) * kH / 1e6, [&](VkCommandBuffer c) {
    gpu.begin(c, gbuffer);
    bindMesh(gpu, c, first, vb, {}, &ib);
    vkCmdDrawIndexed(c, uint32_t(mesh.indices.size()), 1, 0, 0, 0);
    vkCmdEndRenderPass(c);
    gpu.barrier(c);
    gpu.begin(c, lit);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, second);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
    push(gpu, c, FullPush{}, layout);
    vkCmdDraw(c, 3, 1, 0, 0);
    vkCmdEndRenderPass(c);
  });
  digestImage(out, gpu.read(lit.picture()), kW, kH);
  return out;
}

}  // namespace

std::vector<Scenario> msaaScenarios() {
  std::vector<Scenario> list;
  for (const uint32_t n : {1u, 2u, 4u, 8u, 16u}) {
    const std::string x = "_" + std::to_string(n) + "x";
    // Bounds count the resolved pixel only: a compressed surface need not touch every sample.
    list.push_back(
        {"msaa.clear" + x, "Mpix/s", true, Bound::CacheWrite, 0.004, 0.01, [n](Gpu& g) { return clear(g, n); }});
    list.push_back(
        {"msaa.fill" + x, "Mpix/s", true, Bound::CacheCopy, 0.004, 0.02, [n](Gpu& g) { return fill(g, n); }});
    list.push_back(
        {"msaa.scene" + x, "Mtri/s", true, Bound::None, 0, 0.02, [n](Gpu& g) { return scene(g, n, kFine, true); }});
    list.push_back(
        {"msaa.edges" + x, "Mpix/s", true, Bound::None, 0, 0.02, [n](Gpu& g) { return scene(g, n, kCoarse, false); }});
    if (n == 1) continue;
    list.push_back(
        {"msaa.resolve" + x, "Mpix/s", true, Bound::CacheCopy, 0.004, 0.02, [n](Gpu& g) { return resolve(g, n); }});
    if (n == 2 || n == 16) continue;
    list.push_back({"msaa.stored" + x, "Mpix/s", true, Bound::None, 0, 0.02,
                    [n](Gpu& g) { return scene(g, n, kCoarse, false, true); }});
    list.push_back({"msaa.deferred" + x, "Mpix/s", true, Bound::None, 0, 0.02, [n](Gpu& g) { return deferred(g, n); }});
  }
  return list;
}

}  // namespace vkbench
