// The same work at 1 to 16 samples a pixel: clear, fill, scenes of many and of few edges, resolve, deferred shading.
#include <algorithm>
#include <cmath>

#include "../scenario.h"
#include "color.frag.h"
#include "deferred.frag.h"
#include "draws.h"
#include "full.vert.h"
#include "gbuffer.frag.h"
#include "gradient.frag.h"
#include "mesh.vert.h"
#include "supersample.h"

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

/// Times one pass; what covers every pixel whole looks as it does with one sample.
template <class F>
Outcome wholeOutcome(Gpu& gpu, const Target& target, double work, F drawTo) {
  Outcome out = drawOutcome(gpu, target, work, drawTo(target));
  if (target.desc.samples == 1) return out;
  const std::vector<uint8_t> picture = gpu.read(target.picture());
  const Target plain = targetOf(gpu, 1, false);
  compareWith(out, picture, supersample(1, [&](float, float) {
                gpu.submit(gpu.record([&](VkCommandBuffer c) {
                  gpu.begin(c, plain);
                  drawTo(plain)(c);
                  vkCmdEndRenderPass(c);
                }));
                return gpu.read(plain.picture());
              }));
  return out;
}

Outcome clear(Gpu& gpu, uint32_t samples) {
  return wholeOutcome(gpu, targetOf(gpu, samples, false), kPixels / 1e6,
                      [](const Target&) { return [](VkCommandBuffer) {}; });
}

Outcome fill(Gpu& gpu, uint32_t samples) {
  return wholeOutcome(gpu, targetOf(gpu, samples, false), kPixels * 4 / 1e6, [&gpu](const Target& target) {
    const VkPipeline pipeline = gpu.makePipeline(
        {.stages = {{VK_SHADER_STAGE_VERTEX_BIT, full_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, gradient_frag}},
         .target = &target,
         .blend = true},
        gpu.layout);
    return [&gpu, pipeline](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      push(gpu, c, FullPush{.color = {0.9f, 0.6f, 0.3f, 0.4f}});
      vkCmdDraw(c, 3, 4, 0, 0);
    };
  });
}

/// How fine a mesh is: cells both ways, two triangles each.
struct Fineness {
  uint32_t columns, rows;
};
constexpr Fineness kFine{100, 50};   ///< triangles of some 200 pixels: every fourth pixel has an edge
constexpr Fineness kCoarse{42, 23};  ///< triangles of some 1,000 pixels: 7 % of the pixels end with an edge

/// A wavy mesh in layers, drawn to one target.
class Scene {
 public:
  Scene(Gpu& gpu, const Target& target, Fineness fineness, Spirv fragment = color_frag)
      : gpu_(gpu), target_(target), mesh_(gridMesh(fineness.columns, fineness.rows)) {
    vertices_ = bufferOf<Vertex>(gpu, mesh_.vertices);
    indices_ = bufferOf<uint32_t>(gpu, mesh_.indices);
    pipeline_ =
        gpu.makePipeline({.stages = {{VK_SHADER_STAGE_VERTEX_BIT, mesh_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, fragment}},
                          .target = &target,
                          .vertices = true,
                          .depthTest = target.desc.depth},
                         gpu.layout);
  }
  uint32_t triangles() const { return uint32_t(mesh_.indices.size() / 3); }

  /// Layer 0 or 1 of `layers`, moved by so many pixels.
  void drawLayer(VkCommandBuffer c, uint32_t layer, uint32_t layers, float x = 0, float y = 0) const {
    x *= 2.0f / float(target_.desc.width), y *= 2.0f / float(target_.desc.height);
    MeshPush constants{.offset = {x, y, layers > 1 ? 0.1f : 0, 0}};
    if (layer == 1) constants = {.offset = {0.07f + x, 0.03f + y, 0, 0}, .tint = {0.7f, 0.9f, 0.5f, 1}};
    bindMesh(gpu_, c, pipeline_, vertices_, constants, &indices_);
    vkCmdDrawIndexed(c, triangles() * 3, 1, 0, 0, 0);
  }
  /// One layer or two.
  void draw(VkCommandBuffer c, uint32_t layers, float x = 0, float y = 0) const {
    for (uint32_t layer = 0; layer < layers; ++layer) drawLayer(c, layer, layers, x, y);
  }
  /// That in a pass of its own.
  void submit(uint32_t layers, float x = 0, float y = 0) const {
    gpu_.submit(gpu_.record([&](VkCommandBuffer c) {
      gpu_.begin(c, target_);
      draw(c, layers, x, y);
      vkCmdEndRenderPass(c);
    }));
  }

 private:
  Gpu& gpu_;
  const Target& target_;
  Mesh mesh_;
  Buffer vertices_, indices_;
  VkPipeline pipeline_{};
};

/// Compares a multisampled picture of such layers with what single samples give.
void compareWithSamples(Gpu& gpu, Outcome& out, uint32_t samples, Fineness fineness, uint32_t layers,
                        std::span<const uint8_t> picture) {
  const Target plain = targetOf(gpu, 1, layers > 1);
  const Scene scene(gpu, plain, fineness);
  compareWith(out, picture, supersample(samples, [&](float x, float y) {
                scene.submit(layers, x, y);
                return gpu.read(plain.picture());
              }));
}

/// Two layers, with depth test. Counts triangles or pixels.
Outcome scene(Gpu& gpu, uint32_t samples, Fineness fineness, bool perTriangle, bool keepsSamples = false) {
  const Target target = targetOf(gpu, samples, true, keepsSamples);
  const Scene scene(gpu, target, fineness);
  const double layer = perTriangle ? scene.triangles() / 1e6 : kPixels / 1e6;
  Outcome out = drawOutcome(gpu, target, 2 * layer, [&](VkCommandBuffer c) { scene.draw(c, 2); });
  if (samples > 1) compareWithSamples(gpu, out, samples, fineness, 2, gpu.read(target.picture()));
  return out;
}

/// The same layers in two passes: the second goes on with the colour and depth that the first stored, and resolves.
Outcome twoPasses(Gpu& gpu, uint32_t samples) {
  gpu.requireSamples(samples);
  const Target target = gpu.makeTarget(
      {.width = kWidth, .height = kHeight, .samples = samples, .depth = true, .resolve = samples > 1, .goesOn = true});
  const Scene scene(gpu, target, kCoarse);
  Outcome out = commandOutcome(gpu, 2 * kPixels / 1e6, [&](VkCommandBuffer c) {
    gpu.begin(c, target);
    scene.drawLayer(c, 0, 2);
    vkCmdEndRenderPass(c);
    gpu.barrier(c);
    gpu.goOn(c, target);
    scene.drawLayer(c, 1, 2);
    vkCmdEndRenderPass(c);
  });
  const std::vector<uint8_t> picture = gpu.read(target.picture());
  digestImage(out, picture, kWidth, kHeight);
  if (samples > 1) compareWithSamples(gpu, out, samples, kCoarse, 2, picture);
  return out;
}

Outcome resolve(Gpu& gpu, uint32_t samples) {
  gpu.requireSamples(samples);
  const Target target = gpu.makeTarget({.width = kWidth, .height = kHeight, .samples = samples, .keepSamples = true});
  const Scene scene(gpu, target, kFine);
  const Image flat = gpu.makeImage(
      {kWidth, kHeight, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
  gpu.submit(gpu.record([&](VkCommandBuffer c) {
    gpu.begin(c, target);
    scene.draw(c, 1);
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
  const std::vector<uint8_t> picture = gpu.read(flat);
  digestImage(out, picture, kWidth, kHeight);
  compareWithSamples(gpu, out, samples, kFine, 1, picture);
  return out;
}

constexpr uint32_t kLitWidth = 960, kLitHeight = 540;
constexpr Fineness kGbuffer{50, 25};

/// deferred.frag on the host, in place of `albedo`.
void light(std::span<uint8_t> albedo, std::span<const uint8_t> normal) {
  for (uint32_t y = 0; y < kLitHeight; ++y)
    for (uint32_t x = 0; x < kLitWidth; ++x) {
      uint8_t* const a = &albedo[(size_t(y) * kLitWidth + x) * 4];
      const uint8_t* const n = &normal[(size_t(y) * kLitWidth + x) * 4];
      const float u = (float(x) + 0.5f) / kLitWidth, v = (float(y) + 0.5f) / kLitHeight;
      float dots = 0;
      for (int i = 0; i < 4; ++i) {
        const float l[3] = {float(i & 1) - u, float(i >> 1) - v, 0.5f};
        float dot = 0;
        for (int c = 0; c < 3; ++c) dot += (float(n[c]) / 127.5f - 1) * l[c];
        dots += std::max(dot / std::sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]), 0.0f);
      }
      for (int c = 0; c < 3; ++c)
        a[c] = uint8_t(std::min(255.0f, float(a[c]) * (0.1f + dots * (0.2f + 0.05f * float(c))) + 0.5f));
      a[3] = 255;
    }
}

/// A multisampled G-buffer, then lighting once a sample into a multisampled target that is resolved.
Outcome deferred(Gpu& gpu, uint32_t samples) {
  gpu.requireSamples(samples);
  gpu.require(gpu.features.sampleRateShading, "sampleRateShading");
  const auto gbufferOf = [&](uint32_t count) {
    return gpu.makeTarget({.width = kLitWidth,
                           .height = kLitHeight,
                           .samples = count,
                           .colors = 2,
                           .depth = true,
                           .keepSamples = count > 1});
  };
  const Target gbuffer = gbufferOf(samples);
  const Target lit = gpu.makeTarget({.width = kLitWidth, .height = kLitHeight, .samples = samples, .resolve = true});
  const Scene scene(gpu, gbuffer, kGbuffer, gbuffer_frag);
  const VkDescriptorType types[2] = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                     VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER};
  const VkDescriptorSetLayout setLayout = gpu.makeSetLayout(types);
  const VkPipelineLayout layout = gpu.makeLayout(setLayout);
  const VkDescriptorSet set = gpu.makeSet(setLayout);
  const VkSampler sampler = gpu.makeSampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST);
  for (uint32_t i = 0; i < 2; ++i) gpu.writeImage(set, i, types[i], gbuffer.colors[i], sampler);
  const VkPipeline second = gpu.makePipeline(
      {.stages = {{VK_SHADER_STAGE_VERTEX_BIT, full_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, deferred_frag}},
       .target = &lit,
       .sampleShading = true},
      layout);
  Outcome out = commandOutcome(gpu, double(kLitWidth) * kLitHeight / 1e6, [&](VkCommandBuffer c) {
    gpu.begin(c, gbuffer);
    scene.draw(c, 1);
    vkCmdEndRenderPass(c);
    gpu.barrier(c);
    gpu.begin(c, lit);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, second);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
    push(gpu, c, FullPush{}, layout);
    vkCmdDraw(c, 3, 1, 0, 0);
    vkCmdEndRenderPass(c);
  });
  const std::vector<uint8_t> picture = gpu.read(lit.picture());
  digestImage(out, picture, kLitWidth, kLitHeight);
  const Target plain = gbufferOf(1);
  const Scene moved(gpu, plain, kGbuffer, gbuffer_frag);
  compareWith(out, picture, supersample(samples, [&](float x, float y) {
                moved.submit(1, x, y);
                std::vector<uint8_t> albedo = gpu.read(plain.colors[0]);
                light(albedo, gpu.read(plain.colors[1]));
                return albedo;
              }));
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
    if (n == 1 || n == 4 || n == 8)
      list.push_back(
          {"msaa.two_passes" + x, "Mpix/s", true, Bound::None, 0, 0.02, [n](Gpu& g) { return twoPasses(g, n); }});
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
